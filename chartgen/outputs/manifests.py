"""Manifests: what `helm template` prints, as plain Kubernetes objects with no Helm left in them."""

from collections.abc import Iterator, Mapping
from typing import Any

from chartgen.k8s.quantities import Containers, sums
from chartgen.syntax import yaml_reader as yaml
from chartgen.syntax.yaml_writer import emit

KUSTOMIZATION = "kustomization.yaml"
MANAGED_BY = "app.kubernetes.io/managed-by"

Object = dict[str, Any]


def objects(printed: bytes, namespace: str = "") -> list[Object]:
    """The objects in the order Helm would make them; hooks, which only Helm runs, are left out."""
    found = [document.data for document in yaml.read(printed, "helm template")]
    kept = [_plain(one) for one in found if "helm.sh/hook" not in (one["metadata"].get("annotations") or {})]
    if namespace:
        for one in kept:
            one["metadata"] = {"name": one["metadata"]["name"], "namespace": namespace, **one["metadata"]}
    return kept


def files(kept: list[Object]) -> dict[str, str]:
    """One file per object, named for its kind and name, and the list of them that kubectl and kustomize read."""
    made = {f"{one['kind'].lower()}-{one['metadata']['name']}.yaml": emit(one) for one in kept}
    if len(made) < len(kept):
        raise ValueError("two objects have one kind and name")
    listed = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": sorted(made)}
    return {**made, KUSTOMIZATION: emit(listed)}


def stream(made: Mapping[str, str]) -> str:
    """The objects of these files as one YAML stream, for `kubectl apply -f -`."""
    return "".join(f"---\n{text}" for path, text in made.items() if path != KUSTOMIZATION)


def asks(kept: list[Object]) -> dict[str, float]:
    """What the objects' pods ask of the cluster in sum."""
    return sums(_pods(kept))


def _pods(kept: list[Object]) -> Iterator[tuple[int, Containers]]:
    for one in kept:
        spec = one.get("spec") or {}
        if "template" in spec:
            pod = spec["template"]["spec"]
            containers = Containers(pod["containers"], pod.get("initContainers", ()))
            yield spec.get("replicas", spec.get("parallelism", 1)), containers


def _plain(one: Any) -> Any:
    """The same object without Helm's own labels and annotations, in its pods' templates too."""
    if isinstance(one, list):
        return [_plain(item) for item in one]
    if not isinstance(one, dict):
        return one
    return {key: _metadata(value) if key == "metadata" else _plain(value) for key, value in one.items()}


def _metadata(metadata: Any) -> Any:
    if not isinstance(metadata, dict):  # a field of that name that is not what Kubernetes means by it
        return metadata
    plain = dict(metadata)
    for kind in ("labels", "annotations"):
        if isinstance(plain.get(kind), dict):
            own = {key: _own(key, value) for key, value in plain.pop(kind).items() if not key.startswith("helm.sh/")}
            plain |= {kind: own} if own else {}
    return plain


def _own(key: str, value: Any) -> Any:
    return "chartgen" if (key, value) == (MANAGED_BY, "Helm") else value
