"""TrainJob: the object of Kubeflow's trainer, together with its training runtime.

A TrainJob is half a job: the other half is the training runtime that it names. chartgen reads both
from one file, and has the runtimes that come with the operator. `chartgen render` makes a chart of
them, and `chartgen convert` prints the job description that they mean, with the comments of both
and a note on everything that was dropped or is different. No operator or CRD is needed any
longer; `chartgen explain formats` lists the commands to use now.

  kubectl get clustertrainingruntime my-runtime -o yaml > job.yaml
  (echo ---; cat trainjob.yaml) >> job.yaml
  chartgen render job.yaml -o charts                # a chart of the TrainJob as it is
  chartgen convert job.yaml > description.yaml      # the job description that it means

Versions
  trainer.kubeflow.org/v1alpha1, as version 2.3 of the operator reads it.

Runtimes
  torch-distributed, jax-distributed, xgboost-distributed, deepspeed-distributed, mlx-distributed,
  with the images of version 2.3, or one in the same file. The mlPolicy decides the framework:
  torch, jax                 framework: pytorch or jax, with the role worker
  mpi                        framework: mpi. The replicated job `launcher`, or the labelled one,
                             becomes the launcher, and `node` the workers
  xgboost                    framework: custom, with the variables DMLC_TRACKER_URI,
                             DMLC_TRACKER_PORT, DMLC_TASK_ID and DMLC_NUM_WORKER
  none of them               framework: custom; every worker has its JOB_COMPLETION_INDEX

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; if there is only a
                             generateName, its beginning, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  runtimeRef.name            the TrainingRuntime or ClusterTrainingRuntime of this name in the file,
                             or a shipped one. The trainer is the replicated job labelled
                             trainjob-ancestor-step: trainer, or named `node`
  trainer.numNodes           roles.worker.replicas; by default the runtime's mlPolicy.numNodes. With
                             mpi.runLauncherAsNode one less, but at least 1, as the operator did
  trainer.numProcPerNode     pytorch.nprocPerNode, by default auto with a GPU, otherwise the CPUs
                             that a node is given, rounded up; mpi.slots, by default the GPUs of
                             a node
  trainer.image, command,    of the container `node`; variables are added to the runtime's, and
    args, env,               resourcesPerNode is merged into its resources. With MPI they are the
    resourcesPerNode         launcher's; with runLauncherAsNode, workers have the last two as well
  mpi.mpiImplementation,     mpi.implementation, sshAuthMountPath and runLauncherAsWorker
    sshAuthMountPath,
    runLauncherAsNode
  runtimePatches,            of the pods' metadata and spec, merged into the runtime's
    podTemplateOverrides
  suspend,                   the same; each Job counts its own
    activeDeadlineSeconds
  backoffLimit, ttl...,      of the runtime's Job templates and of its JobSet
    podFailurePolicy
  labels, annotations        of the Job templates: those of each replica's Job

Dropped
  status, metadata.uid and   the cluster wrote them
    the like
  managedBy, podGroupPolicy  no controller runs the chart's Jobs, and it makes no group of pods that
                             start together
  network, successPolicy,    of the JobSet: every replica has its own Job and Service. With MPI the
    failurePolicy, ...       launcher decides, otherwise all workers
  dependsOn                  the launcher waits until its workers answer
  torch.envInjection         only the container that trains has the variables

Refused
  initializer, other steps   the chart has no step that runs before the others, as the runtimes for
                             torchtune and torch-distributed-with-cache have. Load the data in an
                             init container, or from a volume
  volumeClaimPolicies        the chart creates no PersistentVolumeClaims
  mlPolicy.flux              `chartgen list frameworks` shows what may run the same program

Different
  names                      <name>-worker-<id>-<index>; the operator's were <name>-node-0-<index>
  variables                  those of the operator, with its port 29500, and those that programs
                             without torchrun read: MASTER_ADDR, RANK, WORLD_SIZE
  hostfile                   the launcher comes first in it, if it has ranks; the workers' sshd is
                             the chart's

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

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.go_spelling import read_as_go
from chartgen.native.operators.kubeflow import take_name_prefix
from chartgen.native.operators.kubeflow.trainer import losses, nodes, pods, runtimes
from chartgen.native.operators.kubeflow.trainer.runtimes import Runtime
from chartgen.native.operators.kubeflow.trainer.shipped import SHIPPED, VERSION
from chartgen.native.operators.pod_template import take_template
from chartgen.native.operators.replica_sets import (
    describe_job,
    hoist_image,
    read_object,
    value_at,
)
from chartgen.native.schemas import native_schema
from chartgen.startup.typing import Any


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
    if misfit := _misfit(runtime, both):
        return Adopted(None, (), (*problems, misfit))
    problems += losses.refuse(job, runtime, both)
    return _describe(job, both).adopted(problems)


def _runtime_schema() -> schema.Schema:
    whole = native_schema("trainjob")
    return {**whole["definitions"]["runtime"], "definitions": whole["definitions"]}


def _misfit(runtime: Document, both: Runtime) -> Problem | None:
    """What makes a runtime one of which no job can be made."""
    if both.policy not in nodes.FRAMEWORKS:
        known = [name for name in nodes.FRAMEWORKS if name]
        message = f"a runtime of {both.policy} is not read; expected {', '.join(known)} or none"
        hint = "`chartgen list frameworks` shows what can run the same program"
        path: Path = ("spec", "mlPolicy", both.policy)
        return runtime.problem(path, message, "trainjob-policy", hint, key=True)
    if both.trains not in both.roles:
        name = "launcher" if both.policy == "mpi" else "node"
        message = "no replicated job trains; expected one that is labelled"
        message += f" {runtimes.STEP}: trainer, or is named {name!r}"
        return runtime.problem(runtimes.JOBS, message, "trainjob-node-missing", key=True)
    for job in both.roles.values():
        path = (*job[1:], "spec", "template", "spec", "containers")
        names = [container["name"] for container in value_at(runtime.data, path)]
        if runtimes.NODE not in names:
            message = f"no container is named 'node', only {', '.join(map(repr, names))}; expected"
            message += " the one that trains to have this name"
            return runtime.problem(path, message, "trainjob-node-missing", key=True)
    return None


def _describe(job: Document, both: Runtime) -> Draft:
    framework = nodes.FRAMEWORKS[both.policy]
    container = nodes.CONTAINERS[framework]
    made: dict[str, Any] = {}
    moved: dict[Path, Path] = {(key,): ("job", key) for key in job.data}
    for role in both.roles:
        fields = nodes.fields_reaching(both, role)
        template, origins = pods.pod_template(both, role, container, fields)
        made[role] = {"template": template}
        moved |= {("pods", role, "template", *path): at for path, at in origins.items()}
    data = {**both.document.data, **job.data, "pods": made}
    draft = Draft(both.document.moved(data, moved))
    describe_job(draft, framework, ("spec", "runtimeRef"))
    take_name_prefix(draft, job.data["metadata"]["name"], "NAME-node-0-INDEX")
    for role in both.roles:
        _take_role(draft, both, role, container)
    nodes.take_nodes(draft, both)
    counted = made.get("worker") or made[both.trains]
    nodes.take_options(draft, both, _main(counted["template"], container))
    _tell_images(draft, job, both)
    hoist_image(draft, [*both.roles], container)
    _take_life(draft, both)
    losses.tell(draft, both)
    _tell_shipped_image(draft, job)
    return draft


def _take_role(draft: Draft, both: Runtime, role: str, container: str) -> None:
    """Describe the pods of a role."""
    source: Path = ("pods", role)
    template = draft.source.data["pods"][role]["template"]
    if nodes.FRAMEWORKS[both.policy] == "custom":
        containers = []
        for described in template["spec"]["containers"]:
            own = described["name"] == container
            containers.append(nodes.add_variables(draft, both, described) if own else described)
        template = {**template, "spec": {**template["spec"], "containers": containers}}
    draft.take(("roles", role), {}, ("spec", "runtimeRef"))
    take_template(draft, role, source, template, container, restart=False)
    if "restartPolicy" not in template["spec"]:
        target: Path = ("roles", role, "restartPolicy")
        draft.take(target, "OnFailure", (*source, "template"))
        draft.note(target, "JobSet's default")
    losses.take_job_fields(draft, both, role, container)


def _main(template: Any, name: str) -> Any:
    return next(
        container for container in template["spec"]["containers"] if container["name"] == name
    )


def _take_life(draft: Draft, both: Runtime) -> None:
    """When the job starts and ends: what the TrainJob, its Job templates and its JobSet say."""
    jobs: Path = ("runtime", "spec", "template", "spec")
    places: list[tuple[Path, Path, tuple[str, ...]]] = [((), jobs, ("ttlSecondsAfterFinished",))]
    for role, job in both.roles.items():
        target: Path = () if len(both.roles) == 1 else ("roles", role)
        places.append((target, (*job, "spec"), ("backoffLimit", "activeDeadlineSeconds")))
    places.append(((), ("spec",), ("activeDeadlineSeconds", "suspend")))
    for target, path, names in places:
        fields = value_at(draft.source.data, path)
        for name in names:
            if name in fields:
                draft.take((*target, name), fields[name], (*path, name))


def _tell_images(draft: Draft, job: Document, both: Runtime) -> None:
    """With MPI, the operator gave the job's image to the launcher alone."""
    if both.trains == "worker" or "worker" not in both.roles or "image" not in both.trainer:
        return
    container = nodes.CONTAINERS["mpi"]
    pod = draft.source.data["pods"]["worker"]["template"]
    image = _main(pod, container).get("image", "none")
    if image != both.trainer["image"] and not job.gives("roles", "worker", "image"):
        message = f"the operator gave this image to the launcher; the workers have {image}"
        hint = "name the image of the workers with --set roles.worker.image=IMAGE"
        draft.warning(("spec", "trainer", "image"), message, "trainjob-image", hint)


def _tell_shipped_image(draft: Draft, job: Document) -> None:
    """The image of a shipped runtime is that of one version of the operator."""
    name = job.data["spec"]["runtimeRef"]["name"]
    if name not in SHIPPED or job.gives("image"):
        return
    _, image = SHIPPED[name]
    if draft.data.get("image") == image:
        message = f"the job names no image; {image} is that of the runtime {name!r} in"
        message += f" version {VERSION}"
        hint = "name the image in spec.trainer.image, or with --image"
        draft.warning(("spec", "runtimeRef"), message, "trainjob-image", hint, key=True)
