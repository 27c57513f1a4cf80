"""Checks of quantities: such as Kubernetes accepts, of resources it has, requests within limits."""

import re
from collections.abc import Iterator, Mapping

from chartgen.document import Document, FieldProblem, Path, about
from chartgen.errors import Problem
from chartgen.k8s.quantities import WHOLE, amount
from chartgen.k8s.rules import pods as pod_rules
from chartgen.pods import Layer, Pods
from chartgen.startup.typing import Any

# Fields of a layer that can have quantities in them.
_FIELDS = frozenset(("resources", "pod", "volumes", "initContainers", "sidecars"))


def check_quantities(pods: Pods, document: Document) -> Iterator[Problem]:
    """Every quantity, at the place that states it, whether or not a pod uses it."""
    for layer in pods.layers:
        if _FIELDS.isdisjoint(layer.spec):
            continue
        for path, problem in _layer_quantities(layer):
            yield document.place(path, problem, key=problem.rule == "resources-unknown-name")


def _layer_quantities(layer: Layer) -> Iterator[FieldProblem]:
    pod = Layer((*layer.path, "pod"), layer.spec.get("pod", {}))
    for path, spec in (layer, pod, *_containers(layer)):
        for inner, problem in pod_rules.check_resources(spec.get("resources", {})):
            yield (*path, "resources", *inner), problem
    for inner, problem in _check_counts(layer.spec.get("resources", {})):
        yield (*layer.path, "resources", *inner), problem
    for name, quantity in pod.spec.get("overhead", {}).items():
        yield from pod_rules.check_quantity((*pod.path, "overhead", name), name, quantity)
    for index, volume in enumerate(layer.spec.get("volumes", ())):
        directory = volume.get("emptyDir", {})
        if "sizeLimit" in directory:
            place: Path = (*layer.path, "volumes", index, "emptyDir", "sizeLimit")
            yield from pod_rules.check_quantity(place, "memory", directory["sizeLimit"])


def _check_counts(resources: Mapping[str, Any]) -> Iterator[FieldProblem]:
    """Whole numbers of devices are such as the schema of the chart's values can read."""
    for part in ("limits", "requests"):
        for name, quantity in resources.get(part, {}).items():
            if "/" not in name or re.fullmatch(WHOLE, str(quantity)):
                continue
            number = amount(quantity)
            if number is not None and number >= 0 and number.is_integer():
                message = f"{quantity!r} is not written as a whole number; expected {number:.0f}"
                yield about((part, name), message, "quantity-not-whole")


def _containers(layer: Layer) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for field in ("initContainers", "sidecars"):
        for index, container in enumerate(layer.spec.get(field, ())):
            yield (*layer.path, field, index), container


def check_requests(pods: Pods, document: Document) -> Iterator[Problem]:
    """Requests within their limits, wherever either is stated."""
    for pod in pods.charted:
        for path, problem in pod_rules.check_requests(pod.spec.get("resources", {})):
            yield document.place(pod.where("resources", *map(str, path)), problem)
        for container in pod.beside:
            resources = container.spec.get("resources", {})
            for path, problem in pod_rules.check_requests(resources):
                yield document.place((*container.path, "resources", *path), problem)
