"""Why a replica does not run: what the cluster says about its pod, its Job and their events."""

import re
from collections.abc import Iterable, Iterator, Mapping

from chartgen.k8s.objects import Object
from chartgen.life.model import Cause
from chartgen.words import short

Warnings = Mapping[tuple[str, str], list[Object]]  # the events of an object, by kind and name

_NODES = re.compile(
    r"0/(\d+) nodes are available: (.*?)\.?\s*(?:(?:no new claims|preemption:).*)?$", re.DOTALL
)
_GROUPS = re.compile(r", (?=\d+ )")  # nodes that lack one thing, then those that lack another
_SHORT = re.compile(r"Insufficient (\S+)")
_TAINT = re.compile(r"had untolerated taint(?:\(s\)| \{([^}]*)\})")
# What the scheduler says about nodes, and how it is reported; anything else is passed on as it is.
_NODES_SAY = {
    "didn't match Pod's node affinity/selector": "do not match its nodeSelector or affinity",
    "were unschedulable": "are cordoned",
    "Too many pods": "have no room for another pod",
}
_CLAIM = re.compile(r'persistentvolumeclaim "([^"]+)" not found')
_MISSING = re.compile(
    r'(secret|configmap|serviceaccount|persistentvolumeclaim)s? "([^"]+)" not found'
)
_QUOTA = re.compile(
    r"exceeded quota: (\S+), requested: (.*?), used: (.*?), limited: (.*)", re.DOTALL
)
_WEBHOOK = re.compile(r'admission webhook "([^"]+)" denied the request: (.*)', re.DOTALL)
# What a limit range says: "maximum cpu usage per Container is 10m, but limit is 1".
_LIMITS = re.compile(r"(?:maximum|minimum) \S+ usage per|\S+ max limit to request ratio per")
_KINDS = {
    "secret": "Secret",
    "configmap": "ConfigMap",
    "serviceaccount": "ServiceAccount",
    "persistentvolumeclaim": "PersistentVolumeClaim",
}
_IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
_NO_CONTAINER = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")
_LONGEST = 300  # characters of what a cluster says

NOT_YET = Cause("its pod has not been created yet")


def by_object(events: Iterable[Object]) -> dict[tuple[str, str], list[Object]]:
    """Warnings by the kind and name of what they are about, the newest last."""
    warnings: dict[tuple[str, str], list[Object]] = {}
    for event in sorted(events, key=when):
        if event.get("type") == "Warning":
            about = event.get("involvedObject") or {}
            warnings.setdefault((str(about.get("kind")), str(about.get("name"))), []).append(event)
    return warnings


def when(event: Object) -> str:
    """When an event was last seen; the fields differ by who reported it."""
    series = event.get("series") or {}
    for time in (
        series.get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
    ):
        if time:
            return str(time)
    return str(event["metadata"].get("creationTimestamp") or "")


def no_pod(job: Object, warnings: Warnings) -> Cause:
    """Why a Job has no pod."""
    for event in reversed(warnings.get(("Job", job["metadata"]["name"]), ())):
        if event.get("reason") == "FailedCreate":
            return describe_refusal(str(event.get("message") or ""))
    return NOT_YET


def describe_refusal(message: str) -> Cause:
    """Why the API server did not accept a pod."""
    said = message.removeprefix("Error creating: ")
    if quota := _QUOTA.search(said):
        name, requested, used, limited = quota.groups()
        return Cause(f"the quota {name} is full: requested {requested}, used {used} of {limited}")
    if webhook := _WEBHOOK.search(said):
        return Cause(f"the admission webhook {webhook[1]} refuses it: {_short(webhook[2])}", True)
    if missing := _MISSING.search(said):
        return Cause(f"the {_KINDS[missing[1]]} {missing[2]} does not exist", True)
    _, forbidden, why = said.partition("is forbidden: ")
    if _LIMITS.match(why.lstrip("[")):
        return Cause(f"a limit range refuses it: {_short(why)}", True)
    return Cause(f"its pod is refused: {_short(why if forbidden else said)}", True)


def why_waiting(pod: Object, warnings: Warnings) -> Cause:
    """Why a pod that exists does not run its program yet; nothing if it does."""
    status = pod.get("status") or {}
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            gates = (pod.get("spec") or {}).get("schedulingGates") or ()
            if gates:
                names = ", ".join(str(gate.get("name")) for gate in gates)
                return Cause(f"it is held back until its scheduling gates are removed: {names}")
            return unschedulable(str(condition.get("message") or condition.get("reason")))
    inits = {str(init.get("name")) for init in status.get("initContainerStatuses") or ()}
    for name, container in containers(pod):
        state = (container.get("state") or {}).get("waiting")
        who = f"its init container {name}" if name in inits else "it"
        if state and (cause := _container(who, container, state)):
            return cause
    for event in reversed(warnings.get(("Pod", pod["metadata"]["name"]), ())):
        if event.get("reason") in ("FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"):
            return _mount(str(event.get("message") or ""))
    return Cause(
        f"waits in {name}" if (name := _running_init(pod)) else "its container is being created"
    )


def describe_failure(pod: Object) -> str:
    """Why a pod failed whose program never ended: the node or an init container says so."""
    status = pod.get("status") or {}
    if said := status.get("message") or status.get("reason"):
        return _short(str(said))
    for container in status.get("initContainerStatuses") or ():
        end = (container.get("state") or {}).get("terminated")
        if end and end.get("exitCode"):
            return f"its init container {container.get('name')} failed: {exit_words(end)}"
    return ""


def _container(who: str, container: Object, state: Object) -> Cause | None:
    reason, message = str(state.get("reason") or ""), str(state.get("message") or "")
    if reason in _IMAGE:
        image = container.get("image") or "its image"
        said = f": {_short(message)}" if reason == "InvalidImageName" else ""
        return Cause(f"the image {image} cannot be pulled ({reason}){said}", True)
    if reason in _NO_CONTAINER:
        if missing := _MISSING.search(message):
            return Cause(f"the {_KINDS[missing[1]]} {missing[2]} does not exist", True)
        return Cause(f"its container cannot be created: {_short(message or reason)}", True)
    if reason == "CrashLoopBackOff":
        return Cause(f"{who} fails again and again{_last_exit(container.get('lastState') or {})}")
    return None


def _last_exit(state: Object) -> str:
    end = state.get("terminated")
    return f", last with {exit_words(end)}" if end else ""


def exit_words(end: Object) -> str:
    """How a container ended: exit code 1; exit code 137 (OOMKilled)."""
    reason = str(end.get("reason") or "")
    detail = f" ({reason})" if reason not in ("", "Error", "Completed") else ""
    return f"exit code {end.get('exitCode')}{detail}"


def _mount(message: str) -> Cause:
    if missing := _MISSING.search(message):
        return Cause(f"the {_KINDS[missing[1]]} {missing[2]} does not exist", True)
    return Cause(f"a volume cannot be mounted: {_short(message)}")


def unschedulable(message: str) -> Cause:
    """What is lacking, and on how many nodes."""
    if claim := _CLAIM.search(message):
        return Cause(f"the PersistentVolumeClaim {claim[1]} does not exist", True)
    nodes = _NODES.match(message)
    if not nodes:
        return Cause(f"no node fits: {_short(message)}")
    total, details = nodes[1], nodes[2]
    parts = sorted(_lack(group, total) for group in _GROUPS.split(details))
    return Cause(f"no node fits: {', '.join(text for _, text in parts)}")


def _lack(group: str, total: str) -> tuple[bool, str]:
    """What some nodes lack, in words; resources come before all else."""
    number, _, said = group.partition(" ")
    what = said.removeprefix("node(s) ")
    nodes = f"{number} of {total}"
    if not number.isdecimal():
        unbound = "unbound immediate PersistentVolumeClaims" in group
        return True, "a PersistentVolumeClaim is not bound" if unbound else _short(group)
    if short := _SHORT.match(what):
        return False, f"{nodes} nodes have too little {short[1]}"
    if taint := _TAINT.match(what):
        key, _, value = str(taint[1] or "").partition(": ")
        named = f"the taint {key}={value}".removesuffix("=") if key else "taints"
        return True, f"{nodes} have {named} that it does not tolerate"
    return True, f"{nodes} {_NODES_SAY.get(what) or _short(what)}"


def containers(pod: Object) -> Iterator[tuple[str, Object]]:
    """The containers of a pod with their status, those that start first first."""
    status = pod.get("status") or {}
    for field in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(field) or ():
            yield str(container.get("name")), container


def _running_init(pod: Object) -> str:
    """The init container that a pod waits in, which may wait for a peer."""
    sidecars = set()
    for container in (pod.get("spec") or {}).get("initContainers") or ():
        if container.get("restartPolicy") == "Always":
            sidecars.add(container["name"])
    for container in (pod.get("status") or {}).get("initContainerStatuses") or ():
        name = str(container.get("name"))
        if name not in sidecars and "running" in (container.get("state") or {}):
            peer = name.removeprefix("wait-for-").removeprefix("wait-")
            return f"its init container {name}" + (f" until {peer} answers" if peer != name else "")
    return ""


def _short(text: str) -> str:
    return short(" ".join(text.split()), _LONGEST)
