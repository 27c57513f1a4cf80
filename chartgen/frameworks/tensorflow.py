"""TensorFlow: distributed training with a chief, workers, parameter servers and an evaluator.

Every replica is told about the others by TF_CONFIG, as TensorFlow's own strategies and estimators expect it. The lists
are made when Helm installs the chart, so they follow `--set roles.worker.replicas=8` and `--set roles.ps.port=3333`.

Roles
  chief      leads the training and decides how the job ends; at most one
  worker     trains; without a chief, worker 0 decides how the job ends
  ps         parameter server; without a command it runs the one that comes with the chart
  evaluator  evaluates checkpoints; it stands outside the cluster; at most one
  master     the chief as TfJob and TensorFlow before 1.4 call it; at most one, and not beside a chief

Example
  name: mnist
  framework: tensorflow
  image: registry.example.com/mnist:1.4
  roles:
    chief:
      command: [python, /app/train.py]
    worker:
      replicas: 3
      command: [python, /app/train.py]
    ps:
      replicas: 2

Environment
  TF_CONFIG is set in the container `tensorflow` of every replica and cannot be set by the job. With a chief:
    {"cluster":{"chief":[...],"ps":[...],"worker":[...]},"task":{"type":"worker","index":3}}
  With a master, the TfJob dialect: `master` in the place of `chief`, and "environment":"cloud" at the end.
  Roles with 0 replicas leave the cluster. A role's port is 2222 unless it says otherwise.

Options
  tensorflow.cluster: full    every replica sees every other (the default; up to about 4,700 replicas)
  tensorflow.cluster: sparse  every replica sees the chief and the parameter servers, and a worker also itself, as
                              {"worker": {"3": "worker-76no-3:2222"}}; the list of all is in every container
                              as the file /etc/chartgen/peers/cluster, and the default ps reads such a file

  sparse is for asynchronous training with parameter servers, of any size: with Estimator from TensorFlow 2.6 on, or
  with programs that set device filters; ParameterServerStrategy's chief reads the file. TensorFlow before 2.6 wants
  the keys of a sparse role as integers. It is not for MultiWorkerMirroredStrategy, where all see all.

The parameter server
  A ps without a command runs a start script that the chart brings in a ConfigMap. It works with TensorFlow 1.x and 2.x
  and needs nothing but `python` and TensorFlow in the image. A ps with `command: []` runs its image's own entrypoint.

TensorBoard
  tensorboard: {logDir: gs://bucket/mnist} adds a Deployment and a Service on port 80; image, serviceType, env,
  volumes, volumeMounts and resources are its own, and its image is the job's if it names none.

Coming from TfJob
  chartgen reads TfJobs (tensorflow.org/v1alpha1, mlkube.io/v1beta1, kubeflow.org/v1alpha1) wherever it reads jobs, and
  `chartgen convert tfjob.yaml` prints the description that one means, with its comments.
  As it was: names (ps-76no-1), labels (job_type, runtime_id, tf_job_name, task_index), ports, RuntimeId, TF_CONFIG to
  the letter, the parameter server without a template, TensorBoard, and keys in any case, with a warning.
  As it is now: MASTER, WORKER and PS are the roles master, worker and ps, tfPort is port, and tfImage is the image of
  ps and tensorboard. `helm install` starts the job, `helm uninstall` removes all of it, and no operator is needed.
  Different on purpose: Services are headless, an id that is not given is a hash and not random, and a role with 0
  replicas leaves the cluster. What the operator ignored or choked on is refused with its place: a job without a
  master, two sets of one type, restartPolicy Always, a TF_CONFIG of one's own, keys that it did not know.
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import (
    Chosen,
    Config,
    ConfigKey,
    Env,
    Host,
    JobName,
    Mount,
    Ordinal,
    Peers,
    Pick,
    Plan,
    RolePlan,
    RuntimeId,
    ShippedFile,
    Start,
    Text,
    text,
)

NAME = "tensorflow"
TITLE = "TensorFlow"
ROLES = {
    "chief": "leads the training and decides how the job ends",
    "worker": "trains",
    "ps": "parameter server",
    "evaluator": "evaluates checkpoints, outside the cluster",
    "master": "the chief of the TfJob dialect",
}
FIRST = ("chief", "worker")
OPTIONS = {"cluster": ("full", "sparse")}
CONTAINER = "tensorflow"

_PORT = 2222
_ALONE = ("chief", "master", "evaluator")
_SERVERS = ("chief", "master", "ps")
_CLUSTER = (*_SERVERS, "worker")
_SCRIPT = "grpc_tensorflow_server.py"


def check(job: Job, document: Document) -> Iterator[Problem]:
    """One chief at most, and someone to decide how the job ends."""
    for role in _ALONE:
        if job.replicas(role) > 1:
            message = f"roles.{role} has {job.replicas(role)} replicas; expected one {role} at most"
            yield document.problem(("roles", role, "replicas"), message, "one-chief")
    if "chief" in job.roles and "master" in job.roles:
        message = "a job has a chief or a master, not both; they are two names of one role"
        hint = "keep chief, unless the program is written for TfJob or for TensorFlow before 1.4"
        yield document.problem(("roles", "master"), message, "one-chief", hint, key=True)
    decides = _decides(job)
    if decides not in job.roles:
        message = "no replica decides how the job ends; expected a chief or a worker"
        yield document.problem(("roles",), message, "no-chief", key=True)
    elif not job.replicas(decides):
        message = f"roles.{decides} decides how the job ends and has no replicas; expected at least 1"
        hint = "" if decides == "worker" else f"without roles.{decides}, worker 0 decides"
        yield document.problem(("roles", decides, "replicas"), message, "no-chief", hint)


def plan(job: Job) -> Plan:
    """The roles with their TF_CONFIG, the peer list, and the default parameter server."""
    cluster = tuple(role for role in sorted(_CLUSTER) if role in job.roles)
    servers = tuple(role for role in cluster if role in _SERVERS)
    peers = Config(
        "peers",
        {
            "cluster": text(Peers(cluster, "json")),
            "servers": text(Peers(servers, "json")),
            "servers-before-worker": text(Peers(servers, "members")),
            "hosts": text(Peers(cluster, "lines")),
        },
    )
    # A file, for it may be long: a parameter server fetches gradients from all workers, in the sparse form too.
    spec = {"cluster-spec": text(Peers(cluster, "spec"))}
    script = Config("cm-ps", {_SCRIPT: ShippedFile(_SCRIPT), **spec}, start_of="ps")
    return Plan(
        title=TITLE,
        roles=tuple(_role(job, role) for role in ROLES if role in job.roles),
        configs=(peers, script) if "ps" in job.roles else (peers,),
        decides=_decides(job),
        reserved_env=("TF_CONFIG", "CHARTGEN_CLUSTER"),
        peers_hint="with tensorflow.cluster: sparse a replica sees only the chief, the ps and itself",
        tensorboard_labels={
            "tensorflow.org": text(""),
            "runtime_id": text(RuntimeId()),
            "tf_job_name": text(JobName()),
        },
    )


def _decides(job: Job) -> str:
    return next((role for role in ("chief", "master") if role in job.roles), "worker")


def _by_size(full: Text, sparse: Text) -> Pick:
    return Pick("tensorflow.cluster", (("full", full), ("sparse", sparse)))


def _role(job: Job, name: str) -> RolePlan:
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=_PORT,
        port_name="tf-port",
        service=name in _CLUSTER,
        labels={
            "tensorflow.org": text(""),
            "job_type": text(name.upper()),
            "runtime_id": text(RuntimeId()),
            "tf_job_name": text(JobName()),
            "task_index": text(Ordinal()),
        },
        env=_env(job, name),
        mounts=(Mount("peers", "chartgen-peers", "/etc/chartgen/peers", Chosen("tensorflow.cluster", "sparse")),),
        start=_parameter_server() if name == "ps" else None,
        at_most=1 if name in _ALONE else None,
        at_least=1 if name == _decides(job) else 0,
    )


def _env(job: Job, role: str) -> tuple[Env, ...]:
    """TF_CONFIG, with the peer list put in by the kubelet: inlined in every pod it would grow with the square."""
    end = '},"environment":"cloud"}' if "master" in job.roles else "}}"
    full = text('{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"' + role + '","index":', Ordinal(), end)
    if role != "worker":
        key = text(_by_size(text("cluster"), text("servers")))
        return (Env("CHARTGEN_CLUSTER", ConfigKey("peers", key)), Env("TF_CONFIG", full))
    itself = ('{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"', Ordinal(), '":"', Host(role, port=True), '"}}')
    sparse = text(*itself, ',"task":{"type":"worker","index":', Ordinal(), end)
    key = text(_by_size(text("cluster"), text("servers-before-worker")))
    return (Env("CHARTGEN_CLUSTER", ConfigKey("peers", key)), Env("TF_CONFIG", text(_by_size(full, sparse))))


def _parameter_server() -> Start:
    """The arguments TfJob's default parameter server took, but that the cluster comes in a file."""
    command = ("python", f"/ps-server/{_SCRIPT}", "--cluster_spec", "@/ps-server/cluster-spec", "--job_name", "ps")
    return Start(
        command=(*(text(word) for word in command), text("--task_id"), text(Ordinal())),
        mount=Mount("cm-ps", "ps-config-volume", "/ps-server"),
    )
