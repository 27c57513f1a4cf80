"""Descriptions of clouds, devices and fabrics, for the chart's README and the manual."""

from collections.abc import Iterable, Iterator, Mapping

from chartgen.devices import catalog
from chartgen.devices.catalog import Cloud
from chartgen.devices.injection import Injected, Injection
from chartgen.startup.typing import Any
from chartgen.syntax.yaml.writer import scalar

_WIDTH = 100  # columns


def describe_request(injection: Injection) -> tuple[str, list[str]]:
    """What a pod requests, such as "2 nvidia.com/gpu", and every item that it gets for it."""
    request = injection.request
    if request.resource:
        requested = f"{request.number} {request.resource}"
    else:
        requested = f"the machine {request.machine}"
    return requested, list(describe_layers(injection.layers))


def describe_layers(layers: Iterable[Injected]) -> Iterator[str]:
    """What is injected, item by item, each once; of two items for one thing the first holds."""
    said: set[str] = set()
    for layer in layers:
        for thing, text in (*_container_items(layer), *_pod_items(layer)):
            if thing not in said:
                said.add(thing)
                yield text


def _container_items(layer: Injected) -> Iterator[tuple[str, str]]:
    """What the container gets: the thing an item is about, and the text."""
    for name, quantity in layer.get("resources", {}).get("limits", {}).items():
        yield f"limit {name}", f"{quantity} of {name}"
    for name, value in layer.get("env", {}).items():
        yield f"env {name}", name if isinstance(value, Mapping) else f"{name}={value}"
    paths = {mount["name"]: mount["mountPath"] for mount in layer.get("volumeMounts", ())}
    for volume in layer.get("volumes", ()):
        name = volume["name"]
        where = f" at {paths[name]}" if name in paths else ""
        yield f"volume {name}", f"the volume {name} ({_describe_source(volume)}){where}"
    for sidecar in layer.get("sidecars", ()):
        yield f"sidecar {sidecar['name']}", f"the sidecar {sidecar['name']}"


def _describe_source(volume: Mapping[str, Any]) -> str:
    """A volume's kind; one that names none is an emptyDir to Kubernetes."""
    for kind, source in volume.items():
        if kind != "name":
            return f"{kind} {source['path']}" if "path" in source else kind
    return "emptyDir"


def _pod_items(layer: Injected) -> Iterator[tuple[str, str]]:
    """What the pod gets, and the privileges of the container."""
    context = layer.get("securityContext", {})
    for name in context.get("capabilities", {}).get("add", ()):
        yield f"capability {name}", f"the capability {name}"
    if context.get("privileged"):
        yield "privileged", "a privileged container"
    for key, value in layer.get("nodeSelector", {}).items():
        yield f"selector {key}", f"nodes with {key}: {value}"
    for toleration in layer.get("tolerations", ()):
        text = _describe_toleration(toleration)
        yield f"toleration {text}", f"a toleration of {text}"
    for key in layer.get("annotations", {}):
        yield f"annotation {key}", f"the annotation {key}"
    for key, value in layer.get("pod", {}).items():
        yield f"pod {key}", f"{key}: {scalar(value)}"
    if "together" in layer:
        yield "together", f"replicas all in one {layer['together']}"


def _describe_toleration(toleration: Mapping[str, Any]) -> str:
    value = f"={toleration['value']}" if "value" in toleration else ""
    effect = f":{toleration['effect']}" if "effect" in toleration else ""
    return f"{toleration.get('key', 'every taint')}{value}{effect}"


def describe_cloud(name: str) -> Iterator[str]:
    """A cloud in full: what it injects for devices, types and fabrics, its machines, sources."""
    cloud = catalog.data("cloud", name)
    fabrics = cloud.get("fabrics", {})
    yield f"{name}: {cloud['description']}"
    yield from _section("Pods that request", cloud.get("devices", {}))
    yield from _section("With accelerator.type", cloud.get("types", {}))
    yield from _lines(
        "With fabric", {fabric: _describe_fabric(fabric, own) for fabric, own in fabrics.items()}
    )
    yield from _describe_machines(cloud)
    yield from _sources("cloud", name)
    for fabric in catalog.names("fabric"):
        if fabric in fabrics:
            for line in sources("fabric", fabric):
                yield f"  {line}"


def describe_accelerator(type_: str) -> Iterator[str]:
    """A device or one of its models: how to request it, and what each cloud does with it."""
    from textwrap import wrap  # only the manual needs it

    name, device = catalog.find_accelerator(type_)
    about = device["description"]
    yield f"{type_}: {about}" if type_ == name else f"{type_}: a model of {name} ({about})"
    yield ""
    yield f"Resource: {device['resource']}"
    for key, title in (("types", "Models"), ("profiles", "Profiles")):
        if type_ == name and key in device:
            yield from wrap(f"{title}: {', '.join(device[key])}", _WIDTH)
    if "slice" in device:
        yield from wrap(f"Limit: {device['slice']}.", _WIDTH)
    clouds: dict[str, Cloud] = {}
    for cloud in catalog.names("cloud"):
        data = catalog.data("cloud", cloud)
        if type_ in catalog.list_types(data):
            clouds[cloud] = data
    yield from _example_request(type_, device, clouds)
    offers = {
        cloud: _describe_offer(type_, device["resource"], data) for cloud, data in clouds.items()
    }
    yield from _lines("Pods that request it on a cloud get", offers)
    yield from _sources("accelerator", name)


def _example_request(
    type_: str, device: Mapping[str, Any], clouds: Mapping[str, Cloud]
) -> Iterator[str]:
    """A request that is valid; a slice of devices is requested by its topology."""
    topologies: list[str] = []
    for cloud in clouds.values():
        topologies += catalog.find_type(cloud, type_).get("topologies", ())
    if topologies:
        yield f"Example: `accelerator: {{type: {type_}, topology: {topologies[0]}}}`"
    elif "slice" not in device:
        profile = f", profile: {device['profiles'][0]}" if "profiles" in device else ""
        yield f"Example: `accelerator: {{type: {type_}{profile}, count: 1}}`"


def _describe_offer(type_: str, resource: str, cloud: Cloud) -> Iterator[str]:
    """What a cloud injects for a type, and the machines that have it."""
    own = catalog.find_type(cloud, type_)
    yield from _describe_part(own)
    injected = catalog.find_device(cloud, own.get("resource", resource))
    yield from describe_layers([injected or {}])
    machines = []
    for name, machine in cloud.get("machines", {}).items():
        if machine.get("type") == type_:
            machines.append(name)
    if machines:
        yield f"machines: {', '.join(machines)}"


def describe_fabric(name: str) -> Iterator[str]:
    """A fabric: what each cloud that has it injects."""
    shipped = catalog.data("fabric", name)
    own = {}
    for cloud in catalog.names("cloud"):
        fabrics = catalog.data("cloud", cloud).get("fabrics", {})
        if name in fabrics:
            own[cloud] = fabrics[name]
    described = [data["description"] for data in (*own.values(), shipped) if "description" in data]
    yield f"{name}: {described[0]}"
    yield ""
    yield f"Example: `fabric: {name}`, in a role that requests accelerators"
    on_clouds = {cloud: _describe_fabric(name, data) for cloud, data in own.items()}
    yield from _lines("Pods that request it on a cloud get", on_clouds)
    if shipped:
        yield from _sources("fabric", name)


def _section(title: str, parts: Mapping[str, Injected]) -> Iterator[str]:
    return _lines(title, {name: _describe_part(layer) for name, layer in parts.items()})


def _describe_part(layer: Injected) -> Iterator[str]:
    if "resource" in layer:
        yield f"the resource {layer['resource']}"
    for key, label in layer.get("selectors", {}).items():
        yield f"nodes by {label}, as accelerator.{key} says"
    if "topologies" in layer:
        yield f"one host of topology {', '.join(layer['topologies'])}"
    yield from describe_layers([layer])


def _describe_fabric(name: str, own: Injected) -> Iterator[str]:
    shipped = catalog.data("fabric", name)
    for resource in own.get("takes") or shipped.get("takes", ()):
        yield f"as many {resource} as belong to the accelerators used"
    yield from describe_layers([own, shipped])
    for type_, layer in (own.get("types") or shipped.get("types", {})).items():
        more = "; ".join(describe_layers([layer]))
        yield f"for {type_}: {more}" if more else f"for {type_}"


def _lines(title: str, parts: Mapping[str, Iterator[str]]) -> Iterator[str]:
    from textwrap import TextWrapper  # as above

    wrapper = TextWrapper(
        _WIDTH,
        initial_indent=" " * 4,
        subsequent_indent=" " * 6,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if parts:
        yield ""
        yield title
    for name, items in parts.items():
        yield f"  {name}"
        for item in list(items) or ["nothing more"]:
            yield from wrapper.wrap(item)


def _describe_machines(cloud: Cloud) -> Iterator[str]:
    machines = cloud.get("machines", {})
    if not machines:
        return
    yield ""
    yield "Machines"
    width = max(map(len, machines))
    for name, machine in machines.items():
        holds = ", ".join(f"{count} {resource}" for resource, count in machine["holds"].items())
        yield f"  {name:{width}}  {machine.get('type', ''):10}  {holds}"


def _sources(kind: str, name: str) -> Iterator[str]:
    yield ""
    yield "Sources"
    for line in sources(kind, name):
        yield f"  {line}"


def sources(kind: str, name: str) -> Iterator[str]:
    """The sources of the data, as the comment at the head of their file cites them."""
    for line in catalog.text(kind, name).splitlines():
        if not line.startswith("#"):
            return
        yield line.removeprefix("#").strip()
