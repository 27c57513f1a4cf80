"""elasticdl: a command line of ElasticDL's client, `elasticdl train`, `evaluate` or `predict`.

chartgen reads a command line as the client read it, in a file of its own or in a script, and as
`python -m elasticdl.python.elasticdl.client train` or `python .../client/client.py train`, too.
Nothing is run. Quotes and continued lines are read as a shell reads them, flags as argparse does:
`--flag=value`, `--flag value` or abbreviated.

  chartgen render train.sh -o charts --define MNIST_DATA_DIR=/data/mnist
  chartgen convert train.sh --define MNIST_DATA_DIR=/data/mnist > job.yaml

`${NAME}` is filled in by --define or by an assignment in the script, never by the environment.

Versions
  July 2019       a model is a directory: --model_def=DIR, --training_data_dir, --records_per_task;
                  also the names before it: --model_file, --model_dir, --minibatches_per_task,
                  --volume_name and --mount_path, --master_cpu_request, ...
  0.1 (0.1.0rc0)  --model_zoo and --model_def=DIR.FILE.NAME, --training_data; the client builds the
                  image: --docker_image_repository, --image_base; data to evaluate with is
                  --evaluation_data, and --minibatch_size, --num_minibatches_per_task and
                  --num_workers have no default that works
  0.2 (0.2.0rc3)  the same with --image_name, or with a flag that only this version has:
                  --num_ps_pods, --distribution_strategy, --use_go_ps, ...
                  The function that reads records is --dataset_fn; --feed is its name in a later
                  version, and is read as --dataset_fn
  The flags show which version it is; `--set elasticdl.dialect=0.2` decides it.

The image
  The clients of July 2019 and 0.1 built an image for every job; chartgen does not. With
  --docker_image_prefix the chart uses PREFIX/elasticdl:JOB_NAME, with a warning; --image_name, or
  chartgen's own --image, names another one. Build it with ElasticDL, what the model needs, and the
  model at /model_zoo/NAME:

    FROM tensorflow/tensorflow:2.0.0-py3
    COPY elasticdl /elasticdl/elasticdl
    RUN pip install -r /elasticdl/elasticdl/requirements.txt
    ENV PYTHONPATH=/elasticdl
    COPY mnist /model_zoo/mnist

    docker build -t registry.example.com/research/elasticdl:hello-world .
    docker push registry.example.com/research/elasticdl:hello-world

Taken
  --job_name                      name, and elasticdl.jobName, which names the workers and is the
                                  value of their label elasticdl_job_name
  --model_def=some/where/mnist    elasticdl.params.model_def: /model_zoo/mnist, where the client
                                  put it
  --model_zoo=./zoo               elasticdl.params.model_zoo: /zoo in an image that exists, and
                                  /model_zoo/zoo in one that the client built
  --num_workers                   roles.worker.replicas; the default of July 2019, 0, is refused, as
                                  the master refused it
  --num_ps_pods                   roles.ps.replicas, in 0.2
  --master_resource_request,      resources of roles.master, roles.worker and roles.ps
    --worker_resource_limit, ...
  --master_pod_priority,          priorityClassName of the roles
    --worker_pod_priority, ...
  --volume                        volumes and volumeMounts, in all three grammars that clients had
  --envs                          env
  --image_name                    image
  --image_pull_policy             imagePullPolicy
  --restart_policy                restartPolicy of the workers
  --tensorboard_log_dir           tensorboard.logDir; a pod of its own serves it
  --namespace                     helm install -n: a chart carries no namespace
  all other flags of the master   elasticdl.params, with the same names

Dropped
  --image_base,                   they were for building the image
    --extra_pypi_index,
    --push_image
  --cluster_spec                  with a warning: it is a program that changes pods; write what it
                                  does
  --codec_type, and flags of      with a warning: the client ignored them, too
    another command, such as
    evaluate --num_epochs

Who creates the workers
  A line of July 2019 means `elasticdl.expansion: native`: the master creates its workers and
  replaces lost ones, as before. A description means static unless it says otherwise: every worker
  is a Job of the chart. The page of the framework compares the two. That master cannot
  pass on environment variables (--envs), several volumes, host paths or parts of a claim to the
  workers it creates. A line with any of these means a static job, with a warning.
  A line of 0.1 or 0.2 means a native job, too; its master is a pod and not a Job (`chartgen explain
  framework elasticdl`). A master of 0.1 cannot pass on such volumes, either. With `--set
  elasticdl.expansion=static` the workers of 0.1 are Jobs.

Different, on purpose
  - --worker_pod_priority, --log_level and, with train, --checkpoint_filename_for_init take effect.
    The client of July 2019 ignored them.
  - Unknown flags are problems, with a suggestion. The client ignored them.
  - The master of July 2019 is a Job and not a bare pod. It is started once, and ends when the
    training ends, even with TensorBoard, which has a pod of its own.
  - Helm refuses a second release with the same --job_name in a namespace, because the workers of
    two masters would have the same names. `--set elasticdl.jobName=other` gives it its own name.

Commands, for the job hello-world
  rights      before  kubectl apply -f elasticdl-rbac.yaml
              now     nothing: the chart brings an account that may create and watch pods, for this
                      master only
  start       before  python -m elasticdl.python.elasticdl.client train ...
              now     chartgen render train.sh -o charts
                      helm install hello-world charts/hello-world
  pods        before  kubectl get pods -l elasticdl_job_name=hello-world
              now     the same
  logs        before  kubectl logs -f elasticdl-hello-world-master
              now     chartgen logs hello-world master -f
                      kubectl logs -f -l elasticdl_job_name=hello-world,chartgen/role=master
  wait        before  look at the pod's phase
              now     chartgen status hello-world --wait
  priorities  before  kubectl apply -f high-prio.yaml -f low-prio.yaml
              now     the same, or `priorityClasses: {high-priority: 1000000}` in the description
  change      before  delete it and submit another
              now     helm upgrade hello-world charts/hello-world --set roles.worker.replicas=4
  delete      before  kubectl delete pod -l elasticdl_job_name=hello-world
              now     helm uninstall hello-world
                      This also removes the workers that the master created.
"""

from collections.abc import Sequence

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.elasticdl.command_line import COMMANDS, FOR_CLIENT, check, pushed_image, read
from chartgen.native.elasticdl.dialects import FIRST, NEWER
from chartgen.native.elasticdl.line import Line
from chartgen.native.elasticdl.pods import (
    UNSENT,
    FlagValues,
    take_priority,
    take_resources,
    take_volumes,
)
from chartgen.native.schemas import native_schema

# Flags of the client that its master has by the same name.
_PARAMS = (
    "model_def", "training_data_dir", "evaluation_data_dir", "records_per_task", "minibatch_size",
    "num_epochs", "grads_to_wait", "checkpoint_steps", "checkpoint_dir", "keep_checkpoint_max",
    "checkpoint_filename_for_init", "evaluation_steps", "evaluation_start_delay_secs",
    "evaluation_throttle_secs", "input_fn", "loss", "optimizer", "eval_metrics_fn", "model_class",
    "log_level", "prediction_data_dir",
)  # fmt: skip
# Flags that later masters have by the same name.
_LATER_PARAMS = (
    "model_zoo", "model_def", "training_data", "validation_data", "prediction_data",
    "num_minibatches_per_task", "minibatch_size", "num_epochs", "grads_to_wait", "output",
    "checkpoint_steps", "checkpoint_dir", "keep_checkpoint_max", "checkpoint_filename_for_init",
    "checkpoint_dir_for_init", "evaluation_steps", "evaluation_start_delay_secs",
    "evaluation_throttle_secs", "dataset_fn", "loss", "optimizer", "eval_metrics_fn",
    "callbacks", "custom_data_reader", "model_params", "data_reader_params", "aux_params",
    "prediction_outputs_processor", "distribution_strategy", "use_go_ps", "use_async",
    "lr_staleness_modulation", "sync_version_tolerance", "get_model_steps", "log_loss_steps",
    "log_level", "log_file_path",
)  # fmt: skip
# What later clients used where a line says nothing.
_MINIBATCH, _WORKERS, _SERVERS = 64, 2, 1
_STATIC = (
    "this master cannot give {} to the workers it creates, so each worker is a Job of the chart"
)


def adopt(document: Document) -> Adopted:
    """The job description that a command line of the client means."""
    line = read(document)
    if not line.command:
        return Adopted(None, (), tuple(line.problems))
    problems = [*line.problems, *check(line)]
    sound: Document | None = line.document()
    if any(problem.severity != "warning" for problem in problems):
        sound = schema.sound_part(line.document(), native_schema("elasticdl"), {})
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft, line)
    return draft.adopted(problems)


def _describe(draft: Draft, line: Line) -> None:
    """Everything that a command line says, as a job description."""
    at: Path = (line.place,)
    values = draft.source.data[line.place]
    draft.take(("name",), values["job_name"], (*at, "job_name"))
    draft.take(("framework",), "elasticdl", at)
    if "image_name" in values:
        draft.take(("image",), values["image_name"], (*at, "image_name"))
    elif image := pushed_image(line):
        draft.take(("image",), image, (*at, "docker_image_prefix"))
        draft.note(("image",), "the client built this image with a random tag: build and push it")
    policy = values.get("image_pull_policy", "Always")
    draft.take(("imagePullPolicy",), policy, (*at, "image_pull_policy"))
    if "image_pull_policy" not in values:
        draft.note(("imagePullPolicy",), "the client's default")
    draft.take(("roles",), {}, at)
    if line.dialect == FIRST:
        reasons = _reasons_for_static(draft, at, values)
        _describe_master(draft, at, values, native=not reasons)
        _describe_worker(draft, at, values)
        _describe_options(draft, line, values, reasons)
    else:
        _describe_later(draft, line, values)
    take_volumes(draft, at, values.get("volume", ()))
    _describe_tensorboard(draft, line, values)
    _note_what_is_left_out(draft, line, values)


def _describe_later(draft: Draft, line: Line, values: FlagValues) -> None:
    """A job of 0.1 or 0.2, whose master creates all other pods."""
    at: Path = (line.place,)
    newer = line.dialect == NEWER
    reasons = [] if newer else _reasons_for_static(draft, at, values, ("volume",))
    native = not reasons
    _describe_master(draft, at, values, native=native)
    counted = {"num_workers": _WORKERS, **values}
    _describe_worker(draft, at, counted)
    if "num_workers" not in values:
        draft.note(("roles", "worker", "replicas"), "the client's default")
    strategy = values.get("distribution_strategy", "ParameterServerStrategy")
    servers = values.get("num_ps_pods", _SERVERS)
    if newer and servers and strategy == "ParameterServerStrategy":
        draft.take(("roles", "ps"), {"replicas": servers}, at)
        draft.origins["roles", "ps", "replicas"] = (*at, "num_ps_pods")
        take_resources(draft, at, "ps", values)
        take_priority(draft, at, "ps", values)
        if "num_ps_pods" not in values:
            draft.note(("roles", "ps"), "--num_ps_pods: the client's default")
    draft.take(("elasticdl",), {}, at)
    draft.take(("elasticdl", "dialect"), line.dialect, at)
    draft.note(("elasticdl", "dialect"), "by the flags of the line; `--set` can name another")
    draft.take(("elasticdl", "expansion"), "native" if native else "static", at)
    draft.note(("elasticdl", "expansion"), _POD if native else _STATIC.format(reasons[0]))
    draft.take(("elasticdl", "jobName"), values["job_name"], (*at, "job_name"))
    params: Path = ("elasticdl", "params")
    draft.take(params, {}, at)
    for name in _LATER_PARAMS:
        if name in values:
            called = "evaluation_data" if name == "validation_data" and not newer else name
            draft.take((*params, called), values[name], (*at, name))
    if "log_file_path" in values:
        text = "the pods that the master creates write to this file, too; the master does not"
        draft.note((*params, "log_file_path"), text)
    if "minibatch_size" not in values:
        draft.take((*params, "minibatch_size"), _MINIBATCH, at)
        draft.note((*params, "minibatch_size"), "the client's default")
    if "envs" in values:
        draft.take(("env",), dict(values["envs"]), (*at, "envs"))


_POD = (
    "the master is a pod, because ElasticDL asks for it by a name that no Job's pod has; "
    "so nothing retries it, and its deadline is the pod's own"
)


def _reasons_for_static(
    draft: Draft, at: Path, values: FlagValues, flags: Sequence[str] = ("envs", "volume")
) -> list[str]:
    """What a master cannot pass on to the workers it creates, so that they must be Jobs."""
    reasons = {"envs": "environment variables"} if "envs" in values else {}
    volumes = values.get("volume", ())
    if len(volumes) > 1:
        reasons["volume"] = "several volumes"
    elif volumes and volumes[0].keys() & {"host_path", "type", "sub_path"}:
        reasons["volume"] = "anything but a whole claim"
    reasons = {flag: what for flag, what in reasons.items() if flag in flags}
    for flag, what in reasons.items():
        hint = "`chartgen explain elasticdl` says what is lost with expansion: static"
        draft.warning((*at, flag), _STATIC.format(what), "elasticdl-static-workers", hint, key=True)
    return [*reasons.values()]


def _describe_master(draft: Draft, at: Path, values: FlagValues, *, native: bool) -> None:
    draft.take(("roles", "master"), {}, at)
    take_resources(draft, at, "master", values)
    take_priority(draft, at, "master", values)
    policy = values.get("restart_policy")
    if policy and not native:
        draft.take(("roles", "master", "restartPolicy"), policy, (*at, "restart_policy"))
    elif policy and policy != "Never":
        text = (
            "--restart_policy is for the workers; a master that starts again "
            "would meet the workers of its first start"
        )
        draft.note(("roles", "master"), text)


def _describe_worker(draft: Draft, at: Path, values: FlagValues) -> None:
    path: Path = ("roles", "worker")
    draft.take(path, {}, at)
    draft.take((*path, "replicas"), values["num_workers"], (*at, "num_workers"))
    take_resources(draft, at, "worker", values)
    take_priority(draft, at, "worker", values)
    if "worker_pod_priority" in values and at[0] in COMMANDS:
        draft.note((*path, "priorityClassName"), f"--worker_pod_priority: {UNSENT}")
    if "restart_policy" in values:
        draft.take((*path, "restartPolicy"), values["restart_policy"], (*at, "restart_policy"))


def _describe_options(draft: Draft, line: Line, values: FlagValues, reasons: Sequence[str]) -> None:
    """The master's own flags, and who creates the workers."""
    at: Path = (line.place,)
    draft.take(("elasticdl",), {}, at)
    draft.take(("elasticdl", "expansion"), "static" if reasons else "native", at)
    if reasons:
        draft.note(("elasticdl", "expansion"), _STATIC.format(" and ".join(reasons)))
    draft.take(("elasticdl", "jobName"), values["job_name"], (*at, "job_name"))
    params: Path = ("elasticdl", "params")
    draft.take(params, {}, at)
    for name in _PARAMS:
        if name in values:
            draft.take((*params, name), values[name], (*at, name))
    draft.take((*params, "model_def"), line.model_directory(), (*at, "model_def"))
    text = "where the client put the model in the image that it built"
    draft.note((*params, "model_def"), text)
    if "log_level" in values:
        draft.note((*params, "log_level"), f"--log_level: {UNSENT}")
    if line.command == "train" and "checkpoint_filename_for_init" in values:
        draft.note((*params, "checkpoint_filename_for_init"), UNSENT)
    if values.get("checkpoint_steps") and "checkpoint_dir" not in values:
        text = "without --checkpoint_dir, checkpoints are lost with the master's pod"
        draft.note((*params, "checkpoint_steps"), text)
    if "envs" in values:
        draft.take(("env",), dict(values["envs"]), (*at, "envs"))


def _describe_tensorboard(draft: Draft, line: Line, values: FlagValues) -> None:
    """The master served TensorBoard itself, behind a Service of this type, and so never ended."""
    if "tensorboard_log_dir" not in values:
        return
    origin: Path = (line.place, "tensorboard_log_dir")
    folder = values["tensorboard_log_dir"]
    tensorboard = {"logDir": folder, "serviceType": "LoadBalancer"}
    for field in ("volumes", "volumeMounts"):
        if field in draft.data:
            tensorboard[field] = draft.data[field]
    draft.take(("tensorboard",), tensorboard, origin)
    text = "a pod of its own; the master used to serve it, and kept running after the training"
    draft.note(("tensorboard",), text)
    for mount in tensorboard.get("volumeMounts", ()):
        if f"{folder}/".startswith(f"{mount['mountPath'].rstrip('/')}/"):
            return
    if folder.startswith("/"):
        message = (
            f"no volume is mounted at {folder}, "
            "so TensorBoard cannot see what the master writes there"
        )
        draft.warning(
            origin, message, "elasticdl-tensorboard-volume", "use a directory on a volume"
        )


def _note_what_is_left_out(draft: Draft, line: Line, values: FlagValues) -> None:
    """What was for the client, or for the image that it built."""
    if values.get("namespace", "default") != "default":
        draft.in_namespace(values["namespace"], "--namespace")
    build_flags = ("docker_image_prefix", "image_base", "extra_pypi_index")
    if built := [f"--{name}" for name in build_flags if name in values]:
        about: Path = ("image",) if "image" in draft.data else ()
        draft.note(about, f"{', '.join(built)}: for the image that the client built")
    own = [f"--{name}" for name in FOR_CLIENT if name in line.given]
    own += line.source.data.get("env", {})
    if own:
        draft.note((), f"{', '.join(own)}: for the client itself")
    for role in draft.data["roles"].values():
        if "priorityClassName" in role:
            text = (
                "the cluster must have these PriorityClasses; "
                "priorityClasses: {NAME: VALUE} creates them"
            )
            draft.note(("roles",), text)
            break
