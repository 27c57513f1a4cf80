"""mxjob-v1: MXJob as Kubeflow had it from 2018 to 2024, with mxReplicaSpecs.

chartgen reads an MXJob as the operator read it. `chartgen render` makes a chart of it, and
`chartgen convert` prints the job description that it means, with your comments and a note on
everything that was dropped or is different. No operator or CRD is needed any longer; `chartgen
explain formats` lists the commands to use now.

  chartgen render mxjob.yaml -o charts              # a chart of the MXJob as it is
  chartgen convert mxjob.yaml > job.yaml            # the job description that it means

Versions
  kubeflow.org/v1alpha2, v1beta1, v1beta2 and v1. MxJobs with replicaSpecs, of 2017 and of
  kubeflow.org/v1alpha1, are another format: `chartgen explain mxjob`.

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; if there is only a
                             generateName, its beginning, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  mxReplicaSpecs             roles: Scheduler, Server and Worker, in any case. A Worker alone is
                             `mxnet: {mode: local}`
  replicas                   replicas, 1 by default
  restartPolicy              restartPolicy of the role, Never by default; it takes the place of the
                             template's. Always is OnFailure, because the pods of a Job end
  template                   the role's own fields (image, command, env, ...); if it has several
                             containers, template as it is. `mxnet` is the main container
  a port named mxjob-port    port of the scheduler, 9091 by default
  runPolicy, or the same     ttlSecondsAfterFinished, activeDeadlineSeconds, backoffLimit and
    fields in spec           suspend; each Job counts its own
  cleanPodPolicy             cleanup, which stops pods that still run
  schedulingPolicy           only its priorityClassName

Dropped
  status, metadata.uid and   the cluster wrote them
    the like
  managedBy, minAvailable,   the chart makes no group of pods that start together
    queue, minResources, ...
  ports of servers and       they choose their own
    workers

Different
  names                      <name>-<type>-<id>-<index>; the operator's had no id
  labels                     training.kubeflow.org/job-name and replica-type of v1; chartgen/index
                             in the place of replica-index
  environment                the DMLC_* variables; MX_CONFIG and DMLC_WORKER_ID, for tuning and for
                             BytePS, are left out
  end of the job             when all workers succeed; the operator asked the scheduler
  restartPolicy: ExitCode    Never with exitCodes: tfjob for v1, and tf-operator before v1,
                             as the operators had it; each Job counts its own retries

Refused
  jobMode: MXTune, and the types TunerTracker, TunerServer and Tuner: they tune a model for a
  compiler, and do not train.
"""

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow import OperatorKind
from chartgen.native.operators.kubeflow import adopt as adopt_kind
from chartgen.native.operators.replica_sets import hoist_image

KIND = OperatorKind("mxjob-v1", "mxnet", "mxnet", "mxReplicaSpecs", "mxjob-port", 9091)

_TUNERS = ("tunertracker", "tunerserver", "tuner")


def adopt(document: Document) -> Adopted:
    """The job description that an MXJob means; without the parts of it that are refused."""
    if tuning := _find_tuning(document):
        path, what = tuning
        message = (
            f"{what} tunes a model for a compiler, which is another program; "
            "expected MXTrain, with Scheduler, Server and Worker"
        )
        problem = document.problem(path, message, "mxjob-tuning", key=len(path) > 2)
        return Adopted(None, (), (problem,))
    return adopt_kind(document, KIND, _finish)


def _find_tuning(document: Document) -> tuple[Path, str] | None:
    data = document.data
    spec = data.get("spec") if isinstance(data, dict) else None
    if not isinstance(spec, dict):
        return None
    if str(spec.get("jobMode")).lower() == "mxtune":
        return ("spec", "jobMode"), "jobMode MXTune"
    sets = spec.get("mxReplicaSpecs")
    for type_ in sets if isinstance(sets, dict) else ():
        if str(type_).lower() in _TUNERS:
            return ("spec", "mxReplicaSpecs", type_), f"the type {type_}"
    return None


def _finish(draft: Draft) -> None:
    roles = draft.data["roles"]
    if [*roles] == ["worker"]:
        draft.take(("mxnet",), {"mode": "local"}, ("spec", KIND.specs))
        draft.note(("mxnet",), "a Worker alone trains without a scheduler and servers")
    else:
        text = "MX_CONFIG and DMLC_WORKER_ID, which the operator set as well, are left out"
        draft.note(("roles",), text)
        draft.note(
            ("roles",), "the job succeeds when all workers do; the operator asked the scheduler"
        )
    for role, fields in roles.items():
        if role != "scheduler" and fields.pop("port", None):
            draft.note(("roles", role), f"the port of a {role} was not used: it chooses its own")
        starts = fields.get("command") or fields.get("args") or "template" in fields
        if role != "worker" and not starts:
            draft.take(("roles", role, "command"), [], draft.origins["roles", role])
            text = "runs its image's entrypoint; without this line, `python -c 'import mxnet'`"
            draft.note(("roles", role, "command"), text)
    hoist_image(draft, [role for role in roles if role == "worker"], KIND.container)
