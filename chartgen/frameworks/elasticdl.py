"""ElasticDL: training that goes on while workers come and go, with a master that hands out tasks and keeps the model.

The ElasticDL is that of July 2019, whose master is also the parameter server. The image holds it, and the model.

Roles
  master  hands out tasks, keeps the model and decides how the job ends; exactly one
  worker  asks the master for tasks until there are no more

Example
  name: hello-world
  framework: elasticdl
  image: registry.example.com/mnist:1
  volumes:
    - {name: data, persistentVolumeClaim: {claimName: mnist}}
  volumeMounts:
    - {name: data, mountPath: /data}
  roles:
    master: {activeDeadlineSeconds: 86400}
    worker: {replicas: 2}
  elasticdl:
    params:
      model_def: /model_zoo/mnist_subclass
      training_data_dir: /data/mnist/train
      records_per_task: 100
      minibatch_size: 64

Options
  elasticdl.params: the master's own flags, by their own names; workers get those that they need. model_def (a directory
    in the image, with a Python file of its name), records_per_task and minibatch_size are needed, and data: to train,
    training_data_dir, and evaluation_data_dir to evaluate on the way; to evaluate a checkpoint, evaluation_data_dir
    alone; to predict with one, prediction_data_dir alone.
  elasticdl.jobName: the value of the label elasticdl_job_name, and part of the names of pods that the master makes;
    left out, the release's name, so that two releases never meet. A command line's --job_name is kept as it is.
  elasticdl.expansion: who makes the workers, static or native; it is chosen when the chart is rendered.

static: the chart makes the workers (the default)
  A Job and a Service for the master, and a Job for each worker, which waits until the master listens. No pod speaks to
  the cluster's API, and all that a role can say holds for workers: env, nodeSelector, accelerators, overrides, ...
  `helm upgrade --set roles.worker.replicas=4` adds workers to a job that runs.
  Lost is what made ElasticDL elastic: only a master that makes its workers takes back the task of one that is gone.
  If a worker is killed, or fails in the middle of a task, that task is never done, the other workers are told to wait,
  and the job does not end: give roles.master an activeDeadlineSeconds. A master that starts again begins anew, or with
  params.checkpoint_filename_for_init. A worker that starts when the master is over waits for ever, unless the clean-up
  (cleanup: {enabled: true}) ends it.

native: the master makes the workers (the default for command lines)
  A Job for the master, which makes, watches and replaces its workers through the cluster's API; its service account
  may create, get, list and watch pods. It is told what roles.worker says: replicas, image, imagePullPolicy, resources,
  priorityClassName, restartPolicy, and one claim to mount. Workers that are deleted or preempted are replaced as soon
  as there is room; those that fail are not.
  Lost is what the master has no way to pass on: env, nodeSelector, tolerations, what a cloud adds for a device, other
  volumes. And Helm does not know the workers, which belong to no object of the release: a hook removes those that are
  left, on uninstall and before an upgrade that replaces the master. The master is never started twice, for the second
  would meet the workers of the first. Nor can two releases in one namespace have the same jobName, for their workers
  would have the same names: the chart has a ConfigMap elasticdl-NAME, and Helm refuses to install a second.

The job's end, its labels and its environment
  The job ends with its master, within 30 seconds after the last task. A worker that asks it for another task at that
  moment fails; a worker of a static job is then taken for done, as soon as it is plain that the master's pod is over.
  All pods have the label elasticdl_job_name, and app: elasticdl. The master has MY_POD_IP, which the job cannot set.

TensorBoard and priorities
  tensorboard: {logDir: /data/log} adds a Deployment and a Service on port 80; give it the volume that logDir is on.
  The master writes events there after each evaluation. It used to serve them as well, behind a load balancer that it
  made, and to go on with that when the training was over; here it does not, and ends.
  priorityClassName is a PriorityClass of the cluster; priorityClasses: {high-priority: 1000000} makes one. It belongs
  to the whole cluster, so only one release can have it.

Coming from ElasticDL's client
  `chartgen render train.sh` takes a command line of the client in a file, and `chartgen convert train.sh` shows what it
  means here; ${NAME} is filled by --define NAME=VALUE. The client built an image for every job. chartgen does not:
  build one that holds ElasticDL and the model at /model_zoo/NAME, and add --image_name=IMAGE to the line.
  --job_name                         name, and elasticdl.jobName
  --model_def=some/where/mnist       elasticdl.params.model_def: /model_zoo/mnist, where the client put it
  --num_workers                      roles.worker.replicas
  --worker_resource_limit, ...       roles.worker.resources, roles.master.resources
  --worker_pod_priority, ...         roles.worker.priorityClassName, roles.master.priorityClassName
  --volume, --tensorboard_log_dir    volumes and volumeMounts, tensorboard.logDir
  what the master takes              elasticdl.params
  What the client dropped without a word holds: --worker_pod_priority, --log_level, --checkpoint_filename_for_init.
  Unknown flags, which it passed over, are problems. Flags of later clients are read as what they mean, or are problems
  if the master of July 2019 has nothing like them. What it cannot tell its workers makes the job static.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import (
    Config,
    Env,
    Field,
    Host,
    Mount,
    Option,
    Peers,
    Plan,
    Port,
    Release,
    RolePlan,
    Rule,
    ShippedFile,
    Text,
    Wait,
    Words,
    text,
)

NAME = "elasticdl"
TITLE = "ElasticDL"
ROLES = {
    "master": "hands out tasks, keeps the model and decides how the job ends",
    "worker": "asks the master for tasks until there are no more",
}
FIRST = ("master", "worker")
OPTIONS = {"expansion": ("static", "native"), "jobName": None, "params": None}
CONTAINER = "elasticdl"

_PORT = 50001
_START = "/etc/chartgen/start"
_TAKES = ("image", "imagePullPolicy", "resources", "priorityClassName", "restartPolicy", "volumes", "volumeMounts")
# What of the master's need not reach workers.
_MASTERS = ("restartPolicy", "backoffLimit", "activeDeadlineSeconds", "serviceAccountName")
_DATA = ("training_data_dir", "evaluation_data_dir", "prediction_data_dir")
_INIT = "checkpoint_filename_for_init"


def check(job: Job, document: Document) -> Iterator[Problem]:
    """One master and its workers, data to work on, and for a master that makes them, workers such as it can make."""
    for role in [role for role in ROLES if role not in job.roles]:
        message = f"there is no {role}; expected a master and workers"
        yield document.problem(("roles",), message, "missing-role", key=True)
    if "master" in job.roles and job.replicas("master") != 1:
        message = f"a job has 1 master, not {job.replicas('master')}"
        yield document.problem(("roles", "master", "replicas"), message, "one-master")
    if "worker" in job.roles and not job.replicas("worker"):
        message = "there are no workers (0 replicas) to do the master's tasks; expected at least 1"
        yield document.problem(("roles", "worker", "replicas"), message, "no-worker")
    yield from _check_params(job, document)
    if _native(job):
        yield from _check_native(job, document)


def _check_params(job: Job, document: Document) -> Iterator[Problem]:
    params: Mapping[str, Any] = job.options.get("params", {})
    at: Path = (NAME, "params")
    if not params:
        message = "missing 'elasticdl.params': the master's own flags, model_def and others"
        yield document.problem((NAME,), message, "no-params", "`chartgen explain elasticdl` has an example", key=True)
        return
    data = [name for name in _DATA if name in params]
    if not data:
        message = f"there is no data; expected {', '.join(_DATA[:2])} or {_DATA[2]}"
        yield document.problem(at, message, "no-data", key=True)
    if "prediction_data_dir" in data and len(data) > 1:
        message = f"prediction goes alone, and there is {data[0]} too; expected one of them"
        yield document.problem((*at, "prediction_data_dir"), message, "prediction", key=True)
    elif data and "training_data_dir" not in data and _INIT not in params:
        message = f"without training there is no model; expected {_INIT}, the checkpoint to use"
        yield document.problem((*at, data[0]), message, "no-checkpoint", key=True)


def _check_native(job: Job, document: Document) -> Iterator[Problem]:
    shared = [word for word in job.shared if word not in (*_TAKES, *_MASTERS)]
    if job.settings.get("podSecurity", "none") != "none":
        shared.append("podSecurity")
    for word in shared:
        message = f"{word!r} is for the master alone: it makes the workers and has no way to tell them"
        yield document.warning((word,), message, "not-taken", "with expansion: static it is for all", key=True)
    yield from _check_restart(job, document)
    if "worker" in job.roles:
        yield from _check_volumes(job, document)
        yield from _check_resources(job, document)


def _check_restart(job: Job, document: Document) -> Iterator[Problem]:
    """A second start of the master would meet the workers of the first, by the same names."""
    for word, only in (("restartPolicy", "Never"), ("backoffLimit", 0)):
        said = job.spec("master").get(word, only) if "master" in job.roles else only
        if said != only:
            own = word in job.roles["master"].spec
            message = f"a master that makes its workers is never started twice; expected {word}: {only} for it"
            yield document.problem(("roles", "master", word) if own else (word,), message, "started-twice")


def _check_volumes(job: Job, document: Document) -> Iterator[Problem]:
    """One claim, mounted once, is all that a master can give to its workers."""
    spec = job.spec("worker")
    at: Path = ("roles", "worker") if "volumes" in job.roles["worker"].spec else ()
    volumes, mounts = spec.get("volumes", []), spec.get("volumeMounts", [])
    odd = [volume for volume in volumes if "persistentVolumeClaim" not in volume]
    odd += [mount for mount in mounts if mount.keys() - {"name", "mountPath"}]
    if odd or len(volumes) > 1 or len(mounts) > 1:
        message = "a master that makes its workers can give them one claim, mounted once and as a whole"
        hint = "with expansion: static there may be any"
        yield document.problem((*at, "volumes"), message, "one-claim", hint, key=True)


def _check_resources(job: Job, document: Document) -> Iterator[Problem]:
    """The master knows CPUs, memory, disk space and GPUs."""
    at: Path = ("roles", "worker", "resources") if "resources" in job.roles["worker"].spec else ("resources",)
    for part in ("requests", "limits"):
        for name in job.spec("worker").get("resources", {}).get(part, {}):
            if name not in ("cpu", "memory", "ephemeral-storage") and not name.endswith("/gpu"):
                message = f"a master that makes its workers cannot ask for {name!r} for them"
                hint = "it knows cpu, memory, ephemeral-storage and GPUs such as nvidia.com/gpu"
                yield document.problem((*at, part, name), message, "worker-resource", hint, key=True)


def _native(job: Job) -> bool:
    return bool(job.options["expansion"] == "native")


def _job_name(job: Job) -> Text:
    """What pods are known by: a name that is given stays a value; without one there is nothing to be set."""
    return text(Option("elasticdl.jobName")) if "jobName" in job.options else text(Release())


def _workers(job: Job) -> Text:
    """What selects the workers that a master makes."""
    return text("elasticdl_job_name=", *_job_name(job), ",!chartgen/runtime-id")


def plan(job: Job) -> Plan:
    """The master and, unless it makes them itself, the workers."""
    native = _native(job)
    peers = Config("peers", {"hosts": text(Peers(("master",), "lines"))})
    scripts = {} if native else {"worker.py": ShippedFile("elasticdl_worker.py")}
    if "tensorboard" in job.settings:
        scripts["master.py"] = ShippedFile("elasticdl_master.py")
    roles = {"master": _master(job, native=native), "worker": _worker(job, native=native)}
    return Plan(
        title=TITLE,
        roles=tuple(role for name, role in roles.items() if name in job.roles),
        configs=(*(() if native else (peers,)), *((Config("start", scripts),) if scripts else ())),
        decides="master",
        reserved_env=("MY_POD_IP",),
        settled=("expansion",) if "jobName" in job.options else ("expansion", "jobName"),
        tensorboard_labels={"elasticdl_job_name": _job_name(job)},
        rules=(Rule("", ("pods",), ("create", "get", "list", "watch")),) if native else (),
        strays=_workers(job) if native else (),
        reserved=text(f"{NAME}-", *_job_name(job)) if native else (),
        notes=(_NATIVE_NOTE,) if native else () if _has_deadline(job) else (_STATIC_NOTE,),
    )


def _has_deadline(job: Job) -> bool:
    return "master" in job.roles and "activeDeadlineSeconds" in job.spec("master")


_NATIVE_NOTE = "The workers are made by the master, which replaces lost ones, and are removed with the release."
_STATIC_NOTE = """\
A worker that is lost takes its task with it, and then the master waits for ever. A deadline ends that:
  --set roles.master.activeDeadlineSeconds=86400"""


def _mounts(needed: bool) -> tuple[Mount, ...]:
    return (Mount("start", "chartgen-start", _START),) if needed else ()


def _master(job: Job, *, native: bool) -> RolePlan:
    quiet = "tensorboard" in job.settings
    start = (text(f"{_START}/master.py"),) if quiet else (text("-m"), text("elasticdl.python.master.main"))
    return RolePlan(
        name="master",
        container=CONTAINER,
        port=_PORT,
        port_name="master",
        service=not native,
        labels={"app": text(NAME), "elasticdl_job_name": _job_name(job)},
        env=(Env("MY_POD_IP", Field("status.podIP")),),
        mounts=_mounts(quiet),
        at_most=1,
        at_least=1,
        command=(text("python"),),
        args=(*start, Words("elasticdlMaster"), *((Words("elasticdlWorkers"),) if native else ())),
        api=native,
        defaults={"restartPolicy": "Never", "backoffLimit": 0} if native else {},
    )


def _worker(job: Job, *, native: bool) -> RolePlan:
    waits = Wait("wait-for-master", (Env("HOSTS", text(Host("master", 0), " ", Port("master", 0))),))
    return RolePlan(
        name="worker",
        container=CONTAINER,
        port=None,
        port_name="",
        service=False,
        labels={"app": text(NAME), "elasticdl_job_name": _job_name(job)},
        env=(),
        mounts=_mounts(not native),
        at_least=1,
        command=() if native else (text("python"),),
        args=() if native else (text(f"{_START}/worker.py"), Words("elasticdlWorker")),
        waits=() if native else (waits,),
        takes=_TAKES if native else (),
    )
