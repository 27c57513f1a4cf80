"""TfJob: the object of TensorFlow's first Kubernetes operator (tensorflow/k8s, 2017 and 2018).

chartgen reads a TfJob as the operator read it. `chartgen render` makes a chart of it, `chartgen
validate` reports what is wrong with it, and `chartgen convert` prints the short job description
that it means, with your comments and a note on everything that was dropped or changed. The TfJob
and the description give the same chart, byte for byte. No operator or CRD is needed any
longer: everything that the operator created is in the chart, and Helm owns it.

  chartgen render tfjob.yaml -o charts              # a chart of the TfJob as it is
  chartgen convert tfjob.yaml > job.yaml            # the job description that it means
  kubectl get tfjobs -o yaml | chartgen convert -   # everything that still runs, all at once

Versions
  tensorflow.org/v1alpha1, and its older and newer names mlkube.io/v1beta1 and
  kubeflow.org/v1alpha1. Later TFJobs, which have tfReplicaSpecs, are another format: `chartgen
  explain tfjob-v1`.

Fields
  metadata.name            name: a DNS label, cut to 40 characters with a warning, as the operator
                           cut it from November 2017 on
  metadata.namespace       helm install -n: a chart carries no namespace
  spec.RuntimeId           runtimeId, used as given; quote it if it consists of digits
  tfReplicaType            the role: MASTER, WORKER or PS becomes master, worker or ps; one set each
  replicas                 replicas, 1 by default
  tfPort                   port, 2222 by default
  template                 the role's own fields (image, command, env, ...); if it has several
                           containers, template as it is. The container `tensorflow` is the main
                           one, and the others are not changed
  PS without a template    ps with an image: the default parameter server, which the chart brings
  PS whose template has    ps with `command: []`: runs the entrypoint of its image
    no command
  spec.tfImage             image of ps and of tensorboard; tensorflow/tensorflow:1.3.0 by default
  spec.tensorboard         tensorboard, with the same four fields
  terminationPolicy.chief  which roles there are: the master decides how the job ends, or worker 0
                           if the policy names it and there is no master
  alpha.kubernetes.io/     kept, with a warning: no cluster since Kubernetes 1.10 offers it. Write
    nvidia-gpu             nvidia.com/gpu, or `gpu: 1`. The clouds gke-2017, azure-2017 and
                           mxnet-2017 do offer it
  status, metadata.uid     dropped, with a note: the cluster wrote them
    and the like
  schedulerName            pod.schedulerName
  cleanPodPolicy           cleanup, which stops pods that still run; only later operators had it
  tf_port, tf_replica_type read as tfPort and tfReplicaType, their names until August 2017
  tfImage beside spec,     read as meant, with a warning: the operator ignored them
    resources beside the
    containers
  a PS that mounts         the default parameter server: that volume was the operator's own
    ps-config-volume

What stays the same
  - Objects are named <type>-<id>-<index>, for example worker-76no-0; TensorBoard is
    tensorboard-<id>, on port 80.
  - Pods, Jobs and Services have the labels job_type, runtime_id, tf_job_name, task_index and
    tensorflow.org.
  - TF_CONFIG is exactly the operator's, with "environment":"cloud"; your own variables come
    before it.
  - Upper and lower case in keys does not matter; there is a warning about the spelling.

What is different, on purpose
  - Services are headless; the operator created a ClusterIP Service for every replica. There is
    one pod behind each of them, and a cluster can hold thousands.
  - Without a RuntimeId, the id is a hash of the finished pods, not four random characters. The
    same input gives the same chart, and a changed image gives new Jobs on `helm upgrade`.
  - What never worked is refused, with file, line and column: a job without a MASTER, which ran
    forever; two sets of one type, which shared their names; null and negative counts, which
    crashed the operator.
  - When the master has ended, parameter servers are released (`cleanup`); the operator left them,
    and their GPUs, until the TfJob was deleted.
  - The operator's exit codes (1 to 127 permanent, 128 to 255 retryable) only decided what it
    reported: its Job retried a program that failed all the same, and so does the Job here. With
    restartPolicy: Never, `exitCodes: tfjob` makes them count; an OOM kill, which was permanent, is
    then retried like every kill.
  - A missing restartPolicy is read as OnFailure, with a warning; the API server refused the Job.
    Always is refused, because the pods of a Job end.
  - Unknown keys are refused with a suggestion; the operator ignored them. replica_specs, which
    its own manual used, is read as replicaSpecs, with a warning.
  - A TF_CONFIG of your own is refused, because the chart computes it from the number of replicas at
    install; the operator set its own beside it.
  - A type with 0 replicas is left out of TF_CONFIG; the operator wrote an empty list, which made
    its parameter server fail.
  - Fields that are newer than Kubernetes 1.7, such as priorityClassName and startupProbe, are
    kept; the operator dropped them.
  - Pods get the token of a service account only if they name one with serviceAccountName, because
    training does not need the API; the operator's pods had the token of the default account.
  - There is no operator and no CRD, and no need to install them or to grant them rights:
    `helm install` is enough.

Commands, for the TfJob example-job with the RuntimeId 76no in the namespace research
  start   before  kubectl create -f tfjob.yaml
          now     chartgen render tfjob.yaml -o charts
                  helm install example-job charts/example-job -n research
  list    before  kubectl get tfjobs
          now     chartgen status -n research
  state   before  kubectl get -o yaml tfjobs example-job
          now     chartgen status example-job -n research
                  kubectl -n research get jobs,pods -l tf_job_name=example-job
  wait    before  look at status.state
          now     chartgen status example-job -n research --wait
  logs    before  kubectl logs master-76no-0-x7k2p
          now     chartgen logs example-job master -n research -f
                  kubectl -n research logs -f job/master-76no-0
  board   before  kubectl proxy, then .../services/tensorboard-76no:80/
          now     kubectl -n research port-forward service/tensorboard-76no 6006:80
  change  before  not possible: changes were ignored
          now     helm upgrade example-job charts/example-job -n research \\
                    --set roles.worker.replicas=4
                  If the TfJob has a RuntimeId, add `--set runtimeId=other`, or run `helm uninstall`
                  first: Jobs cannot be changed in place, and only a hash renames them
  test    before  helm test tf-job (the operator)
          now     helm test example-job (this job)
  delete  before  kubectl delete tfjob example-job
          now     helm uninstall example-job -n research

The operator's configuration
  `chartgen convert` also reads the operator's configuration file, alone or in its ConfigMap, and
  prints the cloud that its accelerators mean; name that file as the `cloud` of your jobs.
"""

from collections.abc import Mapping

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow.policies import take_clean_pods
from chartgen.native.operators.leftovers import Mender, mend_name, mend_templates, templates
from chartgen.native.operators.pod_template import Template, has_command, take_template
from chartgen.native.operators.replica_sets import (
    SPECS,
    ReplicaSet,
    add_role,
    describe_job,
    hoist_image,
    read_object,
)
from chartgen.startup.typing import Any

CONTAINER = "tensorflow"
TF_IMAGE = "tensorflow/tensorflow:1.3.0"

_SPECS = ("spec", "replicaSpecs")
_SERVER = "grpc_tensorflow_server.py"
_SERVER_VOLUME = "ps-config-volume"  # where the operator mounted the script of its parameter server


def adopt(document: Document) -> Adopted:
    """The job description that a TfJob means; without the parts of it that are refused."""
    sound, whole, problems = read_object(document, "tfjob", _mend)
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    spec = sound.data["spec"]
    describe_job(draft, "tensorflow")
    for index, replica_set in enumerate(spec["replicaSpecs"]):
        _describe_set(draft, index, replica_set)
    if "schedulerName" in spec:
        draft.take(("pod",), {"schedulerName": spec["schedulerName"]}, ("spec", "schedulerName"))
    if "cleanPodPolicy" in spec:
        take_clean_pods(draft, spec["cleanPodPolicy"], ("spec", "cleanPodPolicy"))
    if "tensorboard" in spec:
        _describe_tensorboard(draft, spec["tensorboard"])
    elif "tfImage" in spec and not any(map(_is_default_server, spec["replicaSpecs"])):
        text = "spec.tfImage is for TensorBoard and for a PS without a template; there is neither"
        draft.note((), text)
    hoist_image(draft, [role for role in draft.data["roles"] if role != "ps"], CONTAINER)
    _note_exit_codes(draft)
    if whole:  # otherwise what seems to be missing may be what was refused
        _check_chief(draft)
    return draft.adopted(problems)


def _note_exit_codes(draft: Draft) -> None:
    """Say what the operator made of the exit code that decides how the job ends."""
    roles = draft.data["roles"]
    decides = "master" if "master" in roles else "worker"
    path: Path = ("roles", decides, "restartPolicy")
    fields = roles.get(decides, {})
    if "template" in fields:
        fields, path = fields["template"]["spec"], ("roles", decides)
    text = (
        "the operator reported exit codes of 1 to 127 and OOM kills as final, but its Job retried "
        "them all, as here; to give up after 1 to 127, write"
    )
    if fields.get("restartPolicy") == "Never":
        draft.note(path, f"{text} exitCodes: tfjob")
    elif "restartPolicy" in fields:
        draft.note(path, f"{text} restartPolicy: Never and exitCodes: tfjob")


def _mend(mender: Mender) -> None:
    """What people left in TfJobs, as they meant it."""
    mend_name(mender)
    mend_templates(mender, CONTAINER, *_SPECS)
    spec = mender.at("spec")
    if mender.at("tfImage") is not None and isinstance(spec, dict) and "tfImage" not in spec:
        mender.move(("tfImage",), ("spec", "tfImage"))
        message = "tfImage is beside spec, where the operator ignored it; read as in spec"
        mender.warn(("tfImage",), message, "key-spelling", "indent it further", key=True)
    for path, template in templates(mender, *_SPECS):
        replica_set = mender.at(*path[:-1])
        if replica_set.get("tfReplicaType") != "PS" or "IsDefaultPS" in replica_set:
            continue
        if (index := _mounts_server(template)) is not None:
            replica_set["IsDefaultPS"] = True
            container = template["spec"]["containers"][index]
            if _SERVER in str(container.get("command")):
                del container["command"]
                container.pop("args", None)
            where: Path = (*path, "spec", "containers", index, "volumeMounts")
            message = (
                f"{_SERVER_VOLUME!r} held the operator's own parameter server, so this PS is read "
                "as the default one, which the chart brings"
            )
            mender.warn(where, message, "tfjob-default-ps", "leave out the template", key=True)


def _mounts_server(template: Template) -> int | None:
    """The index of the container that mounts the volume of the operator's server."""
    containers = template["spec"].get("containers")
    for index, container in enumerate(containers if isinstance(containers, list) else ()):
        mounts = container.get("volumeMounts") if isinstance(container, dict) else None
        for mount in mounts if isinstance(mounts, list) else ():
            if isinstance(mount, dict) and mount.get("name") == _SERVER_VOLUME:
                return index
    return None


def _type(replica_set: ReplicaSet) -> str:
    return str(replica_set.get("tfReplicaType", "MASTER"))


def _is_default_server(replica_set: ReplicaSet) -> bool:
    return _type(replica_set) == "PS" and "template" not in replica_set


def _describe_set(draft: Draft, index: int, replica_set: ReplicaSet) -> None:
    """A set of replicas becomes a role."""
    path: Path = (*SPECS, index)
    kind = _type(replica_set)
    role = kind.lower()
    if not add_role(draft, index, "tfReplicaType", kind):
        return
    replicas = replica_set.get("replicas", 1)
    if kind == "MASTER" and replicas != 1:
        message = f"expected 1 MASTER in a job, got {replicas}"
        draft.problem((*path, "replicas"), message, "role-one-replica")
    elif "replicas" in replica_set:
        draft.take(("roles", role, "replicas"), replicas, (*path, "replicas"))
    if "tfPort" in replica_set:
        draft.take(("roles", role, "port"), replica_set["tfPort"], (*path, "tfPort"))
    if kind != "PS" and replica_set.get("IsDefaultPS"):
        message = f"expected IsDefaultPS in a set of type PS only; this is a {kind}"
        draft.problem((*path, "IsDefaultPS"), message, "tfjob-default-ps")
    elif "template" in replica_set:
        _describe_template(draft, path, role, replica_set)
    elif kind == "PS":
        _take_tf_image(draft, ("roles", "ps"), path, "a PS without a template")
    else:
        message = f"the {kind} has no template; expected the pod that trains"
        hint = "only a PS can do without one: it then runs TensorFlow's standard server"
        draft.problem(path, message, "key-missing", hint)


def _describe_template(draft: Draft, path: Path, role: str, replica_set: ReplicaSet) -> None:
    template = replica_set["template"]
    is_default = replica_set.get("IsDefaultPS")
    if is_default:
        template = _remove_server(draft, path, template)
    if not take_template(draft, role, path, template, CONTAINER):
        return
    if role == "ps" and not is_default and not has_command(template, CONTAINER):
        draft.take(("roles", "ps", "command"), [], (*path, "template"))
        text = (
            "A PS with a template runs its image's entrypoint; "
            "without this line, the standard server"
        )
        draft.note(("roles", "ps", "command"), text)


def _remove_server(draft: Draft, path: Path, template: Template) -> Template:
    """The template without what belongs to the operator's own server."""
    text = "IsDefaultPS: a ps without a command runs the standard server, which the chart brings"
    draft.note(("roles", "ps"), text)
    spec = template["spec"]
    containers = []
    for index, container in enumerate(spec["containers"]):
        if container["name"] == CONTAINER:
            source: Path = (*path, "template", "spec", "containers", index)
            container = _remove_start(draft, source, container)
        containers.append(container)
    volumes = [volume for volume in spec.get("volumes", ()) if volume.get("name") != _SERVER_VOLUME]
    return {**template, "spec": {**spec, "containers": containers, "volumes": volumes}}


def _remove_start(draft: Draft, path: Path, container: Mapping[str, Any]) -> dict[str, Any]:
    """The container without its command and the mount of the operator's script."""
    rest = dict(container)
    for field in ("command", "args"):
        if rest.pop(field, None):
            message = (
                f"with IsDefaultPS the operator ran its own server instead of this {field}, "
                "and so does the chart"
            )
            hint = f"remove IsDefaultPS, or the {field}"
            draft.warning((*path, field), message, "tfjob-default-ps", hint, key=True)
    mounts = container.get("volumeMounts", ())
    rest["volumeMounts"] = [mount for mount in mounts if mount.get("name") != _SERVER_VOLUME]
    return rest


def _describe_tensorboard(draft: Draft, board: Mapping[str, Any]) -> None:
    source: Path = ("spec", "tensorboard")
    draft.take(("tensorboard",), {"logDir": board["logDir"]}, source)
    _take_tf_image(draft, ("tensorboard",), source, "TensorBoard")
    draft.data["tensorboard"] |= {key: value for key, value in board.items() if value != []}


def _take_tf_image(draft: Draft, path: Path, source: Path, user: str) -> None:
    """The image of what the operator added to a job."""
    image = draft.source.data["spec"].get("tfImage")
    draft.take((*path, "image"), image or TF_IMAGE, ("spec", "tfImage") if image else source)
    if not image:
        draft.note((*path, "image"), f"TfJob's default for {user}; there was no spec.tfImage")


def _check_chief(draft: Draft) -> None:
    """The master decides how the job ends, or worker 0 if the policy says so without a master."""
    policy: Path = ("spec", "terminationPolicy", "chief")
    chief = draft.source.data["spec"].get("terminationPolicy", {}).get("chief", {})
    name, index = chief.get("replicaName", "MASTER"), chief.get("replicaIndex", 0)
    roles = draft.data["roles"]
    if index != 0:
        message = f"expected replica 0 to be the chief, got {index}"
        draft.problem((*policy, "replicaIndex"), message, "tfjob-chief")
    if name == "PS" or (name == "WORKER" and "master" in roles):
        message = (
            f"a {name} cannot be the chief; expected the MASTER, or WORKER 0 if there is no MASTER"
        )
        draft.problem((*policy, "replicaName"), message, "tfjob-chief")
    elif name.lower() not in roles:
        message = f"there is no {name}; expected one, because the job ends when the {name} does"
        hint = "" if name == "WORKER" else _OR_WORKER
        draft.problem(SPECS, message, "tensorflow-chief-missing", hint, key=True)
    elif name == "WORKER":
        text = (
            "worker 0 decides how the job ends, as terminationPolicy said; "
            'its TF_CONFIG has no "environment"'
        )
        draft.note(("roles", "worker"), text)


_OR_WORKER = (
    "add one, or let a worker decide: "
    "terminationPolicy: {chief: {replicaName: WORKER, replicaIndex: 0}}"
)
