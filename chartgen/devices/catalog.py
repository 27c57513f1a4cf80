"""Clouds, accelerators and fabrics: the data in values/, and the form in which charts carry it."""

from collections.abc import Iterator, Mapping
from functools import cache

from chartgen import resources
from chartgen.job.model import Job, merge
from chartgen.startup.typing import Any

Cloud = Mapping[str, Any]

_FOLDERS = {
    "cloud": "values/clouds",
    "accelerator": "values/accelerators",
    "fabric": "values/fabrics",
}


@cache
def names(kind: str) -> list[str]:
    """The clouds, accelerators or fabrics that ship with chartgen."""
    return sorted(file.removesuffix(".yaml") for file in resources.names(_FOLDERS[kind]))


def data(kind: str, name: str) -> Mapping[str, Any]:
    """What ships under a name; empty if nothing does."""
    if name not in names(kind):
        return {}
    shipped: Mapping[str, Any] = resources.data(f"{_FOLDERS[kind]}/{name}.yaml")
    return shipped


def text(kind: str, name: str) -> str:
    """The file that ships under a name, with its comments, which cite the sources of the data."""
    return resources.text(f"{_FOLDERS[kind]}/{name}.yaml")


def read_cloud(job: Job) -> Cloud:
    """The cloud of a job, with its name: the shipped one, overlaid with the job's own."""
    name = job.settings.get("cloud", "none")
    own = job.settings.get("clouds", {}).get(name, {})
    return {**merge(data("cloud", name), own), "name": name}


@cache
def stream() -> str:
    """Everything that ships as one YAML stream: a document each, starting with its kind and name.

    Charts carry this stream and parse only the documents they need, because parsing all of it
    takes Helm longer than everything else. It is not parsed here either: the files are joined as
    they were written, without their comments.
    """
    return "---\n".join(_documents())


def _documents() -> Iterator[str]:
    for kind in _FOLDERS:
        for name in names(kind):
            lines = text(kind, name).splitlines(keepends=True)
            kept = [line for line in lines if not line.lstrip().startswith("#")]
            yield "".join([f"{kind}: {name}\n", *kept])


def find_accelerator(type_: str) -> tuple[str, Mapping[str, Any]]:
    """The accelerator that has this name or lists this model, with its name; empty if none."""
    for name in names("accelerator"):
        accelerator = data("accelerator", name)
        if type_ == name or type_ in accelerator.get("types", ()):
            return name, accelerator
    return "", {}


def find_accelerator_by_resource(resource: str) -> Mapping[str, Any]:
    """The accelerator that pods request by this resource; empty if no shipped one is."""
    for name in names("accelerator"):
        accelerator = data("accelerator", name)
        pattern = accelerator["resource"]
        if pattern == resource or _matches(pattern, resource):
            return accelerator
    return {}


def slice_reasons() -> dict[str, str]:
    """The resources whose slices one Job per replica cannot have, each with the reason."""
    reasons = {}
    for name in names("accelerator"):
        accelerator = data("accelerator", name)
        if "slice" in accelerator:
            reasons[accelerator["resource"]] = accelerator["slice"]
    return reasons


def find_type(cloud: Cloud, type_: str) -> Mapping[str, Any]:
    """What a cloud says about a type of accelerator; empty if nothing."""
    said: Mapping[str, Any] = cloud.get("types", {}).get(type_, {})
    return said


def find_device(cloud: Cloud, resource: str) -> Mapping[str, Any] | None:
    """What a cloud injects for a resource; None if it does not have it."""
    devices: Mapping[str, Mapping[str, Any]] = cloud.get("devices", {})
    if resource in devices:
        return devices[resource]
    for pattern, injected in devices.items():
        if _matches(pattern, resource):
            return injected
    return None


def list_types(cloud: Cloud) -> list[str]:
    """The types of accelerators that a cloud has."""
    types = {*cloud.get("types", {})}
    for name in names("accelerator"):
        if find_device(cloud, data("accelerator", name)["resource"]) is not None:
            types.add(name)
    for machine in cloud.get("machines", {}).values():
        if "type" in machine:
            types.add(machine["type"])
    return sorted(types)


def _matches(pattern: str, resource: str) -> bool:
    return pattern.endswith("*") and resource.startswith(pattern[:-1])
