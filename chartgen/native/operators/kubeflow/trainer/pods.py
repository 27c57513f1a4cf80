"""The pods of a training runtime, with what the TrainJob says about them."""

from collections.abc import Collection, Mapping, Sequence

from chartgen.document import Path
from chartgen.native.operators.kubeflow.trainer.runtimes import NODE, Runtime
from chartgen.native.operators.replica_sets import value_at
from chartgen.startup.typing import Any

# What the trainer of a TrainJob says about the container that trains, and the container's field.
FIELDS = {
    "image": "image",
    "command": "command",
    "args": "args",
    "env": "env",
    "resourcesPerNode": "resources",
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


def pod_template(
    runtime: Runtime, role: str, container: str, fields: Collection[str]
) -> tuple[dict[str, Any], dict[Path, Path]]:
    """The pods of a role with what the job says about them, and where each part is written.

    The container that trains gets the name that the framework's has, and those `fields` of the
    job's trainer that reach it.
    """
    data, job = runtime.document.data, runtime.roles[role]
    template = value_at(data, (*job, "spec", "template"))
    origins: dict[Path, Path] = {(): (*job, "spec", "template")}
    for path, patch in patches(data["job"]["spec"], value_at(data, job[:-1])["name"]):
        template = _merge(template, patch)
        origins |= {("spec", field): (*path, "spec", field) for field in patch.get("spec", {})}
    trainer = {name: value for name, value in runtime.trainer.items() if name in fields}
    containers = []
    for index, described in enumerate(template["spec"]["containers"]):
        if described["name"] == NODE:
            described, changed = _trainer(trainer, described)
            origins |= {("spec", "containers", index, *field): at for field, at in changed.items()}
            described = {**described, "name": container}
        containers.append(described)
    return {**template, "spec": {**template["spec"], "containers": containers}}, origins


def _trainer(
    trainer: Mapping[str, Any], container: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[Path, Path]]:
    """The container that trains, with the fields of the job's trainer."""
    path: Path = ("job", "spec", "trainer")
    changed = {FIELDS[name]: value for name, value in trainer.items()}
    origins: dict[Path, Path] = {(FIELDS[name],): (*path, name) for name in trainer}
    if "resources" in changed:
        changed["resources"] = _merge(container.get("resources", {}), changed["resources"])
    if "env" in changed:
        del origins["env",]
        changed["env"] = _merge_items(container.get("env", []), trainer["env"], "name")
        own = {entry["name"]: index for index, entry in enumerate(trainer["env"])}
        for index, entry in enumerate(changed["env"]):
            if entry["name"] in own:
                origins["env", index] = (*path, "env", own[entry["name"]])
    return {**container, **changed}, origins


def patches(spec: Mapping[str, Any], job: str) -> list[tuple[Path, Mapping[str, Any]]]:
    """What a TrainJob changes in the pods of a replicated job, with the paths, in every spelling.

    Versions before 2.2 had podTemplateOverrides.
    """
    pod_patches: list[tuple[Path, Mapping[str, Any]]] = []
    for index, override in enumerate(spec.get("podTemplateOverrides", ())):
        if {"name": job} in override["targetJobs"]:
            patch = {key: override[key] for key in ("metadata", "spec") if key in override}
            pod_patches.append((("job", "spec", "podTemplateOverrides", index), patch))
    for index, patch in enumerate(spec.get("runtimePatches", ())):
        jobs = patch["trainingRuntimeSpec"]["template"].get("spec", {}).get("replicatedJobs", ())
        for place, replicated in enumerate(jobs):
            if replicated["name"] == job:
                at = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs", place)
                path: Path = ("job", "spec", "runtimePatches", index, *at)
                pod = replicated.get("template", {}).get("spec", {}).get("template", {})
                pod_patches.append(((*path, "template", "spec", "template"), pod))
    return pod_patches


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
