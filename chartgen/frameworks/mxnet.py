"""MXNet: data-parallel training with a scheduler, parameter servers and workers, or by one worker alone.

Every replica is told by DMLC_* variables what it is, how many others there are and where the scheduler is; servers and
workers then find each other through the scheduler. The numbers are filled in when Helm installs the chart, so they
follow `--set roles.worker.replicas=8` and `--set roles.scheduler.port=9100`.

Roles
  scheduler  lets servers and workers find each other; exactly one
  server     keeps the parameters and adds up what the workers send
  worker     trains; the job succeeds when all its workers do

Example
  name: cifar10
  framework: mxnet
  image: registry.example.com/cifar10:1.9
  roles:
    scheduler: {}
    server:
      replicas: 2
    worker:
      replicas: 3
      command: [python, train.py, --kv-store=dist_sync]

Environment
  Set in the container `mxnet` of every replica, after the job's own variables; the job cannot set them itself:
    DMLC_PS_ROOT_PORT    roles.scheduler.port, 9091 unless it says otherwise
    DMLC_PS_ROOT_URI     the scheduler's name, which its Service makes known
    DMLC_NUM_SERVER      roles.server.replicas
    DMLC_NUM_WORKER      roles.worker.replicas
    DMLC_ROLE            scheduler, server or worker
    DMLC_USE_KUBERNETES  1, or 0 with mxnet.bind: name
  Servers and workers listen on ports of their own choice, so only the scheduler has a port and a Service.

Options
  mxnet.mode: dist   a scheduler, servers and workers (the default)
  mxnet.mode: local  one worker that trains alone, with no Service and no DMLC_* variables; it is chosen when the chart
                     is rendered, for a chart without a scheduler has nothing to be switched to
  mxnet.bind: all    the scheduler listens on every address of its pod (the default; from MXNet 1.2 on)
  mxnet.bind: name   the scheduler listens where its name leads, as MXNet before 1.2 always did

The scheduler and the servers
  A scheduler or server without a command runs `python -c "import mxnet"`: MXNet takes up its role as soon as it is
  imported, and serves until all workers are done. It needs nothing but `python` and MXNet in the image. With
  `command: []` it runs its image's own entrypoint. A training program serves as well, for it imports MXNet too.

Coming from MxJob
  `chartgen render mxjob.yaml` takes an MxJob as it is, and `chartgen convert mxjob.yaml` shows what it means here.
  MxJob                                  here
  metadata.name                          name, and namePrefix: NAME- as MxJob's objects have it
  spec.jobMode                           mxnet.mode, dist unless it says local
  spec.RuntimeId                         runtimeId; a hash if it is left out, not four random characters
  replicaSpecs[].mxReplicaType           the role: SCHEDULER is roles.scheduler, and so on
  replicaSpecs[].PsRootPort              roles.scheduler.port; that of others was never used
  replicaSpecs[].template                the role's own fields
  Labels are the same: mxnet.mlkube.io, job_type, runtime_id and task_index. What is different:
  - The operator wrote its variables over the first five of the job's own, or crashed; here both are kept.
  - The scheduler's Service is headless: its name leads to the pod itself, so that it can listen there.
  - The job has succeeded when all workers have; MxJob asked the scheduler, which may end well after a worker failed.
  - A template without restartPolicy, which the cluster refused in the middle of the job, is read as OnFailure.
  - A set that is there twice, a count below 0 or a mode that does not fit is a problem before anything is installed.
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import (
    Config,
    Count,
    Env,
    Host,
    Ordinal,
    Peers,
    Pick,
    Plan,
    Port,
    RolePlan,
    RuntimeId,
    Start,
    text,
)

NAME = "mxnet"
TITLE = "MXNet"
ROLES = {
    "scheduler": "lets servers and workers find each other",
    "server": "keeps the parameters and adds up what the workers send",
    "worker": "trains; the job succeeds when all workers do",
}
FIRST = ("scheduler", "server", "worker")
OPTIONS = {"mode": ("dist", "local"), "bind": ("all", "name")}
CONTAINER = "mxnet"

_PORT = 9091


def check(job: Job, document: Document) -> Iterator[Problem]:
    """The roles that a mode asks for, each with as many replicas as can work."""
    yield from _check_local(job, document) if _local(job) else _check_dist(job, document)
    if "worker" in job.roles and not job.replicas("worker"):
        message = "there are no workers (0 replicas), whose end is the end of the job; expected at least 1"
        yield document.problem(("roles", "worker", "replicas"), message, "no-worker")


def _check_dist(job: Job, document: Document) -> Iterator[Problem]:
    for role in ROLES:
        if role not in job.roles:
            message = f"there is no {role}; expected a scheduler, servers and workers in a distributed job"
            hint = "" if role == "worker" else "a worker can train alone, in a job whose mode is local"
            yield document.problem(("roles",), message, "missing-role", hint, key=True)
    if "scheduler" in job.roles and job.replicas("scheduler") != 1:
        message = f"a job has 1 scheduler, not {job.replicas('scheduler')}"
        yield document.problem(("roles", "scheduler", "replicas"), message, "one-scheduler")
    if "server" in job.roles and not job.replicas("server"):
        message = "there are no servers (0 replicas) to keep the parameters; a distributed kvstore needs at least 1"
        yield document.warning(("roles", "server", "replicas"), message, "no-server")


def _check_local(job: Job, document: Document) -> Iterator[Problem]:
    for role in ("scheduler", "server"):
        if role in job.roles:
            message = f"a job whose mode is local has no {role}; expected one worker and nothing else"
            yield document.problem(
                ("roles", role), message, "local-mode", "remove it, or set the mode to dist", key=True
            )
    if "worker" not in job.roles:
        yield document.problem(("roles",), "there is no worker; expected one, to train alone", "missing-role", key=True)
    if job.replicas("worker") > 1:
        message = f"a job whose mode is local has 1 worker, not {job.replicas('worker')}"
        hint = "several workers need a scheduler and servers, and the mode dist"
        yield document.problem(("roles", "worker", "replicas"), message, "local-mode", hint)


def plan(job: Job) -> Plan:
    """The roles with their variables; a job that trains alone needs none, and nobody to find."""
    local = _local(job)
    variables = _env("worker")
    return Plan(
        title=TITLE,
        roles=tuple(_role(name, local=local) for name in ROLES if name in job.roles),
        configs=() if local else (Config("peers", {"hosts": text(Peers(("scheduler",), "lines"))}),),
        decides="worker",
        decides_all=True,
        reserved_env=() if local else tuple(env.name for env in variables),
        settled=tuple(OPTIONS) if local else ("mode",),
    )


def _local(job: Job) -> bool:
    return bool(job.options["mode"] == "local")


def _role(name: str, *, local: bool) -> RolePlan:
    alone = name == "scheduler"
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=_PORT if alone else None,
        port_name="ps-root-port" if alone else "",
        service=alone,
        labels={
            "mxnet.mlkube.io": text(""),
            "job_type": text(name.upper()),
            "runtime_id": text(RuntimeId()),
            "task_index": text(Ordinal()),
        },
        env=() if local else _env(name),
        start=None if name == "worker" else Start((text("python"), text("-c"), text("import mxnet"))),
        at_most=1 if alone or local else None,
        at_least=0 if name == "server" else 1,
    )


def _env(role: str) -> tuple[Env, ...]:
    """What ps-lite, MXNet's network, reads when it starts; in the order in which MxJob set it."""
    return (
        Env("DMLC_PS_ROOT_PORT", text(Port("scheduler", 0))),
        Env("DMLC_PS_ROOT_URI", text(Host("scheduler", 0))),
        Env("DMLC_NUM_SERVER", text(Count("server"))),
        Env("DMLC_NUM_WORKER", text(Count("worker"))),
        Env("DMLC_ROLE", text(role)),
        # Without it the scheduler listens where its name leads, which is no address of its pod behind some Services.
        Env("DMLC_USE_KUBERNETES", text(Pick("mxnet.bind", (("all", text("1")), ("name", text("0")))))),
    )
