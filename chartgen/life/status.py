"""The status of a job: phase, state, the reason in a sentence, and every replica."""

from collections.abc import Iterable, Mapping, Sequence

from chartgen.k8s.objects import Object
from chartgen.life import causes, find
from chartgen.life.causes import Warnings
from chartgen.life.find import (
    CHART,
    CLEANUP,
    COMPONENT,
    INDEX,
    RELEASE,
    ROLE,
    RUNTIME_ID,
    label,
)
from chartgen.life.model import (
    CLEAN_UP,
    CREATING,
    DONE,
    FAILED,
    PENDING,
    RELEASED,
    RESTARTING,
    RUNNING,
    STOPPED,
    SUCCEEDED,
    UNKNOWN,
    WAITING,
    Cause,
    Replica,
    RoleStatus,
    Status,
)
from chartgen.life.replicas import created, made_replica, replica_of
from chartgen.startup.records import NamedTuple

# On the Jobs of the role that decides: all have to succeed, any of them, or the first.
DECIDES = "chartgen/decides"
# Without it, as in charts of before: the role that decides, and whether all its replicas do.
_DECIDING = ("chief", "master", "driver", "client")
_VERBS = {
    FAILED: "failed",
    PENDING: "cannot start",
    RESTARTING: "will be restarted",
    WAITING: "not started yet",
}


class _Deciding(NamedTuple):
    """The replicas that decide how the job ends."""

    replicas: list[Replica]
    jobs: list[Object]


def status(objects: find.Objects) -> Status | None:
    """The status of the job that some objects belong to; None if they have no Job of ours."""
    jobs = find.replica_jobs(objects.jobs)
    if not jobs:
        return None
    warnings = causes.by_object(objects.events)
    pods = find.by_owner(objects.pods)
    replicas = [
        replica_of(job, pods.get(str(job["metadata"].get("uid")), []), warnings) for job in jobs
    ]
    deciding = _deciding(jobs, replicas)
    state, ended = _state(deciding), _state(deciding) in (SUCCEEDED, FAILED)
    replicas = [_release(replica) if ended else replica for replica in replicas]
    replicas += [made_replica(pod, warnings) for pod in find.made_pods(objects.pods, jobs)]
    stopped = (
        not ended
        and bool(deciding.replicas)
        and all(replica.word == STOPPED for replica in deciding.replicas)
    )
    first = jobs[0]
    cleanup = _cleanup(objects.jobs, label(first, RUNTIME_ID), pods, warnings)
    reason = _reason(deciding, replicas, state, stopped=stopped)
    return Status(
        release=label(first, RELEASE),
        namespace=str(first["metadata"].get("namespace") or ""),
        chart=label(first, CHART),
        runtime_id=label(first, RUNTIME_ID),
        phase=_phase(jobs, replicas, deciding, state, cleanup),
        state=UNKNOWN if stopped else state,
        reason=reason + _remains(replicas, cleanup, ended=ended),
        stopped=stopped,
        roles=_roles(replicas),
        since=min(filter(None, map(created, jobs)), default=None),
        endless=not deciding.jobs,
    )


def deciding_jobs(jobs: Sequence[Object]) -> list[Object]:
    """The Jobs whose end is the end of the job; none if it runs until it is removed."""
    marked = [
        job
        for job in jobs
        if _mark(job) in ("all", "any") or (_mark(job) and label(job, INDEX) == "0")
    ]
    if marked:
        return marked
    roles = {label(job, ROLE) for job in jobs}
    first = next((role for role in _DECIDING if role in roles), "")
    if first:
        return [job for job in jobs if label(job, ROLE) == first and label(job, INDEX) == "0"]
    if "web" in roles:  # a Mars cluster without a driver
        return []
    workers = [job for job in jobs if label(job, ROLE) == "worker"]
    return workers if "server" in roles else [job for job in workers if label(job, INDEX) == "0"]


def _mark(job: Object) -> str:
    return str((job["metadata"].get("annotations") or {}).get(DECIDES) or "")


def _deciding(jobs: Sequence[Object], replicas: Sequence[Replica]) -> _Deciding:
    chosen = deciding_jobs(jobs)
    names = {job["metadata"]["name"] for job in chosen}
    return _Deciding([replica for replica in replicas if replica.job in names], chosen)


def _state(deciding: _Deciding) -> str:
    words = {replica.word for replica in deciding.replicas}
    if any(_mark(job) == "any" for job in deciding.jobs):
        if SUCCEEDED in words:
            return SUCCEEDED
        return FAILED if words == {FAILED} else RUNNING
    if FAILED in words:
        return FAILED
    return SUCCEEDED if words == {SUCCEEDED} else RUNNING


def _cleanup(
    jobs: Iterable[Object], runtime_id: str, pods: Mapping[str, list[Object]], warnings: Warnings
) -> Replica | None:
    """The pod that releases servers, as a replica; None if the job has none."""
    for job in jobs:
        if label(job, COMPONENT) == CLEANUP and label(job, RUNTIME_ID) == runtime_id:
            return replica_of(job, pods.get(str(job["metadata"].get("uid")), []), warnings)
    return None


def _phase(
    jobs: Sequence[Object],
    replicas: Sequence[Replica],
    deciding: _Deciding,
    state: str,
    cleanup: Replica | None,
) -> str:
    if all(job["metadata"].get("deletionTimestamp") for job in jobs):
        return CLEAN_UP
    if state in (SUCCEEDED, FAILED):
        if state == FAILED and not any(replica.started for replica in replicas):
            return FAILED  # as the operator called a job that could not be set up
        releasing = any(replica.word == RELEASED and replica.on_node for replica in replicas)
        return CLEAN_UP if releasing or _works(cleanup) else DONE
    ran = deciding.replicas or replicas
    return RUNNING if any(replica.started for replica in ran) else CREATING


def _works(cleanup: Replica | None) -> bool:
    """Whether a clean-up may still release something."""
    return cleanup is not None and cleanup.word not in (SUCCEEDED, FAILED)


def _remains(replicas: Iterable[Replica], cleanup: Replica | None, *, ended: bool) -> str:
    """What a reason adds where something will not be released."""
    if cleanup and cleanup.cause.lasting and cleanup.word != SUCCEEDED:
        verb = "failed" if cleanup.word == FAILED else "cannot start"
        return f"; the clean-up {verb}: {cleanup.cause.text}"
    left = [replica for replica in replicas if replica.on_node and replica.word != RELEASED]
    if ended and left and not _works(cleanup):
        return f"; {_names(left)} still {'run' if len(left) > 1 else 'runs'}"
    return ""


def _release(replica: Replica) -> Replica:
    """A replica of a job that has ended: if it is suspended, it was not a person who did that."""
    return replica._replace(word=RELEASED) if replica.word == STOPPED else replica


def _roles(replicas: Iterable[Replica]) -> tuple[RoleStatus, ...]:
    by_role: dict[str, list[Replica]] = {}
    for replica in replicas:
        by_role.setdefault(replica.role, []).append(replica)
    roles = []
    for name, own in by_role.items():
        roles.append(RoleStatus(name, tuple(sorted(own, key=_order))))
    return tuple(roles)


def _order(replica: Replica) -> tuple[int, str]:
    return (int(replica.number) if replica.number.isdecimal() else -1), replica.number


def _reason(deciding: _Deciding, replicas: Sequence[Replica], state: str, *, stopped: bool) -> str:
    """What to know first, in a sentence."""
    if stopped:
        return "the job is stopped; `chartgen start` resumes it"
    if state == SUCCEEDED:
        succeeded = [replica for replica in deciding.replicas if replica.word == SUCCEEDED]
        return f"{_names(succeeded)} succeeded"
    if state == FAILED:
        failed = [replica for replica in deciding.replicas if replica.word == FAILED]
        return f"{_names(failed)} failed: {failed[0].cause.text or 'no reason is known any more'}"
    groups = _troubles(replicas)
    if groups:
        worst, concerned = groups[0]
        word = "cannot start" if worst.lasting else _VERBS[concerned[0].word]
        if worst == causes.NOT_YET:
            word = _VERBS[WAITING]
        verb = "failed" if concerned[0].word == FAILED else word
        return f"{_names(concerned)} {verb}: {worst.text}{_waiting(deciding, concerned)}"
    running = sum(replica.word == RUNNING for replica in replicas)
    return f"{running:,} of {len(replicas):,} replicas run"


def _waiting(deciding: _Deciding, concerned: Sequence[Replica]) -> str:
    """Who waits for replicas that cannot start, where all of a role train together."""
    if any(_mark(job) == "any" for job in deciding.jobs):
        return ""  # each may succeed without the others
    if not all(replica in deciding.replicas and replica.word == PENDING for replica in concerned):
        return ""
    waiting = [replica for replica in deciding.replicas if replica.word == RUNNING]
    if not waiting:
        return ""
    verb = "waits" if len(waiting) == 1 else "wait"
    return f"; {_names(waiting)} {verb} for {'it' if len(concerned) == 1 else 'them'}"


def _troubles(replicas: Sequence[Replica]) -> list[tuple[Cause, list[Replica]]]:
    """The causes that keep replicas from running, the gravest first, with those concerned."""
    gravity = {FAILED: 0, RESTARTING: 1, PENDING: 2, WAITING: 3}
    groups: dict[tuple[str, Cause], list[Replica]] = {}
    for replica in replicas:
        if replica.word in gravity and replica.cause.text:
            groups.setdefault((replica.word, replica.cause), []).append(replica)
    order = sorted(groups, key=lambda key: (not key[1].lasting, gravity[key[0]]))
    return [(key[1], groups[key]) for key in order]


def _names(replicas: Sequence[Replica]) -> str:
    """worker-0; worker-0, worker-1 and 3 more."""
    shown = [replica.name for replica in replicas[:2]]
    more = len(replicas) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join(shown)
