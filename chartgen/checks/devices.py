"""Checks of the devices that pods ask for, and of what the cloud adds for them."""

from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Any

from chartgen.devices import catalog as clouds
from chartgen.devices.catalog import Cloud
from chartgen.devices.injection import Additions, Adds, additions, beside, fabrics
from chartgen.devices.request import Fault, devices
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.plan.names import either
from chartgen.pods import Layer, Pod, pods


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """Every problem of devices, once, at the place that asks for them."""
    cloud = clouds.of(job)
    found: dict[Problem, None] = dict.fromkeys(_own_clouds(job, document))
    for pod in pods(job, plan):
        added = additions(pod.spec, cloud)
        found |= dict.fromkeys(_fault(fault, pod, document) for fault in added.faults)
        found |= dict.fromkeys(_slices(pod, added, document))
        found |= dict.fromkeys(_strange(pod, added, cloud, document))
        found |= dict.fromkeys(_clashes(pod, added, cloud, document))
        found |= dict.fromkeys(_idle_fabric(pod, added, document))
        if job.settings.get("podSecurity") == "restricted":
            found |= dict.fromkeys(_unrestricted(added, cloud, document))
    yield from found
    yield from _no_fabric(job, plan, cloud, document)


def _fault(fault: Fault, pod: Pod, document: Document) -> Problem:
    make = document.warning if fault.warning else document.problem
    return make(pod.where(*fault.field), fault.message, fault.rule, fault.hint)


def _slices(pod: Pod, added: Additions, document: Document) -> Iterator[Problem]:
    """A device that comes in slices can be had in short only, for only there its topology is known."""
    main = Layer(pod.layers[0].path, pod.spec)
    for container in (main, *pod.containers()):
        for resource in devices(container.spec):
            reason = clouds.slices().get(resource)
            if reason and (resource != added.asked.resource or not added.asked.short):
                keys = ("resources", "limits", resource)
                path = pod.where(*keys) if container is main else (*container.path, *keys)
                hint = "accelerator: {type: tpu-v6e, topology: 2x2} asks for one host of it"
                yield document.problem(path, f"{resource} is asked for, but {reason}", "slice", hint, key=True)


def _strange(pod: Pod, added: Additions, cloud: Cloud, document: Document) -> Iterator[Problem]:
    """A device that no node of the cloud has, or that no cluster of today gives: the pod would wait for ever."""
    for path, resource in _asked_for(pod, added):
        kind = clouds.kind(resource)
        if clouds.device(cloud, resource) is not None or not kind:
            continue
        if "instead" in kind:
            message = f"no cluster of today gives {resource}; expected {kind['instead']}"
            yield document.warning(path, message, "device", f"write {kind['instead']}", key=True)
        elif "devices" in cloud:
            message = f"cloud {cloud['name']!r} has no {resource}; expected {either(cloud['devices'])}"
            yield document.warning(path, message, "device", "no node there would take the pod", key=True)


def _asked_for(pod: Pod, added: Additions) -> Iterator[tuple[Path, str]]:
    """Every device that is asked for in a pod, and where."""
    if added.asked.short and added.asked.resource and not added.faults:
        yield pod.where(*added.asked.field("type")), added.asked.resource
    for resource in devices(pod.spec):
        yield pod.where("resources", "limits", resource), resource
    for path, container in pod.containers():
        for resource in devices(container):
            yield (*path, "resources", "limits", resource), resource


def _clashes(pod: Pod, added: Additions, cloud: Cloud, document: Document) -> Iterator[Problem]:
    """The job's volumes and mounts beside those that the cloud adds."""
    own = {volume["name"]: (index, volume) for index, volume in enumerate(pod.spec.get("volumes", ()))}
    main = Layer(pod.where("volumeMounts")[:-1], pod.spec)
    for container, all_adds in ((main, added.adds), *((one, beside(one.spec, cloud)) for one in pod.containers())):
        theirs = {volume["name"]: volume for adds in all_adds for volume in adds.get("volumes", ())}
        mounted = {normpath(mount["mountPath"]): index for index, mount in enumerate(_mounts(container.spec))}
        for mount in (mount for adds in all_adds for mount in _mounts(adds)):
            volume = theirs.get(mount["name"])
            place = mounted.get(normpath(mount["mountPath"]))
            if place is not None:
                ours = _mounts(container.spec)[place]["name"]
                if own.get(ours, (0, None))[1] != volume:
                    path: Path = (*container.path, "volumeMounts", place, "mountPath")
                    what = f"cloud {cloud['name']!r} mounts {mount['name']!r} at {mount['mountPath']!r}"
                    message = f"{what}; the job's {ours!r} takes its place"
                    yield document.warning(path, message, "cloud-mount")
            elif mount["name"] in own and own[mount["name"]][1] != volume:
                message = f"cloud {cloud['name']!r} adds another volume {mount['name']!r}; expected another name here"
                yield document.problem((*pod.where("volumes"), own[mount["name"]][0], "name"), message, "cloud-volume")


def _mounts(container: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    mounts: list[Mapping[str, Any]] = container.get("volumeMounts", [])
    return mounts


def _idle_fabric(pod: Pod, added: Additions, document: Document) -> Iterator[Problem]:
    """A fabric of a role's own is of use only if the role asks for a device; a job-wide one is for those that do."""
    where = pod.where("fabric")
    asks = added.asked.resource or added.asked.machine
    if pod.spec.get("fabric", "none") != "none" and not asks and where[:-1]:
        message = f"the fabric {pod.spec['fabric']!r} is for pods with devices, and none is asked for here"
        yield document.warning(where, message, "fabric", "ask for devices with gpu or accelerator")


def _unrestricted(added: Additions, cloud: Cloud, document: Document) -> Iterator[Problem]:
    """What a cloud adds may be more than the restricted Pod Security Standard allows."""
    for what in _privileges(added.adds):
        message = f"cloud {cloud['name']!r} adds {what}, which the restricted standard forbids"
        yield document.warning(("podSecurity",), message, "restricted")


def _privileges(all_adds: tuple[Adds, ...]) -> Iterator[str]:
    for adds in all_adds:
        yield from (f"the hostPath volume {one['name']!r}" for one in adds.get("volumes", ()) if "hostPath" in one)
        yield from (f"the pod field {field}" for field in adds.get("pod", {}) if field.startswith("host"))
        context = adds.get("securityContext", {})
        yield from (f"the capability {name}" for name in context.get("capabilities", {}).get("add", ()))
        if context.get("privileged"):
            yield "a privileged container"


def _no_fabric(job: Job, plan: Plan, cloud: Cloud, document: Document) -> Iterator[Problem]:
    """Machines that talk to each other over the plain network, where there is a faster one."""
    without: list[tuple[str, dict[str, bool]]] = []
    for role in plan.roles:
        spec = job.spec(role.name)
        names = dict(fabrics(spec, cloud)) if "fabric" not in spec else {}
        if names and not _brings_fabric(spec, list(names), cloud):
            without.append((role.name, names))
    if sum(job.replicas(name) for name, _ in without) < 2:
        return
    for name, names in without:
        message = f"roles.{name} has no fabric: its machines would talk over the plain network"
        machine = " if accelerator.machine is named" if all(names.values()) else ""
        there = f"cloud {cloud['name']!r} has the fabric {either(names)}{machine}"
        hint = f"{there}; `fabric: none` says that this is meant"
        yield document.warning(("roles", name), message, "no-fabric", hint, key=True)


def _brings_fabric(spec: Mapping[str, Any], names: list[str], cloud: Cloud) -> bool:
    """Whether a role asks for a fabric in Kubernetes' own words."""
    parts = [part for name in names for part in (cloud["fabrics"][name], clouds.data("fabric", name))]
    takes = {resource for part in parts for resource in part.get("takes", ())}
    fixed = {resource for part in parts for resource in part.get("resources", {}).get("limits", {}) if "/" in resource}
    return bool((takes | fixed) & devices(spec).keys())


def _own_clouds(job: Job, document: Document) -> Iterator[Problem]:
    """Clouds of one's own mount the volumes they bring, each path once."""
    for name, cloud in job.settings.get("clouds", {}).items():
        for kind in ("devices", "types", "fabrics"):
            for key, adds in cloud.get(kind, {}).items():
                shipped = clouds.data("fabric", key).get("volumes", ()) if kind == "fabrics" else ()
                yield from _sound(("clouds", name, kind, key), adds, shipped, document)


def _sound(path: Path, adds: Adds, shipped: Any, document: Document) -> Iterator[Problem]:
    known = [volume["name"] for volume in (*adds.get("volumes", ()), *shipped)]
    taken: set[str] = set()
    for index, mount in enumerate(_mounts(adds)):
        if mount["name"] not in known:
            there = f"expected {either(known)}" if known else "there are no volumes"
            message = f"no volume here is named {mount['name']!r}; {there}"
            yield document.problem((*path, "volumeMounts", index, "name"), message, "unknown-volume")
        if normpath(mount["mountPath"]) in taken:
            message = f"a volume is mounted at {mount['mountPath']!r} already; expected another path"
            yield document.problem((*path, "volumeMounts", index, "mountPath"), message, "duplicate-mount")
        taken.add(normpath(mount["mountPath"]))
