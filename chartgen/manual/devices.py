"""Clouds, accelerators and fabrics: pages made of the data in values/."""

from collections.abc import Iterator

from chartgen.devices import catalog, describe
from chartgen.manual.base import Kind, TopicRow, names_only


def cloud_rows() -> Iterator[TopicRow]:
    """What each cloud is."""
    for name in catalog.names("cloud"):
        yield {"name": name, "about": catalog.data("cloud", name)["description"]}


def accelerator_rows() -> Iterator[TopicRow]:
    """Each device, followed by its models: its resource, and the clouds that have it."""
    clouds = {}
    for name in catalog.names("cloud"):
        clouds[name] = catalog.list_types(catalog.data("cloud", name))
    for name in catalog.names("accelerator"):
        device = catalog.data("accelerator", name)
        for type_ in (name, *device.get("types", ())):
            offering = [cloud for cloud, types in clouds.items() if type_ in types]
            about = device["description"] if type_ == name else f"{name}, this model only"
            yield {
                "name": type_,
                "resource": device["resource"],
                "clouds": ",".join(offering) or "-",
                "about": about,
            }


def fabric_rows() -> Iterator[TopicRow]:
    """The fabrics of each cloud."""
    for cloud in catalog.names("cloud"):
        for name, own in catalog.data("cloud", cloud).get("fabrics", {}).items():
            about = own.get("description") or catalog.data("fabric", name)["description"]
            yield {"cloud": cloud, "name": name, "about": about}


def accelerators() -> list[str]:
    """Devices, and after each its models."""
    names = []
    for name in catalog.names("accelerator"):
        names += [name, *catalog.data("accelerator", name).get("types", ())]
    return names


def fabrics() -> list[str]:
    """Fabrics, each once, although several clouds may have it."""
    return sorted({row["name"] for row in fabric_rows()})


CLOUDS = Kind(
    "cloud",
    "clouds",
    "Clouds",
    lambda: catalog.names("cloud"),
    describe.describe_cloud,
    cloud_rows,
    lambda: names_only(catalog.names("cloud")),
    lambda _: ["devices"],
)
ACCELERATORS = Kind(
    "accelerator",
    "accelerators",
    "Accelerators",
    accelerators,
    describe.describe_accelerator,
    accelerator_rows,
    lambda: names_only(accelerators()),
    lambda _: ["devices", "job.accelerator"],
)
FABRICS = Kind(
    "fabric",
    "fabrics",
    "Fabrics",
    fabrics,
    describe.describe_fabric,
    fabric_rows,
    lambda: names_only(fabrics()),
    lambda _: ["devices", "job.fabric"],
)
