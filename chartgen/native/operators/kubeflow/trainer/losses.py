"""What a training runtime says that a chart has no place for, with the reason for each."""

from collections.abc import Iterator, Mapping

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Draft
from chartgen.native.operators.kubeflow.trainer.runtimes import STEP, Runtime, jobs_of, steps
from chartgen.native.operators.replica_sets import value_at
from chartgen.startup.typing import Any

_OWN_JOB = "every replica has its own Job and Service"
_NO_CONTROLLER = "no controller runs the chart's Jobs"
_RUNTIME = {"podGroupPolicy": "the chart makes no group of pods that start together"}
_TEMPLATE = {"metadata": "it belonged to the JobSet itself"}
_JOBSET = {
    "network": _OWN_JOB,
    "successPolicy": _OWN_JOB,
    "failurePolicy": _OWN_JOB,
    "startupPolicy": _OWN_JOB,
    "coordinator": _OWN_JOB,
    "managedBy": _NO_CONTROLLER,
    "suspend": "the TrainJob's own replaced it",
}
_REPLICATED = {
    "replicas": "the operator replaced it by 1",
    "groupName": _OWN_JOB,
    "dependsOn": "the launcher waits until its workers answer",
}
_JOB = {
    "parallelism": "the operator replaced it by the number of nodes",
    "completions": "the operator replaced it by the number of nodes",
    "completionMode": _OWN_JOB,
    "backoffLimitPerIndex": _OWN_JOB,
    "maxFailedIndexes": _OWN_JOB,
    "successPolicy": _OWN_JOB,
    "ttlSecondsAfterFinished": "that of the JobSet counts",
    "suspend": "the TrainJob's own replaced it",
    "managedBy": _NO_CONTROLLER,
    "selector": "Kubernetes makes it",
    "manualSelector": "Kubernetes makes the selector",
}
TAKEN = ("podFailurePolicy", "podReplacementPolicy")  # of a Job, under the same names


def refuse(job: Document, runtime: Document, both: Runtime) -> Iterator[Problem]:
    """What the training would wait for or need, and a chart does not have."""
    rule, message = "trainjob-step", "the chart has no step that runs before the others"
    hint = "load what the program needs in an init container, or from a volume"
    if "initializer" in job.data["spec"]:
        yield job.problem(("spec", "initializer"), message, rule, hint, key=True)
    for name, path in steps(runtime, both.roles).items():
        yield runtime.problem(path, f"{name}: {message}", rule, hint)
    where: Path = ("spec", "template", "spec", "volumeClaimPolicies")
    if "volumeClaimPolicies" in value_at(runtime.data, where[:-1]):
        message = "the chart makes no claims for volumes"
        hint = "make the claim yourself, and name it in volumes of the pods"
        yield runtime.problem(where, message, "trainjob-claims", hint, key=True)
    yield from _strange_patches(job, runtime)


def _strange_patches(job: Document, runtime: Document) -> Iterator[Problem]:
    """Patches of replicated jobs that the runtime does not have, which the operator refused."""
    known = jobs_of(runtime)
    for path in _find_patched(job.data["spec"]):
        name = value_at(job.data, path)
        if name not in known:
            message = f"the runtime has no replicated job {name!r}; expected {', '.join(known)}"
            yield job.problem(path, message, "trainjob-patch")


def _find_patched(spec: Mapping[str, Any]) -> Iterator[Path]:
    """The paths of the names of replicated jobs whose pods a TrainJob changes."""
    for index, override in enumerate(spec.get("podTemplateOverrides", ())):
        for place, _ in enumerate(override["targetJobs"]):
            yield "spec", "podTemplateOverrides", index, "targetJobs", place, "name"
    for index, patch in enumerate(spec.get("runtimePatches", ())):
        template = patch["trainingRuntimeSpec"]["template"]
        for place, _ in enumerate(template.get("spec", {}).get("replicatedJobs", ())):
            path = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs", place, "name")
            yield "spec", "runtimePatches", index, *path


def tell(draft: Draft, both: Runtime) -> None:
    """Note what was left out; fields with the same reason in one sentence."""
    runtime = both.document.data["runtime"]["spec"]
    template = runtime["template"]
    _note(draft, (), "", runtime, _RUNTIME)
    _note(draft, (), " of the JobSet", template, _TEMPLATE)
    _note(draft, (), " of the JobSet", template["spec"], _JOBSET)
    for role, path in both.roles.items():
        where: Path = ("roles", role)
        _note(draft, where, "", value_at(both.document.data, path[:-1]), _REPLICATED)
        job = value_at(both.document.data, path)
        _note(draft, where, " of the Job", job["spec"], _JOB)
    if "managedBy" in both.document.data["job"]["spec"]:
        draft.note((), f"managedBy: {_NO_CONTROLLER}")
    if "envInjection" in both.options:
        text = "envInjection: only the container that trains has the variables"
        draft.note(("roles", "worker"), text)
    for patch in both.document.data["job"]["spec"].get("runtimePatches", ()):
        if "metadata" in patch["trainingRuntimeSpec"]["template"]:
            draft.note((), "metadata in runtimePatches: it belonged to the JobSet itself")


def _note(
    draft: Draft, where: Path, whose: str, fields: Mapping[str, Any], reasons: Mapping[str, str]
) -> None:
    left: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if name in fields:
            left.setdefault(reason, []).append(name)
    for reason, names in left.items():
        draft.note(where, f"{', '.join(names)}{whose}: {reason}")


def take_job_fields(draft: Draft, both: Runtime, role: str, container: str) -> None:
    """What a role's Job template says about the Job itself, which each replica's Job says too."""
    path = both.roles[role]
    job = value_at(both.document.data, path)
    metadata = job.get("metadata", {})
    labels = {key: value for key, value in metadata.get("labels", {}).items() if key != STEP}
    fields: dict[str, tuple[Any, Path]] = {
        "labels": (labels, (*path, "metadata", "labels")),
        "annotations": (metadata.get("annotations"), (*path, "metadata", "annotations")),
    }
    for name in TAKEN:
        fields[name] = (job["spec"].get(name), (*path, "spec", name))
    given = {name: pair for name, pair in fields.items() if pair[0]}
    if not given:
        return
    draft.take(("roles", role, "job"), {}, path)
    for name, (value, origin) in given.items():
        value = _rename(value, container) if name == "podFailurePolicy" else value
        draft.take(("roles", role, "job", name), value, origin)


def _rename(policy: Mapping[str, Any], container: str) -> dict[str, Any]:
    """Rules that name the container that trains; it has another name here."""
    rules = []
    for rule in policy["rules"]:
        codes = rule.get("onExitCodes", {})
        if codes.get("containerName") == "node":
            rule = {**rule, "onExitCodes": {**codes, "containerName": container}}
        rules.append(rule)
    return {"rules": rules}
