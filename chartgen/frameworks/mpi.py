"""MPI: a launcher that starts the ranks of a program on workers; also Horovod.

The launcher runs mpirun or mpiexec, which finds the workers in a hostfile and starts the program
there. The hostfile is filled in when Helm installs the chart, so it follows
`--set roles.worker.replicas=8` and `--set mpi.slots=4`. Workers end when the launcher has ended.

Roles
  launcher  runs mpirun; exactly one, and it decides how the job ends
  worker    waits for the launcher and runs the ranks

Example
  name: allreduce
  framework: mpi
  image: registry.example.com/allreduce:5.0
  roles:
    launcher:
      command: [mpirun, python, /app/train.py]
    worker:
      replicas: 4
      gpu: 8

Options
  mpi.implementation       openmpi (the default: versions 4 and 5), intel or mpich; fixed when the
                           chart is rendered
  mpi.slots                ranks on a worker; by default the devices that it requests, at least 1
  mpi.runLauncherAsWorker  whether the launcher runs ranks too, the first ones; by default false
  mpi.start: ssh           the launcher starts ranks by ssh, which each worker serves (the default)
  mpi.start: proxy         MPICH only: workers connect to the launcher, without ssh and keys. The
                           choice is fixed when the chart is rendered. Every mpiexec has to use all
                           workers, because a worker that it does not expect disturbs it.
  mpi.sshSecret            a Secret with keys of your own, in ssh-privatekey and ssh-publickey
  mpi.sshAuthMountPath     a directory such as /root/.ssh that also gets the keys, as id_rsa,
                           id_rsa.pub and authorized_keys, for programs that call ssh themselves

Environment
  Set in the container `mpi` of the launcher; the job cannot set these itself:
    MPI_NP                 the number of ranks that the hostfile has room for, as in
                           `command: [mpirun, -np, $(MPI_NP), ...]`; without -np it is used anyway
    Open MPI 4             OMPI_MCA_orte_default_hostfile, OMPI_MCA_plm_rsh_agent,
                           OMPI_MCA_orte_keep_fqdn_hostnames, OMPI_MCA_orte_set_default_slots
    Open MPI 5             PRTE_MCA_prte_default_hostfile, PRTE_MCA_plm_ssh_agent: it ignores the
                           names above, and would run all ranks in the launcher
    Intel MPI              I_MPI_HYDRA_HOST_FILE, I_MPI_HYDRA_BOOTSTRAP,
                           I_MPI_HYDRA_BOOTSTRAP_EXEC, I_MPI_PERHOST
    MPICH                  HYDRA_HOST_FILE, HYDRA_LAUNCHER, HYDRA_LAUNCHER_EXEC; with mpi.start:
                           proxy also MPIEXEC_PORT_RANGE, the launcher's port, by default 9999
  Set unless the job sets them:
    K_MPI_JOB_ROLE         launcher or worker, as in an MPIJob
    OMPI_ALLOW_RUN_AS_ROOT, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM  1
    MPIR_CVAR_CH4_CMA_ENABLE, UCX_POSIX_USE_PROC_LINK  0 and n with MPICH: the processes of a pod
                           may not read each other's memory
    HOROVOD_CONTROLLER, HOROVOD_CPU_OPERATIONS  mpi: Horovod never runs without mpirun here
    NVIDIA_VISIBLE_DEVICES, NVIDIA_DRIVER_CAPABILITIES  empty in a launcher that has no ranks and
                           requests no device
  In workers, the chart sets MPI_SSH_PORT, or MPI_LAUNCHER and MPI_PROXY_ID. Ranks have the
  environment of their worker: `env` of the role reaches them, even over ssh.

Files
  /etc/mpi/hostfile           HOST slots=N, or HOST:N for Intel MPI and MPICH
  /etc/mpi/discover_hosts.sh  prints the workers that answer, for Horovod's elastic jobs
  /etc/mpi/ssh.sh             what MPI runs in the place of ssh; other programs may use
                              `ssh -F /run/mpi/ssh_config` after it has run once

Keys
  A Job in the cluster makes a pair of keys once and puts it into the Secret RELEASE-ssh. It may
  read and change that one Secret. The keys are not in the values, in Git or in Helm's record of the
  release; upgrades keep them, and uninstalling removes them. For new keys, delete the Secret and
  the Job and upgrade. Without rights for that, bring a Secret: mpi.sshSecret.

The image
  Launcher and workers need MPI at the same path and, for mpi.start: ssh, OpenSSH's ssh, sshd
  and ssh-keygen. Any user will do, as long as it is in /etc/passwd with a shell; sshd listens on
  roles.worker.port, by default 2222, with a configuration of its own. A worker with a command of
  its own has to serve ssh there itself. For mpi.start: proxy, workers need python3 or bash.

Restarts
  Workers keep running, and the launcher tries again: when a worker is lost, mpirun fails, and the
  launcher gets a new pod (restartPolicy: Never), up to 6 times, which first waits until all workers
  answer. A worker is started again in its pod (OnFailure). mpirun passes on the exit code of its
  program, so `exitCodes` of the launcher can say what is not worth another try.
"""

from collections.abc import Iterator

from chartgen.devices.request import names_device
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.frameworks import launchers
from chartgen.job.model import Job
from chartgen.plan import restarts
from chartgen.plan.late import (
    Chosen,
    Devices,
    DeviceTotal,
    Given,
    Host,
    KeySecret,
    Only,
    Option,
    Ordinal,
    PeerList,
    Peers,
    Pick,
    Port,
    ShippedFile,
    Text,
    Tree,
    text,
)
from chartgen.plan.model import Config, Env, Mount, Plan, RolePlan, Start, Volume, Wait

NAME = "mpi"
TITLE = "MPI"
ROLES = {
    "launcher": "runs mpirun, and decides how the job ends",
    "worker": "waits for the launcher and runs the ranks",
}
FIRST = ("launcher", "worker")
OPTIONS = {
    "implementation": ("openmpi", "intel", "mpich"),
    "slots": None,
    "runLauncherAsWorker": False,
    "start": ("ssh", "proxy"),
    "sshSecret": None,
    "sshAuthMountPath": None,
}
CONTAINER = "mpi"

_SSH_PORT, _CONTROL_PORT = 2222, 9999
_SLOTS = "mpi.slots"
_WORKERS, _ALL = ("worker",), ("launcher", "worker")
_WORKERS_ONLY = Chosen("mpi.runLauncherAsWorker", "false")
_NVIDIA = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
_PATH = "/etc/mpi"
_HOSTFILE, _AGENT = f"{_PATH}/hostfile", f"{_PATH}/ssh.sh"
_MOUNT = Mount("mpi", "chartgen-mpi", _PATH, mode=0o555)
_PATIENCE = text("-o ConnectionAttempts=10")
# The processes of a pod may not read each other's memory, as MPICH expects of those on one host;
# mpiexec passes these variables on to all ranks.
_IN_PODS = (
    Env("MPIR_CVAR_CH4_CMA_ENABLE", text("0"), default=True),
    Env("UCX_POSIX_USE_PROC_LINK", text("n"), default=True),
)
_SSH_FILES = ("keys.sh", "ssh.sh", "sshd.sh", "discover_hosts.sh")
_FIXED = ("implementation", "start")
_HOROVOD_HOSTS = {"H", "hosts", "hostfile", "host_discovery_script"}
_UNUSED_BY_PROXY = ("runLauncherAsWorker", "sshSecret", "sshAuthMountPath")


def _keys(mode: Tree, names: dict[str, str]) -> dict[str, Tree]:
    """A volume with keys under these names; pods wait until the Secret has them."""
    items: list[Tree] = []
    for name, key in names.items():
        items.append({"key": f"ssh-{key}", "path": name})
    return {"secret": {"secretName": text(KeySecret()), "defaultMode": mode, "items": items}}


_IDENTITY = {"id_rsa": "privatekey", "id_rsa.pub": "publickey", "authorized_keys": "publickey"}
_VOLUMES = (
    # The pod may run as any user, and without a group of its own.
    Volume("chartgen-keys", _keys(0o444, {"ssh-privatekey": "privatekey"}), "/etc/mpi-keys"),
    Volume("chartgen-run", {"emptyDir": {"medium": "Memory", "sizeLimit": "16Mi"}}, "/run/mpi"),
    Volume(
        "chartgen-ssh",
        # The names and modes of an MPIJob: ssh refuses keys of root's that others may read.
        _keys(Only(0o600, Chosen("mpi.sshAuthMountPath", "/root/.ssh")), _IDENTITY),
        Option("mpi.sshAuthMountPath"),
        Given("mpi.sshAuthMountPath"),
    ),
)


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that there is one launcher, and somebody to run ranks."""
    if "launcher" not in job.roles:
        message = "no launcher; expected one, which runs mpirun"
        yield document.missing(("roles",), message, "role-missing", key=True)
    elif job.replicas("launcher") != 1:
        message = f"a job has 1 launcher, not {job.replicas('launcher')}"
        yield document.problem(("roles", "launcher", "replicas"), message, "role-one-replica")
    if not job.options["runLauncherAsWorker"]:
        hint = "without workers, mpi.runLauncherAsWorker runs all ranks in the launcher"
        if "worker" not in job.roles:
            message = "no worker; expected workers, which run the ranks"
            yield document.missing(("roles",), message, "role-missing", hint, key=True)
        elif not job.replicas("worker"):
            message = "no workers (0 replicas), but they run the ranks; expected at least 1"
            where = ("roles", "worker", "replicas")
            yield document.problem(where, message, "role-no-replicas", hint)
    if _proxy(job):
        yield from _check_proxy(job, document)
    if "launcher" in job.roles:
        yield from _check_horovodrun(job, document)


def _check_horovodrun(job: Job, document: Document) -> Iterator[Problem]:
    """Unlike mpirun, it reads no variable with the name of a hostfile."""
    command = launchers.words(job, "launcher")
    name, rest = launchers.find_program(command, {"horovodrun": "horovodrun"})
    if name and not {word.option for word in rest} & _HOROVOD_HOSTS:
        message = "horovodrun runs all ranks in the launcher unless it is told the hosts"
        hint = f"add --hostfile {_HOSTFILE}, or use mpirun"
        start = command[len(command) - len(rest) - 1]
        yield document.warning(start.path, message, "mpi-horovodrun", hint)


def _check_proxy(job: Job, document: Document) -> Iterator[Problem]:
    rule = "mpi-start-proxy"
    if not _is(job, "mpich"):
        message = f"start: proxy needs MPICH; the implementation is {job.options['implementation']}"
        hint = "set mpi.implementation to mpich, or mpi.start to ssh"
        yield document.problem((NAME, "start"), message, rule, hint)
    if job.options["runLauncherAsWorker"]:
        message = "with start: proxy only workers have ranks"
        hint = "remove it, or set mpi.start to ssh"
        yield document.problem((NAME, "runLauncherAsWorker"), message, rule, hint, key=True)
    for option in ("sshSecret", "sshAuthMountPath"):
        if option in job.options:
            message = f"{option} has no effect: with start: proxy there is no ssh"
            yield document.warning((NAME, option), message, rule, "remove it", key=True)


def plan(job: Job) -> Plan:
    """Plan the launcher with its hostfile, and workers that it reaches by ssh or that reach it."""
    proxy = _proxy(job)
    variables = (*_launcher_env(job), *_worker_env(job))
    reserved = dict.fromkeys(env.name for env in variables if not env.default)
    return Plan(
        title=TITLE,
        roles=tuple(_role(job, role) for role in ROLES if role in job.roles),
        configs=(Config("mpi", _files(job)),),
        completion_role="launcher",
        reserved_env=tuple(reserved),
        cleanup=True,
        fixed_options=(*_FIXED, *_UNUSED_BY_PROXY) if proxy else _FIXED,
        ssh_keys="" if proxy else "mpi.sshSecret",
    )


def _is(job: Job, implementation: str) -> bool:
    return bool(job.options["implementation"] == implementation)


def _proxy(job: Job) -> bool:
    return bool(job.options["start"] == "proxy")


def _files(job: Job) -> dict[str, Text | ShippedFile]:
    """The ConfigMap: whom others connect to, whom the launcher starts, and programs for both."""
    item = "{host} slots={devices}" if _is(job, "openmpi") else "{host}:{devices}"
    workers, everybody = (text(PeerList(roles, item, "\n", _SLOTS)) for roles in (_WORKERS, _ALL))
    if _proxy(job):
        return {
            "hosts": text(Peers(("launcher",), "lines")),
            "hostfile": text(*workers, "\n"),
            "proxy.sh": ShippedFile("mpi_proxy.sh"),
        }
    return {
        "hosts": text(Peers(_WORKERS, "lines")),
        "hostfile": text(_with_ranks(workers, everybody), "\n"),
        **{name: ShippedFile(f"mpi_{name}") for name in _SSH_FILES},
    }


def _with_ranks(workers: Text, everybody: Text) -> Pick:
    """What is said of those with ranks: the workers, or the launcher too."""
    return Pick(_WORKERS_ONLY.option, (("false", workers), ("true", everybody)))


def _role(job: Job, name: str) -> RolePlan:
    launcher, proxy = name == "launcher", _proxy(job)
    wait = Wait("wait-workers", (), hosts=f"{_PATH}/hosts", mount=_MOUNT)
    common = RolePlan(
        name=name,
        container=CONTAINER,
        port=_CONTROL_PORT,
        port_name="mpi-port",
        service=True,
        labels={},
        env=_launcher_env(job) if launcher else _worker_env(job),
        mounts=(_MOUNT,),
        volumes=() if proxy else _VOLUMES,
    )
    if launcher:
        return common._replace(
            # MPICH and Intel MPI give workers the name of the pod, which they have to resolve.
            pod={"hostname": text(Host(name))},
            waits=() if proxy else (wait,),
            at_most=1,
            at_least=1,
            defaults=restarts.ANEW,
        )
    program = "proxy.sh" if proxy else "sshd.sh"
    return common._replace(
        port=None if proxy else _SSH_PORT,
        port_name="" if proxy else "ssh",
        service=not proxy,
        start=Start((text("/bin/sh"), text(f"{_PATH}/{program}"))),
        at_least=0 if job.options["runLauncherAsWorker"] else 1,
        serves=True,
    )


def _launcher_env(job: Job) -> tuple[Env, ...]:
    """What mpirun reads, by the names of every version; the operators' come first."""
    workers, everybody = (text(DeviceTotal(roles, _SLOTS)) for roles in (_WORKERS, _ALL))
    if _proxy(job):
        start: tuple[Env, ...] = (
            Env("HYDRA_HOST_FILE", text(_HOSTFILE)),
            Env("HYDRA_LAUNCHER", text("manual")),
            Env("MPIEXEC_PORT_RANGE", text(Port(), ":", Port())),
            Env("MPI_NP", workers),
            *_IN_PODS,
        )
    else:
        slots = text(Devices(_SLOTS, "worker" if "worker" in job.roles else "launcher"))
        own = {"openmpi": _openmpi_env(slots), "intel": _intel_env(slots), "mpich": _mpich_env()}
        ranks = text(_with_ranks(workers, everybody))
        start = (*own[job.options["implementation"]], Env("MPI_NP", ranks))
    hidden: tuple[Env, ...] = ()
    if "launcher" in job.roles and not names_device(job.spec("launcher")):
        when = None if _proxy(job) else _WORKERS_ONLY
        hidden = tuple(Env(name, text(""), when, default=True) for name in _NVIDIA)
    return (*start, *hidden, *_common_env("launcher"))


def _openmpi_env(slots: Text) -> tuple[Env, ...]:
    return (
        Env("OMPI_MCA_orte_keep_fqdn_hostnames", text("true")),
        Env("OMPI_MCA_orte_default_hostfile", text(_HOSTFILE)),
        Env("OMPI_MCA_plm_rsh_agent", text(_AGENT)),
        Env("OMPI_MCA_plm_rsh_args", _PATIENCE, default=True),
        Env("OMPI_MCA_orte_set_default_slots", slots),
        Env("PRTE_MCA_prte_default_hostfile", text(_HOSTFILE)),
        Env("PRTE_MCA_plm_ssh_agent", text(_AGENT)),
        Env("PRTE_MCA_plm_ssh_args", _PATIENCE, default=True),
        Env("OMPI_ALLOW_RUN_AS_ROOT", text("1"), default=True),
        Env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", text("1"), default=True),
    )


def _intel_env(slots: Text) -> tuple[Env, ...]:
    return (
        Env("I_MPI_HYDRA_HOST_FILE", text(_HOSTFILE)),
        Env("I_MPI_HYDRA_BOOTSTRAP", text("ssh")),
        Env("I_MPI_HYDRA_BOOTSTRAP_EXEC", text(_AGENT)),
        Env("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", _PATIENCE, default=True),
        Env("I_MPI_PERHOST", slots),
    )


def _mpich_env() -> tuple[Env, ...]:
    return (
        Env("HYDRA_HOST_FILE", text(_HOSTFILE)),
        Env("HYDRA_LAUNCHER", text("ssh")),
        Env("HYDRA_LAUNCHER_EXEC", text(_AGENT)),
        Env("HYDRA_LAUNCH_EXTRA_ARGS", _PATIENCE, default=True),
        *_IN_PODS,
    )


def _worker_env(job: Job) -> tuple[Env, ...]:
    if not _proxy(job):
        return (Env("MPI_SSH_PORT", text(Port())), *_common_env("worker"))
    return (
        Env("MPI_LAUNCHER", text(Host("launcher", 0), ":", Port("launcher", 0))),
        Env("MPI_PROXY_ID", text(Ordinal())),
        *_common_env("worker"),
    )


def _common_env(role: str) -> tuple[Env, ...]:
    return (
        Env("K_MPI_JOB_ROLE", text(role), default=True),
        Env("HOROVOD_CONTROLLER", text("mpi"), default=True),
        Env("HOROVOD_CPU_OPERATIONS", text("mpi"), default=True),
    )
