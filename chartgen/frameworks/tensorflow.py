"""TensorFlow: distributed training with a chief, workers, parameter servers and an evaluator.

TF_CONFIG lists all replicas for each of them, as TensorFlow's strategies and estimators expect.
The lists are filled in when Helm installs the chart, so they follow
`--set roles.worker.replicas=8` and `--set roles.ps.port=3333`.

Roles
  chief      leads the training and decides how the job ends; at most one
  worker     trains; without a chief, worker 0 decides how the job ends
  ps         parameter server; without a command it runs the one shipped in the chart
  evaluator  evaluates checkpoints; not part of the cluster; at most one
  master     the chief, as TfJob and TensorFlow before 1.4 call it; at most one, instead of a chief

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
  TF_CONFIG is set in the container `tensorflow` of every replica; the job cannot set it itself.
  With a chief:
    {"cluster":{"chief":[...],"ps":[...],"worker":[...]},"task":{"type":"worker","index":3}}
  With a master, as in TfJob: `master` instead of `chief`, and "environment":"cloud" at the end.
  A role with 0 replicas is not in the cluster. The default port of a role is 2222.

Options
  tensorflow.cluster: full    every replica sees every other (the default; up to about 4,700
                              replicas)
  tensorflow.cluster: sparse  every replica sees the chief and the parameter servers, and a worker
                              also sees itself: {"worker": {"3": "worker-76no-3:2222"}}. The full
                              list is in the file /etc/chartgen/peers/cluster of every container;
                              the default ps reads it.

  Use sparse for asynchronous training with parameter servers, at any size: with Estimator from
  TensorFlow 2.6 on, or with programs that set device filters; the chief of ParameterServerStrategy
  reads the file. TensorFlow before 2.6 expects integers as the keys of a sparse role. Do not use it
  with MultiWorkerMirroredStrategy, where every replica needs every other.

  tensorflow.succeeds: first  without a chief, worker 0 decides how the job ends (the default)
  tensorflow.succeeds: all    without a chief, the job succeeds when all workers do, and fails with
                              the first that does; fixed when the chart is rendered

The parameter server
  A ps without a command runs a script that the chart brings in a ConfigMap. It works with
  TensorFlow 1.x and 2.x, and the image only needs `python` and TensorFlow. With `command: []` the
  image's own entrypoint runs.

Restarts
  A replica that fails is started again in its pod (restartPolicy: OnFailure), up to 6 times, with
  the same name and index. With parameter servers, the other workers go on; with
  MultiWorkerMirroredStrategy, all workers fail when one is lost, and are started again as well:
  give them a larger backoffLimit. Let the program save checkpoints.

TensorBoard
  tensorboard: {logDir: gs://bucket/mnist} adds a Deployment and a Service on port 80. It has
  its own image, serviceType, env, volumes, volumeMounts and resources; its default image is the
  job's. It runs as user 65532 and writes only to /tmp. If that user cannot read the logs, name
  another: tensorboard: {podSecurityContext: {runAsUser: 1000}}. With podSecurity: restricted it
  runs as the user of the replicas.
"""

from collections.abc import Container, Iterator
from functools import cache

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.late import (
    Chosen,
    Host,
    JobName,
    Ordinal,
    Peers,
    Pick,
    RuntimeId,
    ShippedFile,
    Text,
    text,
)
from chartgen.plan.model import Config, ConfigKey, Env, Mount, Plan, RolePlan, Start
from chartgen.startup.typing import Literal

NAME = "tensorflow"
TITLE = "TensorFlow"
ROLES = {
    "chief": "leads the training and decides how the job ends",
    "worker": "trains",
    "ps": "parameter server",
    "evaluator": "evaluates checkpoints; not part of the cluster",
    "master": "the chief, as TfJob calls it",
}
FIRST = ("chief", "worker")
OPTIONS = {"cluster": ("full", "sparse"), "succeeds": ("first", "all")}
CONTAINER = "tensorflow"

_PORT = 2222
_ALONE = ("chief", "master", "evaluator")
_SERVERS = ("chief", "master", "ps")
_CLUSTER = (*_SERVERS, "worker")
_SCRIPT = "grpc_tensorflow_server.py"
_SPARSE = Chosen("tensorflow.cluster", "sparse")


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that there is at most one chief, and a replica that decides how the job ends."""
    for role in _ALONE:
        if job.replicas(role) > 1:
            message = f"roles.{role} has {job.replicas(role)} replicas; expected at most one"
            yield document.problem(("roles", role, "replicas"), message, "role-one-replica")
    if "chief" in job.roles and "master" in job.roles:
        message = "a job has a chief or a master, not both; they are two names for one role"
        hint = "keep the chief, unless the program was written for TfJob or TensorFlow before 1.4"
        yield document.problem(
            ("roles", "master"), message, "tensorflow-chief-and-master", hint, key=True
        )
    last = _completion_role(job.roles)
    if last not in job.roles:
        message = "no replica decides how the job ends; expected a chief or a worker"
        yield document.missing(("roles",), message, "tensorflow-chief-missing", key=True)
    elif not job.replicas(last):
        message = f"roles.{last} decides how the job ends, but has no replicas; expected at least 1"
        hint = "" if last == "worker" else f"without roles.{last}, worker 0 decides"
        yield document.missing(
            ("roles", last, "replicas"), message, "tensorflow-chief-missing", hint
        )
    if last != "worker" and job.options["succeeds"] == "all":
        message = f"the {last} decides how the job ends, so 'succeeds' has no effect"
        yield document.warning((NAME, "succeeds"), message, "role-field-not-applied", key=True)


def plan(job: Job) -> Plan:
    """Plan the roles with their TF_CONFIG, the list of peers, and the default parameter server."""
    roles = tuple(role for role in ROLES if role in job.roles)
    last = _completion_role(roles)
    return _plan(roles, job.options["succeeds"] if last == "worker" else "first")


@cache  # many jobs have the same roles
def _plan(roles: tuple[str, ...], succeeds: Literal["first", "all"]) -> Plan:
    cluster = tuple(role for role in sorted(_CLUSTER) if role in roles)
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
    # A file, because it may be long: with either option a parameter server talks to all workers.
    spec = {"cluster-spec": text(Peers(cluster, "spec"))}
    script = Config("cm-ps", {_SCRIPT: ShippedFile(_SCRIPT), **spec}, start_of="ps")
    return Plan(
        title=TITLE,
        roles=tuple(_role(role, roles) for role in roles),
        configs=(peers, script) if "ps" in roles else (peers,),
        completion_role=_completion_role(roles),
        completion=succeeds,
        fixed_options=("succeeds",),
        cleanup="ps" in roles,
        reserved_env=("TF_CONFIG", "CHARTGEN_CLUSTER"),
        peers_hint="with tensorflow.cluster: sparse a replica sees only the chief, ps and itself",
        tensorboard_labels={
            "tensorflow.org": text(""),
            "runtime_id": text(RuntimeId()),
            "tf_job_name": text(JobName()),
        },
    )


def _completion_role(roles: Container[str]) -> str:
    return next((role for role in ("chief", "master") if role in roles), "worker")


def _pick_form(full: Text, sparse: Text) -> Pick:
    return Pick("tensorflow.cluster", (("full", full), ("sparse", sparse)))


def _role(name: str, roles: Container[str]) -> RolePlan:
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
        env=_env(name, roles),
        mounts=(Mount("peers", "chartgen-peers", "/etc/chartgen/peers", _SPARSE),),
        start=_parameter_server() if name == "ps" else None,
        serves=name == "ps",
        at_most=1 if name in _ALONE else None,
        at_least=1 if name == _completion_role(roles) else 0,
    )


def _env(role: str, roles: Container[str]) -> tuple[Env, ...]:
    """TF_CONFIG; the kubelet puts in the list of peers, so that it is in the chart only once."""
    end = '},"environment":"cloud"}' if "master" in roles else "}}"
    full = text(
        '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"' + role + '","index":', Ordinal(), end
    )
    if role != "worker":
        key = text(_pick_form(text("cluster"), text("servers")))
        return (Env("CHARTGEN_CLUSTER", ConfigKey("peers", key)), Env("TF_CONFIG", full))
    itself = (
        '{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"',
        Ordinal(),
        '":"',
        Host(role, port=True),
        '"}}',
    )
    sparse = text(*itself, ',"task":{"type":"worker","index":', Ordinal(), end)
    key = text(_pick_form(text("cluster"), text("servers-before-worker")))
    return (
        Env("CHARTGEN_CLUSTER", ConfigKey("peers", key)),
        Env("TF_CONFIG", text(_pick_form(full, sparse))),
    )


def _parameter_server() -> Start:
    """The arguments of TfJob's default parameter server, but with the cluster in a file."""
    command = (
        "python",
        f"/ps-server/{_SCRIPT}",
        "--cluster_spec",
        "@/ps-server/cluster-spec",
        "--job_name",
        "ps",
    )
    return Start(
        command=(*(text(word) for word in command), text("--task_id"), text(Ordinal())),
        mount=Mount("cm-ps", "ps-config-volume", "/ps-server"),
    )
