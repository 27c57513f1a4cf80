"""Health: what the cluster says of objects that run something, in the few words that a test needs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

Object = dict[str, Any]

DONE, HEALTHY, WAITING, BROKEN = "done", "healthy", "waiting", "broken"
RUNNERS = {
    "Job": "batch/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Pod": "v1",
}  # the kinds that this module judges, and the version of each that the cluster is asked for


class State(NamedTuple):
    """How an object is, and why."""

    word: str
    why: str = ""


def state(one: Object) -> State:
    """How a Job, Deployment, StatefulSet, DaemonSet or Pod is."""
    if one["kind"] == "Job":
        return _job(one)
    if one["kind"] == "Pod":
        return _pod(one)
    return _server(one)


def _job(one: Object) -> State:
    spec, status = one.get("spec") or {}, one.get("status") or {}
    if ended := _condition(one, "Complete"):
        return State(DONE, "complete")
    if ended := _condition(one, "Failed", "FailureTarget"):
        return State(BROKEN, _why(ended))
    if spec.get("suspend"):
        return State(DONE, "suspended")
    wanted = spec.get("parallelism", 1)
    if spec.get("completions") is not None:
        wanted = min(wanted, spec["completions"] - status.get("succeeded", 0))
    return _counted(status.get("ready", 0), wanted)


def _server(one: Object) -> State:
    spec, status = one.get("spec") or {}, one.get("status") or {}
    stuck = _condition(one, "Progressing", status="False") or _condition(one, "ReplicaFailure")
    if stuck:
        return State(BROKEN, _why(stuck))
    if status.get("observedGeneration", 0) < one["metadata"].get("generation", 0):
        return State(WAITING, "its controller has not seen it yet")
    if one["kind"] == "DaemonSet":
        return _counted(status.get("numberReady", 0), status.get("desiredNumberScheduled", 0))
    return _counted(status.get("readyReplicas", 0), spec.get("replicas", 1))


def _pod(one: Object) -> State:
    phase = (one.get("status") or {}).get("phase")
    if phase == "Succeeded":
        return State(DONE, "succeeded")
    if phase == "Failed":
        return State(BROKEN, trouble(one) or "failed")
    return State(HEALTHY, "ready") if _condition(one, "Ready") else State(WAITING, trouble(one) or "not ready")


def _counted(ready: int, wanted: int) -> State:
    return State(HEALTHY if ready >= wanted else WAITING, f"{ready:,} of {wanted:,} pods ready")


def _condition(one: Object, *kinds: str, status: str = "True") -> Object | None:
    conditions: Iterable[Object] = (one.get("status") or {}).get("conditions") or ()
    return next((it for it in conditions if it.get("type") in kinds and it.get("status") == status), None)


def _why(condition: Object) -> str:
    words = (condition.get("reason"), condition.get("message"))
    return ": ".join(word for word in words if word) or str(condition["type"])


def trouble(pod: Object) -> str:
    """What keeps a pod from running, or made it fail; nothing if all is well."""
    unscheduled = _condition(pod, "PodScheduled", status="False")
    if unscheduled:
        return _why(unscheduled)
    return next((why for _, why in _troubles(pod)), "")


def troubled(pod: Object) -> list[str]:
    """The containers that failed or cannot start."""
    return [name for name, _ in _troubles(pod)]


def _troubles(pod: Object) -> Iterator[tuple[str, str]]:
    status = pod.get("status") or {}
    for one in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        state = one.get("state") or {}
        waiting = state.get("waiting") or {}
        ended = state.get("terminated") or (one.get("lastState") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            yield (
                one["name"],
                f"{one['name']} ended with exit code {ended['exitCode']} ({ended.get('reason', 'Error')})",
            )
        elif waiting.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
            yield one["name"], f"{one['name']}: {_why({'type': '', **waiting})}"


def pods_of(one: Object, pods: Sequence[Object]) -> list[Object]:
    """The pods that an object made, by its selector; a Pod is its own."""
    if one["kind"] == "Pod":
        return [pod for pod in pods if pod["metadata"]["name"] == one["metadata"]["name"]]
    wanted = (((one.get("spec") or {}).get("selector") or {}).get("matchLabels") or {}).items()
    return [pod for pod in pods if wanted and wanted <= (pod["metadata"].get("labels") or {}).items()]
