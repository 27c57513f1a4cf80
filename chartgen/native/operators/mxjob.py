"""MxJob: the object of MXNet's first Kubernetes operator (deepinsight/mxnet-operator, 2017).

chartgen reads an MxJob as the operator read it. `chartgen render` makes a chart of it, `chartgen
validate` reports what is wrong with it, and `chartgen convert` prints the job description that it
means, with your comments and the reason for everything that was left out or changed.

  chartgen render mx_job_dist.yaml -o charts        # a chart of the MxJob as it is
  chartgen convert mx_job_dist.yaml > job.yaml      # the job description that it means

Versions
  mxnet.mlkube.io/v1beta1, before that mlkube.io/v1beta1, and Kubeflow's first MXJob
  (kubeflow.org/v1alpha1), which has the same sets of replicas. Later MXJobs, which have
  mxReplicaSpecs, are another format: `chartgen explain mxjob-v1`.

Fields
  metadata.name: NAME      name: NAME and namePrefix: NAME-, so that objects have the same names as
                           before: NAME-worker-1kkf-0
  metadata.namespace       helm install -n: a chart carries no namespace
  spec.RuntimeId           runtimeId; without one, a hash and not four random characters
  spec.jobMode             `mxnet: {mode: local}`, or nothing for dist; if it is missing, the types
                           of the sets decide, with a warning
  mxReplicaType            the role: SCHEDULER, SERVER or WORKER is scheduler, server or worker; one
                           MASTER alone, as in the manual's GPU sample, is a worker
  replicas                 replicas
  PsRootPort               roles.scheduler.port, 9091 by default; that of other types was never used
  template                 the role's own fields: image, command, args, env, resources, ...
  alpha.kubernetes.io/     kept, with a warning: clusters offer nvidia.com/gpu
    nvidia-gpu

Example
  The same job as a description is short, because a scheduler or server without a command imports
  MXNet, and that is all it has to do:

    name: example-dist-job
    framework: mxnet
    image: registry.example.com/mxnet-gpu-dist:0.12.0
    roles:
      scheduler: {}
      server: {replicas: 2}
      worker:
        replicas: 3
        command: [python, train_cifar10.py, --kv-store=dist_device_sync]
        resources: {limits: {nvidia.com/gpu: 1}}

What stays the same
  - Objects have the same names, and the labels mxnet.mlkube.io, job_type, runtime_id and
    task_index.
  - Keys in another case, and replica_specs, are read as they were meant, with a warning.

What is different, on purpose
  - Kubeflow's v1alpha1 created bare pods, a Service for every replica, and names that ignored the
    RuntimeId of the job; here there are Jobs and one Service, as for an MxJob.
  - Your own environment variables are kept, and the DMLC_* variables come after them. The
    operator overwrote the first five, or crashed.
  - DMLC_USE_KUBERNETES=1 makes the scheduler listen on all addresses of its pod (MXNet 1.2 or
    newer); `--set mxnet.bind=name` turns it off. The Service of the scheduler is headless, so its
    name leads to the pod itself, and an older MXNet can listen there.
  - DMLC_NUM_WORKER and the others follow `--set` at install.
  - The job succeeds when all its workers succeed. The operator asked the scheduler, which may
    succeed after a worker has failed.
  - A missing restartPolicy is read as OnFailure, with a warning. Always is refused; Kubernetes
    refused both in the middle of the job.
  - Unknown keys, two sets of one type, negative counts, a mode whose sets are missing, and a
    DMLC_* variable that the chart sets are problems, each with its line and column, before
    anything is installed.

Commands, for the MxJob example-dist-job with the RuntimeId 1kkf
  install before  the operator and its CRD
          now     nothing in the cluster
  start   before  kubectl create -f mx_job_dist.yaml
          now     chartgen render mx_job_dist.yaml -o charts
                  helm install example-dist-job charts/example-dist-job
  list    before  kubectl get mxjobs
          now     chartgen status
  jobs    before  kubectl get job -l mxnet.mlkube.io
          now     the same
  logs    before  kubectl logs -f example-dist-job-worker-1kkf-2-hz22k
          now     chartgen logs example-dist-job worker/2 -f
                  kubectl logs -f job/example-dist-job-worker-1kkf-2
  wait    before  look at status.state
          now     chartgen status example-dist-job --wait
  change  before  edit the MxJob, delete it, create it again
          now     helm upgrade example-dist-job charts/example-dist-job \\
                    --set roles.worker.replicas=8
                  If the MxJob has a RuntimeId, add `--set runtimeId=other`
  delete  before  kubectl delete mxjob example-dist-job
          now     helm uninstall example-dist-job
"""

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.leftovers import (
    Mender,
    mend_name,
    mend_templates,
    rename_container,
)
from chartgen.native.operators.pod_template import has_command, take_template
from chartgen.native.operators.replica_sets import (
    SPECS,
    ReplicaSet,
    add_role,
    describe_job,
    hoist_image,
    read_object,
)

CONTAINER = "mxnet"

_SPECS = ("spec", "replicaSpecs")
_PORT = 9091  # the operator's default PsRootPort, for every type


def adopt(document: Document) -> Adopted:
    """The job description that an MxJob means; without the parts of it that are refused."""
    sound, _, problems = read_object(document, "mxjob", _mend)
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    data = sound.data
    describe_job(draft, "mxnet")
    draft.take(("namePrefix",), f"{data['metadata']['name']}-", ("metadata", "name"))
    draft.note(("namePrefix",), "The names of an MxJob's objects begin with the job's name")
    if data["spec"].get("jobMode") == "local":
        draft.take(("mxnet",), {"mode": "local"}, ("spec",))
        draft.take(("mxnet", "mode"), "local", ("spec", "jobMode"))
    for index, replica_set in enumerate(data["spec"]["replicaSpecs"]):
        _describe_set(draft, index, replica_set)
    hoist_image(draft, [role for role in draft.data["roles"] if role == "worker"], CONTAINER)
    return draft.adopted(problems)


def _mend(mender: Mender) -> None:
    """What people left in MxJobs, as they meant it."""
    mend_name(mender)
    mend_templates(mender, CONTAINER, *_SPECS)
    sets = mender.at(*_SPECS)
    if not isinstance(sets, list) or not all(isinstance(replica_set, dict) for replica_set in sets):
        return
    if len(sets) == 1 and sets[0].get("mxReplicaType") == "MASTER":
        # As in the sample of the operator's own manual, which came from TfJob's.
        sets[0]["mxReplicaType"] = "WORKER"
        message = "an MxJob has no MASTER; one alone is read as the WORKER of a local job"
        where: Path = (*_SPECS, 0, "mxReplicaType")
        mender.warn(where, message, "mxjob-master", "write mxReplicaType: WORKER")
        rename_container(mender, "tensorflow", CONTAINER, *_SPECS)
    if mender.at("spec", "jobMode") is None:
        types = [replica_set.get("mxReplicaType", "WORKER") for replica_set in sets]
        _infer_mode(mender, "SCHEDULER" in types or "SERVER" in types)


def _infer_mode(mender: Mender, distributed: bool) -> None:
    """Kubeflow's v1alpha1 had no jobMode; the operator before it refused a job without one."""
    mode = "dist" if distributed else "local"
    mender.data["spec"]["jobMode"] = mode
    mender.origins["spec", "jobMode"] = _SPECS
    if mender.at("apiVersion") != "kubeflow.org/v1alpha1":
        message = f"jobMode is missing; the types of the replica sets mean {mode!r}"
        hint = f"write jobMode: {mode} in spec"
        mender.warn(("spec",), message, "mxjob-mode-missing", hint, key=True)


def _describe_set(draft: Draft, index: int, replica_set: ReplicaSet) -> None:
    """A set of replicas becomes a role."""
    kind = replica_set.get("mxReplicaType", "WORKER")
    role = kind.lower()
    if not add_role(draft, index, "mxReplicaType", kind):
        return
    path: Path = (*SPECS, index)
    _describe_replicas(draft, path, role, replica_set)
    _describe_port(draft, path, role, replica_set)
    if "template" not in replica_set:
        message = f"the {kind} has no template; expected the pod that runs it"
        draft.problem(path, message, "key-missing")
        return
    template = replica_set["template"]
    if not take_template(draft, role, path, template, CONTAINER) or role == "worker":
        return
    if not has_command(template, CONTAINER):
        draft.take(("roles", role, "command"), [], (*path, "template"))
        text = (
            f"A {kind} runs its image's entrypoint; without this line, `python -c 'import mxnet'`"
        )
        draft.note(("roles", role, "command"), text)


def _describe_replicas(draft: Draft, path: Path, role: str, replica_set: ReplicaSet) -> None:
    replicas = replica_set.get("replicas")
    if replicas == 0 and role == "worker" and "mxnet" in draft.data:
        message = "a local job has 1 worker, which the operator created even for 0; read as 1"
        draft.warning((*path, "replicas"), message, "mxnet-local-mode", "write replicas: 1")
    elif "replicas" in replica_set:
        draft.take(("roles", role, "replicas"), replicas, (*path, "replicas"))


def _describe_port(draft: Draft, path: Path, role: str, replica_set: ReplicaSet) -> None:
    """Only the scheduler listens on PsRootPort; the operator filled it in for all types."""
    port = replica_set.get("PsRootPort")
    if port is None:
        return
    if role == "scheduler":
        draft.take(("roles", role, "port"), port, (*path, "PsRootPort"))
    elif port == _PORT:
        text = f"PsRootPort: only a scheduler listens on it, so a {role} does not need it"
        draft.note(("roles", role), text)
    else:
        message = (
            f"only the PsRootPort of the SCHEDULER is used; that of a {role.upper()} is left out"
        )
        hint = "remove it, or give it to the SCHEDULER"
        draft.warning((*path, "PsRootPort"), message, "mxjob-port-unused", hint, key=True)
