"""JAXJob: the object of Kubeflow's training operator for JAX.

chartgen reads a JAXJob as the operator read it. `chartgen render` makes a chart of it, and
`chartgen convert` prints the job description that it means, with your comments and a note on
everything that was dropped or is different. No operator or CRD is needed any longer; `chartgen
explain formats` lists the commands to use now.

  chartgen render jaxjob.yaml -o charts             # a chart of the JAXJob as it is
  chartgen convert jaxjob.yaml > job.yaml           # the job description that it means

Versions
  kubeflow.org/v1.

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; if there is only a
                             generateName, its beginning, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  jaxReplicaSpecs            the role worker
  replicas                   replicas, 1 by default
  restartPolicy              restartPolicy of the role, Never by default; it takes the place of the
                             template's. Always is OnFailure, because the pods of a Job end,
                             and ExitCode is Never with exitCodes: tfjob
  template                   the role's own fields (image, command, env, ...); if it has several
                             containers, template as it is. `jax` is the main container
  a port named jaxjob-port   port, 6666 by default
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

Different
  names                      <name>-worker-<id>-<index>; the operator's had no id
  labels                     training.kubeflow.org/job-name and replica-type; chartgen/index in the
                             place of replica-index
  variables                  those of the operator, and JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES
                             and JAX_PROCESS_ID beside them; in the container `jax`, where the
                             operator set them in all

Example
  apiVersion: kubeflow.org/v1
  kind: JAXJob
  metadata: {name: gemma}
  spec:
    jaxReplicaSpecs:
      Worker:
        replicas: 2
        template:
          spec:
            containers:
              - {name: jax, image: registry.example.com/gemma:0.6}
"""

from chartgen.document import Document
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow import OperatorKind
from chartgen.native.operators.kubeflow import adopt as adopt_kind
from chartgen.native.operators.replica_sets import hoist_image

KIND = OperatorKind("jaxjob", "jax", "jax", "jaxReplicaSpecs", "jaxjob-port", 6666)


def adopt(document: Document) -> Adopted:
    """The job description that a JAXJob means; without the parts of it that are refused."""
    return adopt_kind(document, KIND, _finish)


def _finish(draft: Draft) -> None:
    hoist_image(draft, [*draft.data["roles"]], KIND.container)
