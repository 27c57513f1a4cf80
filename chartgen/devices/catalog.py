"""Clouds, accelerators and fabrics as values/ tells them, and as they travel with a chart."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from chartgen import resources
from chartgen.job.model import Job, merged

Cloud = Mapping[str, Any]

_FOLDERS = {"cloud": "values/clouds", "accelerator": "values/accelerators", "fabric": "values/fabrics"}


def names(kind: str) -> list[str]:
    """The clouds, accelerators or fabrics that ship with chartgen."""
    return sorted(file.removesuffix(".yaml") for file in resources.names(_FOLDERS[kind]))


def data(kind: str, name: str) -> Mapping[str, Any]:
    """What ships under a name; nothing if nothing does."""
    found: Mapping[str, Any] = resources.data(f"{_FOLDERS[kind]}/{name}.yaml") if name in names(kind) else {}
    return found


def text(kind: str, name: str) -> str:
    """The file of what ships under a name, with its comments, which say where the data come from."""
    return resources.text(f"{_FOLDERS[kind]}/{name}.yaml")


def of(job: Job) -> Cloud:
    """The cloud of a job, with its name: the shipped one, and the job's own of that name laid over it."""
    name = job.settings.get("cloud", "none")
    return {**merged(data("cloud", name), job.settings.get("clouds", {}).get(name, {})), "name": name}


@cache
def stream() -> str:
    """All that ships as one YAML stream, a document for each, led by its kind and name.

    The chart reads one document of it and no more, for reading all of it takes Helm longer than all else. Nor is it
    parsed here: what people wrote is put together as it is, less the comments.
    """
    return "---\n".join(_documents())


def _documents() -> Iterator[str]:
    for kind in _FOLDERS:
        for name in names(kind):
            lines = text(kind, name).splitlines(keepends=True)
            kept = [line for line in lines if not line.lstrip().startswith("#")]
            yield "".join([f"{kind}: {name}\n", *kept])


def accelerator(type_: str) -> tuple[str, Mapping[str, Any]]:
    """The kind of device that a type is or belongs to, with its name; nothing if it is none."""
    for name in names("accelerator"):
        found = data("accelerator", name)
        if type_ == name or type_ in found.get("types", ()):
            return name, found
    return "", {}


def kind(resource: str) -> Mapping[str, Any]:
    """The kind of device that a resource is; nothing if it is none that ships."""
    found = (data("accelerator", name) for name in names("accelerator"))
    return next((one for one in found if one["resource"] == resource or _matches(one["resource"], resource)), {})


def slices() -> dict[str, str]:
    """The resources that come in slices which one Job per replica cannot have, each with the reason."""
    found = (data("accelerator", name) for name in names("accelerator"))
    return {one["resource"]: one["slice"] for one in found if "slice" in one}


def device(cloud: Cloud, resource: str) -> Mapping[str, Any] | None:
    """What a cloud adds for a resource; None if it does not know it."""
    devices: Mapping[str, Mapping[str, Any]] = cloud.get("devices", {})
    if resource in devices:
        return devices[resource]
    return next((adds for name, adds in devices.items() if _matches(name, resource)), None)


def _matches(name: str, resource: str) -> bool:
    return name.endswith("*") and resource.startswith(name[:-1])
