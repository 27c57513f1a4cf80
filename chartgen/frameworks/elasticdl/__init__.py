"""ElasticDL: training while workers come and go, with a master that hands out tasks.

The image contains ElasticDL and the model. Which ElasticDL it is, elasticdl.dialect says: that of
July 2019, whose master is also the parameter server, or one of the published versions.

Roles
  master  hands out tasks, keeps the model and decides how the job ends; exactly one
  worker  asks the master for tasks until there are no more
  ps      parameter server; only ElasticDL 0.2 has them

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

Dialects
  elasticdl.dialect: 2019-07  the ElasticDL of July 2019 (the default), static or native
  elasticdl.dialect: "0.1"    0.1.0rc0 as published; only static is known to work
  elasticdl.dialect: "0.2"    0.2.0rc3 as published; its master creates all other pods, so
                              expansion is native

  In 0.1 and 0.2 params have other names: model_zoo and model_def: DIRECTORY.FILE.NAME,
  training_data, evaluation_data (in 0.2, validation_data), prediction_data, dataset_fn and
  num_minibatches_per_task; 0.2 also has distribution_strategy, use_go_ps and others. The dialect is
  fixed when the chart is rendered.

ElasticDL 0.2
  Processes ask the Kubernetes API for a pod elasticdl-NAME-master, a name that no pod of a Job has.
  So the master is a pod of its own, where NAME is jobName and the runtime id: an upgrade that
  changes it gives another name, and the pods of the old one go with it, because they belong to it.
  Nothing retries a pod: backoffLimit has no effect, and activeDeadlineSeconds is the pod's own.
  The account of the chart may create, delete, get, list, patch and watch pods, and create Services.
  Parameter servers are written in Go; the image needs `elasticdl_ps` and /root/.bashrc_elasticdl.
  Those written in Python (params.use_go_ps: false) run under the default account of the namespace
  and read the master's pod. Without this they fail after 30 seconds:

    kubectl create role read-pods --verb=get --resource=pods
    kubectl create rolebinding read-pods --role=read-pods --serviceaccount=NAMESPACE:default

  env reaches all pods, as do claims and host directories.

Options
  elasticdl.params: the master's flags, by name; workers get the ones they need. Required are
    model_def (a directory in the image, with a Python file of the same name), records_per_task,
    minibatch_size, and data: to train, training_data_dir, with evaluation_data_dir to evaluate
    during training; to evaluate a checkpoint, only evaluation_data_dir; to predict with one, only
    prediction_data_dir.
  elasticdl.jobName: the value of the label elasticdl_job_name, and part of the names of pods that
    the master creates. The default is the release's name, so that two releases never collide.
  elasticdl.expansion: who creates the workers, static or native; fixed when the chart is rendered.

static: the chart creates the workers (the default)
  A Job and a Service for the master, and a Job for each worker, which waits until the master
  listens. No pod uses the Kubernetes API, and workers support all fields of a role: env,
  nodeSelector, accelerators, overrides, ... `helm upgrade --set roles.worker.replicas=4` adds
  workers to a running job.
  This mode is not elastic: only a master that creates its workers takes back the task of a lost
  one. If a worker is killed, or fails in the middle of a task, that task is never done, the other
  workers are told to wait, and the job does not end: set activeDeadlineSeconds in roles.master. A
  master that restarts begins from scratch, or from params.checkpoint_filename_for_init. A worker
  that starts after the master has ended waits until the clean-up releases it, some minutes later.

native: the master creates the workers (the default for command lines)
  A Job for the master, which creates, watches and replaces its workers through the Kubernetes API;
  its service account may create, get, list and watch pods. It passes on these fields of
  roles.worker: replicas, image, imagePullPolicy, resources, priorityClassName, restartPolicy, and
  one claim to mount. Workers that are deleted or preempted are replaced as soon as there is room;
  workers that fail are not.
  The master cannot pass on env, nodeSelector, tolerations, what a cloud injects for a device, or
  other volumes. Helm does not know the workers, which belong to no object of the release: a hook
  removes those that are left, on uninstall and before an upgrade that replaces the master. The
  master is never restarted, because it would collide with the workers of its first start. Two
  releases in one namespace cannot have the same jobName, because their workers would have the same
  names: the chart has a ConfigMap elasticdl-NAME, so Helm refuses to install the second.

End of the job, labels and environment
  The job ends with its master, within 30 seconds after the last task. A worker that asks for a task
  at that moment fails; in a static job it then counts as done, as soon as it is clear that the
  master's pod has ended. All pods have the labels elasticdl_job_name and app: elasticdl. The master
  has the variable MY_POD_IP, which the job cannot set.

TensorBoard and priorities
  tensorboard: {logDir: /data/log} adds a Deployment and a Service on port 80; give it the volume
  that logDir is on. The master writes events there after each evaluation. It does not serve them
  itself, and does not keep running after the training, as it did with the original client.
  priorityClassName names a PriorityClass; priorityClasses: {high-priority: 1000000} creates one.
  It belongs to the whole cluster, so only one release can have it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.late import (
    Host,
    Only,
    Option,
    Peers,
    Port,
    ReleaseName,
    RuntimeId,
    ShippedFile,
    Tensorboard,
    Text,
    Words,
    text,
)
from chartgen.plan.model import AccessRule, Config, Env, Mount, Plan, PodField, RolePlan, Wait
from chartgen.words import listed

NAME = "elasticdl"
TITLE = "ElasticDL"
ROLES = {
    "master": "hands out tasks, keeps the model and decides how the job ends",
    "worker": "asks the master for tasks until there are no more",
    "ps": "parameter server of ElasticDL 0.2",
}
FIRST = ("master", "worker")
OPTIONS = {
    "dialect": ("2019-07", "0.1", "0.2"),
    "expansion": ("static", "native"),
    "jobName": None,
    "params": None,
}
CONTAINER = "elasticdl"

_PORT = 50001
_START = "/etc/chartgen/start"
# With a TensorBoard the chart serves it, not the master; it may be turned on at install.
_BOARD, _NO_BOARD = Tensorboard(exists=True), Tensorboard(exists=False)
_ACCEPTS = (
    "image",
    "imagePullPolicy",
    "resources",
    "priorityClassName",
    "restartPolicy",
    "volumes",
    "volumeMounts",
)
# Fields of the master that need not reach the workers.
_MASTERS = ("restartPolicy", "backoffLimit", "activeDeadlineSeconds", "serviceAccountName")
_DATA = ("training_data_dir", "evaluation_data_dir", "prediction_data_dir")
# Data to train, to evaluate and to predict with, by dialect.
_DATA_OF = {
    "2019-07": _DATA,
    "0.1": ("training_data", "evaluation_data", "prediction_data"),
    "0.2": ("training_data", "validation_data", "prediction_data"),
}
_INIT = "checkpoint_filename_for_init"
_LATER_INIT = "checkpoint_dir_for_init"
_CREATE_PODS = AccessRule("", ("pods",), ("create", "get", "list", "watch"))
# What the master of 0.2 does: it labels its own pod, replaces others, and gives them Services.
_MANAGE_PODS = AccessRule("", ("pods",), ("create", "delete", "get", "list", "patch", "watch"))
_MANAGE_SERVICES = AccessRule("", ("services",), ("create", "get"))
# Flags that only some dialects have.
_ONLY_2019 = (*_DATA, "records_per_task", "input_fn", "model_class")
_ONLY_LATER = (
    "training_data", "prediction_data", "model_zoo", "model_params", "dataset_fn", "output",
    "num_minibatches_per_task", "data_reader_params", "get_model_steps", "use_async",
    "lr_staleness_modulation", "prediction_outputs_processor",
)  # fmt: skip
_ONLY_01 = ("evaluation_data", _INIT)
_ONLY_02 = (
    "validation_data", "callbacks", "custom_data_reader", "aux_params", "distribution_strategy",
    "use_go_ps", "sync_version_tolerance", "log_loss_steps", _LATER_INIT,
)  # fmt: skip
# Flags with the same meaning, one of which each dialect has.
_TWINS = (
    ("training_data_dir", "training_data"),
    ("evaluation_data_dir", "evaluation_data", "validation_data"),
    ("prediction_data_dir", "prediction_data"),
    ("records_per_task", "num_minibatches_per_task"),
    ("input_fn", "dataset_fn"),
    (_INIT, _LATER_INIT),
)
_REQUIRED = {
    "2019-07": {"records_per_task": "the number of records in a task"},
    "0.1": {
        "model_zoo": "where the models are in the image",
        "num_minibatches_per_task": "the number of minibatches in a task",
    },
    "0.2": {"model_zoo": "where the models are in the image"},
}


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check for one master, workers, data, and that a native master can create the workers."""
    for role in ("master", "worker"):
        if role not in job.roles:
            message = f"no {role}; expected a master and workers"
            yield document.missing(("roles",), message, "role-missing", key=True)
    if "master" in job.roles and job.replicas("master") != 1:
        message = f"a job has 1 master, not {job.replicas('master')}"
        yield document.problem(("roles", "master", "replicas"), message, "role-one-replica")
    if "worker" in job.roles and not job.replicas("worker"):
        message = "no workers (0 replicas) to do the tasks; expected at least 1"
        yield document.problem(("roles", "worker", "replicas"), message, "role-no-replicas")
    yield from _check_dialect(job, document)
    yield from _check_params(job, document)
    if _native(job):
        yield from _check_native(job, document)


def _check_dialect(job: Job, document: Document) -> Iterator[Problem]:
    """Check who creates the workers, for parameter servers, and flags of other versions."""
    dialect = job.options["dialect"]
    only = {"0.1": "static", "0.2": "native"}.get(dialect)
    if only and job.options["expansion"] != only:
        why = (
            "the master of 0.2.0rc3 always creates its workers"
            if only == "native"
            else "only workers that the chart creates are known to work with 0.1.0rc0"
        )
        message = f"{why}; expected expansion: {only}"
        yield document.problem((NAME, "expansion"), message, "elasticdl-dialect")
    if "ps" in job.roles and dialect != "0.2":
        message = (
            "only ElasticDL 0.2 has parameter servers; before, the master keeps the parameters"
        )
        hint = "remove the role, or set elasticdl.dialect to 0.2"
        yield document.problem(("roles", "ps"), message, "elasticdl-dialect", hint, key=True)
    others: tuple[str, ...] = (*_ONLY_LATER, *_ONLY_02, "evaluation_data")
    if only:
        others = (*_ONLY_2019, *(_ONLY_02 if dialect == "0.1" else _ONLY_01))
    for name in job.options.get("params", {}):
        if name in others:
            message = f"ElasticDL {dialect} has no flag {name!r}"
            twins = next((names for names in _TWINS if name in names), ())
            meant = [twin for twin in twins if twin not in others]
            hint = f"did you mean {meant[0]!r}?" if meant else ""
            path: Path = (NAME, "params", name)
            yield document.problem(path, message, "elasticdl-dialect", hint, key=True)


def _check_params(job: Job, document: Document) -> Iterator[Problem]:
    params: Mapping[str, Any] = job.options.get("params", {})
    at: Path = (NAME, "params")
    if not params:
        message = "missing 'elasticdl.params': the master's flags, such as model_def"
        hint = "`chartgen explain elasticdl` shows an example"
        yield document.missing((NAME,), message, "elasticdl-params-missing", hint, key=True)
        return
    names = _DATA_OF[job.options["dialect"]]
    training, _, prediction = names
    init = _LATER_INIT if job.options["dialect"] == "0.2" else _INIT
    for needed, about in _REQUIRED[job.options["dialect"]].items():
        if needed not in params:
            message = f"missing '{needed}' in elasticdl.params: {about}"
            yield document.missing(at, message, "elasticdl-params-missing", key=True)
    data = [name for name in names if name in params]
    if not data:
        message = f"no data; expected {listed(names)}"
        yield document.missing(at, message, "elasticdl-data-missing", key=True)
    if prediction in data and len(data) > 1:
        message = f"prediction cannot be combined with {data[0]}; expected one of them"
        yield document.problem((*at, prediction), message, "elasticdl-predict-alone", key=True)
    elif data and training not in data and init not in params:
        message = f"no training, so no model; expected {init}, the checkpoint to use"
        yield document.missing((*at, data[0]), message, "elasticdl-checkpoint-missing", key=True)


def _check_native(job: Job, document: Document) -> Iterator[Problem]:
    accepts = (*_ACCEPTS, "env") if _later_native(job) else _ACCEPTS
    shared = [word for word in job.shared if word not in (*accepts, *_MASTERS)]
    if job.settings.get("podSecurity", "none") != "none":
        shared.append("podSecurity")
    for word in shared:
        message = f"{word!r} only applies to the master, which cannot pass it on to its workers"
        hint = "with expansion: static it applies to all"
        yield document.warning((word,), message, "role-field-not-applied", hint, key=True)
    if _later_native(job):
        yield from _check_pod(job, document)
    else:
        yield from _check_restart(job, document)
    if "worker" in job.roles:
        if not _later_native(job):
            yield from _check_volumes(job, document)
        yield from _check_resources(job, document)


def _check_pod(job: Job, document: Document) -> Iterator[Problem]:
    """Tell what a Job would have done for the master of 0.2, which is a bare pod."""
    spec = job.spec("master") if "master" in job.roles else {}
    for word in ("backoffLimit", "ttlSecondsAfterFinished", "suspend", "job"):
        if word in spec:
            message = (
                f"the master of ElasticDL 0.2 is a pod and not a Job, so {word!r} has no effect"
            )
            own = word in job.roles["master"].spec
            path: Path = ("roles", "master", word) if own else (word,)
            yield document.warning(path, message, "elasticdl-master-pod", key=True)
    strategy = job.options.get("params", {}).get("distribution_strategy", "")
    in_go = job.options.get("params", {}).get("use_go_ps", True)
    if "ps" in job.roles and not in_go:
        message = (
            "parameter servers written in Python ask the Kubernetes API for the master, under the "
            "namespace's default account"
        )
        hint = (
            "let that account get pods, or leave out params.use_go_ps, with an image that has the "
            "Go server; `chartgen explain framework elasticdl` has the commands"
        )
        yield document.warning(("roles", "ps"), message, "elasticdl-ps-account", hint, key=True)
    elif "ps" not in job.roles and strategy == "ParameterServerStrategy":
        message = (
            "there are no parameter servers for the ParameterServerStrategy; expected roles.ps"
        )
        yield document.missing(("roles",), message, "role-missing", key=True)


def _check_restart(job: Job, document: Document) -> Iterator[Problem]:
    """Check that the master is not restarted: it would collide with its earlier workers."""
    for word, only in (("restartPolicy", "Never"), ("backoffLimit", 0)):
        said = job.spec("master").get(word, only) if "master" in job.roles else only
        if said != only:
            message = f"a native master must not be restarted; expected {word}: {only} for it"
            own = word in job.roles["master"].spec
            path: Path = ("roles", "master", word) if own else (word,)
            yield document.problem(path, message, "elasticdl-master-restarts")


def _check_volumes(job: Job, document: Document) -> Iterator[Problem]:
    """Check for at most one claim, mounted once: a master cannot give its workers more."""
    spec = job.spec("worker")
    at: Path = ("roles", "worker") if "volumes" in job.roles["worker"].spec else ()
    volumes, mounts = spec.get("volumes", []), spec.get("volumeMounts", [])
    odd = [volume for volume in volumes if "persistentVolumeClaim" not in volume]
    odd += [mount for mount in mounts if mount.keys() - {"name", "mountPath"}]
    if odd or len(volumes) > 1 or len(mounts) > 1:
        message = "a native master can give its workers one claim, mounted once and as a whole"
        hint = "with expansion: static any volumes are supported"
        yield document.problem((*at, "volumes"), message, "elasticdl-one-claim", hint, key=True)


def _check_resources(job: Job, document: Document) -> Iterator[Problem]:
    """Check that workers only request what the master supports."""
    own = "resources" in job.roles["worker"].spec
    at: Path = ("roles", "worker", "resources") if own else ("resources",)
    for part in ("requests", "limits"):
        for name in job.spec("worker").get("resources", {}).get(part, {}):
            if name not in ("cpu", "memory", "ephemeral-storage") and not name.endswith("/gpu"):
                message = f"a native master cannot request {name!r} for its workers"
                hint = "it supports cpu, memory, ephemeral-storage and GPUs such as nvidia.com/gpu"
                path = (*at, part, name)
                yield document.problem(path, message, "elasticdl-worker-resource", hint, key=True)


def _later_native(job: Job) -> bool:
    """Whether the master is the bare pod that ElasticDL 0.2 needs."""
    return bool(job.options["dialect"] == "0.2")


def _native(job: Job) -> bool:
    return bool(job.options["expansion"] == "native")


def _job_name(job: Job) -> Text:
    """The label of all pods: a given name stays a value, otherwise it is the release's name."""
    name = Option("elasticdl.jobName") if "jobName" in job.options else ReleaseName()
    return text(name, "-", RuntimeId()) if _later_native(job) else text(name)


def _labels(job: Job) -> dict[str, Text]:
    key = "elasticdl_job_name" if job.options["dialect"] == "2019-07" else "elasticdl-job-name"
    return {"app": text(NAME), key: _job_name(job)}


def _workers(job: Job) -> Text:
    """The selector of the workers that a master creates."""
    return text("elasticdl_job_name=", *_job_name(job), ",!chartgen/runtime-id")


def plan(job: Job) -> Plan:
    """Plan the master and, unless it creates them itself, the workers."""
    if _later_native(job):
        return _plan_pod(job)
    native = _native(job)
    peers = Config("peers", {"hosts": text(Peers(("master",), "lines"))})
    if native:
        start = Config("start", {"master.py": ShippedFile("elasticdl_master.py")}, when=_BOARD)
    else:
        scripts = {
            "worker.py": ShippedFile("elasticdl_worker.py"),
            "master.py": ShippedFile("elasticdl_master.py", _BOARD),
        }
        start = Config("start", scripts)
    roles = {"master": _master(job, native=native), "worker": _worker(job, native=native)}
    roles["ps"] = _managed(job, "ps")  # which `check` refuses
    return Plan(
        title=TITLE,
        roles=tuple(role for name, role in roles.items() if name in job.roles),
        configs=(start,) if native else (peers, start),
        completion_role="master",
        cleanup=not native,
        reserved_env=("MY_POD_IP",),
        fixed_options=_fixed_options(job),
        tensorboard_labels=_tensorboard_labels(job),
        access_rules=(_CREATE_PODS,) if native else (),
        unmanaged_pods=_workers(job) if native else (),
        lock_name=text(f"{NAME}-", *_job_name(job)) if native else (),
        notes=(_NATIVE_NOTE,) if native else () if _has_deadline(job) else (_STATIC_NOTE,),
    )


def _fixed_options(job: Job) -> tuple[str, ...]:
    fixed = ("dialect", "expansion")
    return fixed if "jobName" in job.options else (*fixed, "jobName")


def _tensorboard_labels(job: Job) -> dict[str, Text]:
    return {key: value for key, value in _labels(job).items() if key != "app"}


def _plan_pod(job: Job) -> Plan:
    """Plan the master of ElasticDL 0.2: a pod that creates all others, which belong to it."""
    roles = [
        RolePlan(
            name="master",
            container=CONTAINER,
            port=_PORT,
            port_name="master",
            service=False,
            labels=_labels(job),
            env=(Env("MY_POD_IP", PodField("status.podIP")),),
            at_most=1,
            at_least=1,
            command=(text("python"),),
            args=(
                text("-m"),
                text("elasticdl.python.master.main"),
                Words("elasticdlMaster02"),
                Words("elasticdlPods02"),
            ),
            api=True,
            bare="elasticdlPod",
            defaults={"restartPolicy": "Never"},
        )
    ]
    roles += [_managed(job, name) for name in ("worker", "ps")]
    return Plan(
        title=TITLE,
        roles=tuple(role for role in roles if role.name in job.roles),
        configs=(),
        completion_role="master",
        reserved_env=("MY_POD_IP",),
        fixed_options=_fixed_options(job),
        tensorboard_labels=_tensorboard_labels(job),
        access_rules=(_MANAGE_PODS, _MANAGE_SERVICES),
        notes=(_POD_NOTE,),
    )


def _managed(job: Job, name: str) -> RolePlan:
    """A role whose pods the master of ElasticDL 0.2 creates."""
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=None,
        port_name="",
        service=False,
        labels=_labels(job),
        env=(),
        at_least=1 if name == "worker" else 0,
        managed_by_framework=True,
        accepts=(*_ACCEPTS, "env") if name == "worker" else ("resources", "priorityClassName"),
    )


def _has_deadline(job: Job) -> bool:
    return "master" in job.roles and "activeDeadlineSeconds" in job.spec("master")


_POD_NOTE = """\
The master is a pod and not a Job, so nothing retries it. It creates the workers and the parameter
servers, which belong to it and are removed with it: kubectl get pods -l elasticdl-job-name"""
_NATIVE_NOTE = """\
The master creates the workers and replaces lost ones. They are removed with the release."""
_STATIC_NOTE = """\
The task of a lost worker is never done, and the master waits for it forever. Set a deadline:
  --set roles.master.activeDeadlineSeconds=86400"""


def _master(job: Job, *, native: bool) -> RolePlan:
    flags = "elasticdlMaster01" if job.options["dialect"] == "0.1" else "elasticdlMaster"
    start = (
        Only([text("-m"), text("elasticdl.python.master.main")], _NO_BOARD),
        Only([text(f"{_START}/master.py")], _BOARD),
    )
    return RolePlan(
        name="master",
        container=CONTAINER,
        port=_PORT,
        port_name="master",
        service=not native,
        labels=_labels(job),
        env=(Env("MY_POD_IP", PodField("status.podIP")),),
        mounts=(Mount("start", "chartgen-start", _START, _BOARD),),
        at_most=1,
        at_least=1,
        command=(text("python"),),
        args=(*start, Words(flags), *((Words("elasticdlWorkers"),) if native else ())),
        api=native,
        defaults={"restartPolicy": "Never", "backoffLimit": 0} if native else {},
    )


def _worker(job: Job, *, native: bool) -> RolePlan:
    flags = "elasticdlWorker01" if job.options["dialect"] == "0.1" else "elasticdlWorker"
    waits = Wait(
        "wait-for-master", (Env("HOSTS", text(Host("master", 0), " ", Port("master", 0))),)
    )
    return RolePlan(
        name="worker",
        container=CONTAINER,
        port=None,
        port_name="",
        service=False,
        labels=_labels(job),
        env=(),
        mounts=() if native else (Mount("start", "chartgen-start", _START),),
        at_least=1,
        command=() if native else (text("python"),),
        args=() if native else (text(f"{_START}/worker.py"), Words(flags)),
        waits=() if native else (waits,),
        managed_by_framework=native,
        accepts=_ACCEPTS if native else (),
    )
