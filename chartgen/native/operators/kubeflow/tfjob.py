"""tfjob-v1: TFJob as Kubeflow has it since 2018, with tfReplicaSpecs; and KubeDL's.

chartgen reads a TFJob as the operator read it. `chartgen render` makes a chart of it, and `chartgen
convert` prints the job description that it means, with your comments and a note on everything that
was dropped or is different. No operator or CRD is needed any longer; `chartgen explain formats`
lists the commands to use now.

  chartgen render tfjob.yaml -o charts              # a chart of the TFJob as it is
  chartgen convert tfjob.yaml > job.yaml            # the job description that it means
  kubectl get tfjobs -o yaml | chartgen convert -   # everything that still runs, all at once

Versions
  kubeflow.org/v1alpha2, v1beta1, v1beta2 and v1, and training.kubedl.io/v1alpha1. TfJobs with
  replicaSpecs, of 2017 and of kubeflow.org/v1alpha1, are another format: `chartgen explain tfjob`.

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; if there is only a
                             generateName, its beginning, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  tfReplicaSpecs             roles: Chief, Master, Worker, PS and Evaluator, in any case
  replicas                   replicas, 1 by default
  restartPolicy              restartPolicy of the role, Never by default; it takes the place of the
                             template's. Always is OnFailure, because the pods of a Job end
  template                   the role's own fields (image, command, env, ...); if it has several
                             containers, template as it is. `tensorflow` is the main container
  a port named tfjob-port    port, 2222 by default
  enableDynamicWorker        tensorflow.cluster: sparse
  successPolicy: AllWorkers  tensorflow.succeeds: all, in a job without a chief
  runPolicy, or the same     ttlSecondsAfterFinished, activeDeadlineSeconds, backoffLimit and
    fields in spec           suspend; each Job counts its own
  cleanPodPolicy             cleanup, which stops pods that still run
  schedulingPolicy           only its priorityClassName

Dropped
  status, metadata.uid and   the cluster wrote them
    the like
  managedBy, minAvailable,   the chart makes no group of pods that start together
    queue, minResources,
    scheduleTimeoutSeconds
  labels of versions before  use chartgen/role and chartgen/index
    v1

Different
  names                      <name>-<type>-<id>-<index>; the operator's had no id
  labels                     training.kubeflow.org/job-name and replica-type, and job-role: master
                             on a chief or master; chartgen/index in the place of replica-index
  TF_CONFIG                  the same lists of replicas, by names without .NAMESPACE.svc; without
                             the evaluator, which never was a part of TensorFlow's cluster; with
                             "environment":"cloud" only if there is a Master. A job with a single
                             worker has a TF_CONFIG, too
  restartPolicy: ExitCode    Never with exitCodes: tfjob for v1, and tf-operator before v1 and for
                             KubeDL, as the operators had it; each Job counts its own retries
  variables                  set in the container `tensorflow`; the operator set them in all

Example
  apiVersion: kubeflow.org/v1
  kind: TFJob
  metadata: {name: mnist}
  spec:
    tfReplicaSpecs:
      Worker:
        replicas: 2
        restartPolicy: OnFailure
        template:
          spec:
            containers:
              - {name: tensorflow, image: registry.example.com/mnist:1.4}
"""

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow import OperatorKind
from chartgen.native.operators.kubeflow import adopt as adopt_kind
from chartgen.native.operators.replica_sets import hoist_image

KIND = OperatorKind("tfjob-v1", "tensorflow", "tensorflow", "tfReplicaSpecs", "tfjob-port", 2222)

_TF_CONFIG = (
    "TF_CONFIG names the replicas without .NAMESPACE.svc, which the operator added; "
    "in one namespace both lead to the same pods"
)


def adopt(document: Document) -> Adopted:
    """The job description that a TFJob means; without the parts of it that are refused."""
    return adopt_kind(document, KIND, _finish)


def _finish(draft: Draft) -> None:
    spec, roles = draft.source.data["spec"], draft.data["roles"]
    if spec.get("enableDynamicWorker"):
        source: Path = ("spec", "enableDynamicWorker")
        draft.take(("tensorflow",), {"cluster": "sparse"}, source)
        text = "enableDynamicWorker: a worker sees the parameter servers and itself"
        if "ps" in roles:
            text += (
                "; a parameter server sees all of them, where the operator showed it only itself"
            )
        draft.note(("tensorflow",), text)
    _describe_config(draft)
    if "ps" in roles and not _has_command(draft, "ps"):
        draft.take(("roles", "ps", "command"), [], draft.origins["roles", "ps"])
        text = "the PS runs its image's entrypoint; without this line, the standard server"
        draft.note(("roles", "ps", "command"), text)
    if spec.get("successPolicy") and not roles.keys() & {"chief", "master"}:
        source = ("spec", "successPolicy")
        if "tensorflow" not in draft.data:
            draft.take(("tensorflow",), {}, source)
        draft.take(("tensorflow", "succeeds"), "all", source)
    hoist_image(draft, [role for role in roles if role != "ps"], KIND.container)


def _describe_config(draft: Draft) -> None:
    """Where TF_CONFIG is not what the operator wrote."""
    roles = draft.data["roles"]
    draft.note(("roles",), _TF_CONFIG)
    if "evaluator" in roles:
        text = "the operator's TF_CONFIG listed the evaluator, which TensorFlow does not expect"
        draft.note(("roles", "evaluator"), text)
    if [*roles] == ["worker"] and roles["worker"].get("replicas", 1) == 1:
        text = "the operator set no TF_CONFIG for one worker alone; here there is one"
        draft.note(("roles", "worker"), text)
    # The operator's sparse one has none, either.
    if "master" not in roles and "tensorflow" not in draft.data:
        text = 'TF_CONFIG has no "environment", which only TensorFlow before 1.4 reads'
        draft.note(("roles",), text)


def _has_command(draft: Draft, role: str) -> bool:
    fields = draft.data["roles"][role]
    if "template" not in fields:
        return bool(fields.get("command") or fields.get("args"))
    for container in fields["template"]["spec"]["containers"]:
        if container["name"] == KIND.container:
            return bool(container.get("command") or container.get("args"))
    return False
