"""The status of a job: phase, state, the reason in a sentence, and every replica."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from chartgen.k8s.objects import Object
from chartgen.k8s.times import seconds
from chartgen.life import causes, find
from chartgen.life.causes import Warnings
from chartgen.life.find import (
    ANGEL_ROLE,
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

DECIDES = "chartgen/decides"  # on the Jobs of the role that decides: all do, or the first
# Without it, as in charts of before: the role that decides, and whether all its replicas do.
_DECIDING = ("chief", "master", "driver", "client")
_END = {"Complete": SUCCEEDED, "Failed": FAILED, "FailureTarget": FAILED}
_WHY = {
    "BackoffLimitExceeded": "",
    "DeadlineExceeded": "it ran longer than its activeDeadlineSeconds",
    "PodFailurePolicy": "",
}
_VERBS = {
    FAILED: "failed",
    PENDING: "cannot start",
    RESTARTING: "will be restarted",
    WAITING: "not started yet",
}
# The word of a role and an index in the name of a pod that a framework made.
_MADE = re.compile(r"-(master|ps|worker)(?:-[a-z]+)*-?(\d+)?(?:-\d+)?$")


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
        _replica(job, pods.get(str(job["metadata"].get("uid")), []), warnings) for job in jobs
    ]
    deciding = _deciding(jobs, replicas)
    state, ended = _state(deciding), _state(deciding) in (SUCCEEDED, FAILED)
    replicas = [_released(replica) if ended else replica for replica in replicas]
    replicas += [_made(pod, warnings) for pod in find.made_pods(objects.pods, jobs)]
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
        since=min(filter(None, map(_created, jobs)), default=None),
        endless=not deciding.jobs,
    )


def deciding_jobs(jobs: Sequence[Object]) -> list[Object]:
    """The Jobs whose end is the end of the job; none if it runs until it is removed."""
    marked = [
        job for job in jobs if _mark(job) and (_mark(job) == "all" or label(job, INDEX) == "0")
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


def end(job: Object) -> str:
    """How a Job ended: Succeeded, Failed, or nothing yet."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition.get("status") == "True" and condition.get("type") in _END:
            return _END[condition["type"]]
    return ""


def _deciding(jobs: Sequence[Object], replicas: Sequence[Replica]) -> _Deciding:
    chosen = deciding_jobs(jobs)
    names = {job["metadata"]["name"] for job in chosen}
    return _Deciding([replica for replica in replicas if replica.job in names], chosen)


def _state(deciding: _Deciding) -> str:
    words = {replica.word for replica in deciding.replicas}
    if FAILED in words:
        return FAILED
    return SUCCEEDED if words == {SUCCEEDED} else RUNNING


def _cleanup(
    jobs: Iterable[Object], runtime_id: str, pods: Mapping[str, list[Object]], warnings: Warnings
) -> Replica | None:
    """The pod that releases servers, as a replica; None if the job has none."""
    for job in jobs:
        if label(job, COMPONENT) == CLEANUP and label(job, RUNTIME_ID) == runtime_id:
            return _replica(job, pods.get(str(job["metadata"].get("uid")), []), warnings)
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


def _released(replica: Replica) -> Replica:
    """A replica of a job that has ended: if it is suspended, it was not a person who did that."""
    return replica._replace(word=RELEASED) if replica.word == STOPPED else replica


def _replica(job: Object, pods: Sequence[Object], warnings: Warnings) -> Replica:
    """A replica, from its Job and its pods, the newest of which counts."""
    meta, how = job["metadata"], end(job)
    base = Replica(label(job, ROLE), label(job, INDEX), UNKNOWN, job=meta["name"])
    suspended = (job.get("spec") or {}).get("suspend")
    if not pods:
        failed = int((job.get("status") or {}).get("failed") or 0)
        base = base._replace(started=how == SUCCEEDED, restarts=max(0, failed - 1))
        if how:
            return base._replace(word=how, cause=_job_cause(job, None))
        if suspended:
            return base._replace(word=STOPPED)
        return base._replace(word=PENDING, cause=causes.no_pod(job, warnings))
    seen = _pod(base, pods[-1], warnings)
    older = [_pod(base, pod, warnings) for pod in pods[:-1]]
    code = next(
        (one.exit_code for one in (seen, *reversed(older)) if one.exit_code is not None), None
    )
    restarts = seen.restarts + len(older) + sum(one.restarts for one in older)
    started = seen.started or any(one.started for one in older)
    seen = seen._replace(restarts=restarts, exit_code=code, started=started)
    if how:
        worst = next((pod for pod in reversed(pods) if _last_end(pod)), pods[-1])
        return seen._replace(word=how, cause=_job_cause(job, worst))
    if suspended:
        return seen._replace(word=STOPPED, cause=Cause(""))
    return seen._replace(word=RESTARTING) if seen.word == FAILED else seen


def _job_cause(job: Object, pod: Object | None) -> Cause:
    """Why a Job failed; nothing if it did not."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if (
            condition.get("type") in ("Failed", "FailureTarget")
            and condition.get("status") == "True"
        ):
            reason = str(condition.get("reason") or "")
            last = _last_end(pod) if pod else None
            told = _WHY.get(reason, str(condition.get("message") or reason))
            if not told and last:
                return Cause(causes.exit_words(last), True)
            return Cause(told or str(condition.get("message") or reason), True)
    return Cause("")


def _pod(base: Replica, pod: Object, warnings: Warnings) -> Replica:
    """A replica as one pod has it."""
    status = pod.get("status") or {}
    phase = str(status.get("phase") or "")
    main = _main(pod)
    last = _last_end(pod)
    replica = base._replace(
        pod=pod["metadata"]["name"],
        node=str((pod.get("spec") or {}).get("nodeName") or ""),
        since=_created(pod),
        restarts=int(main.get("restartCount") or 0),
        exit_code=int(last["exitCode"]) if last else None,
        started=bool(last or "running" in (main.get("state") or {})),
        on_node=phase in ("Running", "Pending") and bool((pod.get("spec") or {}).get("nodeName")),
    )
    if phase in (SUCCEEDED, FAILED):
        why = (
            causes.exit_words(last) if last else str(status.get("message") or status.get("reason"))
        )
        return replica._replace(word=phase, cause=Cause(why if phase == FAILED else ""))
    if pod["metadata"].get("deletionTimestamp"):
        return replica._replace(word=WAITING, cause=Cause("its pod is being removed"))
    if "running" in (main.get("state") or {}):
        told = f"its program was restarted after {causes.exit_words(last)}" if last else ""
        return replica._replace(word=RUNNING, cause=Cause(told))
    if last:
        return replica._replace(word=RESTARTING, cause=causes.waiting(pod, warnings))
    word = WAITING if replica.node else PENDING
    return replica._replace(word=word, cause=causes.waiting(pod, warnings))


def _main(pod: Object) -> Object:
    """The status of a pod's main container, which is the first."""
    names = [one["name"] for one in (pod.get("spec") or {}).get("containers") or ()]
    for container in (pod.get("status") or {}).get("containerStatuses") or ():
        if not names or container.get("name") == names[0]:
            return dict(container)
    return {}


def _last_end(pod: Object) -> Object | None:
    """How the main container last ended, if it ever did."""
    main = _main(pod)
    for field in ("state", "lastState"):
        if ended := (main.get(field) or {}).get("terminated"):
            return dict(ended)
    return None


def _made(pod: Object, warnings: Warnings) -> Replica:
    """A replica that a framework made at run time."""
    match = _MADE.search(pod["metadata"]["name"])
    role = label(pod, ANGEL_ROLE) or (match[1] if match else "pod")
    index = (match[2] or "") if match else pod["metadata"]["name"]
    return _pod(Replica(role, index, UNKNOWN), pod, warnings)


def _created(one: Object) -> float | None:
    text = one["metadata"].get("creationTimestamp")
    return seconds(text) if text else None


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
        return f"{_names(deciding.replicas)} succeeded"
    if state == FAILED:
        failed = [replica for replica in deciding.replicas if replica.word == FAILED]
        return f"{_names(failed)} failed: {failed[0].cause.text or 'no reason is known any more'}"
    groups = _troubles(replicas)
    if groups:
        worst, concerned = groups[0]
        word = "cannot start" if worst.lasting else _VERBS[concerned[0].word]
        return (
            f"{_names(concerned)} {'failed' if concerned[0].word == FAILED else word}: {worst.text}"
        )
    return f"{sum(one.word == RUNNING for one in replicas):,} of {len(replicas):,} replicas run"


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
