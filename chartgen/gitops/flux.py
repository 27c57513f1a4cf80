"""Sources, HelmReleases and Kustomizations of Flux."""

from collections.abc import Sequence

from chartgen.errors import UsageError
from chartgen.gitops.model import Delivery, Target
from chartgen.k8s.objects import Object
from chartgen.startup.typing import Any

SOURCE = "source.toolkit.fluxcd.io/v1"
HELM = "helm.toolkit.fluxcd.io/v2"
KUSTOMIZE = "kustomize.toolkit.fluxcd.io/v1"
NAMESPACE = "flux-system"
REPOSITORY = "jobs"

_CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
# By default Flux waits five minutes until every Job has ended, and then takes the training back.
# Without that it still waits until each has started, which a suspended one never has, and a failed
# one fails every later upgrade.
_ACTION = {"disableWait": True, "strategy": {"name": "RetryOnFailure"}}


def objects(targets: Sequence[Target], delivery: Delivery) -> dict[str, Object]:
    """The objects by the paths of their files."""
    by_path: dict[str, Object] = {}
    if not delivery.registry or any(target.manifests for target in targets):
        by_path["gitrepository.yaml"] = _git(delivery)
    for target in targets:
        folder = f"{target.environment}/" if target.environment else ""
        if target.manifests:
            by_path[f"{folder}{target.job}.yaml"] = _kustomization(target, delivery)
            continue
        if delivery.registry:
            by_path[f"{folder}{target.job}-chart.yaml"] = _oci(target, delivery)
        by_path[f"{folder}{target.job}.yaml"] = _release(target, delivery)
    return by_path


def _object(api: str, kind: str, name: str, delivery: Delivery, spec: dict[str, Any]) -> Object:
    metadata = {"name": name, "namespace": delivery.namespace or NAMESPACE}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


def _git(delivery: Delivery) -> Object:
    spec = {
        "interval": "5m",
        "url": _url(delivery.repository),
        "ref": {"branch": delivery.revision},
    }
    return _object(SOURCE, "GitRepository", REPOSITORY, delivery, spec)


def _url(repository: str) -> str:
    """The URL as Flux accepts it: Git's short form of ssh, user@host:path, is not one to it."""
    if "://" not in repository:
        host, _, path = repository.partition(":")
        return f"ssh://{host}/{path.lstrip('/')}"
    if not repository.startswith(("http://", "https://", "ssh://")):
        raise UsageError(f"the repository {repository}: Flux takes only https, http and ssh")
    return repository


def _oci(target: Target, delivery: Delivery) -> Object:
    spec = {
        "interval": "5m",
        "url": f"{delivery.registry.rstrip('/')}/{target.job}",
        "ref": {"tag": target.version.replace("+", "_")},
        "layerSelector": {"mediaType": _CONTENT, "operation": "copy"},
    }
    return _object(SOURCE, "OCIRepository", target.name, delivery, spec)


def _release(target: Target, delivery: Delivery) -> Object:
    spec: dict[str, Any] = {
        "interval": "10m",
        "releaseName": target.job,
        "targetNamespace": target.namespace,
        "storageNamespace": target.namespace,
    }
    if delivery.registry:
        spec["chartRef"] = {"kind": "OCIRepository", "name": target.name}
        if target.values:
            spec["values"] = dict(target.values)
    else:
        spec["chart"] = {"spec": _chart(target)}
    if target.cluster:
        spec["kubeConfig"] = _kubeconfig(target)
    return _object(
        HELM,
        "HelmRelease",
        target.name,
        delivery,
        {
            **spec,
            "install": {"createNamespace": True, **_ACTION},
            "upgrade": {**_ACTION},
            # `helm test` asks a running job: it belongs to people, and not to every change.
            "test": {"enable": False},
            # A Job that was removed on purpose is not created again: training would start over.
            "driftDetection": {"mode": "disabled"},
        },
    )


def _kubeconfig(target: Target) -> dict[str, Any]:
    """The Secret with which Flux reaches another cluster, named after it."""
    name = target.environment if "://" in target.cluster else target.cluster
    return {"secretRef": {"name": f"{name}-kubeconfig"}}


def _chart(target: Target) -> dict[str, Any]:
    chart = {
        "chart": f"./{target.path}",
        "sourceRef": {"kind": "GitRepository", "name": REPOSITORY},
        "reconcileStrategy": "ChartVersion",
    }
    if target.values_file:
        chart["valuesFiles"] = [
            f"{target.path}/values.yaml",
            f"{target.path}/{target.values_file}",
        ]
    return chart


def _kustomization(target: Target, delivery: Delivery) -> Object:
    spec: dict[str, Any] = {
        "interval": "10m",
        "path": f"./{target.path}",
        "prune": True,
        "wait": False,  # a running Job is not ready, and waiting for it would time out
        "sourceRef": {"kind": "GitRepository", "name": REPOSITORY},
        "targetNamespace": target.namespace,
    }
    if target.cluster:
        spec["kubeConfig"] = _kubeconfig(target)
    return _object(KUSTOMIZE, "Kustomization", target.name, delivery, spec)
