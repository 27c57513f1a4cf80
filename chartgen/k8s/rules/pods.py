"""Rules that Kubernetes has for pods, the same for a job's description and for rendered objects.

Each yields problems with paths inside the list or mapping that it is given.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from chartgen.document import FieldProblem, Path, about, about_missing
from chartgen.k8s.quantities import amount, suggestion
from chartgen.startup.typing import Any
from chartgen.words import either

Entries = Iterable[Mapping[str, Any]]
# Names that are in use, and whether the chart itself uses them.
TakenNames = dict[str, bool]

_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_OTHER_RESOURCE = r"hugepages-.+|.+/.+"  # compiled at its first use
_BYTES = ("memory", "ephemeral-storage")
_RESTRICTED_VOLUMES = {
    "name", "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim",
    "projected", "secret",
}  # fmt: skip


def check_names(
    noun: str, entries: Entries, rule: str, taken: TakenNames
) -> Iterator[FieldProblem]:
    """Names are unique; they are added to those that are taken."""
    for index, entry in enumerate(entries):
        name = str(entry.get("name"))
        if name in taken:
            yield about((index, "name"), _name_taken(noun, name, by_chart=taken[name]), rule)
        taken.setdefault(name, False)


def _name_taken(noun: str, name: str, *, by_chart: bool) -> str:
    if by_chart:
        return f"the chart itself has a {noun} named {name!r}; expected another name"
    return f"a second {noun} is named {name!r}; expected another name"


def check_mounts(mounts: Entries, volumes: TakenNames, paths: set[str]) -> Iterator[FieldProblem]:
    """A mount names a volume of the pod, and each path has one; `paths` are those in use."""
    for index, mount in enumerate(mounts):
        name, path = str(mount.get("name")), str(mount.get("mountPath"))
        if name not in volumes:
            own = sorted(volume for volume, by_chart in volumes.items() if not by_chart)
            expected = f"expected {either(own)}" if own else "there are no volumes"
            message = f"no volume is named {name!r}; {expected}"
            yield about_missing((index, "name"), message, "volume-unknown")
        if path in paths:
            message = f"a volume is already mounted at {path!r}; expected another path"
            yield about((index, "mountPath"), message, "mount-duplicate")
        paths.add(path)


def check_ports(ports: Entries, taken: TakenNames) -> Iterator[FieldProblem]:
    """A container's ports differ in number and in name."""
    for index, port in enumerate(ports):
        number = port.get("containerPort")
        key = f"{number}/{port.get('protocol', 'TCP')}"  # no name has a slash
        if key in taken:
            message = f"the port {number} is listed twice; expected it once"
            yield about((index, "containerPort"), message, "port-duplicate")
        taken[key] = False
        if "name" in port:
            name = str(port["name"])
            if name in taken:
                message = _name_taken("port", name, by_chart=taken[name])
                yield about((index, "name"), message, "port-duplicate")
            taken[name] = False


def check_env(env: Entries) -> Iterator[FieldProblem]:
    """A server-side apply, which Helm 4 does, cannot distinguish entries of one name."""
    names = set()
    for index, entry in enumerate(env):
        name = str(entry.get("name"))
        if name in names:
            message = f"env sets {name!r} twice; expected it once"
            yield about((index, "name"), message, "env-duplicate")
        names.add(name)


def check_resources(resources: Mapping[str, Any]) -> Iterator[FieldProblem]:
    """Every quantity of a container's limits and requests."""
    for part in ("limits", "requests"):
        for name, quantity in (resources.get(part) or {}).items():
            yield from check_quantity((part, name), name, quantity)


def check_quantity(path: Path, resource: str, quantity: Any) -> Iterator[FieldProblem]:
    """A quantity that Kubernetes can read, of a resource that it knows."""
    if resource not in _RESOURCES and not re.fullmatch(_OTHER_RESOURCE, resource):
        message = f"{resource!r} is not a resource of Kubernetes"
        message += "; expected cpu, memory, ephemeral-storage or a device"
        hint = "a device's name has a domain: nvidia.com/gpu"
        yield about(path, message, "resources-unknown-name", hint)
    number = amount(quantity)
    if number is None:
        guess = suggestion(quantity)
        message = f"{quantity!r} is not a quantity; expected one such as 500m, 4, 1.5 or 16Gi"
        yield about(path, message, "quantity-malformed", f"did you mean {guess}?" if guess else "")
    elif number < 0:
        yield about(path, f"{quantity!r} is negative; expected 0 or more", "quantity-negative")
    elif "/" in resource and number % 1:
        message = f"{quantity!r} is not a whole number; {resource} is counted in whole devices"
        yield about(path, message, "quantity-not-whole")
    elif resource in _BYTES and number % 1:
        message, hint = f"{quantity!r} of {resource} is {number:g} bytes", ""
        if str(quantity).endswith("m"):
            message += ", because 'm' means a thousandth"
            hint = f"did you mean {str(quantity).rstrip('m')}Mi?"
        yield about(
            path, f"{message}; expected whole bytes", "quantity-milli-bytes", hint, "warning"
        )


def check_requests(resources: Mapping[str, Any]) -> Iterator[FieldProblem]:
    """A request is within its limit, and equal to it where Kubernetes does not overcommit."""
    limits = resources.get("limits") or {}
    for name, request in (resources.get("requests") or {}).items():
        path = ("requests", name)
        equal = _is_device(name) or name.startswith("hugepages-")
        if limits.get(name) is None:
            if equal:
                message = f"{name} is requested without a limit; expected one of the same number"
                hint = "a limit alone is enough: the request follows it"
                yield about_missing(path, message, "device-without-limit", hint)
            continue
        requested, allowed = amount(request), amount(limits[name])
        if requested is None or allowed is None:
            continue
        if requested > allowed or (equal and requested < allowed):
            expected = "the same as" if equal else "no more than"
            message = f"{request} of {name} is requested; expected {expected} its limit of"
            yield about_missing(path, f"{message} {limits[name]}", "resources-request-above-limit")


def _is_device(resource: str) -> bool:
    """Whether a resource is an extended one; those of kubernetes.io are Kubernetes' own."""
    if resource.startswith("alpha.kubernetes.io/"):
        return True
    return "/" in resource and "kubernetes.io/" not in resource


# What the restricted Pod Security Standard forbids: a path, and what is there, as a noun.
Forbidden = Iterator[tuple[Path, str]]


def forbidden_in_pod(fields: Mapping[str, Any]) -> Forbidden:
    """Fields of a pod's spec that share the node with it."""
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if fields.get(field):
            yield (field,), f"{field}: true"


def forbidden_volumes(volumes: Entries) -> Forbidden:
    """Volumes of other kinds than the standard allows; one without a kind is an emptyDir."""
    for index, volume in enumerate(volumes):
        for kind in sorted(volume.keys() - _RESTRICTED_VOLUMES):
            yield (index, kind), f"the {kind} volume {volume['name']!r}"


def forbidden_ports(ports: Entries) -> Forbidden:
    """Ports of the node."""
    for index, port in enumerate(ports):
        if port.get("hostPort"):
            yield (index, "hostPort"), f"hostPort: {port['hostPort']}"


def forbidden_in_context(context: Mapping[str, Any]) -> Forbidden:
    """Privileges in a security context, of a pod or of a container."""
    for field in ("privileged", "allowPrivilegeEscalation"):
        if context.get(field):
            yield (field,), f"{field}: true"
    if context.get("runAsNonRoot") is False:
        yield ("runAsNonRoot",), "runAsNonRoot: false"
    if context.get("runAsUser") == 0:
        yield ("runAsUser",), "runAsUser: 0 (root)"
    if context.get("procMount", "Default") != "Default":
        yield ("procMount",), f"procMount: {context['procMount']}"
    if context.get("seccompProfile", {}).get("type") == "Unconfined":
        yield ("seccompProfile", "type"), "the seccompProfile Unconfined"
    capabilities = context.get("capabilities", {})
    for name in capabilities.get("add", ()):
        if name != "NET_BIND_SERVICE":
            yield ("capabilities", "add"), f"the capability {name}"
    if "ALL" not in capabilities.get("drop", ["ALL"]):
        yield ("capabilities", "drop"), "capabilities.drop without ALL"
