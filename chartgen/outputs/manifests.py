"""Plain manifests: what `helm template` prints, as Kubernetes objects without Helm's marks."""

import re
from collections.abc import Iterator

from chartgen import pipeline
from chartgen.chart import ChartOptions
from chartgen.errors import RefusedError, UsageError
from chartgen.k8s import limits
from chartgen.k8s.objects import HOOK, Fields, Object, entries, fields
from chartgen.k8s.quantities import Containers, sums
from chartgen.outputs.base import Maker, OutputOptions, Product, SharedFiles
from chartgen.pipeline import CheckedJob
from chartgen.startup.typing import TYPE_CHECKING, Any
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.syntax.yaml.writer import emit
from chartgen.world import helm
from chartgen.world.files import temporary

if TYPE_CHECKING:
    from chartgen.world.helm import Helm

INSTALLS = True
KUSTOMIZATION = "kustomization.yaml"
STREAM = "manifests.yaml"
TESTS = "tests"
MANAGED_BY = "app.kubernetes.io/managed-by"

# Flux's postBuild replaces ${NAME} in what it applies, also in scripts and arguments.
_SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
_RELEASE = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"

_OWN_DISK = ("1Mi", "16Mi")  # of the clean-up and of TensorBoard, as in templates/lib

# Values are settled here, so a device that they request needs the data here.
_ALL_CLOUDS = ChartOptions(clouds="all")


def maker(options: OutputOptions) -> Maker:
    """Make manifests by way of Helm, as `helm install` with these options would make objects."""
    _check_release_name(options.release)
    options.values.check()
    tool = helm.find(options.helm)

    def make(checked: CheckedJob) -> Product:
        name = checked.job.name
        try:
            printed = _template(tool, options, name, pipeline.render(checked, _ALL_CLOUDS))
        except helm.HelmError as error:
            if options.values.value_options() and error.code == 1:  # the job has no problems
                raise RefusedError(str(error)) from error
            raise
        kept = read_objects(printed.encode(errors="surrogateescape"), options.values.namespace)
        if duplicate := find_duplicate(kept):
            raise RefusedError(f"two objects are {duplicate}; expected each of them once")
        files = name_files(kept, stream=options.stream)
        if options.tests:
            tests = read_tests(printed.encode(errors="surrogateescape"), options.values.namespace)
            for path, text in name_files(tests).items():
                files[f"{TESTS}/{path}"] = text
        return Product(name, files, totals(kept), "kubectl apply -k")

    return make


def shared(_options: OutputOptions) -> Iterator[SharedFiles]:
    """Nothing: manifests need no other files."""
    return iter(())


def as_text(product: Product) -> str:
    """The objects as one YAML stream, for `kubectl apply -f -`."""
    texts = []
    for path, text in product.files.items():
        if path.rpartition("/")[2] != KUSTOMIZATION:
            texts.append(text if path == STREAM else f"---\n{text}")
    return "".join(texts)


def _check_release_name(release: str) -> None:
    """Refuse what Helm would refuse before it looks at the chart."""
    most = limits.RELEASE_NAME
    if release and not (len(release) <= most and re.fullmatch(_RELEASE, release)):
        expected = f"lowercase letters, digits, '-' and '.', at most {most} characters"
        raise UsageError(f"--release {release}: expected {expected}")


def _template(tool: "Helm", options: OutputOptions, name: str, chart: dict[str, str]) -> str:
    """What Helm prints for a chart that is on disk only as long as this takes."""
    with temporary.temporary_chart(name, chart) as folder:
        return tool.run("template", options.release or name, folder, *options.values.options())


def read_objects(printed: bytes, namespace: str = "") -> list[Object]:
    """The objects in the order Helm would make them, without hooks, which only Helm runs."""
    return [plain for hook, plain in _read(printed, namespace) if hook is None]


def read_tests(printed: bytes, namespace: str = "") -> list[Object]:
    """What `helm test` would create, for others to apply: its pods as Jobs that run once."""
    tests = []
    for hook, plain in _read(printed, namespace):
        if "test" in str(hook).split(","):
            tests.append(_as_job(plain) if plain["kind"] == "Pod" else plain)
    return tests


def _read(printed: bytes, namespace: str) -> Iterator[tuple[Any, Object]]:
    """Every object, with the events at which Helm runs it as a hook; None if it is no hook."""
    for document in yaml_reader.read(printed, "helm template"):
        metadata = document.data["metadata"]
        plain = _without_helm(document.data)
        if namespace:
            own = {"name": metadata["name"], "namespace": namespace}
            plain["metadata"] = own | plain["metadata"]
        yield (metadata.get("annotations") or {}).get(HOOK), plain


def _as_job(pod: Object) -> Object:
    labels = pod["metadata"].get("labels", {})
    template = {"metadata": {"labels": labels}, "spec": {"restartPolicy": "Never", **pod["spec"]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": pod["metadata"],
        "spec": {"backoffLimit": 0, "template": template},
    }


def _without_substitution(obj: Object) -> str:
    """An object as text; an annotation keeps Flux from replacing a `${` in it."""
    text = emit(obj)
    if "${" not in text:
        return text
    metadata = obj["metadata"]
    annotations = {**metadata.get("annotations", {}), _SUBSTITUTE: "disabled"}
    return emit({**obj, "metadata": {**metadata, "annotations": annotations}})


def name_files(kept: list[Object], *, stream: bool = False) -> dict[str, str]:
    """One file per object, named for its kind and name, and the list that kustomize reads.

    As a stream, all objects are in one file.
    """
    if duplicate := find_duplicate(kept):
        raise ValueError(f"two objects have one kind and name: {duplicate}")
    texts: dict[str, str] = {}
    for obj in kept:
        stem = path = f"{obj['kind'].lower()}-{obj['metadata']['name']}"
        number = 1
        while f"{path}.yaml" in texts:  # in another namespace, or of another group
            number += 1
            path = f"{stem}-{number}"
        texts[f"{path}.yaml"] = _without_substitution(obj)
    if stream:
        texts = {STREAM: "".join(f"---\n{text}" for text in texts.values())}
    listed = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": sorted(texts),
    }
    return {**texts, KUSTOMIZATION: emit(listed)}


def find_duplicate(kept: list[Object]) -> str:
    """An object that is there twice, as KIND/NAME; empty if there is none."""
    seen = set()
    for obj in kept:
        metadata = obj["metadata"]
        name = f"{obj['kind']}/{metadata['name']}"
        identity = (obj["apiVersion"].rpartition("/")[0], name, metadata.get("namespace", ""))
        if identity in seen:
            return name
        seen.add(identity)
    return ""


def totals(kept: list[Object]) -> dict[str, float]:
    """What the objects' pods request from the cluster in total."""
    return sums(_pods(kept))


def _pods(kept: list[Object]) -> Iterator[tuple[int, Containers]]:
    for obj in kept:
        spec, pod = fields(obj, "spec"), fields(obj, "spec", "template", "spec")
        if "containers" in pod:  # a template may be one of something else
            own = [_without_own_disk(container) for container in entries(pod, "containers")]
            containers = Containers(own, entries(pod, "initContainers"))
            yield spec.get("replicas", spec.get("parallelism", 1)), containers


def _without_own_disk(container: Fields) -> Fields:
    """The container without the disk that the chart's own pods request, too little to mention."""
    resources = container.get("resources") or {}
    requests = dict(resources.get("requests") or {})
    if requests.get("ephemeral-storage") not in _OWN_DISK:
        return container
    del requests["ephemeral-storage"]
    limits = dict(resources.get("limits") or {})
    limits.pop("ephemeral-storage", None)
    return {**container, "resources": {"requests": requests, "limits": limits}}


def _without_helm(value: Any) -> Any:
    """The same object without Helm's own labels and annotations, also in its pods' templates."""
    if isinstance(value, list):
        return [_without_helm(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {}
    for key, inner in value.items():
        plain[key] = _plain_metadata(inner) if key == "metadata" else _without_helm(inner)
    return plain


def _plain_metadata(metadata: Any) -> Any:
    if not isinstance(metadata, dict):  # a field that only has the same name
        return metadata
    plain = dict(metadata)
    for kind in ("labels", "annotations"):
        if not isinstance(plain.get(kind), dict):
            continue
        own = {}
        for key, value in plain.pop(kind).items():
            if not key.startswith("helm.sh/"):
                own[key] = "chartgen" if (key, value) == (MANAGED_BY, "Helm") else value
        if own:
            plain[kind] = own
    return plain
