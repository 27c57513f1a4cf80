"""Told: what a cloud adds to pods, in words, for the chart's README and `chartgen explain cloud`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chartgen.devices import catalog as clouds
from chartgen.devices.catalog import Cloud
from chartgen.devices.injection import Adds, additions
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.syntax.yaml_writer import scalar


def asking(job: Job, plan: Plan) -> Iterator[tuple[str, str, list[str]]]:
    """Each role that asks for devices, and each override that differs: its name, what it asks for, what it is given."""
    cloud = clouds.of(job)
    for role in plan.roles:
        said = set()
        for key in ("", *job.roles[role.name].overrides):
            found = additions(job.spec(role.name, key), cloud)
            asked, given = f"{found.asked.number} {found.asked.resource}".strip(), list(words(found.adds))
            if (found.asked.resource or given) and (asked, *given) not in said:
                yield f"{role.name} {key}".rstrip(), asked, given
            said.add((asked, *given))


def words(all_adds: Iterable[Adds]) -> Iterator[str]:
    """What is added, item by item, each once; of two for one thing the first holds."""
    said: set[str] = set()
    for thing, text in _items(all_adds):
        if thing not in said:
            said.add(thing)
            yield text


def _items(all_adds: Iterable[Adds]) -> Iterator[tuple[str, str]]:
    """Every single thing: by what it is known, and what to say of it."""
    for adds in all_adds:
        for name, quantity in adds.get("resources", {}).get("limits", {}).items():
            yield f"limit {name}", f"{quantity} of {name}"
        for name, value in adds.get("env", {}).items():
            yield f"env {name}", name if isinstance(value, Mapping) else f"{name}={value}"
        mounts = {mount["name"]: mount["mountPath"] for mount in adds.get("volumeMounts", ())}
        for volume in adds.get("volumes", ()):
            where = f" at {mounts[volume['name']]}" if volume["name"] in mounts else ""
            yield f"volume {volume['name']}", f"the volume {volume['name']} ({_source(volume)}){where}"
        for sidecar in adds.get("sidecars", ()):
            yield f"sidecar {sidecar['name']}", f"the side-car {sidecar['name']}"
        yield from _of_pod(adds)


def _source(volume: Mapping[str, Any]) -> str:
    kind, source = next((key, value) for key, value in volume.items() if key != "name")
    return f"{kind} {source['path']}" if "path" in source else kind


def _of_pod(adds: Adds) -> Iterator[tuple[str, str]]:
    context = adds.get("securityContext", {})
    for name in context.get("capabilities", {}).get("add", ()):
        yield f"capability {name}", f"the capability {name}"
    if context.get("privileged"):
        yield "privileged", "a privileged container"
    for key, value in adds.get("nodeSelector", {}).items():
        yield f"selector {key}", f"nodes with {key}: {value}"
    for toleration in adds.get("tolerations", ()):
        text = _toleration(toleration)
        yield f"toleration {text}", f"a toleration of {text}"
    for key in adds.get("annotations", {}):
        yield f"annotation {key}", f"the annotation {key}"
    for key, value in adds.get("pod", {}).items():
        yield f"pod {key}", f"{key}: {scalar(value)}"
    if "together" in adds:
        yield "together", f"replicas all in one {adds['together']}"


def _toleration(toleration: Mapping[str, Any]) -> str:
    value = f"={toleration['value']}" if "value" in toleration else ""
    effect = f":{toleration['effect']}" if "effect" in toleration else ""
    return f"{toleration.get('key', 'every taint')}{value}{effect}"


def page(name: str) -> Iterator[str]:
    """A cloud in full: what is added for which devices, types and fabrics, which machines it has, and the sources."""
    cloud = clouds.data("cloud", name)
    yield f"{name}: {cloud['description']}"
    yield from _section("Pods that ask for", cloud.get("devices", {}))
    yield from _section("With accelerator.type", cloud.get("types", {}))
    fabrics = cloud.get("fabrics", {})
    yield from _lines("With fabric", {fabric: list(_fabric(fabric, own)) for fabric, own in fabrics.items()})
    yield from _machines(cloud)
    yield ""
    yield "Sources"
    yield from (f"  {line}" for line in sources("cloud", name))
    for fabric in [name for name in clouds.names("fabric") if name in fabrics]:
        yield from (f"  {line}" for line in sources("fabric", fabric))


def _section(title: str, parts: Mapping[str, Adds]) -> Iterator[str]:
    return _lines(title, {name: list(_also(adds)) for name, adds in parts.items()})


def _also(adds: Adds) -> Iterator[str]:
    if "resource" in adds:
        yield f"the resource {adds['resource']}"
    for key, label in adds.get("selectors", {}).items():
        yield f"nodes by {label}, as accelerator.{key} says"
    if "topologies" in adds:
        yield f"one host of topology {', '.join(adds['topologies'])}"
    yield from words([adds])


def _fabric(name: str, own: Adds) -> Iterator[str]:
    shipped = clouds.data("fabric", name)
    for resource in own.get("takes") or shipped.get("takes", ()):
        yield f"as many {resource} as go with the accelerators taken"
    yield from words([own, shipped])
    for type_, adds in (own.get("types") or shipped.get("types", {})).items():
        more = list(words([adds]))
        yield f"for {type_}{': ' if more else ''}{'; '.join(more)}"


def _lines(title: str, parts: Mapping[str, list[str]]) -> Iterator[str]:
    if parts:
        yield ""
        yield title
    for name, said in parts.items():
        yield f"  {name}"
        yield from (f"    {item}" for item in said or ["nothing more"])


def _machines(cloud: Cloud) -> Iterator[str]:
    machines = cloud.get("machines", {})
    if machines:
        yield ""
        yield "Machines"
        width = max(map(len, machines))
        for name, machine in machines.items():
            holds = ", ".join(f"{count} {resource}" for resource, count in machine["holds"].items())
            yield f"  {name:{width}}  {machine.get('type', ''):10}  {holds}"


def sources(kind: str, name: str) -> Iterator[str]:
    """Where the data come from, as the comment at the head of their file says."""
    for line in clouds.text(kind, name).splitlines():
        if not line.startswith("#"):
            return
        yield line.removeprefix("#").strip()
