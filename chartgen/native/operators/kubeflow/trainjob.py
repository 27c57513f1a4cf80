"""TrainJob: the object of Kubeflow's trainer, together with its training runtime.

A TrainJob is half a job: the other half is the training runtime that it names. chartgen reads both
from one file, and knows the runtimes torch-distributed and jax-distributed that come with the
operator. `chartgen render` makes a chart of them, and `chartgen convert` prints the job description
that they mean, with your comments and a note on everything that was dropped or is different. No
operator and no CRD are needed any longer.

  kubectl get clustertrainingruntime my-runtime -o yaml > job.yaml
  (echo ---; cat trainjob.yaml) >> job.yaml
  chartgen render job.yaml -o charts                # a chart of the TrainJob as it is
  chartgen convert job.yaml > description.yaml      # the job description that it means

Versions
  trainer.kubeflow.org/v1alpha1.

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; without it, the
                             beginning that generateName has, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  runtimeRef.name            the TrainingRuntime or ClusterTrainingRuntime of this name in the file,
                             or a shipped one. Its pods are those of the replicated job labelled
                             trainjob-ancestor-step: trainer, or named `node`
  mlPolicy.torch, .jax       framework: pytorch or jax
  trainer.numNodes           roles.worker.replicas; by default the runtime's mlPolicy.numNodes
  trainer.numProcPerNode     pytorch.nprocPerNode; by default auto with a GPU, else the whole CPUs
                             that a node is given, at least 1
  trainer.image, command,    of the container `node`; variables are added to the runtime's, and
    args, env,               resourcesPerNode replaces its resources
    resourcesPerNode
  runtimePatches,            of the replicated job `node`: its pods' metadata and spec, merged into
    podTemplateOverrides     the runtime's
  suspend,                   the same; each Job counts its own
    activeDeadlineSeconds
  backoffLimit, ttl...       of the runtime's Job template and of its JobSet

Dropped
  status, metadata.uid and   the cluster wrote them
    the like
  managedBy, podGroupPolicy  no controller runs the chart's Jobs, and it makes no group of pods that
                             start together
  network, successPolicy,    of the JobSet: every replica has a Service and decides with the others
    failurePolicy

Refused
  initializer, other steps   the chart has no step that runs before the others. Load the data in an
                             init container, or from a volume
  mlPolicy.mpi, xgboost,     see `chartgen list frameworks` for what can run the same program
    flux

Different
  names                      <name>-worker-<id>-<index>; the operator's were <name>-node-0-<index>
  variables                  those of the operator, with its port 29500, and those that programs
                             without torchrun read: MASTER_ADDR, RANK, WORLD_SIZE

Example
  apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: resnet}
  spec:
    runtimeRef: {name: torch-distributed}
    trainer:
      numNodes: 2
      image: registry.example.com/resnet:2.4
      command: [torchrun, /app/train.py]
"""

from collections.abc import Mapping
from typing import Any

from chartgen import schema
from chartgen.devices.request import names_device
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.k8s.quantities import amount
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.go_spelling import read_as_go
from chartgen.native.operators.kubeflow import runtimes, take_name_prefix
from chartgen.native.operators.kubeflow.runtimes import SHIPPED, Runtime
from chartgen.native.operators.pod_template import take_template
from chartgen.native.operators.replica_sets import (
    describe_job,
    hoist_image,
    read_object,
    value_at,
)
from chartgen.native.schemas import native_schema

_FRAMEWORKS = {"torch": "pytorch", "jax": "jax"}
_PORT = 29500  # the operator's, for both


def adopt(document: Document) -> Adopted:
    """The job description that a TrainJob means; without the parts of it that are refused."""
    job, whole, problems = read_object(document, "trainjob")
    if job is None or not whole:
        return Adopted(None, (), tuple(problems))
    runtime = runtimes.find(job, document.beside)
    if isinstance(runtime, Problem):
        return Adopted(None, (), (*problems, runtime))
    runtime, respelt = read_as_go(runtime, _runtime_schema(), {})
    problems += [*respelt, *schema.check(runtime, _runtime_schema())]
    if any(problem.severity == "error" for problem in problems):
        return Adopted(None, (), tuple(problems))
    both = runtimes.join(job, runtime)
    if not both.node or both.policy not in _FRAMEWORKS:
        return Adopted(None, (), (*problems, _no_framework(runtime, both)))
    problems += _unserved(job, runtime)
    return _describe(job, both).adopted(problems)


def _runtime_schema() -> schema.Schema:
    whole = native_schema("trainjob")
    return {**whole["definitions"]["runtime"], "definitions": whole["definitions"]}


def _unserved(job: Document, runtime: Document) -> list[Problem]:
    """Steps that run before the training, which a chart does not have."""
    rule, message = "trainjob-step", "the chart has no step that runs before the others"
    hint = "load what the program needs in an init container, or from a volume"
    found = []
    if "initializer" in job.data["spec"]:
        found.append(job.problem(("spec", "initializer"), message, rule, hint, key=True))
    for name, path in runtimes.steps(runtime).items():
        found.append(runtime.problem(path, f"{name}: {message}", rule, hint))
    return found


def _no_framework(runtime: Document, both: Runtime) -> Problem:
    if not both.node:
        message = "no replicated job trains; expected one that is labelled"
        message += " trainer.kubeflow.org/trainjob-ancestor-step: trainer, or is named 'node'"
        path: Path = ("spec", "template", "spec", "replicatedJobs")
        return runtime.problem(path, message, "trainjob-node-missing", key=True)
    expected = "expected torch or jax"
    message = f"a runtime of {both.policy} is not read; {expected}"
    if not both.policy:
        message = f"the runtime does not say how its nodes find each other; {expected}"
    hint = "`chartgen list frameworks` shows what can run the same program"
    return runtime.problem(("spec", "mlPolicy"), message, "trainjob-policy", hint, key=True)


def _describe(job: Document, both: Runtime) -> Draft:
    framework = _FRAMEWORKS[both.policy]
    template, origins = runtimes.pod_template(both, framework)
    data = {**both.document.data, **job.data, "node": {"template": template}}
    moved: dict[Path, Path] = {(key,): ("job", key) for key in job.data}
    for path, origin in origins.items():
        moved["node", "template", *path] = origin
    draft = Draft(both.document.moved(data, moved))
    describe_job(draft, framework, ("spec", "runtimeRef"))
    name = job.data["metadata"]["name"]
    take_name_prefix(draft, name, "NAME-node-0-INDEX")
    _take_nodes(draft, both)
    if take_template(draft, "worker", ("node",), template, framework, restart=False):
        _take_restart_policy(draft, template)
        _take_options(draft, both, template)
        hoist_image(draft, ["worker"], framework)
    _take_life(draft, both)
    _tell_image(draft, job)
    return draft


def _take_nodes(draft: Draft, both: Runtime) -> None:
    trainer = draft.source.data["spec"].get("trainer", {})
    policy = both.document.data["runtime"]["spec"]["mlPolicy"]
    draft.take(("roles", "worker"), {}, ("spec", "runtimeRef"))
    target: Path = ("roles", "worker", "replicas")
    if "numNodes" in trainer:
        draft.take(target, trainer["numNodes"], ("spec", "trainer", "numNodes"))
    else:
        origin: Path = ("runtime", "spec", "mlPolicy", "numNodes")
        draft.take(target, policy.get("numNodes", 1), origin)
        draft.note(target, "the runtime's")
    if both.policy != "torch":
        draft.take(("roles", "worker", "port"), _PORT, ("spec", "runtimeRef"))
        draft.note(("roles", "worker", "port"), "the operator's default")
    if not trainer:
        text = "without a trainer section the operator set no variables; here every worker has them"
        draft.note(("roles", "worker"), text)


def _take_restart_policy(draft: Draft, template: Mapping[str, Any]) -> None:
    if "restartPolicy" not in template["spec"]:
        target: Path = ("roles", "worker", "restartPolicy")
        draft.take(target, "OnFailure", ("node", "template"))
        draft.note(target, "JobSet's default")


def _take_options(draft: Draft, both: Runtime, template: Mapping[str, Any]) -> None:
    """The processes of a node: stated, or what the operator made of its resources."""
    if both.policy != "torch":
        return
    target: Path = ("pytorch", "nprocPerNode")
    draft.take(("pytorch",), {}, ("spec", "runtimeRef"))
    trainer = draft.source.data["spec"].get("trainer", {})
    torch = both.document.data["runtime"]["spec"]["mlPolicy"]["torch"]
    if "numProcPerNode" in trainer:
        origin: Path = ("spec", "trainer", "numProcPerNode")
        draft.take(target, trainer["numProcPerNode"], origin)
    elif "numProcPerNode" in torch:
        origin = ("runtime", "spec", "mlPolicy", "torch", "numProcPerNode")
        draft.take(target, torch["numProcPerNode"], origin)
    else:
        (container,) = (one for one in template["spec"]["containers"] if one["name"] == "pytorch")
        draft.take(target, _processes(container.get("resources", {})), ("spec", "runtimeRef"))
        draft.note(
            target, "as the operator counted: auto with a GPU, else the whole CPUs of a node"
        )


def _processes(resources: Mapping[str, Any]) -> int | str:
    if names_device({"resources": resources}):
        return "auto"
    for kind in ("limits", "requests"):
        if "cpu" in resources.get(kind, {}):
            return max(1, int(amount(resources[kind]["cpu"]) or 1))
    return 1


def _take_life(draft: Draft, both: Runtime) -> None:
    """When the job starts and ends: what the TrainJob, its Job template and its JobSet say."""
    data = draft.source.data
    job = value_at(data, both.node)
    jobs: Path = ("runtime", "spec", "template", "spec")
    for path, fields, names in (
        (jobs, data["runtime"]["spec"]["template"]["spec"], ("ttlSecondsAfterFinished",)),
        ((*both.node, "spec"), job["spec"], ("backoffLimit", "activeDeadlineSeconds")),
        (("spec",), data["spec"], ("activeDeadlineSeconds", "suspend")),
    ):
        for name in names:
            if name in fields:
                draft.take((name,), fields[name], (*path, name))
    left = [
        name
        for name in ("network", "successPolicy", "failurePolicy", "startupPolicy")
        if name in data["runtime"]["spec"]["template"]["spec"]
    ]
    if left:
        text = f"{', '.join(left)} of the JobSet: every replica has its own Job and Service"
        draft.note((), text)
    if "podGroupPolicy" in data["runtime"]["spec"]:
        draft.note((), "podGroupPolicy: the chart makes no group of pods that start together")
    if "managedBy" in data["spec"]:
        draft.note((), "managedBy: no controller runs the chart's Jobs")


def _tell_image(draft: Draft, job: Document) -> None:
    """The image of a shipped runtime is that of one version of the operator."""
    name = job.data["spec"]["runtimeRef"]["name"]
    if draft.data.get("image") == SHIPPED.get(name, ("", None))[1] and not job.gives("image"):
        image = SHIPPED[name][1]
        message = f"the job names no image; {image} is that of the runtime {name!r} in version 2"
        hint = "name the image in spec.trainer.image, or with --image"
        draft.warning(("spec", "runtimeRef"), message, "trainjob-image", hint, key=True)
