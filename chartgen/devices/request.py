"""Request: the devices that a role requests, by shorthand or by resources.limits, on its cloud.

Charts do the same at install (templates/lib/_accelerators.tpl); here it is done to check and
describe a job.
"""

from collections.abc import Iterator, Mapping

from chartgen.devices import catalog
from chartgen.devices.catalog import Cloud
from chartgen.document import FieldProblem, about
from chartgen.k8s.quantities import amount
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, either

SpecMapping = Mapping[str, Any]


class Request(NamedTuple):
    """A device, how many of it, and the machines that have them; no resource means no device."""

    short: Mapping[str, Any]  # what `accelerator` says, or `gpu`, which is short for it
    by_gpu: bool = False
    type: str = ""
    resource: str = ""
    number: int = 0
    machine: str = ""  # by accelerator.machine or a node selector
    holds: Mapping[str, int] = {}  # the devices of that machine, if the cloud lists it
    fit: tuple[str, ...] = ()  # the machines of this type that have enough devices

    def field(self, key: str) -> tuple[str, ...]:
        """The field of the role that says something about the accelerator."""
        if self.by_gpu:
            return ("gpu",)
        if not self.short:
            return ("resources", "limits", self.resource)
        return ("accelerator", key) if key in self.short else ("accelerator",)


def read_request(spec: SpecMapping, cloud: Cloud) -> tuple[Request, list[FieldProblem]]:
    """What a role's main container requests, and what is wrong with that."""
    short = spec.get("accelerator", {})
    if short.get("count") == 0:
        short = {}
    gpus = spec.get("gpu", 0)
    if gpus and short:
        message = "gpu and accelerator both request devices; expected only one of them"
        hint = f"gpu: {gpus} is short for accelerator: {{type: nvidia-gpu, count: {gpus}}}"
        return Request({}), [about(("gpu",), message, "device-requested-twice", hint)]
    if gpus:
        request = Request({"type": "nvidia-gpu", "count": gpus}, by_gpu=True)
    else:
        request = Request(short)
    request = _with_machine(request, spec, cloud)
    if not request.short:
        return _read_limits(request, spec, cloud)
    request, problems = _resolve(request, cloud)
    return request, [*problems, *_check_limits(request, spec)]


def _with_machine(request: Request, spec: SpecMapping, cloud: Cloud) -> Request:
    """The machine, which a node selector can name too: its devices, and their type."""
    label = cloud.get("selectors", {}).get("machine", "")
    selected = spec.get("nodeSelector", {}).get(label)
    name = request.short.get("machine", selected) or ""
    machine = cloud.get("machines", {}).get(name, {})
    type_ = request.short.get("type") or ""
    if not type_ and "machine" in request.short:
        type_ = machine.get("type", "")
    return request._replace(type=type_, machine=name, holds=machine.get("holds", {}))


def _read_limits(
    request: Request, spec: SpecMapping, cloud: Cloud
) -> tuple[Request, list[FieldProblem]]:
    """The devices in resources.limits that the cloud knows; of several the last by name counts."""
    numbers = read_devices(spec)
    known = [name for name in numbers if catalog.find_device(cloud, name) is not None]
    if not known:
        return request, []
    resource = max(known)
    request = request._replace(resource=resource, number=numbers[resource])
    # Whoever writes resources.limits may know a machine that is not in the cloud's data.
    warnings = []
    for path, problem in _check_number(request, cloud):
        warnings.append((path, problem._replace(severity="warning")))
    return request, warnings


def names_device(container: Mapping[str, Any]) -> bool:
    """Whether a role or a container requests a device, in short or by its limits, of any number."""
    if container.get("gpu") or container.get("accelerator"):
        return True
    return any("/" in name for name in container.get("resources", {}).get("limits", {}))


def read_devices(container: Mapping[str, Any]) -> dict[str, int]:
    """The devices in a container's limits with their numbers."""
    devices = {}
    for name, quantity in container.get("resources", {}).get("limits", {}).items():
        number = int(amount(quantity) or 0) if "/" in name else 0
        if number > 0:
            devices[name] = number
    return devices


def _check_limits(request: Request, spec: SpecMapping) -> Iterator[FieldProblem]:
    limit = spec.get("resources", {}).get("limits", {}).get(request.resource)
    if limit is not None and amount(limit) != request.number:
        field = request.field("")[0]
        message = (
            f"{limit} {request.resource} here, but {request.number} from {field}; "
            "expected only one of them"
        )
        yield about(("resources", "limits", request.resource), message, "device-requested-twice")


def _resolve(request: Request, cloud: Cloud) -> tuple[Request, list[FieldProblem]]:
    """The resource that a type is requested by, and how many of it."""
    problems = [*_check_machine(request, cloud), *_check_machine_type(request, cloud)]
    if not request.type:
        if "machine" not in request.short:
            message = "accelerator has no type; expected one such as 'h100' or 'nvidia-gpu'"
            problems.append(about(("accelerator",), message, "accelerator-type-missing"))
        return request, problems or [*_check_labels(request, cloud)]
    resource = _find_resource(request, cloud)
    if not resource:
        return request, [*problems, _unknown_type(request, cloud)]
    if "*" in resource and "profile" not in request.short:
        message = f"an accelerator of type {request.type!r} is requested by its profile"
        message += "; expected one such as '1g.5gb'"
        return request, [*problems, about(("accelerator",), message, "accelerator-profile-missing")]
    resource = resource.replace("*", request.short.get("profile", ""))
    request = _count(request._replace(resource=resource), cloud)
    absence = _check_availability(request, cloud)
    if absence:
        problems.append(absence)
    if absence is None or absence[1].severity == "warning":
        problems += _check_number(request, cloud)
        problems += _check_slice(request, cloud)
        problems += _check_labels(request, cloud)
        problems += _check_profile(request)
    return request, problems


def _find_resource(request: Request, cloud: Cloud) -> str:
    """The resource of a type, with "*" where its profile goes; empty for an unknown type."""
    _, accelerator = catalog.find_accelerator(request.type)
    resource: str = catalog.find_type(cloud, request.type).get("resource", "")
    return resource or accelerator.get("resource", "")


def _count(request: Request, cloud: Cloud) -> Request:
    """How many devices: if no count is given, all of the topology or the machine."""
    topologies = catalog.find_type(cloud, request.type).get("topologies", {})
    whole = topologies.get(request.short.get("topology"))
    number = request.short.get("count") or whole or request.holds.get(request.resource, 1)
    machines = _machines_of_type(request, cloud)
    fit = sorted(name for name, held in machines.items() if held >= number)
    return request._replace(number=number, fit=tuple(fit))


def _machines_of_type(request: Request, cloud: Cloud) -> dict[str, int]:
    """The machines with this type of accelerator, and how many of it each has."""
    machines = {}
    for name, machine in cloud.get("machines", {}).items():
        if machine.get("type") == request.type:
            machines[name] = machine["holds"].get(request.resource, 0)
    return machines


def _check_machine(request: Request, cloud: Cloud) -> Iterator[FieldProblem]:
    name, machines = request.short.get("machine"), cloud.get("machines", {})
    if name is None or name in machines or (request.type and not machines):
        return
    if request.type:
        end, severity = "its devices are not checked", "warning"
    else:
        end, severity = "expected a known one, or accelerator.type with it", "error"
    message = f"cloud {cloud['name']!r} has no machine {name!r} in its data; {end}"
    path = ("accelerator", "machine")
    yield about(path, message, "machine-unknown", did_you_mean(name, machines), severity)


def _check_machine_type(request: Request, cloud: Cloud) -> Iterator[FieldProblem]:
    """A machine has the model that is requested with it; a kind of device, as tpu, fits any."""
    machines = cloud.get("machines", {})
    has = machines.get(request.short.get("machine"), {}).get("type", request.type)
    if request.type == has or request.type in catalog.names("accelerator"):
        return
    message = f"the machine {request.machine!r} has {has!r}, not {request.type!r}"
    others = [name for name, machine in machines.items() if machine.get("type") == request.type]
    hint = f"one of {', '.join(others)}" if others else "name the type or the machine alone"
    expected = f"expected a machine with {request.type!r}"
    yield about(("accelerator", "type"), f"{message}; {expected}", "machine-other-type", hint)


def _unknown_type(request: Request, cloud: Cloud) -> FieldProblem:
    known = [*catalog.names("accelerator")]
    for name in catalog.names("accelerator"):
        known += catalog.data("accelerator", name).get("types", ())
    known += cloud.get("types", {})
    expected = "expected one such as 'nvidia-gpu' or 'h100'"
    message = f"there is no accelerator type {request.type!r}; {expected}"
    hint = did_you_mean(request.type, known) or "`chartgen list accelerators` lists them all"
    return about(("accelerator", "type"), message, "accelerator-unknown", hint)


def _check_availability(request: Request, cloud: Cloud) -> FieldProblem | None:
    """A cloud that lists devices has no others; one that lists types or machines needs those.

    Machines without a node label cannot be selected.
    """
    known = request.type in {*catalog.names("accelerator"), *cloud.get("types", {})}
    machines = _machines_of_type(request, cloud)
    available = "devices" not in cloud or catalog.find_device(cloud, request.resource) is not None
    if available and (known or (machines and "machine" in _node_labels(request, cloud))):
        return None
    field = request.field("type")
    if available and (machines or not (cloud.get("types") or cloud.get("machines"))):
        message = (
            f"cloud {cloud['name']!r} cannot tell {request.type!r} from other "
            f"{request.resource}; any of them may be used"
        )
        return about(
            field,
            message,
            "accelerator-not-told-apart",
            "a nodeSelector can tell them apart",
            "warning",
        )
    types = catalog.list_types(cloud)
    expected = either(types) if types else "one that the cloud lists under devices or types"
    message = f"cloud {cloud['name']!r} has no {request.type!r}; expected {expected}"
    return about(field, message, "accelerator-not-on-cloud", did_you_mean(request.type, types))


def _check_number(request: Request, cloud: Cloud) -> Iterator[FieldProblem]:
    """No more devices than the machine has, or the largest machine there is."""
    if request.holds:
        most, where = request.holds.get(request.resource, 0), "its machine"
    else:
        where = f"any machine of cloud {cloud['name']!r}"
        machines = _machines_of_type(request, cloud)
        if not machines and (not request.type or request.type in catalog.names("accelerator")):
            for name, machine in cloud.get("machines", {}).items():  # whatever their model
                if request.resource in machine["holds"]:
                    machines[name] = machine["holds"][request.resource]
        if not machines:
            return
        most = max(machines.values())
    if request.number > most:
        message = f"{request.number} {request.resource} is more than {where} has"
        yield about(
            request.field("count"), f"{message}; expected at most {most}", "machine-too-small"
        )


def _check_slice(request: Request, cloud: Cloud) -> Iterator[FieldProblem]:
    """A slice is taken only if one host has all of it, and then as a whole."""
    reason = catalog.slice_reasons().get(request.resource)
    topologies = catalog.find_type(cloud, request.type).get("topologies", {})
    topology = request.short.get("topology")
    if reason is None or topologies.get(topology) == request.number:
        return
    if topology in topologies:
        expected = f"expected a count of {topologies[topology]}, or none"
        message = f"a host of topology {topology} can only be requested as a whole; {expected}"
        yield about(request.field("count"), message, "tpu-host-whole")
    else:
        hint = f"topologies of one host: {', '.join(topologies)}" if topologies else ""
        message = f"{request.resource} is requested, but {reason}"
        yield about(request.field("topology"), message, "tpu-multi-host", hint)


def _check_labels(request: Request, cloud: Cloud) -> Iterator[FieldProblem]:
    """Machine, topology and profile are such as the labels of the cloud's nodes can select."""
    labels = _node_labels(request, cloud)
    if "*" in _find_resource(request, cloud):
        labels.add("profile")  # a part of the resource's name
    for key in ("machine", "topology", "profile"):
        if key in request.short and key not in labels:
            message = f"cloud {cloud['name']!r} has no node label for the {key}"
            hint = "select the nodes with a nodeSelector"
            yield about(
                ("accelerator", key),
                f"{message}; expected it to be left out",
                "accelerator-field-not-on-cloud",
                hint,
            )


def _node_labels(request: Request, cloud: Cloud) -> set[str]:
    """What the labels of the cloud's nodes can select: the machine, the topology, the profile."""
    labels = {*cloud.get("selectors", {})}
    labels |= catalog.find_type(cloud, request.type).get("selectors", {}).keys()
    device = catalog.find_device(cloud, request.resource) or {}
    labels |= device.get("selectors", {}).keys()
    return labels


def _check_profile(request: Request) -> Iterator[FieldProblem]:
    """A profile is a known one, as far as there is a list."""
    known = catalog.find_accelerator(request.type)[1].get("profiles", ())
    profile = request.short.get("profile")
    if known and profile is not None and profile not in known:
        message = f"{profile!r} is not a known profile of {request.type!r}"
        message += "; nodes must offer it under exactly this name"
        hint = f"known profiles: {known[0]} to {known[-1]}"
        yield about(
            ("accelerator", "profile"), message, "accelerator-profile-unknown", hint, "warning"
        )
