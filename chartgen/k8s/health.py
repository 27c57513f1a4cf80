"""Health: how objects that run something are, judged by their status."""

from collections.abc import Iterable, Iterator, Sequence

from chartgen.k8s.objects import Object
from chartgen.startup.records import NamedTuple

DONE, HEALTHY, WAITING, BROKEN = "done", "healthy", "waiting", "broken"
# The kinds that this module judges, and the version of each that the cluster is asked for.
RUNNERS = {
    "Job": "batch/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Pod": "v1",
}


class State(NamedTuple):
    """How an object is, and why."""

    word: str
    why: str = ""


def state(obj: Object) -> State:
    """How a Job, Deployment, StatefulSet, DaemonSet or Pod is."""
    if obj["kind"] == "Job":
        return _job(obj)
    if obj["kind"] == "Pod":
        return _pod(obj)
    return _server(obj)


def _job(obj: Object) -> State:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    if _condition(obj, "Complete"):
        return State(DONE, "complete")
    if failed := _condition(obj, "Failed", "FailureTarget"):
        return State(BROKEN, _why(failed))
    if spec.get("suspend"):
        return State(DONE, "suspended")
    wanted = spec.get("parallelism", 1)
    if spec.get("completions") is not None:
        wanted = min(wanted, spec["completions"] - status.get("succeeded", 0))
    return _ready(status.get("ready", 0), wanted)


def _server(obj: Object) -> State:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    stuck = _condition(obj, "Progressing", status="False") or _condition(obj, "ReplicaFailure")
    if stuck:
        return State(BROKEN, _why(stuck))
    if status.get("observedGeneration", 0) < obj["metadata"].get("generation", 0):
        return State(WAITING, "its controller has not seen it yet")
    if obj["kind"] == "DaemonSet":
        return _ready(status.get("numberReady", 0), status.get("desiredNumberScheduled", 0))
    return _ready(status.get("readyReplicas", 0), spec.get("replicas", 1))


def _pod(obj: Object) -> State:
    phase = (obj.get("status") or {}).get("phase")
    if phase == "Succeeded":
        return State(DONE, "succeeded")
    if phase == "Failed":
        return State(BROKEN, trouble(obj) or "failed")
    if _condition(obj, "Ready"):
        return State(HEALTHY, "ready")
    return State(WAITING, trouble(obj) or "not ready")


def _ready(ready: int, wanted: int) -> State:
    return State(HEALTHY if ready >= wanted else WAITING, f"{ready:,} of {wanted:,} pods ready")


def _condition(obj: Object, *types: str, status: str = "True") -> Object | None:
    """The condition of one of these types, if it has this status."""
    conditions: Iterable[Object] = (obj.get("status") or {}).get("conditions") or ()
    for condition in conditions:
        if condition.get("type") in types and condition.get("status") == status:
            return condition
    return None


def _why(condition: Object) -> str:
    words = (condition.get("reason"), condition.get("message"))
    return ": ".join(word for word in words if word) or str(condition["type"])


def trouble(pod: Object) -> str:
    """What keeps a pod from running, or made it fail; nothing if all is well."""
    unscheduled = _condition(pod, "PodScheduled", status="False")
    if unscheduled:
        return _why(unscheduled)
    return next((why for _, why in _troubles(pod)), "")


def troubled_containers(pod: Object) -> list[str]:
    """The containers that failed or cannot start."""
    return [name for name, _ in _troubles(pod)]


def _troubles(pod: Object) -> Iterator[tuple[str, str]]:
    """The containers in trouble, each with the reason."""
    status = pod.get("status") or {}
    for field in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(field) or ():
            name, state = container["name"], container.get("state") or {}
            last = container.get("lastState") or {}
            waiting = state.get("waiting") or {}
            ended = state.get("terminated") or last.get("terminated") or {}
            if ended.get("exitCode"):
                reason = ended.get("reason", "Error")
                yield name, f"{name} ended with exit code {ended['exitCode']} ({reason})"
            elif waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
                yield name, f"{name}: {_why({'type': '', **waiting})}"


def pods_of(obj: Object, pods: Sequence[Object]) -> list[Object]:
    """The pods of an object, by its selector; a Pod is its own."""
    if obj["kind"] == "Pod":
        return [pod for pod in pods if pod["metadata"]["name"] == obj["metadata"]["name"]]
    selector = (obj.get("spec") or {}).get("selector") or {}
    wanted = (selector.get("matchLabels") or {}).items()
    if not wanted:
        return []
    return [pod for pod in pods if wanted <= (pod["metadata"].get("labels") or {}).items()]
