"""Checks of what pods demand of the cluster: quantities that Kubernetes takes, of resources it knows, within limits."""

import re
from collections.abc import Iterator
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.k8s.quantities import amount, suggestion
from chartgen.plan.model import Plan
from chartgen.pods import Layer, Pod, layers, pods

_KNOWN = re.compile(r"cpu|memory|ephemeral-storage|hugepages-.+|.+/.+")
_BYTES = ("memory", "ephemeral-storage")


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """Every problem of what is asked for, once, at the place that asks."""
    found: dict[Problem, None] = {}
    for layer in layers(job):
        for asked in _asked(layer):
            found |= dict.fromkeys(_quantity(*asked, document))
    for pod in pods(job, plan):
        found |= dict.fromkeys(_within_limits(pod, document))
        for beside in pod.containers():
            found |= dict.fromkeys(_within_limits(Pod(beside.spec, (beside,)), document))
    yield from found


def _asked(layer: Layer) -> Iterator[tuple[Path, str, Any]]:
    """Every quantity at a place, with the resource it is of."""
    pod = Layer((*layer.path, "pod"), layer.spec.get("pod", {}))
    for path, spec in (layer, pod, *Pod(layer.spec, (layer,)).containers()):
        for part in ("limits", "requests"):
            for name, quantity in spec.get("resources", {}).get(part, {}).items():
                yield (*path, "resources", part, name), name, quantity
    for name, quantity in pod.spec.get("overhead", {}).items():
        yield (*pod.path, "overhead", name), name, quantity
    for index, volume in enumerate(layer.spec.get("volumes", ())):
        if "sizeLimit" in volume.get("emptyDir", {}):
            yield (*layer.path, "volumes", index, "emptyDir", "sizeLimit"), "memory", volume["emptyDir"]["sizeLimit"]


def _quantity(path: Path, name: str, quantity: Any, document: Document) -> Iterator[Problem]:
    number = amount(quantity)
    if not _KNOWN.fullmatch(name):
        message = f"Kubernetes knows no resource {name!r}; expected cpu, memory, ephemeral-storage or a device"
        yield document.problem(path, message, "resource", "a device's name has a domain: nvidia.com/gpu", key=True)
    if number is None:
        guess = suggestion(quantity)
        message = f"{quantity!r} is no quantity to Kubernetes; expected one such as 500m, 4, 1.5 or 16Gi"
        yield document.problem(path, message, "quantity", f"did you mean {guess}?" if guess else "")
    elif number < 0:
        yield document.problem(path, f"{quantity!r} is negative; expected 0 or more", "quantity")
    elif "/" in name and number % 1:
        message = f"{quantity!r} is no whole number; {name} is counted in whole devices"
        yield document.problem(path, message, "quantity")
    elif name in _BYTES and number % 1:
        message = f"{quantity!r} of {name} is {number:g} bytes, for 'm' is a thousandth; expected whole bytes"
        yield document.warning(path, message, "quantity", f"did you mean {str(quantity).rstrip('m')}Mi?")


def _within_limits(pod: Pod, document: Document) -> Iterator[Problem]:
    """A request stays within its limit, and is equal to it where Kubernetes lends nothing twice."""
    resources = pod.spec.get("resources", {})
    for name, request in resources.get("requests", {}).items():
        device = "/" in name and ("kubernetes.io/" not in name or name.startswith("alpha.kubernetes.io/"))
        whole = name.startswith("hugepages-") or device
        limit = resources.get("limits", {}).get(name)
        asked, allowed = amount(request), amount(limit if limit is not None else request)
        path = pod.where("resources", "requests", name)
        if whole and limit is None:
            message = f"{name} is requested without a limit; expected one of the same number"
            yield document.problem(path, message, "limit", "limits alone are enough: the request follows them")
        elif asked is not None and allowed is not None and (asked > allowed or (whole and asked < allowed)):
            word = "the same as" if whole else "no more than"
            message = f"{request} of {name} is requested; expected {word} its limit of {limit}"
            yield document.problem(path, message, "limit")
