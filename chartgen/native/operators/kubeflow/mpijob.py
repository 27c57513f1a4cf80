"""MPIJob: the object of Kubeflow's MPI operator, and of its training operator, for MPI.

chartgen reads an MPIJob as the operator read it. `chartgen render` makes a chart of it, and
`chartgen convert` prints the job description that it means, with your comments and a note on
everything that was dropped or is different. No operator or CRD is needed any longer; `chartgen
explain formats` lists the commands to use now.

  chartgen render mpijob.yaml -o charts             # a chart of the MPIJob as it is
  chartgen convert mpijob.yaml > job.yaml           # the job description that it means

Versions
  kubeflow.org/v2beta1 of the MPI operator, and v1 of the training operator.

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; if there is only a
                             generateName, its beginning, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  mpiReplicaSpecs            the roles launcher and worker
  replicas                   replicas; by default 1 launcher and no worker
  restartPolicy              restartPolicy of the role, Never by default, and OnFailure for the
                             launcher of v2beta1; it takes the place of the template's. Always is
                             OnFailure, because the pods of a Job end, and ExitCode is Never with
                             exitCodes: tfjob
  template                   the role's own fields (image, command, env, ...); if it has several
                             containers, template as it is. The first container, or mainContainer,
                             is the main one, and is named `mpi`
  slotsPerWorker             mpi.slots, 1 by default
  mpiImplementation          mpi.implementation
  runLauncherAsWorker        mpi.runLauncherAsWorker; in v1, if the launcher requests a device
  sshAuthMountPath           mpi.sshAuthMountPath, by default /root/.ssh in v2beta1
  runPolicy, or the same     ttlSecondsAfterFinished, activeDeadlineSeconds, backoffLimit and
    fields in spec           suspend; each Job counts its own
  cleanPodPolicy             cleanup, which stops pods that still run. Without it, the chart also
                             stops the workers, which the operators left running
  schedulingPolicy           only its priorityClassName

Dropped
  status, metadata.uid and   the cluster wrote them
    the like
  launcherCreationPolicy     the launcher always waits until its workers answer
  managedBy, minAvailable,   the chart makes no group of pods that start together
    queue, minResources,
    scheduleTimeoutSeconds
  a worker's command that    the chart's worker runs sshd with a configuration of its own, as any
    runs sshd, or sleeps     user, on the port that -p names, or else 2222

Different
  names                      <name>-<role>-<id>-<index>; the operators' had no id
  labels                     training.kubeflow.org/job-name and job-role, in v1 replica-type;
                             chartgen/index in the place of replica-index
  v1: kubexec.sh             the operator had mpirun start ranks with kubectl exec. Here they are
                             started by ssh, so the image needs OpenSSH's ssh, sshd and
                             ssh-keygen, and no pod has rights in the cluster
  Secret NAME-ssh            RELEASE-ssh, with other keys; a Job makes them once
  variables                  those of the operators, with /etc/mpi/ssh.sh as the agent, and those of
                             Open MPI 5 beside them; in the container `mpi`

Example
  apiVersion: kubeflow.org/v2beta1
  kind: MPIJob
  metadata: {name: pi}
  spec:
    slotsPerWorker: 2
    mpiReplicaSpecs:
      Launcher:
        template:
          spec:
            containers:
              - {name: pi, image: "registry.example.com/pi:5.0", command: [mpirun, /app/pi]}
      Worker:
        replicas: 2
        template:
          spec:
            containers:
              - {name: pi, image: "registry.example.com/pi:5.0"}
"""

from collections.abc import Mapping

from chartgen.devices.request import names_device
from chartgen.document import Document
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow import OperatorKind
from chartgen.native.operators.kubeflow import adopt as adopt_kind
from chartgen.native.operators.kubeflow.mpi_workers import CONTAINER, drop_idle_command
from chartgen.native.operators.leftovers import Mender, templates
from chartgen.native.operators.replica_sets import hoist_image
from chartgen.startup.typing import Any

_SPECS = ("spec", "mpiReplicaSpecs")
_V1 = OperatorKind("mpijob", "mpi", CONTAINER, "mpiReplicaSpecs", "", 0)
_V2 = _V1._replace(launcher_restart="OnFailure", role_label="job-role", all_containers=False)
_DEFAULT = "the operator's default"


def adopt(document: Document) -> Adopted:
    """The job description that an MPIJob means; without the parts of it that are refused."""
    later = _is_v2(document.data)
    return adopt_kind(document, _V2 if later else _V1, _finish, _name_containers)


def _is_v2(data: Any) -> bool:
    return isinstance(data, dict) and data.get("apiVersion") != "kubeflow.org/v1"


def _name_containers(mender: Mender) -> None:
    """To the operators the first container was the main one, or in v1 the one that is named so."""
    wanted = mender.at("spec", "mainContainer")
    for _, template in templates(mender, *_SPECS):
        containers = template["spec"].get("containers")
        if not isinstance(containers, list) or not containers:
            continue
        named = [
            container
            for container in containers
            if isinstance(container, dict) and container.get("name") == wanted
        ]
        main = named[0] if named else containers[0]
        if isinstance(main, dict):
            main["name"] = _V1.container


def _finish(draft: Draft) -> None:
    spec, roles = draft.source.data["spec"], draft.data["roles"]
    worker = spec[_V1.specs].get("Worker", {})
    if worker and "replicas" not in worker:
        draft.take(("roles", "worker", "replicas"), 0, (*_SPECS, "Worker"))
        draft.note(("roles", "worker", "replicas"), _DEFAULT)
    _take_options(draft, spec)
    if worker:
        drop_idle_command(draft)
    if "cleanPodPolicy" not in {**spec, **spec.get("runPolicy", {})}:
        text = "workers are stopped when the launcher has ended; the operator's default kept them"
        draft.note(("roles",), text)
    hoist_image(draft, [*roles], _V1.container)


def _take_options(draft: Draft, spec: Mapping[str, Any]) -> None:
    draft.take(("mpi",), {}, _SPECS)
    _take_option(draft, spec, "slotsPerWorker", "slots", 1)
    if "mpiImplementation" in spec:
        name = spec["mpiImplementation"].lower()
        draft.take(("mpi", "implementation"), name, ("spec", "mpiImplementation"))
    if "launcherCreationPolicy" in spec:
        text = "launcherCreationPolicy is left out: the launcher waits until its workers answer"
        draft.note(("mpi",), text)
    if _is_v2(draft.source.data):
        if "runLauncherAsWorker" in spec:
            _take_option(draft, spec, "runLauncherAsWorker", "runLauncherAsWorker", False)
        _take_option(draft, spec, "sshAuthMountPath", "sshAuthMountPath", "/root/.ssh")
        return
    text = "ranks are started by ssh, where the operator used kubectl exec: the image needs sshd"
    draft.note(("mpi",), text)
    if names_device(draft.data["roles"].get("launcher", {})):
        draft.take(("mpi", "runLauncherAsWorker"), True, (*_SPECS, "Launcher"))
        text = "the launcher requests a device, and so had ranks"
        draft.note(("mpi", "runLauncherAsWorker"), text)


def _take_option(
    draft: Draft, spec: Mapping[str, Any], field: str, option: str, default: Any
) -> None:
    if field in spec:
        draft.take(("mpi", option), spec[field], ("spec", field))
    else:
        draft.take(("mpi", option), default, _SPECS)
        draft.note(("mpi", option), _DEFAULT)
