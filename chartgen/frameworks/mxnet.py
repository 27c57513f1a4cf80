"""MXNet: data-parallel training with a scheduler, parameter servers and workers, or one worker.

DMLC_* variables give every replica its role, the numbers of servers and workers, and the address
of the scheduler; servers and workers then find each other through the scheduler. The values are
filled in when Helm installs the chart, so they follow `--set roles.worker.replicas=8` and
`--set roles.scheduler.port=9100`.

Roles
  scheduler  introduces servers and workers to each other; exactly one
  server     keeps the parameters and sums the gradients of the workers
  worker     trains; the job succeeds when all workers do

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
  Set in the container `mxnet` of every replica; the job cannot set these itself:
    DMLC_PS_ROOT_PORT    roles.scheduler.port, by default 9091
    DMLC_PS_ROOT_URI     the DNS name of the scheduler
    DMLC_NUM_SERVER      roles.server.replicas
    DMLC_NUM_WORKER      roles.worker.replicas
    DMLC_ROLE            scheduler, server or worker
    DMLC_USE_KUBERNETES  1, or 0 with mxnet.bind: name
  Servers and workers choose their own ports, so only the scheduler has a port and a Service.

Options
  mxnet.mode: dist   a scheduler, servers and workers (the default)
  mxnet.mode: local  one worker that trains alone, without a Service or DMLC_* variables. The mode
                     is fixed when the chart is rendered.
  mxnet.bind: all    the scheduler listens on all addresses of its pod (the default; MXNet 1.2+)
  mxnet.bind: name   the scheduler listens on the address that its name resolves to, as all versions
                     of MXNet before 1.2 do

Restarts
  A replica that fails is started again in its pod (restartPolicy: OnFailure), up to 6 times, with
  the same name. Whether the others accept it again depends on MXNet. Let the program save
  checkpoints.

The scheduler and the servers
  A scheduler or server without a command runs `python -c "import mxnet"`: MXNet takes on its role
  as soon as it is imported, and serves until all workers are done. The image only needs `python`
  and MXNet. With `command: []` the image's own entrypoint runs. A training program can also serve,
  because it imports MXNet.
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.late import Count, Host, Ordinal, Peers, Pick, Port, RuntimeId, text
from chartgen.plan.model import Config, Env, Plan, RolePlan, Start

NAME = "mxnet"
TITLE = "MXNet"
ROLES = {
    "scheduler": "introduces servers and workers to each other",
    "server": "keeps the parameters and sums the gradients of the workers",
    "worker": "trains; the job succeeds when all workers do",
}
FIRST = ("scheduler", "server", "worker")
OPTIONS = {"mode": ("dist", "local"), "bind": ("all", "name")}
CONTAINER = "mxnet"

_PORT = 9091


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that the roles fit the mode, and that each has enough replicas."""
    yield from _check_local(job, document) if _local(job) else _check_dist(job, document)
    if "worker" in job.roles and not job.replicas("worker"):
        message = "no workers (0 replicas), but the job ends when they do; expected at least 1"
        yield document.problem(("roles", "worker", "replicas"), message, "role-no-replicas")


def _check_dist(job: Job, document: Document) -> Iterator[Problem]:
    for role in ROLES:
        if role not in job.roles:
            message = f"no {role}; a distributed job needs a scheduler, servers and workers"
            hint = "" if role == "worker" else "one worker can train alone with mode: local"
            yield document.missing(("roles",), message, "role-missing", hint, key=True)
    if "scheduler" in job.roles and job.replicas("scheduler") != 1:
        message = f"a job has 1 scheduler, not {job.replicas('scheduler')}"
        yield document.problem(("roles", "scheduler", "replicas"), message, "role-one-replica")
    if "server" in job.roles and not job.replicas("server"):
        message = "no servers (0 replicas); a distributed kvstore needs at least 1"
        yield document.warning(("roles", "server", "replicas"), message, "mxnet-no-server")


def _check_local(job: Job, document: Document) -> Iterator[Problem]:
    for role in ("scheduler", "server"):
        if role in job.roles:
            message = f"a job with mode: local has no {role}; expected one worker and nothing else"
            hint = "remove it, or set the mode to dist"
            yield document.problem(("roles", role), message, "mxnet-local-mode", hint, key=True)
    if "worker" not in job.roles:
        message = "no worker; a job with mode: local needs one"
        yield document.missing(("roles",), message, "role-missing", key=True)
    if job.replicas("worker") > 1:
        message = f"a job with mode: local has 1 worker, not {job.replicas('worker')}"
        hint = "several workers need a scheduler and servers, and mode: dist"
        yield document.problem(("roles", "worker", "replicas"), message, "mxnet-local-mode", hint)


def plan(job: Job) -> Plan:
    """Plan the roles with their variables; a worker that trains alone needs none."""
    local = _local(job)
    roles = tuple(_role(name, local=local) for name in ROLES if name in job.roles)
    peers = Config("peers", {"hosts": text(Peers(("scheduler",), "lines"))})
    return Plan(
        title=TITLE,
        roles=roles,
        configs=() if local else (peers,),
        completion_role="worker",
        completion="all",
        cleanup=not local,
        reserved_env=() if local else tuple(env.name for env in _env("worker")),
        fixed_options=tuple(OPTIONS) if local else ("mode",),
    )


def _local(job: Job) -> bool:
    return bool(job.options["mode"] == "local")


def _role(name: str, *, local: bool) -> RolePlan:
    scheduler = name == "scheduler"
    serve = Start((text("python"), text("-c"), text("import mxnet")))
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=_PORT if scheduler else None,
        port_name="ps-root-port" if scheduler else "",
        service=scheduler,
        labels={
            "mxnet.mlkube.io": text(""),
            "job_type": text(name.upper()),
            "runtime_id": text(RuntimeId()),
            "task_index": text(Ordinal()),
        },
        env=() if local else _env(name),
        start=None if name == "worker" else serve,
        serves=name != "worker",
        at_most=1 if scheduler or local else None,
        at_least=0 if name == "server" else 1,
    )


def _env(role: str) -> tuple[Env, ...]:
    """What ps-lite, MXNet's network layer, reads when it starts; in the order of MxJob."""
    bind = Pick("mxnet.bind", (("all", text("1")), ("name", text("0"))))
    return (
        Env("DMLC_PS_ROOT_PORT", text(Port("scheduler", 0))),
        Env("DMLC_PS_ROOT_URI", text(Host("scheduler", 0))),
        Env("DMLC_NUM_SERVER", text(Count("server"))),
        Env("DMLC_NUM_WORKER", text(Count("worker"))),
        Env("DMLC_ROLE", text(role)),
        # Without it the scheduler listens on the address that its name resolves to, which behind
        # some Services is not an address of its pod.
        Env("DMLC_USE_KUBERNETES", text(bind)),
    )
