"""PyTorch: distributed training with torchrun, or by the variables that PyTorch itself reads.

Every replica learns where rank 0 is, how many replicas there are, and its own rank. The values are
filled in when Helm installs the chart, so they follow `--set roles.worker.replicas=8` and
`--set roles.worker.port=29600`.

Roles
  master  has rank 0, as in a PyTorchJob; at most one, and it decides how the job ends
  worker  trains; without a master, worker 0 has rank 0, and the job succeeds when all workers do

Example
  name: resnet
  framework: pytorch
  image: registry.example.com/resnet:2.4
  roles:
    worker:
      replicas: 4
      gpu: 8
      command: [torchrun, /app/train.py]

Environment
  Set in the container `pytorch` of every replica; the job cannot set these itself:
    PET_MASTER_ADDR, PET_MASTER_PORT  the DNS name and the port of rank 0, by default 29500
    PET_NNODES                        the number of replicas
    PET_NODE_RANK                     the replica's rank among them
    PET_NPROC_PER_NODE                pytorch.nprocPerNode, or else the devices that the replica
                                      requests, at least 1
    MASTER_ADDR, MASTER_PORT, RANK    the same, for programs that start without torchrun
    WORLD_SIZE                        the number of replicas, times nprocPerNode if that is a number
  Set unless the job sets them:
    LOCAL_RANK                        0; torchrun sets it in each of its processes
    PYTHONUNBUFFERED                  1
  torchrun reads every option from a variable: PET_MAX_RESTARTS, PET_LOG_DIR and so on can be set in
  `env`. It overwrites RANK, WORLD_SIZE and LOCAL_RANK in the processes that it starts.

Options
  pytorch.nprocPerNode  processes in a replica: a number, auto, gpu, cpu or xpu. Without a GPU, auto
                        counts the CPUs of the node, whatever the replica's limit is.
  pytorch.minReplicas,  together: elastic training. Workers may come and go between these numbers,
  pytorch.maxReplicas   `--set roles.worker.replicas` leaves running ones alone, and torchrun is set
                        up to meet at worker 0 (PET_RDZV_BACKEND=c10d, PET_RDZV_ENDPOINT,
                        PET_RDZV_ID, PET_RDZV_CONF, PET_NNODES=MIN:MAX, PET_LOCAL_ADDR). There is no
                        RANK or MASTER_ADDR then: torchrun sets them in its processes. The choice
                        is fixed when the chart is rendered; the numbers are not.
  pytorch.rdzvConf      of an elastic job: PET_RDZV_CONF, as in timeout=900,last_call_timeout=10;
                        the chart adds is_host
  pytorch.hostfile      with deepspeed, every container has the file /job/hostfile, where its
                        launcher looks for a line `HOST slots=N` for each replica. N is
                        nprocPerNode, which has to be a number then, or else the devices of the
                        replica. By default none; an elastic job has none.
  pytorch.sharedMemory  the size of /dev/shm, by default what the pod's memory limit allows; `none`:
                        the 64 MB that every container has, which data loaders soon exhaust

Restarts
  All fail, and all come back: a replica that is restarted alone cannot rejoin a group that goes on
  without it. So all fail, and each is started again in its pod by its own Job (restartPolicy:
  OnFailure, backoffLimit: 10): several times, because they fail one after another. Let the program
  save checkpoints. Replicas that have lost another one exit with code 1, and so does torchrun,
  whatever the exit codes of its processes, so `exitCodes` is of little use.
  In an elastic job a worker that comes back joins again, within PET_MAX_RESTARTS (by default 3);
  worker 0 must stay, because the others meet there.

Launchers
  torchrun             needs no arguments but the script; options that the chart sets for each
                       replica (--nnodes, --node_rank, --nproc_per_node, ...) would win over the
                       chart's
  python               one process per replica, by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT
  accelerate launch    needs --num_machines=$(PET_NNODES) --machine_rank=$(PET_NODE_RANK)
                       --main_process_ip=$(MASTER_ADDR) --main_process_port=$(MASTER_PORT) and
                       --num_processes=$(WORLD_SIZE), with pytorch.nprocPerNode as a number:
                       otherwise it divides the devices of one replica among all replicas
  deepspeed            by torchrun, by python, or by its own launcher on every replica, with
                       pytorch.hostfile: deepspeed and --no_ssh --node_rank=$(PET_NODE_RANK)
                       --master_addr=$(MASTER_ADDR) --master_port=$(MASTER_PORT)
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.frameworks.pytorch.launchers import check_launchers, check_processes
from chartgen.job.model import Job
from chartgen.plan import restarts
from chartgen.plan.late import (
    Chosen,
    Devices,
    First,
    Host,
    Option,
    PeerList,
    Peers,
    Port,
    Range,
    Rank,
    RuntimeId,
    Text,
    Total,
    Tree,
    text,
)
from chartgen.plan.model import Config, Env, Mount, Plan, PodField, RolePlan, Volume

NAME = "pytorch"
TITLE = "PyTorch"
ROLES = {
    "master": "has rank 0 and decides how the job ends, as in a PyTorchJob",
    "worker": "trains; without a master, worker 0 has rank 0",
}  # in the order of ranks
FIRST = ("worker",)
OPTIONS = {
    "nprocPerNode": None,
    "minReplicas": None,
    "maxReplicas": None,
    "rdzvConf": "timeout=600",  # torchrun's own default
    "hostfile": ("none", "deepspeed"),
    "sharedMemory": None,
}
CONTAINER = "pytorch"

_PORT = 29500
_SHM = "/dev/shm"
_HOSTFILE = Chosen("pytorch.hostfile", "deepspeed")
_HOSTS = Mount("hostfile", "chartgen-hostfile", "/job", _HOSTFILE)
_SLOTS = "{host} slots={devices}"
_ELASTIC = ("minReplicas", "maxReplicas")


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that one replica has rank 0, and that the numbers of an elastic job fit."""
    if job.replicas("master") > 1:
        message = f"a job has 1 master, not {job.replicas('master')}"
        yield document.problem(("roles", "master", "replicas"), message, "role-one-replica")
    first = _first(job)
    if first not in job.roles:
        message = "no worker; expected workers, of which the first has rank 0, or a master"
        yield document.missing(("roles",), message, "role-missing", key=True)
    elif not job.replicas(first):
        message = f"no {first} (0 replicas), but it has rank 0; expected at least 1"
        yield document.problem(("roles", first, "replicas"), message, "role-no-replicas")
    yield from _check_elastic(job, document)
    yield from check_processes(job, document)
    if not _elastic(job):
        yield from check_launchers(job, document)


def _check_elastic(job: Job, document: Document) -> Iterator[Problem]:
    given = [name for name in _ELASTIC if name in job.options]
    if not given:
        return
    if len(given) == 1:
        (other,) = {*_ELASTIC} - {*given}
        message = f"{given[0]} without {other}; an elastic job has both"
        yield document.problem((NAME, given[0]), message, "pytorch-elastic-range", key=True)
        return
    least, most = (job.options[name] for name in _ELASTIC)
    if least > most:
        message = f"minReplicas ({least}) is above maxReplicas ({most})"
        yield document.problem((NAME, "minReplicas"), message, "pytorch-elastic-range")
    if "master" in job.roles:
        message = "an elastic job has only workers, which meet at worker 0"
        hint = "remove the master, or minReplicas and maxReplicas"
        yield document.problem(
            ("roles", "master"), message, "pytorch-elastic-master", hint, key=True
        )
    if least <= most < job.replicas("worker"):
        message = f"{job.replicas('worker')} workers, but torchrun takes at most {most}"
        hint = "raise pytorch.maxReplicas"
        yield document.warning(
            ("roles", "worker", "replicas"), message, "pytorch-elastic-range", hint
        )


def plan(job: Job) -> Plan:
    """Plan the roles with their variables, and shared memory for the data loaders."""
    elastic = _elastic(job)
    roles = tuple(role for role in ROLES if role in job.roles)
    peers = Config("peers", {"hosts": text(Peers((_first(job),), "lines"))})
    fixed = ("sharedMemory",) if _small(job) else ()
    env = _env(job, roles, elastic=elastic)
    reserved = tuple(variable.name for variable in env if not variable.default)
    return Plan(
        title=TITLE,
        roles=tuple(_role(job, role, env) for role in roles),
        configs=(peers,) if elastic else (peers, _hostfile(roles)),
        completion_role=_first(job),
        completion="first" if elastic or "master" in job.roles else "all",
        reserved_env=reserved,
        fixed_options=("hostfile", *fixed) if elastic else (*_ELASTIC, "rdzvConf", *fixed),
    )


def _hostfile(roles: tuple[str, ...]) -> Config:
    """The list of all replicas as DeepSpeed's launcher reads it."""
    lines = PeerList(roles, _SLOTS, "\n", "pytorch.nprocPerNode")
    return Config("hostfile", {"hostfile": text(lines, "\n")}, when=_HOSTFILE)


def _first(job: Job) -> str:
    """The role whose first replica has rank 0."""
    return "master" if "master" in job.roles else "worker"


def _elastic(job: Job) -> bool:
    return any(name in job.options for name in _ELASTIC)


def _small(job: Job) -> bool:
    """Whether the chart leaves /dev/shm alone, because the job says so or brings its own."""
    if job.options.get("sharedMemory") == "none":
        return True
    mounts: list[str] = []
    for role in job.roles.values():
        for override in ("", *role.overrides):
            spec = job.spec(role.name, override)
            mounts += [mount.get("mountPath", "") for mount in spec.get("volumeMounts", ())]
    return _SHM in mounts


def _role(job: Job, name: str, env: tuple[Env, ...]) -> RolePlan:
    size: dict[str, Tree] = {"medium": "Memory", "sizeLimit": text(Option("pytorch.sharedMemory"))}
    memory = Volume("chartgen-shm", {"emptyDir": size}, _SHM)
    leads = name == _first(job)
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=_PORT,
        port_name="pytorchjob-port",
        service=leads,
        labels={},
        env=env,
        mounts=() if _elastic(job) else (_HOSTS,),
        volumes=() if _small(job) else (memory,),
        at_most=1 if name == "master" else None,
        at_least=1 if leads else 0,
        meets=leads,
        rescalable=_elastic(job),
        rank_after=() if leads else ("master",),
        defaults=restarts.TOGETHER,
        lost_peer=1,
    )


def _env(job: Job, roles: tuple[str, ...], *, elastic: bool) -> tuple[Env, ...]:
    processes = Env("PET_NPROC_PER_NODE", text(Devices("pytorch.nprocPerNode")))
    unbuffered = Env("PYTHONUNBUFFERED", text("1"), default=True)
    first = _first(job)
    if elastic:
        return (*_elastic_env(first), processes, unbuffered)
    host, port = text(Host(first, 0)), text(Port(first, 0))
    rank: Text = text(Rank())
    return (
        Env("MASTER_ADDR", host),
        Env("MASTER_PORT", port),
        Env("WORLD_SIZE", text(Total(roles, "pytorch.nprocPerNode"))),
        Env("RANK", rank),
        Env("LOCAL_RANK", text("0"), default=True),
        Env("PET_MASTER_ADDR", host),
        Env("PET_MASTER_PORT", port),
        Env("PET_NNODES", text(Total(roles))),
        Env("PET_NODE_RANK", rank),
        processes,
        unbuffered,
    )


def _elastic_env(first: str) -> tuple[Env, ...]:
    """The meeting at worker 0, which must know that it is the host: its pod has another name."""
    return (
        Env("PET_RDZV_BACKEND", text("c10d")),
        Env("PET_RDZV_ENDPOINT", text(Host(first, 0), ":", Port(first, 0))),
        Env("PET_RDZV_ID", text(RuntimeId())),
        Env("PET_RDZV_CONF", text(Option("pytorch.rdzvConf"), ",is_host=", First())),
        Env("PET_NNODES", text(Range("pytorch.minReplicas", "pytorch.maxReplicas"))),
        # The address at which others reach this replica; by default a name that only it knows.
        Env("PET_LOCAL_ADDR", PodField("status.podIP")),
        Env("PET_MAX_RESTARTS", text("3"), default=True),
        # Otherwise a worker that comes back waits for a key that was written once, and all fail.
        Env("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", text("1"), default=True),
    )
