"""Logs by replica: which containers to read, in which order, and how lines show their replica."""

from collections.abc import Iterable, Sequence

from chartgen.errors import UsageError
from chartgen.k8s.objects import Object
from chartgen.life.model import FAILED, Replica, Status
from chartgen.startup.records import NamedTuple


class LogSource(NamedTuple):
    """A container whose log is read."""

    name: str  # of the replica: worker-3
    pod: str
    container: str
    failed: bool = False


def sources(status: Status, pods: Iterable[Object], which: str, container: str) -> list[LogSource]:
    """The containers to read: of a role, of one replica (worker/3), or of all replicas."""
    by_name = {pod["metadata"]["name"]: pod for pod in pods}
    log_sources = []
    for replica in _chosen(status, which):
        pod = by_name.get(replica.pod)
        if pod:
            log_sources.append(_source(replica, pod, container))
    return log_sources


def _source(replica: Replica, pod: Object, container: str) -> LogSource:
    own = (pod.get("spec") or {}).get("containers")
    name = container or (own[0]["name"] if own else "")
    return LogSource(replica.name, replica.pod, name, replica.word == FAILED)


def _chosen(status: Status, which: str) -> list[Replica]:
    role, _, index = which.partition("/")
    if not role:
        return [*status.replicas]
    names = {role_status.name: role_status for role_status in status.roles}
    if role not in names:
        raise UsageError(f"{status.release} has no role {role!r}; it has {', '.join(names)}")
    replicas = names[role].replicas
    chosen = [replica for replica in replicas if not index or replica.number == index]
    if not chosen:
        first, last = replicas[0].number, replicas[-1].number
        known = first if first == last else f"{first} to {last}"
        raise UsageError(f"{status.release} has no {role} with index {index!r}; expected {known}")
    return chosen


def failed_first(log_sources: Sequence[LogSource]) -> list[LogSource]:
    """The containers of failed replicas before all others."""
    return sorted(log_sources, key=lambda source: not source.failed)


def still_logging(pods: Iterable[Object]) -> set[str]:
    """The names of pods whose containers may log again."""
    names = set()
    for pod in pods:
        if (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed"):
            names.add(str(pod["metadata"]["name"]))
    return names
