"""Checks of the devices that pods request, and of what the cloud injects for them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import normpath

from chartgen.checks.pods.env import check_variables
from chartgen.devices import catalog
from chartgen.devices.catalog import Cloud
from chartgen.devices.injection import Injected, find_fabrics
from chartgen.devices.request import read_devices
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import merge
from chartgen.pods import DescribedPod, Pods
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, either


def check_own_clouds(pods: Pods, document: Document) -> Iterator[Problem]:
    """Custom clouds bring the volumes that they mount, and variables that can be set."""
    for name, own in pods.job.settings.get("clouds", {}).items():
        for place, injected, volumes in _own_parts(merge(catalog.data("cloud", name), own)):
            path = ("clouds", name, *place)
            yield from _check_own_mounts((*path, "volumeMounts"), injected, volumes, document)
            for inner, problem in check_variables(injected.get("env", {})):
                yield document.place((*path, "env", *inner), problem)


def _own_parts(cloud: Cloud) -> Iterator[tuple[Path, Injected, Sequence[Mapping[str, Any]]]]:
    """Everything that a cloud injects: its place there, and the volumes that it may mount."""
    for kind in ("devices", "types", "fabrics"):
        for key, injected in cloud.get(kind, {}).items():
            volumes = [*injected.get("volumes", ())]
            if kind == "fabrics":
                volumes += catalog.data("fabric", key).get("volumes", ())
                for type_, more in injected.get("types", {}).items():
                    place = (kind, key, "types", type_)
                    yield place, more, [*volumes, *more.get("volumes", ())]
            yield (kind, key), injected, volumes


def _check_own_mounts(
    path: Path, injected: Injected, volumes: Sequence[Mapping[str, Any]], document: Document
) -> Iterator[Problem]:
    known = [volume["name"] for volume in volumes]
    taken: set[str] = set()
    for index, mount in enumerate(injected.get("volumeMounts", ())):
        if mount["name"] not in known:
            expected = f"expected {either(known)}" if known else "there are no volumes"
            message = f"no volume here is named {mount['name']!r}; {expected}"
            yield document.missing((*path, index, "name"), message, "volume-unknown")
        mount_path = normpath(mount["mountPath"])
        if mount_path in taken:
            message = f"a volume is already mounted at {mount['mountPath']!r}"
            message += "; expected another path"
            yield document.problem((*path, index, "mountPath"), message, "mount-duplicate")
        taken.add(mount_path)


def check_devices(pods: Pods, document: Document) -> Iterator[Problem]:
    """What is requested exists on the cloud, and what is injected for it fits into the pods."""
    unknown = list(_check_cloud(pods, document))
    if unknown:
        yield from unknown
        return
    for pod in pods.charted:
        for path, problem in pod.injection.problems:
            yield document.place(pod.where(*map(str, path)), problem)
        yield from _check_slices(pod, document)
        yield from _check_availability(pod, pods.cloud, document)
        if any(pod.injected):
            yield from _check_mounts(pod, pods.cloud["name"], document)
            yield from _check_huge_pages(pod, document)
        yield from _check_idle_fabric(pod, document)


def _check_cloud(pods: Pods, document: Document) -> Iterator[Problem]:
    """The cloud is a shipped one or one of the job's own."""
    name = pods.cloud["name"]
    known = sorted({*catalog.names("cloud"), *pods.job.settings.get("clouds", {})})
    if name not in known:
        message = f"there is no cloud {name!r}; expected {either(known)}"
        message += ", or one of your own under clouds"
        meant = _describes(name)
        hint = f"did you mean {meant!r}?" if meant else did_you_mean(name, known)
        yield document.problem(("cloud",), message, "cloud-unknown", hint)


def _describes(word: str) -> str:
    """The one shipped cloud whose description has a word, such as 'eks' or 'google'."""
    clouds = []
    for name in catalog.names("cloud"):
        if word.lower() in re.findall(r"\w+", catalog.data("cloud", name)["description"].lower()):
            clouds.append(name)
    return clouds[0] if len(clouds) == 1 else ""


# A container of a pod: the path of its own fields, the fields, and what is injected into it.
_Container = tuple[Path, Mapping[str, Any], Sequence[Injected]]


def _containers(pod: DescribedPod) -> Iterator[_Container]:
    """The main container, whose path is only used for its mounts, and those beside it."""
    yield pod.where("volumeMounts")[:-1], pod.spec, pod.injection.layers
    yield from pod.beside


def _requested(pod: DescribedPod) -> Iterator[tuple[Path, str]]:
    """Every device in the limits of a pod's containers: its place and its resource."""
    for resource in read_devices(pod.spec):
        yield pod.where("resources", "limits", resource), resource
    for container in pod.beside:
        for resource in read_devices(container.spec):
            yield (*container.path, "resources", "limits", resource), resource


def _check_slices(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    """A device that comes in slices needs `accelerator`, which alone states a topology."""
    request = pod.injection.request
    for path, resource in _requested(pod):
        reasons = catalog.slice_reasons()  # only now, because it reads every accelerator
        if resource in reasons and not (request.short and resource == request.resource):
            message = f"{resource} is requested, but {reasons[resource]}"
            hint = "accelerator: {type: tpu-v6e, topology: 2x2} requests one host of it"
            yield document.problem(path, message, "tpu-multi-host", hint, key=True)


def _check_availability(pod: DescribedPod, cloud: Cloud, document: Document) -> Iterator[Problem]:
    """A device that no node of the cloud has would keep its pod waiting forever."""
    places = [*_requested(pod)]
    request = pod.injection.request
    if request.short and request.resource and not pod.injection.problems:
        places.append((pod.where(*request.field("type")), request.resource))
    for path, resource in places:
        accelerator = catalog.find_accelerator_by_resource(resource)
        if not accelerator or catalog.find_device(cloud, resource) is not None:
            continue
        if "instead" in accelerator:
            replacement = accelerator["instead"]
            message = f"current clusters have no {resource}; expected {replacement}"
            yield document.warning(
                path, message, "device-outdated", f"write {replacement}", key=True
            )
        elif "devices" in cloud:
            expected = f"expected {either(cloud['devices'])}"
            message = f"cloud {cloud['name']!r} has no {resource}; {expected}"
            hint = "no node there can run the pod"
            yield document.warning(path, message, "device-not-on-cloud", hint, key=True)


def _check_mounts(pod: DescribedPod, cloud: str, document: Document) -> Iterator[Problem]:
    """The job's mounts take the place of the cloud's; its volumes must not."""
    volumes = {volume["name"]: volume for volume in pod.spec.get("volumes", ())}
    injected = _injected_volumes(pod)
    needed: set[str] = set()
    for path, container, layers in _containers(pod):
        taken: set[str] = set()
        if container is pod.spec:
            taken = {normpath(path) for path in pod.chart_mounts.values()}
        mounts = container.get("volumeMounts", ())
        own = {normpath(mount["mountPath"]): index for index, mount in enumerate(mounts)}
        for mount in _injected_mounts(layers):
            place = normpath(mount["mountPath"])
            if place in own:
                name = mounts[own[place]]["name"]
                if volumes.get(name) != injected.get(mount["name"]):
                    message = f"cloud {cloud!r} mounts {mount['name']!r} at {mount['mountPath']!r}"
                    message += f"; the job's {name!r} takes its place"
                    at: Path = (*path, "volumeMounts", own[place], "mountPath")
                    yield document.warning(at, message, "cloud-mount-replaced")
            elif place not in taken:
                taken.add(place)
                needed.add(mount["name"])
    for sidecar in pod.injected_sidecars:
        needed |= {mount["name"] for mount in sidecar.get("volumeMounts", ())}
    for position, (name, volume) in enumerate(volumes.items()):
        if name in needed and volume != injected.get(name, volume):
            message = f"cloud {cloud!r} adds another volume {name!r}; expected another name here"
            at = (*pod.where("volumes"), position, "name")
            yield document.problem(at, message, "cloud-volume-clash")


def _check_huge_pages(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    """Kubernetes accepts huge pages only together with cpu or memory."""
    for path, container, layers in _containers(pod):
        place: Path = (*path, "resources")
        if container is pod.spec:
            if not pod.role:
                continue  # charts request both for TensorBoard
            place = pod.where("resources")
        if pages := _lonely_pages(container, layers):
            message = f"including what the cloud adds, {pages} is requested, which Kubernetes"
            message += " accepts only together with cpu or memory; expected one of them"
            hint = "resources: {limits: {memory: 64Gi}}"
            yield document.problem(place, message, "resources-huge-pages", hint)


def _lonely_pages(container: Mapping[str, Any], layers: Sequence[Injected]) -> str:
    """Huge pages without cpu or memory when a layer has added its limits, as charts add them."""
    own = container.get("resources", {})
    names: set[str] = {*own.get("limits", {}), *own.get("requests", {})}
    for layer in layers:
        limits = layer.get("resources", {}).get("limits", {})
        names |= limits.keys()
        pages = sorted(name for name in names if name.startswith("hugepages-"))
        if limits and pages and not {"cpu", "memory"} & names:
            return pages[0]
    return ""


def _injected_volumes(pod: DescribedPod) -> dict[str, Mapping[str, Any]]:
    """The volumes that the cloud brings; of two with one name the first holds."""
    volumes: dict[str, Mapping[str, Any]] = {}
    for _, _, layers in _containers(pod):
        for layer in layers:
            for volume in layer.get("volumes", ()):
                volumes.setdefault(volume["name"], volume)
    return volumes


def _injected_mounts(layers: Sequence[Injected]) -> Iterator[Mapping[str, Any]]:
    for layer in layers:
        yield from layer.get("volumeMounts", ())


def _check_idle_fabric(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    """A role's own fabric needs devices; a job-wide one is for the roles that request some."""
    place = pod.where("fabric")
    fabric = pod.spec.get("fabric", "none")
    request = pod.injection.request
    if fabric != "none" and not request.resource and not request.machine and place[:-1]:
        message = f"the fabric {fabric!r} is for pods with devices, and none are requested here"
        hint = "request devices with gpu or accelerator"
        yield document.warning(place, message, "fabric-without-device", hint)


def check_fabrics(pods: Pods, document: Document) -> Iterator[Problem]:
    """Whole machines that use the plain network, on a cloud with a faster one."""
    without: list[tuple[str, dict[str, bool]]] = []
    replicas = 0
    for pod in pods.charted:
        if pod.role and not pod.override and "fabric" not in pod.spec:
            fabrics = dict(find_fabrics(pod.injection.request, pod.spec, pods.cloud))
            if fabrics and not _brings_fabric(pod, [*fabrics], pods.cloud):
                without.append((pod.role, fabrics))
                replicas += pods.job.replicas(pod.role)
    if replicas < 2:
        return
    for role, fabrics in without:
        message = f"roles.{role} has no fabric: its machines would use the plain network"
        machine = " if accelerator.machine is named" if all(fabrics.values()) else ""
        hint = f"cloud {pods.cloud['name']!r} has the fabric {either(fabrics)}{machine}"
        hint += "; `fabric: none` keeps the plain network"
        yield document.warning(("roles", role), message, "fabric-missing", hint, key=True)


def _brings_fabric(pod: DescribedPod, fabrics: Sequence[str], cloud: Cloud) -> bool:
    """Whether a role requests a fabric's devices in resources.limits."""
    resources: set[str] = set()
    for name in fabrics:
        for part in (cloud["fabrics"][name], catalog.data("fabric", name)):
            resources |= {*part.get("takes", ())}
            resources |= {*part.get("resources", {}).get("limits", {})}
    return any(resource in resources for resource in read_devices(pod.spec))
