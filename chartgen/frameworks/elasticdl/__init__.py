"""ElasticDL: training while workers come and go, with a master that hands out tasks.

The image contains ElasticDL and the model. `elasticdl.dialect` says which ElasticDL it is: that of
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
  elasticdl.dialect: "0.1"    0.1.0rc0 as published, static or native
  elasticdl.dialect: "0.2"    0.2.0rc3 as published; its master creates all other pods, so
                              expansion is native

  In 0.1 and 0.2 params have other names: model_zoo and model_def: DIRECTORY.FILE.NAME,
  training_data, evaluation_data (in 0.2, validation_data), prediction_data, dataset_fn and
  num_minibatches_per_task; 0.2 also has distribution_strategy, use_go_ps and others. The dialect is
  fixed when the chart is rendered.

ElasticDL 0.1 and 0.2, native
  Processes ask the Kubernetes API for a pod elasticdl-NAME-master, a name that no pod of a Job has.
  So the master is a pod without a Job, where NAME is jobName and the runtime id: an upgrade that
  changes the master gives it another name, and the pods of the old master are deleted with it,
  because it owns them. Nothing retries a pod: backoffLimit has no effect, and
  activeDeadlineSeconds is that of the pod.
  The account of the chart may create, delete, get, list, patch and watch pods and, with 0.2, create
  Services. The master of 0.1 gives its workers one claim, mounted once and as a whole.

Parameter servers of ElasticDL 0.2
  They are written in Go; the image needs `elasticdl_ps` and /root/.bashrc_elasticdl. With
  params.use_go_ps: false they are written in Python. They run under the default account of the
  namespace and read the master's pod, to end when it does: a Role of the chart allows this, and
  nothing else. Without it (rbac.create: false) servers in Python fail after 30 seconds, and those
  in Go run until the release is removed:

    kubectl create role read-pods --verb=get --resource=pods
    kubectl create rolebinding read-pods --role=read-pods --serviceaccount=NAMESPACE:default

  env reaches all pods, as do claims and host directories.

Options
  elasticdl.params: the master's flags, by name; workers get those they need. Required are
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
  its service account may create, get, list and watch pods. It passes these fields of roles.worker
  on to them: replicas, image, imagePullPolicy, resources, priorityClassName, restartPolicy, and one
  claim to mount. Workers that are deleted or preempted are replaced as soon as there is room;
  workers that fail are not.
  The master cannot pass on env, nodeSelector, tolerations, what a cloud injects for a device, or
  other volumes. Helm does not know the workers, which belong to no object of the release: a hook
  removes those that are left, on uninstall and before an upgrade that replaces the master. The
  master is not restarted, because it would collide with the workers of its first start. Two
  releases in one namespace cannot have the same jobName, because their workers would have the same
  names: the chart has a ConfigMap elasticdl-NAME, so Helm refuses to install the second.

Restarts
  static: master and workers are started again in their pods (restartPolicy: OnFailure), up to 6
  times. native: the master is not (restartPolicy: Never, backoffLimit: 0), and replaces its workers
  itself.

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

from chartgen.frameworks.elasticdl.checks import check as check
from chartgen.frameworks.elasticdl.dialects import ACCEPTS, is_later_native, is_native
from chartgen.frameworks.elasticdl.dialects import NAME as NAME
from chartgen.job.model import Job
from chartgen.plan import restarts
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
_START_FILE = Config("start", {"master.py": ShippedFile("elasticdl_master.py")}, when=_BOARD)
_START_MASTER = (
    Only([text("-m"), text("elasticdl.python.master.main")], _NO_BOARD),
    Only([text(f"{_START}/master.py")], _BOARD),
)
_CREATE_PODS = AccessRule("", ("pods",), ("create", "get", "list", "watch"))
# What a master that is a pod does: it labels itself, replaces others, and of 0.2 makes Services.
_MANAGE_PODS = AccessRule("", ("pods",), ("create", "delete", "get", "list", "patch", "watch"))
_MANAGE_SERVICES = AccessRule("", ("services",), ("create", "get"))


def _job_name(job: Job) -> Text:
    """The label of all pods: a given name stays a value, otherwise it is the release's name."""
    name = Option("elasticdl.jobName") if "jobName" in job.options else ReleaseName()
    return text(name, "-", RuntimeId()) if is_later_native(job) else text(name)


def _labels(job: Job) -> dict[str, Text]:
    key = "elasticdl_job_name" if job.options["dialect"] == "2019-07" else "elasticdl-job-name"
    return {"app": text(NAME), key: _job_name(job)}


def _workers(job: Job) -> Text:
    """The selector of the workers that a master creates."""
    return text("elasticdl_job_name=", *_job_name(job), ",!chartgen/runtime-id")


def plan(job: Job) -> Plan:
    """Plan the master and, unless it creates them itself, the workers."""
    if is_later_native(job):
        return _plan_pod(job)
    native = is_native(job)
    peers = Config("peers", {"hosts": text(Peers(("master",), "lines"))})
    if native:
        start = _START_FILE
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
    """Plan the master of a published version: a pod that creates others, which belong to it."""
    newer = job.options["dialect"] == "0.2"
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
                *_START_MASTER,
                Words("elasticdlPodFlags"),
                Words("elasticdlPods02" if newer else "elasticdlPods01"),
            ),
            mounts=(Mount("start", "chartgen-start", _START, _BOARD),),
            api=True,
            bare="elasticdlPod",
            defaults=restarts.ANEW,
        )
    ]
    roles += [_managed(job, name) for name in ("worker", "ps")]
    return Plan(
        title=TITLE,
        roles=tuple(role for role in roles if role.name in job.roles),
        configs=(_START_FILE,),
        completion_role="master",
        reserved_env=("MY_POD_IP",),
        fixed_options=_fixed_options(job),
        tensorboard_labels=_tensorboard_labels(job),
        access_rules=(_MANAGE_PODS, _MANAGE_SERVICES) if newer else (_MANAGE_PODS,),
        notes=(_POD_NOTE,),
    )


def _managed(job: Job, name: str) -> RolePlan:
    """A role whose pods a master that is a pod creates."""
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
        watches=name == "ps",
        accepts=(*ACCEPTS, "env") if name == "worker" else ("resources", "priorityClassName"),
    )


def _has_deadline(job: Job) -> bool:
    return "master" in job.roles and "activeDeadlineSeconds" in job.spec("master")


_POD_NOTE = """\
The master is a pod and not a Job, so nothing retries it. It creates all other pods, which belong to
it and are removed with it: kubectl get pods -l elasticdl-job-name"""
_NATIVE_NOTE = """\
The master creates the workers and replaces lost ones. They are removed with the release."""
_STATIC_NOTE = """\
The task of a lost worker is never done, and the master waits for it forever. Set a deadline:
  --set roles.master.activeDeadlineSeconds=86400"""


def _master(job: Job, *, native: bool) -> RolePlan:
    flags = "elasticdlMaster01" if job.options["dialect"] == "0.1" else "elasticdlMaster"
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
        args=(*_START_MASTER, Words(flags), *((Words("elasticdlWorkers"),) if native else ())),
        api=native,
        defaults=restarts.ONCE if native else restarts.ALONE,
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
        accepts=ACCEPTS if native else (),
    )
