"""JAX: processes that run the same program, one per replica, and meet at worker 0.

Every replica learns where the coordinator is, how many processes there are, and which one it is.
The values are filled in when Helm installs the chart, so they follow
`--set roles.worker.replicas=8` and `--set roles.worker.port=1234`.

Roles
  worker  runs the program; worker 0 is the coordinator, and the job succeeds when all workers do

Example
  name: gemma
  framework: jax
  image: registry.example.com/gemma:0.6
  roles:
    worker:
      replicas: 4
      gpu: 8
      command: [python, /app/train.py]

Environment
  Set in the container `jax` of every replica; the job cannot set these itself:
    JAX_COORDINATOR_ADDRESS  the DNS name and port of worker 0, by default 6666
    JAX_NUM_PROCESSES        roles.worker.replicas
    JAX_PROCESS_ID           the replica's index
    COORDINATOR_ADDRESS, COORDINATOR_PORT, NUM_PROCESSES, PROCESS_ID
                             the same, as a JAXJob has them; the address has no port
  Set unless the job sets them:
    JAX_LOCAL_DEVICE_IDS     the devices that the replica requests, as in 0,1,2,3; without any, 0
    PYTHONUNBUFFERED         1
  JAX itself reads only the coordinator's address. The program passes the rest on, before any other
  call of JAX:
    jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
                               process_id=int(os.environ["JAX_PROCESS_ID"]))

Options
  jax.detect: none   the program passes the numbers on (the default)
  jax.detect: slurm  a bare `jax.distributed.initialize()` works: the five variables by which JAX
                     recognizes Slurm are set too (SLURM_JOB_ID, SLURM_STEP_NODELIST, SLURM_NTASKS,
                     SLURM_PROCID, SLURM_LOCALID)

The kubernetes package
  If the image has Python's `kubernetes` package and a number is missing, JAX asks the Kubernetes
  API for it, and fails, because the pods have no token. Nothing is missing if JAX_LOCAL_DEVICE_IDS
  is set, as it is by default, and the program passes the numbers on or jax.detect is slurm.

Restarts
  All fail, and all come back: when a process is lost, the others abort with exit code 134, at once
  if it comes back and within 100 seconds if it does not. Each is started again in its pod by its
  own Job (restartPolicy: OnFailure, backoffLimit: 10), until all meet again. Let the program save
  checkpoints. `exitCodes` must not treat 134 as permanent.
"""

from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan import restarts
from chartgen.plan.late import Chosen, Count, DeviceIds, Host, Ordinal, Peers, Port, text
from chartgen.plan.model import Config, Env, Plan, RolePlan

NAME = "jax"
TITLE = "JAX"
ROLES = {"worker": "runs the program; worker 0 is the coordinator"}
FIRST = ("worker",)
OPTIONS = {"detect": ("none", "slurm")}
CONTAINER = "jax"

_PORT = 6666
_SLURM = Chosen("jax.detect", "slurm")


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that there is a coordinator."""
    if not job.replicas("worker"):
        message = "no workers (0 replicas), but worker 0 is the coordinator; expected at least 1"
        yield document.problem(("roles", "worker", "replicas"), message, "role-no-replicas")
    for name in job.spec("worker").get("env", {}) if "worker" in job.roles else ():
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy"):
            message = f"{name} may make jax.distributed.initialize hang: processes would look for"
            message += " the coordinator behind the proxy"
            own = name in job.roles["worker"].spec.get("env", {})
            path: Path = ("roles", "worker", "env", name) if own else ("env", name)
            hint = "unset it in the program before it calls JAX, or leave it out"
            yield document.warning(path, message, "jax-proxy", hint, key=True)


def plan(job: Job) -> Plan:
    """Plan the workers with their variables."""
    env = _env()
    reserved = tuple(variable.name for variable in env if not variable.default)
    return Plan(
        title=TITLE,
        roles=tuple(_role(name) for name in job.roles),
        configs=(Config("peers", {"hosts": text(Peers(("worker",), "lines"))}),),
        completion_role="worker",
        completion="all",
        reserved_env=reserved,
    )


def _role(name: str) -> RolePlan:
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=_PORT,
        port_name="jaxjob-port",
        service=True,
        labels={},
        env=_env(),
        at_least=1,
        meets=True,
        defaults=restarts.TOGETHER,
        lost_peer=134,
    )


def _env() -> tuple[Env, ...]:
    host, port = text(Host("worker", 0)), text(Port("worker", 0))
    count, index = text(Count("worker")), text(Ordinal())
    return (
        Env("JAX_COORDINATOR_ADDRESS", text(*host, ":", *port)),
        Env("JAX_NUM_PROCESSES", count),
        Env("JAX_PROCESS_ID", index),
        Env("COORDINATOR_ADDRESS", host),
        Env("COORDINATOR_PORT", port),
        Env("NUM_PROCESSES", count),
        Env("PROCESS_ID", index),
        Env("SLURM_JOB_ID", text("1"), _SLURM),
        Env("SLURM_STEP_NODELIST", host, _SLURM),
        Env("SLURM_NTASKS", count, _SLURM),
        Env("SLURM_PROCID", index, _SLURM),
        Env("SLURM_LOCALID", text("0"), _SLURM),
        # With it JAX lacks nothing, and does not ask the Kubernetes API, where it has no rights.
        Env("JAX_LOCAL_DEVICE_IDS", text(DeviceIds()), default=True),
        Env("PYTHONUNBUFFERED", text("1"), default=True),
    )
