"""Checks of what a role's pods add up to: images, volumes, ports, labels and container names."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import Plan, RolePlan
from chartgen.plan.names import either

# What charts/job puts on every pod.
_LABELS = {
    "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component",
    "chartgen/runtime-id", "chartgen/role", "chartgen/index",
}  # fmt: skip


class Layer(NamedTuple):
    """What one place of the description says about pods, and the place."""

    path: Path
    spec: Mapping[str, Any]


class Pod(NamedTuple):
    """What a pod adds up to, the places that speak about it (the last word first), and the framework's part in it."""

    spec: Mapping[str, Any]
    layers: tuple[Layer, ...]
    role: RolePlan | None = None

    def where(self, *keys: str) -> Path:
        """The place that has the last word on a field, or on a key of it."""
        for path, spec in self.layers:
            node: Any = spec
            for key in keys:
                node = node.get(key) if isinstance(node, Mapping) else None
            if node is not None:
                return (*path, *keys)
        return self.layers[0].path

    def containers(self) -> Iterator[Layer]:
        """The containers beside the main one, each with its place."""
        for field in ("initContainers", "sidecars"):
            for index, container in enumerate(self.spec.get(field, ())):
                yield Layer((*self.where(field), index), container)


def layers(job: Job) -> Iterator[Layer]:
    """Every place that speaks about pods."""
    yield Layer((), job.shared)
    for name, role in job.roles.items():
        yield Layer(("roles", name), role.spec)
        for key, override in role.overrides.items():
            yield Layer(("roles", name, "overrides", key), override)
    if "tensorboard" in job.settings:
        yield Layer(("tensorboard",), job.settings["tensorboard"])


def pods(job: Job, plan: Plan) -> Iterator[Pod]:
    """Every pod there is, one for all replicas that are alike."""
    for role in plan.replicated:
        described = job.roles[role.name]
        port = {"port": described.port or role.port} if role.port else {}
        below = (Layer(("roles", role.name), described.spec), Layer((), job.shared))
        yield Pod(port | job.spec(role.name), below, role)
        for key, override in described.overrides.items():
            above = Layer(("roles", role.name, "overrides", key), override)
            yield Pod(port | job.spec(role.name, key), (above, *below), role)
    if "tensorboard" in job.settings:
        board = job.settings["tensorboard"]
        yield Pod(board, (Layer(("tensorboard",), board),))


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """Every problem of every pod, once, at the place that says it."""
    found: dict[Problem, None] = dict.fromkeys(_images(job, plan, document))
    for layer in layers(job):
        if layer.path != ("tensorboard",):
            found |= dict.fromkeys(_reserved(layer, plan, document))
    for pod in pods(job, plan):
        for judge in (_volumes, _containers, _ports):
            found |= dict.fromkeys(judge(pod, document))
    yield from found


def _images(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    for name in [role.name for role in plan.replicated]:
        if "image" not in job.spec(name):
            message = f"roles.{name} has no image; expected one here, or for all roles at the top level"
            yield document.problem(("roles", name), message, "image", key=True)
    if "tensorboard" in job.settings and "image" not in {**job.shared, **job.settings["tensorboard"]}:
        message = "tensorboard has no image; expected one here, or for the whole job at the top level"
        yield document.problem(("tensorboard",), message, "image", key=True)


def _reserved(layer: Layer, plan: Plan, document: Document) -> Iterator[Problem]:
    """What the chart sets itself cannot be set by the job."""
    for name in plan.reserved_env:
        if name in layer.spec.get("env", {}):
            message = f"{name} is set by the chart, for the replicas there are at install; expected it left out"
            yield document.problem((*layer.path, "env", name), message, "reserved-env", key=True)
    labels = _LABELS.union(*(role.labels for role in plan.roles))
    for key in layer.spec.get("labels", {}):
        if key in labels:
            message = f"the chart sets the label {key!r} itself; this one is not used"
            yield document.warning((*layer.path, "labels", key), message, "reserved-label", key=True)


def _volumes(pod: Pod, document: Document) -> Iterator[Problem]:
    """Volumes have names of their own (those of the chart included), and a mount names one of them."""
    ours = _chart_mounts(pod)
    known = dict.fromkeys(ours, True)
    for index, volume in enumerate(pod.spec.get("volumes", ())):
        if volume["name"] in known:
            message = _taken("volume", volume["name"], by_chart=known[volume["name"]])
            yield document.problem((*pod.where("volumes"), index, "name"), message, "duplicate-volume")
        known.setdefault(volume["name"], False)
    main = Layer(pod.where("volumeMounts"), pod.spec)
    yield from _mounts(main, known, {*ours.values()}, document)
    for path, container in pod.containers():
        yield from _mounts(Layer((*path, "volumeMounts"), container), known, set(), document)


def _chart_mounts(pod: Pod) -> dict[str, str]:
    """The volumes that the chart mounts into the main container, or may with another option at install; and where."""
    if pod.role is None:
        return {}
    start = None if {"command", "args"} & pod.spec.keys() else pod.role.start
    mounts = [*pod.role.mounts, start.mount] if start and start.mount else [*pod.role.mounts]
    return {mount.volume: mount.path for mount in mounts} | {volume.name: volume.path for volume in pod.role.volumes}


def _taken(noun: str, name: str, *, by_chart: bool) -> str:
    who = f"the chart itself has a {noun} named {name!r}" if by_chart else f"a second {noun} is named {name!r}"
    return f"{who}; expected another name"


def _mounts(container: Layer, known: Mapping[str, bool], taken: set[str], document: Document) -> Iterator[Problem]:
    for index, mount in enumerate(container.spec.get("volumeMounts", ())):
        path: Path = (*container.path, index)
        name, place = mount["name"], mount["mountPath"]
        if name not in known:
            own = sorted(volume for volume, by_chart in known.items() if not by_chart)
            there = f"expected {either(own)}" if own else "there are no volumes"
            yield document.problem((*path, "name"), f"no volume is named {name!r}; {there}", "unknown-volume")
        if place in taken:
            message = f"a volume is mounted at {place!r} already; expected another path"
            yield document.problem((*path, "mountPath"), message, "duplicate-mount")
        taken.add(place)


def _containers(pod: Pod, document: Document) -> Iterator[Problem]:
    """Containers of a pod have names of their own."""
    taken = {pod.role.container: True} if pod.role else {}
    for path, container in pod.containers():
        if container["name"] in taken:
            message = _taken("container", container["name"], by_chart=taken[container["name"]])
            yield document.problem((*path, "name"), message, "duplicate-container")
        taken.setdefault(container["name"], False)


def _ports(pod: Pod, document: Document) -> Iterator[Problem]:
    """A container's ports differ in number and name; the framework's gives way to one of the same number."""
    listed = pod.spec.get("ports", ())
    taken: dict[Any, bool] = {}
    if pod.role and pod.role.port and pod.spec["port"] not in [port["containerPort"] for port in listed]:
        taken[pod.role.port_name] = True
    for index, port in enumerate(listed):
        number = (port["containerPort"], port.get("protocol", "TCP"))
        path: Path = (*pod.where("ports"), index)
        if number in taken:
            message = f"the port {number[0]} is listed a second time; expected it once"
            yield document.problem((*path, "containerPort"), message, "duplicate-port")
        if port.get("name") in taken:
            message = _taken("port", port["name"], by_chart=taken[port["name"]])
            yield document.problem((*path, "name"), message, "duplicate-port")
        taken |= {number: False, port.get("name", number): False}
