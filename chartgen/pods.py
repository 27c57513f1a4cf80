"""Job + Plan + cloud -> Pods: every pod as it will be, what it comes from, what is injected.

They are computed once; checks, totals, the chart's README and the summary read them.
"""

from collections.abc import Iterator, Mapping

from chartgen.devices.catalog import Cloud, read_cloud
from chartgen.devices.injection import Injected, Injection, inject, inject_beside
from chartgen.devices.request import names_device, read_request
from chartgen.document import Path
from chartgen.job.model import Job, ends
from chartgen.plan.model import Plan, RolePlan
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any


class Layer(NamedTuple):
    """What one place of the description says about pods, and the place."""

    path: Path
    spec: Mapping[str, Any]


class SideContainer(NamedTuple):
    """A container beside the main one, with its place and what the cloud injects into it."""

    path: Path
    spec: Mapping[str, Any]
    injected: tuple[Injected, ...]


class DescribedPod(NamedTuple):
    """A pod that one or more replicas have."""

    role: str  # the role's name; empty for TensorBoard
    override: str  # the key of the override that makes it differ from its role's other pods
    replicas: int  # how many have it
    spec: Mapping[str, Any]  # what the layers add up to
    layers: tuple[Layer, ...]  # the places that describe it, the one that wins first
    plan: RolePlan | None  # what the framework adds to it
    injection: Injection  # what the cloud injects for its main container, and with it into the pod
    beside: tuple[SideContainer, ...]  # the containers beside the main one

    @property
    def managed(self) -> bool:
        """Whether the framework creates it at run time, so that the chart injects nothing."""
        return self.plan is not None and self.plan.managed_by_framework

    @property
    def requests_device(self) -> bool:
        """Whether any of its containers requests a device, in short or by its limits."""
        if self.spec.get("fabric", "none") != "none" or names_device(self.spec):
            return True
        return any(names_device(container.spec) for container in self.beside)

    @property
    def injected(self) -> Iterator[Injected]:
        """What the cloud injects for all of its containers, the strongest first."""
        yield from self.injection.layers
        for container in self.beside:
            yield from container.injected

    @property
    def injected_sidecars(self) -> Iterator[Mapping[str, Any]]:
        """The containers that the cloud adds, each once; one of the pod's replaces it by name."""
        names = {container.spec["name"] for container in self.beside}
        names.add(self.plan.container if self.plan else "tensorboard")
        for layer in self.injected:
            for sidecar in layer.get("sidecars", ()):
                if sidecar["name"] not in names:
                    names.add(sidecar["name"])
                    yield sidecar

    @property
    def chart_mounts(self) -> dict[str, str]:
        """Where the chart mounts volumes in the main container, or may at install, by name."""
        if self.plan is None:
            return {}
        mounts = {mount.volume: mount.path for mount in self.plan.mounts}
        start = self.plan.start
        if start and start.mount and not {"command", "args"} & self.spec.keys():
            mounts[start.mount.volume] = start.mount.path
        for volume in self.plan.volumes:
            if isinstance(volume.path, str):
                mounts[volume.name] = volume.path
        return mounts

    def where(self, *keys: str) -> Path:
        """The place that decides a field, or a key of it."""
        return _find_place(self.layers, keys)


class Pods(NamedTuple):
    """All pods of a job."""

    job: Job
    plan: Plan
    cloud: Cloud
    layers: tuple[Layer, ...]  # every place that describes pods
    all: tuple[DescribedPod, ...]  # role by role, first the plain one, then those of overrides
    cleanup: bool  # whether there is a pod that cleans up, which the description does not mention

    @property
    def needs_clouds(self) -> bool:
        """Whether the job names a cloud, or requests a device for which one may inject."""
        settings = self.job.settings
        named = settings.get("cloud", "none") != "none" or "clouds" in settings
        return named or any(pod.requests_device for pod in self.all)

    @property
    def charted(self) -> Iterator[DescribedPod]:
        """The pods that the chart itself makes."""
        return (pod for pod in self.all if not pod.managed)

    def beside(self, others: "Pods") -> "Pods":
        """Only what is not among other pods of the job, whatever the numbers of replicas."""
        around = (self.job.settings, self.job.options, self.cloud, self.plan)
        if around != (others.job.settings, others.job.options, others.cloud, others.plan):
            return self
        # All else in a pod follows from these two and from what is around it.
        known = {(pod.role, pod.override): (pod.spec, pod.layers) for pod in others.all}
        kept = []
        for pod in self.all:
            if known.get((pod.role, pod.override)) != (pod.spec, pod.layers):
                kept.append(pod)
        places = dict(others.layers)
        layers = [layer for layer in self.layers if places.get(layer.path) != layer.spec]
        return self._replace(all=tuple(kept), layers=tuple(layers))


def assemble(job: Job, plan: Plan) -> Pods:
    """Every pod there is, one for all replicas that are alike."""
    cloud = read_cloud(job)
    pods: list[DescribedPod] = []
    for role in plan.roles:
        pods += _role_pods(job, role, cloud)
    if "tensorboard" in job.settings:
        spec = job.settings["tensorboard"]
        layers = (Layer(("tensorboard",), spec),)
        beside = tuple(_side_containers(spec, layers, cloud))
        pods.append(DescribedPod("", "", 1, spec, layers, None, inject(spec, cloud), beside))
    policy = job.settings.get("cleanup", {}).get("policy", "suspend" if plan.cleanup else "none")
    cleanup = bool(plan.completion_role and policy != "none")
    return Pods(job, plan, cloud, tuple(_layers(job)), tuple(pods), cleanup)


def _layers(job: Job) -> Iterator[Layer]:
    yield Layer((), job.shared)
    for name, role in job.roles.items():
        yield Layer(("roles", name), role.spec)
        for key, override in role.overrides.items():
            yield Layer(("roles", name, "overrides", key), override)
    if "tensorboard" in job.settings:
        yield Layer(("tensorboard",), job.settings["tensorboard"])


def _role_pods(job: Job, plan: RolePlan, cloud: Cloud) -> Iterator[DescribedPod]:
    role = job.roles[plan.name]
    port = {"port": role.port or plan.port} if plan.port else {}
    below = (Layer(("roles", role.name), role.spec), Layer((), job.shared))
    counts = {key: _count(key, role.replicas) for key in role.overrides}
    others = max(0, role.replicas - sum(counts.values()))
    for key, count in {"": others, **counts}.items():
        layers: tuple[Layer, ...] = below
        if key:
            layers = (Layer(("roles", role.name, "overrides", key), role.overrides[key]), *below)
        spec = port | job.spec(role.name, key)
        if plan.managed_by_framework:
            # The framework passes on no shorthand for devices, and the chart injects nothing.
            limits = {"resources": spec.get("resources", {})}
            injection = Injection(read_request(limits, cloud)[0], (), ())
        else:
            injection = inject(spec, cloud)
        beside = tuple(_side_containers(spec, layers, cloud))
        yield DescribedPod(role.name, key, count, spec, layers, plan, injection, beside)


def _count(override: str, replicas: int) -> int:
    """How many replicas an override names."""
    first, last = ends(override)
    return max(0, min(last + 1, replicas) - first)


def _side_containers(
    spec: Mapping[str, Any], layers: tuple[Layer, ...], cloud: Cloud
) -> Iterator[SideContainer]:
    for field in ("initContainers", "sidecars"):
        for index, container in enumerate(spec.get(field, ())):
            path = (*_find_place(layers, (field,)), index)
            yield SideContainer(path, container, inject_beside(container, cloud))


def _find_place(layers: tuple[Layer, ...], keys: tuple[str, ...]) -> Path:
    for path, spec in layers:
        node: Any = spec
        for key in keys:
            node = node.get(key) if isinstance(node, Mapping) else None
        if node is not None:
            return (*path, *keys)
    return layers[0].path
