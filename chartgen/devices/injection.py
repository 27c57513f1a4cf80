"""Injection: what a cloud adds to a pod that requests devices, in layers, the strongest first.

What the job says wins over all of them.
"""

from collections.abc import Iterable, Iterator, Mapping

from chartgen.devices import catalog
from chartgen.devices.catalog import Cloud
from chartgen.devices.request import (
    Request,
    SpecMapping,
    names_device,
    read_devices,
    read_request,
)
from chartgen.document import FieldProblem, about
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, either

# Fields of a pod and of the container that requests a device, in the words of the cloud's data.
Injected = Mapping[str, Any]

_WHOLE_MACHINE = 8  # devices of the machines that fabrics are for, if a cloud lists no machines


class Injection(NamedTuple):
    """What a pod's main container requests, what is injected for it, and what is wrong."""

    request: Request
    layers: tuple[Injected, ...]
    problems: tuple[FieldProblem, ...]


_NOTHING = Injection(Request({}), (), ())


def inject(spec: SpecMapping, cloud: Cloud) -> Injection:
    """What a role's main container gets, and its pod with it."""
    if "nodeSelector" not in spec and not names_device(spec):
        return _NOTHING  # as for most pods: no device, and no label that selects a machine
    request, problems = read_request(spec, cloud)
    fabric, more = _read_fabric(request, spec, cloud)
    layers = [*fabric, catalog.find_type(cloud, request.type)]
    resources = {*read_devices(spec), request.resource} - {""}
    for resource in sorted(resources):
        layers.append(catalog.find_device(cloud, resource) or {})
    layers = [layer for layer in layers if layer]
    return Injection(request, tuple(layers), (*problems, *more))


def inject_beside(container: Mapping[str, Any], cloud: Cloud) -> tuple[Injected, ...]:
    """What a container beside the main one gets for the devices in its own limits."""
    layers = []
    for resource in sorted(read_devices(container)):
        if device := catalog.find_device(cloud, resource):
            layers.append(device)
    return tuple(layers)


def _read_fabric(
    request: Request, spec: SpecMapping, cloud: Cloud
) -> tuple[list[Injected], list[FieldProblem]]:
    """What a role's fabric injects; nothing for a role that requests no device."""
    name = spec.get("fabric", "none")
    if name == "none" or not (request.resource or "machine" in request.short):
        return [], []
    fabrics = cloud.get("fabrics", {})
    if name not in fabrics:
        expected = f"expected {either([*fabrics, 'none'])}"
        message = f"cloud {cloud['name']!r} has no fabric {name!r}; {expected}"
        return [], [about(("fabric",), message, "fabric-not-on-cloud", did_you_mean(name, fabrics))]
    own, shipped = fabrics[name], catalog.data("fabric", name)
    by_type = own.get("types") or shipped.get("types", {})
    if request.type and by_type and request.type not in by_type:
        message = f"the fabric {name!r} is for {either(by_type)}, not for {request.type!r}"
        message += "; expected another fabric, or 'none'"
        return [], [about(("fabric",), message, "fabric-other-type")]
    takes = own.get("takes") or shipped.get("takes", ())
    limits, problems = _take_resources(takes, request, spec, cloud)
    limits_layer = {"resources": {"limits": limits}}
    return [limits_layer, by_type.get(request.type, {}), own, shipped], problems


def _take_resources(
    takes: Iterable[str], request: Request, spec: SpecMapping, cloud: Cloud
) -> tuple[dict[str, int], list[FieldProblem]]:
    """The resources that a fabric needs, in proportion to the devices used of the machine."""
    holds = request.holds
    if len(request.fit) == 1:
        holds = cloud["machines"][request.fit[0]]["holds"]
    whole = holds.get(request.resource, 0)
    limits: dict[str, int] = {}
    for resource in takes:
        if resource in spec.get("resources", {}).get("limits", {}):
            continue
        if resource not in holds:
            return limits, [_unknown_number(resource, request, cloud)]
        limits[resource] = holds[resource]
        if whole:
            limits[resource] = max(1, holds[resource] * request.number // whole)
    return limits, []


def _unknown_number(resource: str, request: Request, cloud: Cloud) -> FieldProblem:
    machines = cloud.get("machines", {})
    fit = [name for name in request.fit if resource in machines[name]["holds"]]
    if (request.fit and not fit) or request.holds:
        devices = f"{request.number} {request.type or request.resource}"
        message = f"no machine with {devices} has {resource}; expected another fabric"
        return about(
            ("fabric",), message, "fabric-not-on-machine", "'none' means the plain network"
        )
    message = f"the fabric takes as many {resource} as the machine has"
    hint = f"one of {', '.join(fit)}" if fit else f"or set {resource} in resources.limits"
    return about(
        ("fabric",), f"{message}; expected accelerator.machine", "fabric-machine-missing", hint
    )


def find_fabrics(request: Request, spec: SpecMapping, cloud: Cloud) -> Iterator[tuple[str, bool]]:
    """The fabrics for a role that takes whole machines, and whether it must name the machine first.

    A fabric that would be refused for another reason is left out.
    """
    if not request.resource:
        return
    machines = cloud.get("machines", {})
    whole = []
    for machine in [request.machine] if request.holds else request.fit:
        if machines[machine]["holds"].get(request.resource) == request.number:
            whole.append(machines[machine]["holds"])
    for name, own in cloud.get("fabrics", {}).items():
        takes = {*(own.get("takes") or catalog.data("fabric", name).get("takes", ()))}
        if machines:
            fits = any(takes <= holds.keys() for holds in whole)
        else:
            fits = request.number >= _WHOLE_MACHINE
        if not fits:
            continue
        _, problems = _read_fabric(request, {**spec, "fabric": name}, cloud)
        if not problems:
            yield name, False
        elif len(request.fit) > 1 and problems[0][1].rule == "fabric-machine-missing":
            yield name, True
