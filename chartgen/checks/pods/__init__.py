"""Checks of what a role's pods add up to: images, volumes, ports, labels and container names."""

from collections.abc import Iterable, Iterator, Mapping, Set

from chartgen.document import Document, FieldProblem, Path
from chartgen.errors import Problem
from chartgen.k8s.images import PLACEHOLDER, reference, tag
from chartgen.k8s.rules import pods as pod_rules
from chartgen.pods import DescribedPod, Pods
from chartgen.startup.typing import Any

# Fields that can name a thing twice, or one that is not there.
_LISTS = frozenset(("volumes", "volumeMounts", "ports"))
# What charts/job puts on every pod.
_LABELS = {
    "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component",
    "chartgen/runtime-id", "chartgen/role", "chartgen/index",
}  # fmt: skip
# And what it puts on every object.
_OBJECT_LABELS = {
    "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component",
    "app.kubernetes.io/managed-by", "chartgen/runtime-id", "helm.sh/chart",
}  # fmt: skip


def check_images(pods: Pods, document: Document) -> Iterator[Problem]:
    """Every pod has an image; without replicas too, because it may get some at install."""
    job = pods.job
    for role in pods.plan.replicated:
        if "image" not in job.shared and "image" not in job.roles[role.name].spec:
            message = f"roles.{role.name} has no image"
            message += "; expected one here, or for all roles at the top level"
            yield document.missing(("roles", role.name), message, "image-missing", key=True)
    board = job.settings.get("tensorboard")
    if board is not None and "image" not in board and "image" not in job.shared:
        message = "tensorboard has no image"
        message += "; expected one here, or for the whole job at the top level"
        yield document.missing(("tensorboard",), message, "image-missing", key=True)
    for path, image in (*_images(pods), *_own_images(pods)):
        if not reference(image):
            message = "the image has no repository; expected one beside its tag or digest"
            yield document.missing(path, message, "image-missing", key=True)


def _images(pods: Pods) -> Iterator[tuple[Path, Any]]:
    """The images of the job's containers, and where they are said."""
    for pod in pods.all:
        if "image" in pod.spec:
            yield pod.where("image"), pod.spec["image"]
        for container in pod.beside:
            if "image" in container.spec:
                yield (*container.path, "image"), container.spec["image"]


def _own_images(pods: Pods) -> Iterator[tuple[Path, Any]]:
    """Those of the chart's own containers, where the job names them."""
    if "helperImage" in pods.job.settings:
        yield ("helperImage",), pods.job.settings["helperImage"]
    for group in ("cleanup", "tests", "wait"):
        if "image" in pods.job.settings.get(group, {}):
            yield (group, "image"), pods.job.settings[group]["image"]


def check_tags(pods: Pods, document: Document) -> Iterator[Problem]:
    """A tag that can be pushed again is a change that goes unnoticed."""
    for path, image_field in _images(pods):
        image = reference(image_field)
        if image == PLACEHOLDER:
            message = f"{image!r} is a placeholder; expected the image of the job"
            yield document.warning(path, message, "image-placeholder")
        elif image and "@" not in image and tag(image) in ("", "latest"):
            what = "the tag 'latest'" if tag(image) else "no tag, which means 'latest'"
            message = f"the image has {what}; if it is pushed again, an upgrade does not notice"
            hint = "name a tag or a digest that does not change"
            # A tag that was refused is not a missing one.
            problem = document.problem if tag(image) else document.missing
            yield problem(path, message, "image-latest", hint)._replace(severity="warning")


def check_reserved(pods: Pods, document: Document) -> Iterator[Problem]:
    """What the chart sets itself cannot be set by the job."""
    of_replicas = _LABELS.union(*(role.labels for role in pods.plan.roles))
    of_tensorboard = _LABELS.union(("app",), pods.plan.tensorboard_labels)
    for path, spec in pods.layers:
        tensorboard = path == ("tensorboard",)
        labels = of_tensorboard if tensorboard else of_replicas
        for name in () if tensorboard else pods.plan.reserved_env:
            if name in spec.get("env", {}):
                message = f"{name} is set by the chart from the replicas at install"
                place = (*path, "env", name)
                yield document.problem(
                    place, f"{message}; expected it to be left out", "env-reserved", key=True
                )
        for inner in ((), ("job",), ("service",)):
            keys = (spec.get(inner[0], {}) if inner else spec).get("labels")
            if keys:
                reserved = labels | _OBJECT_LABELS if inner else labels
                yield from _check_labels(document, (*path, *inner, "labels"), keys, reserved)
    common = pods.job.settings.get("commonLabels", {})
    yield from _check_labels(document, ("commonLabels",), common, _OBJECT_LABELS)


def _check_labels(
    document: Document, path: Path, keys: Iterable[str], reserved: Set[str]
) -> Iterator[Problem]:
    for key in keys:
        if key in reserved:
            message = f"the chart sets the label {key!r} itself; this one is not used"
            yield document.warning((*path, key), message, "label-reserved", key=True)


def check_pods(pods: Pods, document: Document) -> Iterator[Problem]:
    """Volumes, mounts, containers and ports of every pod."""
    for pod in pods.charted:
        if not pod.beside and _LISTS.isdisjoint(pod.spec):
            continue
        for path, problem in (*_volumes(pod), *_containers(pod)):
            yield document.place(path, problem)


def _below(path: Path, problems: Iterable[FieldProblem]) -> Iterator[FieldProblem]:
    for inner, problem in problems:
        yield (*path, *inner), problem


def _volumes(pod: DescribedPod) -> Iterator[FieldProblem]:
    """Names of volumes are unique, those of the chart included, and mounts use them."""
    ours = pod.chart_mounts
    names = dict.fromkeys(ours, True)
    volumes = pod.spec.get("volumes", ())
    problems = pod_rules.check_names("volume", volumes, "volume-duplicate", names)
    yield from _below(pod.where("volumes"), problems)
    mounts = pod.spec.get("volumeMounts", ())
    problems = pod_rules.check_mounts(mounts, names, {*ours.values()})
    yield from _below(pod.where("volumeMounts"), problems)
    for container in pod.beside:
        mounts = container.spec.get("volumeMounts", ())
        problems = pod_rules.check_mounts(mounts, names, set())
        yield from _below((*container.path, "volumeMounts"), problems)


def _containers(pod: DescribedPod) -> Iterator[FieldProblem]:
    """Names of containers, of their ports and of their variables are unique."""
    names = {pod.plan.container: True} if pod.plan else {}
    for container in pod.beside:
        problems = pod_rules.check_names(
            "container", [container.spec], "container-duplicate", names
        )
        for (_, field), problem in problems:
            yield (*container.path, field), problem
        ports, env = container.spec.get("ports", ()), container.spec.get("env", ())
        yield from _below((*container.path, "ports"), pod_rules.check_ports(ports, {}))
        yield from _below((*container.path, "env"), pod_rules.check_env(env))
    ports = pod.spec.get("ports", ())
    yield from _below(pod.where("ports"), pod_rules.check_ports(ports, _chart_ports(pod, ports)))


def _chart_ports(pod: DescribedPod, listed: Iterable[Mapping[str, Any]]) -> pod_rules.TakenNames:
    """The name of the framework's port, unless the role lists a port of that number itself."""
    if pod.plan is None or not pod.plan.port:
        return {}
    if pod.spec["port"] in [port["containerPort"] for port in listed]:
        return {}
    return {pod.plan.port_name: True}
