"""Additions: what a cloud adds to a pod that asks for devices, the strongest word first."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from chartgen.devices import catalog as clouds
from chartgen.devices.catalog import Cloud
from chartgen.devices.request import Asked, Fault, Spec, asked, devices, typed
from chartgen.k8s.quantities import Containers
from chartgen.plan.names import either, nearest

Adds = Mapping[str, Any]


class Additions(NamedTuple):
    """What is asked for in a pod's main container, what is added for it, and what is wrong with that."""

    asked: Asked
    adds: tuple[Adds, ...]
    faults: tuple[Fault, ...]


def additions(spec: Spec, cloud: Cloud) -> Additions:
    """What a role's main container gets, and its pod with it."""
    found, faults = asked(spec, cloud)
    fabric, more = _fabric(found, spec, cloud)
    kinds = dict.fromkeys([found.resource, *devices(spec)] if found.resource else devices(spec))
    adds = [*fabric, typed(cloud, found.type), *(clouds.device(cloud, name) or {} for name in sorted(kinds))]
    return Additions(found, tuple(one for one in adds if one), (*faults, *more, *_huge_pages(spec, adds)))


def _huge_pages(spec: Spec, adds: Iterable[Adds]) -> Iterator[Fault]:
    """Kubernetes gives huge pages only beside cpu or memory."""
    own = spec.get("resources", {})
    asked_for = {*own.get("limits", {}), *own.get("requests", {})}
    limits = (name for one in adds for name in one.get("resources", {}).get("limits", {}))
    added = [name for name in limits if name.startswith("hugepages-")]
    if added and not asked_for & {"cpu", "memory"}:
        message = f"the cloud adds {added[0]}, which Kubernetes gives only beside cpu or memory; expected one of them"
        yield Fault(("resources",), message, "huge-pages", "resources: {limits: {memory: 64Gi}}")


def beside(container: Mapping[str, Any], cloud: Cloud) -> list[Adds]:
    """What a container beside the main one gets for the devices in its own limits."""
    return [adds for name in sorted(devices(container)) if (adds := clouds.device(cloud, name))]


def containers(spec: Spec, cloud: Cloud, waits: int) -> Containers:
    """What the containers of a pod ask for, with all that is added, and so many that wait for others."""
    found = additions(spec, cloud)
    device = {found.asked.resource: found.asked.number} if found.asked.resource else {}
    sidecars = spec.get("sidecars", ())
    lasting = [one for one in sidecars if one.get("restartPolicy") == "Always"]
    plain = [one for one in sidecars if one not in lasting]
    main = _asking(spec, [*found.adds, {"resources": {"limits": device}}])
    fabric = [{**one, "restartPolicy": "Always"} for adds in found.adds for one in adds.get("sidecars", ())]
    before = [*spec.get("initContainers", ()), *lasting, *[{"resources": WAIT}] * waits, *fabric]
    given = [{**one, **_asking(one, beside(one, cloud))} for one in (*plain, *before)]
    return Containers([main, *given[: len(plain)]], given[len(plain) :])


WAIT = {"requests": {"cpu": "10m", "memory": "16Mi"}}  # as templates/_framework.tpl has it


def _asking(container: Mapping[str, Any], adds: Iterable[Adds]) -> dict[str, Any]:
    """A container's resources with what is added to its limits."""
    own = container.get("resources", {})
    limits = own.get("limits", {})
    for one in adds:
        limits = {**one.get("resources", {}).get("limits", {}), **limits}
    return {"resources": {**own, "limits": limits}}


def _fabric(found: Asked, spec: Spec, cloud: Cloud) -> tuple[list[Adds], list[Fault]]:
    """What a role's fabric adds; nothing for a role that asks for no device."""
    name = spec.get("fabric", "none")
    if name == "none" or not (found.resource or "machine" in found.short):
        return [], []
    fabrics = cloud.get("fabrics", {})
    if name not in fabrics:
        message = f"cloud {cloud['name']!r} has no fabric {name!r}; expected {either([*fabrics, 'none'])}"
        return [], [Fault(("fabric",), message, "fabric", nearest(name, fabrics))]
    own, shipped = fabrics[name], clouds.data("fabric", name)
    by_type = own.get("types") or shipped.get("types", {})
    if found.type and by_type and found.type not in by_type:
        message = f"the fabric {name!r} is for {either(by_type)}, not for {found.type!r}; expected another, or 'none'"
        return [], [Fault(("fabric",), message, "fabric")]
    taken, faults = _taken(own.get("takes") or shipped.get("takes", ()), found, spec, cloud)
    return [{"resources": {"limits": taken}}, by_type.get(found.type, {}), own, shipped], faults


def _taken(takes: Iterable[str], found: Asked, spec: Spec, cloud: Cloud) -> tuple[dict[str, int], list[Fault]]:
    """The resources that come with a fabric, in proportion to the devices taken of the machine."""
    holds = cloud["machines"][found.fit[0]]["holds"] if len(found.fit) == 1 else found.holds
    whole = holds.get(found.resource, 0)
    taken: dict[str, int] = {}
    for resource in takes:
        if resource in spec.get("resources", {}).get("limits", {}):
            continue
        if resource not in holds:
            return taken, [_unknown_number(resource, found, cloud)]
        taken[resource] = max(1, holds[resource] * found.number // whole) if whole else holds[resource]
    return taken, []


def _unknown_number(resource: str, found: Asked, cloud: Cloud) -> Fault:
    fit = [name for name in found.fit if resource in cloud["machines"][name]["holds"]]
    if (found.fit and not fit) or found.holds:
        message = f"no machine with {found.number} {found.type or found.resource} has {resource} here; expected another"
        return Fault(("fabric",), message, "fabric", "'none' says that the plain network is meant")
    message = f"the fabric takes as many {resource} as the machine holds; expected accelerator.machine"
    hint = f"one of {', '.join(fit)}" if fit else f"or set {resource} in resources.limits"
    return Fault(("fabric",), message, "fabric", hint)


def fabrics(spec: Spec, cloud: Cloud) -> Iterator[tuple[str, bool]]:
    """The fabrics for a role that takes whole machines, whose replicas need a network; and if a machine must be named.

    A fabric that would be refused is none.
    """
    found, _ = asked(spec, cloud)
    machines = cloud.get("machines", {})
    named = [found.machine] if found.holds else found.fit
    whole = [machines[one] for one in named if machines[one]["holds"].get(found.resource) == found.number]
    for name, own in cloud.get("fabrics", {}).items() if found.resource else ():
        takes = own.get("takes") or clouds.data("fabric", name).get("takes", ())
        fitting = [one for one in whole if {*takes} <= one["holds"].keys()]
        _, faults = _fabric(found, {**spec, "fabric": name}, cloud)
        unnamed = bool(faults) and len(found.fit) > 1 and all("accelerator.machine" in one.message for one in faults)
        if (fitting or (not machines and found.number >= _WHOLE)) and (unnamed or not faults):
            yield name, unnamed


_WHOLE = 8  # devices on the machines that fabrics are built for, where a cloud does not list its machines
