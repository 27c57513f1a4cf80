"""Each replica of a job: its word, its restarts, and why it does not run."""

import re
from collections.abc import Sequence

from chartgen.k8s.objects import Object
from chartgen.k8s.times import seconds
from chartgen.life import causes
from chartgen.life.causes import Warnings
from chartgen.life.find import ANGEL_ROLE, INDEX, ROLE, label
from chartgen.life.model import (
    FAILED,
    PENDING,
    RESTARTING,
    RUNNING,
    STOPPED,
    SUCCEEDED,
    UNKNOWN,
    WAITING,
    Cause,
    Replica,
)

_END = {"Complete": SUCCEEDED, "Failed": FAILED, "FailureTarget": FAILED}
_WHY = {
    "BackoffLimitExceeded": "",
    "DeadlineExceeded": "it did not end within its activeDeadlineSeconds",
    "PodFailurePolicy": "",
}
# How a Job says with which exit code a policy ended it; its pod may be gone.
_CODE = re.compile(r"failed with exit code ([0-9]{1,3})\b")
# The word of a role and an index in the name of a pod that a framework made.
_MADE = re.compile(r"-(master|ps|worker)(?:-[a-z]+)*-?(\d+)?(?:-\d+)?$")


def end(job: Object) -> str:
    """How a Job ended: Succeeded, Failed, or nothing yet."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition.get("status") == "True" and condition.get("type") in _END:
            return _END[condition["type"]]
    return ""


def replica_of(job: Object, pods: Sequence[Object], warnings: Warnings) -> Replica:
    """A replica, from its Job and its pods, the newest of which counts."""
    meta, how = job["metadata"], end(job)
    base = Replica(label(job, ROLE), label(job, INDEX), UNKNOWN, job=meta["name"])
    suspended = (job.get("spec") or {}).get("suspend")
    if not pods:
        failed = int((job.get("status") or {}).get("failed") or 0)
        # A pod that failed has run, although it is gone.
        started = how == SUCCEEDED or failed > 0
        base = base._replace(started=started, restarts=max(0, failed - 1))
        if how:
            return base._replace(
                word=how, cause=_job_cause(job, None), exit_code=_code(_failure(job))
            )
        if suspended:
            return base._replace(word=STOPPED)
        return base._replace(word=PENDING, cause=causes.no_pod(job, warnings))
    newest = _pod(base, pods[-1], warnings)
    older = [_pod(base, pod, warnings) for pod in pods[:-1]]
    codes = [attempt.exit_code for attempt in (newest, *reversed(older))]
    code = next((code for code in codes if code is not None), None)
    restarts = newest.restarts + len(older) + sum(attempt.restarts for attempt in older)
    started = newest.started or any(attempt.started for attempt in older)
    newest = newest._replace(restarts=restarts, exit_code=code, started=started)
    if how:
        worst = next((pod for pod in reversed(pods) if _last_end(pod)), pods[-1])
        return newest._replace(word=how, cause=_job_cause(job, worst))
    if suspended:
        return newest._replace(word=STOPPED, cause=Cause(""))
    return newest._replace(word=RESTARTING) if newest.word == FAILED else newest


def _failure(job: Object) -> Object:
    """The condition that says that a Job failed; empty if it did not."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if _END.get(str(condition.get("type"))) == FAILED and condition.get("status") == "True":
            return dict(condition)
    return {}


def _job_cause(job: Object, pod: Object | None) -> Cause:
    """Why a Job failed; nothing if it did not."""
    condition = _failure(job)
    if not condition:
        return Cause("")
    reason = str(condition.get("reason") or "")
    message = str(condition.get("message") or reason)
    cause = _WHY.get(reason, message)
    if not cause and pod:
        last = _last_end(pod)
        cause = causes.exit_words(last) if last else causes.describe_failure(pod)
    if not cause and (code := _code(condition)) is not None:
        cause = f"exit code {code}"
    return Cause(cause or message, True)


def _code(condition: Object) -> int | None:
    """The exit code for which a policy ended a Job, if its condition names one."""
    match = _CODE.search(str(condition.get("message") or ""))
    return int(match[1]) if match else None


def _pod(base: Replica, pod: Object, warnings: Warnings) -> Replica:
    """A replica as one pod has it."""
    status = pod.get("status") or {}
    phase = str(status.get("phase") or "")
    main = _main(pod)
    last = _last_end(pod)
    replica = base._replace(
        pod=pod["metadata"]["name"],
        node=str((pod.get("spec") or {}).get("nodeName") or ""),
        since=created(pod),
        restarts=int(main.get("restartCount") or 0),
        exit_code=last.get("exitCode") if last else None,
        started=bool(last or "running" in (main.get("state") or {})),
        on_node=phase in ("Running", "Pending") and bool((pod.get("spec") or {}).get("nodeName")),
    )
    if phase in (SUCCEEDED, FAILED):
        why = (
            causes.exit_words(last)
            if last
            else causes.describe_failure(pod) or "no reason is known"
        )
        return replica._replace(word=phase, cause=Cause(why if phase == FAILED else ""))
    if phase == UNKNOWN:
        return replica._replace(word=WAITING, cause=Cause("its node does not answer"))
    if pod["metadata"].get("deletionTimestamp"):
        return replica._replace(word=WAITING, cause=Cause("its pod is being removed"))
    if "running" in (main.get("state") or {}):
        restart = f"its program was restarted after {causes.exit_words(last)}" if last else ""
        return replica._replace(word=RUNNING, cause=Cause(restart))
    if last:
        return replica._replace(word=RESTARTING, cause=causes.why_waiting(pod, warnings))
    word = WAITING if replica.node else PENDING
    return replica._replace(word=word, cause=causes.why_waiting(pod, warnings))


def _main(pod: Object) -> Object:
    """The status of a pod's main container, which is the first."""
    names = [container["name"] for container in (pod.get("spec") or {}).get("containers") or ()]
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


def made_replica(pod: Object, warnings: Warnings) -> Replica:
    """A replica that a framework made at run time."""
    match = _MADE.search(pod["metadata"]["name"])
    role = label(pod, ANGEL_ROLE) or (match[1] if match else "pod")
    index = (match[2] or "") if match else pod["metadata"]["name"]
    return _pod(Replica(role, index, UNKNOWN), pod, warnings)


def created(obj: Object) -> float | None:
    text = obj["metadata"].get("creationTimestamp")
    return seconds(text) if text else None
