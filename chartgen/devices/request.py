"""Asked: the devices a role asks for, in short or in Kubernetes' own words, as its cloud has them.

The chart does the same at install (templates/_asked.tpl); here it is done to check a job, and to tell of it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from chartgen.devices import catalog as clouds
from chartgen.devices.catalog import Cloud
from chartgen.k8s.quantities import amount
from chartgen.plan.names import either, nearest

Spec = Mapping[str, Any]


class Fault(NamedTuple):
    """What is wrong with what is asked for, and the field of the role that asks."""

    field: tuple[str, ...]
    message: str
    rule: str
    hint: str = ""
    warning: bool = False


class Asked(NamedTuple):
    """A device and how many of it, and the machines that will do; without a resource, no device is asked for."""

    short: Mapping[str, Any]  # what `accelerator` says, or `gpu`, which is short for it
    by_gpu: bool = False
    type: str = ""
    resource: str = ""
    number: int = 0
    machine: str = ""  # by accelerator.machine or a node selector
    holds: Mapping[str, int] = {}  # what that machine has, if the cloud knows it
    fit: tuple[str, ...] = ()

    def field(self, key: str) -> tuple[str, ...]:
        """The field that says something about the accelerator."""
        if self.by_gpu:
            return ("gpu",)
        if not self.short:
            return ("resources", "limits", self.resource)
        return ("accelerator", key) if key in self.short else ("accelerator",)


def asked(spec: Spec, cloud: Cloud) -> tuple[Asked, list[Fault]]:
    """What a role's main container asks for, and what is wrong with that."""
    short = spec.get("accelerator", {})
    short = {} if short.get("count") == 0 else short
    gpus = spec.get("gpu", 0)
    if gpus and short:
        hint = f"gpu: {gpus} is short for accelerator: {{type: nvidia-gpu, count: {gpus}}}"
        message = "gpu and accelerator both ask for devices; expected one of them"
        return Asked({}), [Fault(("gpu",), message, "asked-twice", hint)]
    found = Asked({"type": "nvidia-gpu", "count": gpus}, by_gpu=True) if gpus else Asked(short)
    found = _machine(found, spec, cloud)
    if not found.short:
        found = _in_limits(found, spec, cloud)
        # In Kubernetes' own words a person may know of a machine that the cloud's data do not.
        return found, [fault._replace(warning=True) for fault in _too_many(found, cloud)] if found.resource else []
    found, faults = _resolved(found, cloud)
    return found, faults + _twice(found, spec)


def _machine(found: Asked, spec: Spec, cloud: Cloud) -> Asked:
    """The machine's part: what it holds, and the type of its devices; a node selector can name it as well."""
    machines = cloud.get("machines", {})
    label = cloud.get("selectors", {}).get("machine", "")
    selected = spec.get("nodeSelector", {}).get(label)
    machine = found.short.get("machine", selected) or ""
    there = machines.get(machine, {})
    type_ = found.short.get("type") or (there.get("type", "") if "machine" in found.short else "")
    return found._replace(type=type_, machine=machine, holds=there.get("holds", {}))


def _in_limits(found: Asked, spec: Spec, cloud: Cloud) -> Asked:
    """What the limits ask for in Kubernetes' own words, as far as the cloud knows it; the last by name counts."""
    known = {name: count for name, count in devices(spec).items() if clouds.device(cloud, name) is not None}
    name = max(known, default="")
    return found._replace(resource=name, number=known.get(name, 0))


def devices(container: Mapping[str, Any]) -> dict[str, int]:
    """The devices in a container's limits with their numbers."""
    limits = container.get("resources", {}).get("limits", {})
    numbers = {name: int(amount(quantity) or 0) for name, quantity in limits.items() if "/" in name}
    return {name: number for name, number in numbers.items() if number > 0}


def _twice(found: Asked, spec: Spec) -> list[Fault]:
    limit = spec.get("resources", {}).get("limits", {}).get(found.resource)
    if limit is None or amount(limit) == found.number:
        return []
    message = f"{limit} of {found.resource} here, and {found.number} asked for in short; expected one of the two"
    return [Fault(("resources", "limits", found.resource), message, "asked-twice")]


def typed(cloud: Cloud, type_: str) -> Mapping[str, Any]:
    """What a cloud says about a type of accelerator."""
    said: Mapping[str, Any] = cloud.get("types", {}).get(type_, {})
    return said


def _resolved(found: Asked, cloud: Cloud) -> tuple[Asked, list[Fault]]:
    """The resource that a type stands for, and how many of it."""
    faults = [*_unknown_machine(found, cloud), *_other_type(found, cloud)]
    if not found.type:
        if "machine" not in found.short:
            message = "accelerator names no type; expected one such as 'h100' or 'nvidia-gpu'"
            faults.append(Fault(("accelerator",), message, "accelerator"))
        return found, faults
    resource = typed(cloud, found.type).get("resource") or clouds.accelerator(found.type)[1].get("resource", "")
    if not resource:
        return found, [*faults, _unknown_type(found, cloud)]
    if "*" in resource and "profile" not in found.short:
        message = f"an accelerator of type {found.type!r} comes in parts; expected a profile such as '1g.5gb'"
        return found, [*faults, Fault(("accelerator",), message, "accelerator")]
    named = found._replace(resource=resource.replace("*", found.short.get("profile", "")))
    counted = _counted(named, cloud)
    absent = list(_absent(counted, cloud))
    if not any(not fault.warning for fault in absent):
        absent += [fault for judge in _JUDGES for fault in judge(counted, cloud)]
    return counted, faults + absent


def _counted(found: Asked, cloud: Cloud) -> Asked:
    """How many are asked for, if not said: all that the topology or the machine holds."""
    whole = typed(cloud, found.type).get("topologies", {}).get(found.short.get("topology"))
    count = found.short.get("count") or whole or found.holds.get(found.resource, 1)
    fit = sorted(machine for machine, held in _models(found, cloud).items() if held >= count)
    return found._replace(number=count, fit=tuple(fit))


def _models(found: Asked, cloud: Cloud) -> dict[str, int]:
    """The machines that have this type of accelerator, with how many."""
    machines = cloud.get("machines", {}).items()
    return {name: one["holds"].get(found.resource, 0) for name, one in machines if one.get("type") == found.type}


def _holders(found: Asked, cloud: Cloud) -> dict[str, int]:
    """The machines that have this device, whatever its model, where no model is named."""
    if found.type and found.type not in clouds.names("accelerator"):
        return {}
    return {name: one["holds"].get(found.resource, 0) for name, one in cloud.get("machines", {}).items()}


def _unknown_machine(found: Asked, cloud: Cloud) -> Iterator[Fault]:
    machine, machines = found.short.get("machine"), cloud.get("machines", {})
    if machine is None or machine in machines or (found.type and not machines):
        return
    end = "what it holds is not checked" if found.type else "expected a known one, or accelerator.type with it"
    message = f"cloud {cloud['name']!r} knows no machine {machine!r}; {end}"
    yield Fault(("accelerator", "machine"), message, "machine", nearest(machine, machines), warning=bool(found.type))


def _other_type(found: Asked, cloud: Cloud) -> Iterator[Fault]:
    """The machine that is named has the model that is named; a kind of device says nothing about the model."""
    there = cloud.get("machines", {}).get(found.short.get("machine"), {}).get("type", found.type)
    if found.type not in (there, *clouds.names("accelerator")):
        message = f"the machine {found.machine!r} has {there!r}, not {found.type!r}; expected a machine that has it"
        named = [name for name, one in cloud["machines"].items() if one.get("type") == found.type]
        hint = f"one of {', '.join(named)}" if named else "name the type or the machine alone"
        yield Fault(("accelerator", "type"), message, "machine", hint)


def _unknown_type(found: Asked, cloud: Cloud) -> Fault:
    models = [one for name in clouds.names("accelerator") for one in clouds.data("accelerator", name).get("types", ())]
    message = f"no accelerator is of type {found.type!r}; expected one such as 'nvidia-gpu' or 'h100'"
    known = [*clouds.names("accelerator"), *models, *cloud.get("types", {})]
    hint = nearest(found.type, known) or "`chartgen list accelerators` names them all"
    return Fault(("accelerator", "type"), message, "accelerator", hint)


def _absent(found: Asked, cloud: Cloud) -> Iterator[Fault]:
    """A cloud that lists devices has no others, and one that lists types or machines can find no others."""
    known = {*clouds.names("accelerator"), *cloud.get("types", {})}
    findable = found.type in known or bool(_models(found, cloud))
    there = "devices" not in cloud or clouds.device(cloud, found.resource) is not None
    if there and findable:
        return
    if there and not cloud.get("types") and not cloud.get("machines"):
        message = f"cloud {cloud['name']!r} cannot tell {found.type!r} from another {found.resource}; any will be taken"
        yield Fault(found.field("type"), message, "accelerator", "a nodeSelector can tell them apart", warning=True)
    else:
        message = f"cloud {cloud['name']!r} has no {found.type!r}; expected {either(types(cloud))}"
        yield Fault(found.field("type"), message, "accelerator", nearest(found.type, types(cloud)))


def types(cloud: Cloud) -> list[str]:
    """The types of accelerators that a cloud has."""
    kinds = {name: clouds.data("accelerator", name)["resource"] for name in clouds.names("accelerator")}
    plain = [name for name, resource in kinds.items() if clouds.device(cloud, resource) is not None]
    machines = [one["type"] for one in cloud.get("machines", {}).values() if "type" in one]
    return sorted({*plain, *cloud.get("types", {}), *machines})


def _too_many(found: Asked, cloud: Cloud) -> Iterator[Fault]:
    """No more than the machine holds, or the largest there is."""
    if found.holds:
        most, where = found.holds.get(found.resource, 0), "its machine"
    else:
        models = _models(found, cloud) or _holders(found, cloud)
        most, where = max(models.values(), default=0), f"any machine of cloud {cloud['name']!r}"
        if not most:
            return
    if found.number > most:
        message = f"{found.number} of {found.resource} is more than {where} holds; expected {most} at most"
        yield Fault(found.field("count"), message, "machine")


def _sliced(found: Asked, cloud: Cloud) -> Iterator[Fault]:
    """A slice is taken only if one host holds it, and then whole."""
    reason = clouds.slices().get(found.resource)
    topologies = typed(cloud, found.type).get("topologies", {})
    topology = found.short.get("topology")
    if reason is None or topologies.get(topology) == found.number:
        return
    if topology in topologies:
        message = f"a host of topology {topology} is taken whole; expected {topologies[topology]}, or no count"
        yield Fault(found.field("count"), message, "slice")
    else:
        hint = f"topologies of one host: {', '.join(topologies)}" if topologies else ""
        yield Fault(found.field("topology"), f"{found.resource} is asked for, but {reason}", "slice", hint)


def _unlabelled(found: Asked, cloud: Cloud) -> Iterator[Fault]:
    """Machine, topology and profile are such as the cloud's nodes say of themselves."""
    said = typed(cloud, found.type)
    levels = (said, clouds.device(cloud, found.resource) or {}, cloud)
    labels = {key for level in levels for key in level.get("selectors", {})}
    filled = "*" in (said.get("resource") or clouds.accelerator(found.type)[1].get("resource", ""))
    for key in ("machine", "topology", "profile"):
        if key in found.short and key not in labels and not (filled and key == "profile"):
            message = f"cloud {cloud['name']!r} does not say how its nodes name their {key}; expected none"
            yield Fault(("accelerator", key), message, "accelerator", "a nodeSelector can say it")
    yield from _profile(found)


def _profile(found: Asked) -> Iterator[Fault]:
    """A profile is one that there is, as far as is known."""
    known = clouds.accelerator(found.type)[1].get("profiles", ())
    profile = found.short.get("profile")
    if known and profile is not None and profile not in known:
        message = f"no profile {profile!r} of {found.type!r} is known; a node must offer it under that very name"
        hint = f"known are {known[0]} to {known[-1]}"
        yield Fault(("accelerator", "profile"), message, "accelerator", hint, warning=True)


_JUDGES: tuple[Callable[[Asked, Cloud], Iterator[Fault]], ...] = (_too_many, _sliced, _unlabelled)
