"""The training runtimes of TrainJobs: which one a job names, and the pods that both mean."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Mark, Problem
from chartgen.native.operators.replica_sets import value_at
from chartgen.startup.records import NamedTuple
from chartgen.words import did_you_mean, in_shell

_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_NODE = "node"  # the replicated job, and the container in it, that train
# The runtimes that come with the operator, with the images of its version 2.
SHIPPED = {
    "torch-distributed": ("torch", "pytorch/pytorch:2.7.1-cuda12.6-cudnn9-runtime"),
    "jax-distributed": ("jax", "nvcr.io/nvidia/jax:25.10-py3"),
}
# Lists whose items a patch finds by a key; other lists are replaced, and tolerations are added.
_KEYS = {
    "containers": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "volumeMounts": "mountPath",
    "volumes": "name",
}


class Runtime(NamedTuple):
    """A runtime and the job that names it, as one document with the parts `job` and `runtime`."""

    document: Document
    policy: str  # how its nodes find each other: torch, jax, ..., or "" for not at all
    node: Path  # the Job template of the nodes


def find(job: Document, beside: Sequence[Document]) -> Document | Problem:
    """The runtime that a job names: in the same file, or one that comes with the operator."""
    name = job.data["spec"]["runtimeRef"]["name"]
    where: Path = ("spec", "runtimeRef", "name")
    for document in beside:
        metadata = document.data.get("metadata")
        if isinstance(metadata, dict) and metadata.get("name") == name:
            return document
    if name in SHIPPED:
        policy, image = SHIPPED[name]
        return Document(job.file, _shipped(name, policy, image), _at(job.mark(where)))
    message = f"the runtime {name!r} is not in this file, and is none that chartgen knows"
    command = f"kubectl get clustertrainingruntime {in_shell(name)} -o yaml"
    hint = did_you_mean(name, SHIPPED) or f"put it into the file, after a line ---: {command}"
    return job.problem(where, message, "trainjob-runtime-missing", hint)


def _at(mark: Mark) -> Callable[[Path, bool], Mark]:
    """Every value has the place of the name that stands for it."""
    return lambda _path, _key: mark


def _shipped(name: str, policy: str, image: str) -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": _NODE, "image": image}]}}
    job = {"name": _NODE, "template": {"spec": {"template": pod}}}
    return {
        "metadata": {"name": name},
        "spec": {"mlPolicy": {policy: {}}, "template": {"spec": {"replicatedJobs": [job]}}},
    }


def join(job: Document, runtime: Document) -> Runtime:
    """A job and its runtime as one document; each part keeps its places."""

    def locate(path: Path, key: bool) -> Mark:
        part = runtime if path[:1] == ("runtime",) else job
        return part.locate(path[1:], key)

    data = {"job": job.data, "runtime": runtime.data}
    both = job._replace(data=data, locate=locate)
    policies = {"torch", "jax", "mpi", "xgboost", "flux"} & runtime.data["spec"].get(
        "mlPolicy", {}
    ).keys()
    jobs = runtime.data["spec"]["template"]["spec"]["replicatedJobs"]
    places = [index for index, one in enumerate(jobs) if _trains(one)]
    path: Path = ("runtime", "spec", "template", "spec", "replicatedJobs", *places[:1], "template")
    return Runtime(both, min(policies, default=""), path if places else ())


def _trains(job: Mapping[str, Any]) -> bool:
    labels: Mapping[str, str] = job["template"].get("metadata", {}).get("labels", {})
    return labels.get(_STEP) == "trainer" or job["name"] == _NODE


def steps(runtime: Document) -> dict[str, Path]:
    """The replicated jobs of a runtime that do not train, with their paths."""
    path: Path = ("spec", "template", "spec", "replicatedJobs")
    jobs = runtime.data["spec"]["template"]["spec"]["replicatedJobs"]
    return {
        one["name"]: (*path, index, "name") for index, one in enumerate(jobs) if not _trains(one)
    }


def pod_template(runtime: Runtime, container: str) -> tuple[dict[str, Any], dict[Path, Path]]:
    """The pods of the nodes with what the job says about them, and where each part is written.

    The container that trains gets the name that the framework's has.
    """
    template = value_at(runtime.document.data, (*runtime.node, "spec", "template"))
    origins: dict[Path, Path] = {(): (*runtime.node, "spec", "template")}
    metadata = value_at(runtime.document.data, runtime.node).get("metadata", {})
    if metadata.get("labels"):
        labels = {key: value for key, value in metadata["labels"].items() if key != _STEP}
        template = _merge({"metadata": {"labels": labels}}, template)
    for path, patch in _patches(runtime.document.data["job"]["spec"]):
        template = _merge(template, patch)
        origins |= {("spec", field): (*path, "spec", field) for field in patch.get("spec", {})}
    containers = []
    for index, one in enumerate(template["spec"]["containers"]):
        if one["name"] == _NODE:
            one, changed = _trainer(runtime.document.data["job"]["spec"].get("trainer", {}), one)
            origins |= {("spec", "containers", index, *field): at for field, at in changed.items()}
            one = {**one, "name": container}
        containers.append(one)
    return {**template, "spec": {**template["spec"], "containers": containers}}, origins


def _trainer(
    trainer: Mapping[str, Any], container: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[Path, Path]]:
    """The container that trains, with the fields of the job's trainer."""
    path: Path = ("job", "spec", "trainer")
    changed = {field: trainer[field] for field in ("image", "command", "args") if field in trainer}
    if "resourcesPerNode" in trainer:
        changed["resources"] = trainer["resourcesPerNode"]
    origins: dict[Path, Path] = {(field,): (*path, field) for field in changed}
    if "resources" in changed:
        origins["resources",] = (*path, "resourcesPerNode")
    if "env" in trainer:
        changed["env"] = _merge_items(container.get("env", []), trainer["env"], "name")
        own = {entry["name"]: index for index, entry in enumerate(trainer["env"])}
        for index, entry in enumerate(changed["env"]):
            if entry["name"] in own:
                origins["env", index] = (*path, "env", own[entry["name"]])
    return {**container, **changed}, origins


def _patches(spec: Mapping[str, Any]) -> list[tuple[Path, Mapping[str, Any]]]:
    """What the job changes in the pods of the nodes, with the paths; as each version spelt it."""
    found: list[tuple[Path, Mapping[str, Any]]] = []
    for index, override in enumerate(spec.get("podTemplateOverrides", ())):
        if {"name": _NODE} in override["targetJobs"]:
            patch = {key: override[key] for key in ("metadata", "spec") if key in override}
            found.append((("job", "spec", "podTemplateOverrides", index), patch))
    for index, patch in enumerate(spec.get("runtimePatches", ())):
        jobs = patch["trainingRuntimeSpec"]["template"].get("spec", {}).get("replicatedJobs", ())
        for place, one in enumerate(jobs):
            if one["name"] == _NODE:
                at = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs", place)
                path: Path = ("job", "spec", "runtimePatches", index, *at)
                pod = one.get("template", {}).get("spec", {}).get("template", {})
                found.append(((*path, "template", "spec", "template"), pod))
    return found


def _merge(base: Any, patch: Any) -> Any:
    """Maps merged, lists of named items by their key, tolerations added; the rest replaced."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    both = dict(base)
    for key, value in patch.items():
        if key in _KEYS and key in base:
            both[key] = _merge_items(base[key], value, _KEYS[key])
        elif key == "tolerations":
            both[key] = [*base.get(key, ()), *value]
        else:
            both[key] = _merge(base[key], value) if key in base else value
    return both


def _merge_items(base: Sequence[Any], patch: Sequence[Any], key: str) -> list[Any]:
    items = {item[key]: item for item in base}
    for item in patch:
        old = items.get(item[key], {})
        # A variable has a value or a source, so that a new one replaces the old as a whole.
        items[item[key]] = item if "value" in item or "valueFrom" in item else _merge(old, item)
    return [*items.values()]
