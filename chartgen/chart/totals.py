"""What a job requests of the cluster in total, as the README, the notes and the summary say it."""

from collections.abc import Iterable, Mapping

from chartgen.devices.injection import Injected
from chartgen.job.model import merge
from chartgen.k8s.quantities import Containers, sums
from chartgen.pods import DescribedPod, Pods
from chartgen.startup.typing import Any

_WAIT = {"requests": {"cpu": "10m", "memory": "16Mi"}}  # as in templates/lib/_framework.tpl
# As in templates/lib/_tensorboard.tpl, of resources that the job does not name.
_TENSORBOARD = {"cpu": "100m", "memory": "512Mi"}  # and too little disk to mention
_CLEANUP = {"requests": {"cpu": "10m", "memory": "32Mi"}}  # as in templates/lib/_cleanup.tpl


def sum_requests(pods: Pods) -> dict[str, float]:
    """The number of pods, and of every resource that they request together."""
    parts = [(pod.replicas, _containers(pod)) for pod in pods.all]
    if pods.cleanup:
        parts.append((1, Containers([{"resources": _CLEANUP}])))
    return sums(parts)


def _containers(pod: DescribedPod) -> Containers:
    """What the containers of a pod request, with all that the framework and the cloud add."""
    if pod.plan is None:
        own = pod.spec.get("resources", {})
        requests = {**_TENSORBOARD, **own.get("limits", {}), **own.get("requests", {})}
        return Containers([{"resources": {"requests": requests}}])
    spec = merge(pod.plan.defaults, pod.spec)
    request, layers = pod.injection.request, pod.injection.layers
    limits = {request.resource: request.number} if request.resource else {}
    main = _with_limits(spec, [*layers, {"resources": {"limits": limits}}])
    if pod.managed:
        return Containers([main])
    beside, before, lasting = [main], [], []
    for container in pod.beside:
        filled = _with_limits(container.spec, container.injected)
        if "initContainers" in container.path:
            before.append(filled)
        elif container.spec.get("restartPolicy") == "Always":
            lasting.append(filled)
        else:
            beside.append(filled)
    waits = [{"resources": _WAIT} for _ in pod.plan.waits]
    injected = [{**sidecar, "restartPolicy": "Always"} for sidecar in pod.injected_sidecars]
    return Containers(beside, [*before, *lasting, *waits, *injected])


def _with_limits(container: Mapping[str, Any], layers: Iterable[Injected]) -> dict[str, Any]:
    """A container with the limits that are injected into it; its own win."""
    resources = container.get("resources", {})
    limits = resources.get("limits", {})
    for layer in layers:
        limits = {**layer.get("resources", {}).get("limits", {}), **limits}
    return {**container, "resources": {**resources, "limits": limits}}
