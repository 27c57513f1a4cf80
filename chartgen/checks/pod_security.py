"""Checks of what a job itself asks for beyond the restricted Pod Security Standard, where it wants to keep it."""

from collections.abc import Iterator, Mapping
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.pods import Layer, Pod, pods

# The kinds of volumes that the standard allows; a volume without a kind is an emptyDir.
_VOLUMES = {
    "name", "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret",
}  # fmt: skip
_HOST = ("hostNetwork", "hostPID", "hostIPC")
_CAPABILITIES = {"NET_BIND_SERVICE"}

Found = Iterator[tuple[Path, str]]


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """A warning for each thing that the standard forbids, once, at the place that asks for it."""
    if job.settings.get("podSecurity") != "restricted":
        return
    found: dict[Problem, None] = {}
    for pod in pods(job, plan):
        for path, what in (*_of_pod(pod), *_of_main(pod), *_of_others(pod)):
            message = f"{what}, which the restricted standard forbids; expected it left out, or podSecurity: none"
            found[document.warning(path, message, "restricted")] = None
    yield from found


def _of_pod(pod: Pod) -> Found:
    for field in _HOST:
        if pod.spec.get("pod", {}).get(field):
            yield pod.where("pod", field), f"{field} gives the pod a part of its node"
    for index, volume in enumerate(pod.spec.get("volumes", ())):
        for kind in sorted(volume.keys() - _VOLUMES):
            yield (*pod.where("volumes"), index, kind), f"the volume {volume['name']!r} is a {kind}"
    for keys, what in _context(pod.spec.get("podSecurityContext", {})):
        yield pod.where("podSecurityContext", *keys), what


def _of_main(pod: Pod) -> Found:
    for keys, what in _context(pod.spec.get("securityContext", {})):
        yield pod.where("securityContext", *keys), what
    yield from _ports(Layer(pod.where("ports"), pod.spec))


def _of_others(pod: Pod) -> Found:
    for path, container in pod.containers():
        for keys, what in _context(container.get("securityContext", {})):
            yield (*path, "securityContext", *keys), what
        yield from _ports(Layer((*path, "ports"), container))


def _ports(container: Layer) -> Found:
    for index, port in enumerate(container.spec.get("ports", ())):
        if port.get("hostPort"):
            yield (*container.path, index, "hostPort"), f"the port {port['hostPort']} is one of the node's own"


def _context(context: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a security context, of a pod or of a container, has too much."""
    for field in ("privileged", "allowPrivilegeEscalation"):
        if context.get(field):
            yield (field,), f"{field} is true"
    if context.get("runAsNonRoot") is False:
        yield ("runAsNonRoot",), "runAsNonRoot is false"
    if context.get("runAsUser") == 0:
        yield ("runAsUser",), "runAsUser is 0 (root)"
    if context.get("procMount", "Default") != "Default":
        yield ("procMount",), f"procMount is {context['procMount']}"
    if context.get("seccompProfile", {}).get("type") == "Unconfined":
        yield ("seccompProfile", "type"), "seccompProfile is Unconfined"
    capabilities = context.get("capabilities", {})
    for name in capabilities.get("add", ()):
        if name not in _CAPABILITIES:
            yield ("capabilities", "add"), f"the capability {name} is added"
    if "ALL" not in capabilities.get("drop", ["ALL"]):
        yield ("capabilities", "drop"), "not ALL capabilities are dropped"
