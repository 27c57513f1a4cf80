"""PyTorchJob: the object of Kubeflow's training operator for PyTorch.

chartgen reads a PyTorchJob as the operator read it. `chartgen render` makes a chart of it, and
`chartgen convert` prints the job description that it means, with your comments and a note on
everything that was dropped or is different. No operator or CRD is needed any longer; `chartgen
explain formats` lists the commands to use now.

  chartgen render pytorchjob.yaml -o charts         # a chart of the PyTorchJob as it is
  chartgen convert pytorchjob.yaml > job.yaml       # the job description that it means

Versions
  kubeflow.org/v1beta1, v1beta2 and v1.

Taken
  metadata.name              name, cut to 40 characters, and namePrefix: NAME-; if there is only a
                             generateName, its beginning, with a warning
  metadata.namespace         helm install -n: a chart carries no namespace
  pytorchReplicaSpecs        roles: Master and Worker, in any case
  replicas                   replicas, 1 by default
  restartPolicy              restartPolicy of the role, OnFailure by default; it takes the place of
                             the template's. Always is OnFailure, because the pods of a Job end,
                             and ExitCode is Never with exitCodes: tfjob
  template                   the role's own fields (image, command, env, ...); if it has several
                             containers, template as it is. `pytorch` is the main container
  a port named               port, 23456 by default
    pytorchjob-port
  nprocPerNode               pytorch.nprocPerNode, auto by default
  elasticPolicy              minReplicas and maxReplicas; rdzvPort becomes the port, rdzvConf
                             pytorch.rdzvConf, and maxRestarts the variable PET_MAX_RESTARTS
  runPolicy, or the same     ttlSecondsAfterFinished, activeDeadlineSeconds, backoffLimit and
    fields in spec           suspend; each Job counts its own
  cleanPodPolicy             cleanup, which stops pods that still run
  schedulingPolicy           only its priorityClassName

Dropped
  status, metadata.uid and   the cluster wrote them
    the like
  elasticPolicy.metrics,     the chart has no autoscaler, the workers meet at worker 0, and the
    rdzvHost, rdzvId,        runtime id is the rendezvous id
    standalone
  managedBy, minAvailable,   the chart makes no group of pods that start together
    queue, minResources,
    scheduleTimeoutSeconds

Different
  names                      <name>-<type>-<id>-<index>; the operator's had no id
  labels                     training.kubeflow.org/job-name and replica-type, and job-role: master
                             on the master; chartgen/index in the place of replica-index
  workers alone              get MASTER_ADDR, RANK and WORLD_SIZE too, so that they find each other
  an elastic job             worker 0 decides how it ends; with the operator, any worker did
  init-pytorch               is not needed: PyTorch waits for the name of the master
  variables                  set in the container `pytorch`; the operator set them in all

Example
  apiVersion: kubeflow.org/v1
  kind: PyTorchJob
  metadata: {name: resnet}
  spec:
    pytorchReplicaSpecs:
      Worker:
        replicas: 2
        template:
          spec:
            containers:
              - {name: pytorch, image: registry.example.com/resnet:2.4}
"""

from collections.abc import Mapping

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow import OperatorKind
from chartgen.native.operators.kubeflow import adopt as adopt_kind
from chartgen.native.operators.replica_sets import hoist_image
from chartgen.startup.typing import Any

KIND = OperatorKind(
    "pytorchjob",
    "pytorch",
    "pytorch",
    "pytorchReplicaSpecs",
    "pytorchjob-port",
    29500,
    "OnFailure",
)

_PORT = 23456  # the operator's
_ELASTIC: Path = ("spec", "elasticPolicy")


def adopt(document: Document) -> Adopted:
    """The job description that a PyTorchJob means; without the parts of it that are refused."""
    return adopt_kind(document, KIND, _finish)


def _finish(draft: Draft) -> None:
    spec, roles = draft.source.data["spec"], draft.data["roles"]
    elastic = spec.get("elasticPolicy")
    for role, fields in roles.items():
        if "port" not in fields:
            draft.take(("roles", role, "port"), _PORT, draft.origins["roles", role])
            draft.note(("roles", role, "port"), "the operator's default")
    _take_processes(draft, spec, elastic or {})
    if elastic is not None:
        _take_elastic(draft, elastic)
    elif "master" not in roles:
        text = "the operator gave workers without a master no address; here they meet at worker 0"
        draft.note(("roles", "worker"), text)
    hoist_image(draft, [*roles], KIND.container)


def _take_processes(draft: Draft, spec: Mapping[str, Any], elastic: Mapping[str, Any]) -> None:
    draft.take(("pytorch",), {}, ("spec", KIND.specs))
    target: Path = ("pytorch", "nprocPerNode")
    if "nprocPerNode" in spec:
        value = spec["nprocPerNode"]
        number = int(value) if str(value).isdecimal() else value
        draft.take(target, number, ("spec", "nprocPerNode"))
    elif "nProcPerNode" in elastic:
        draft.take(target, elastic["nProcPerNode"], (*_ELASTIC, "nProcPerNode"))
    else:
        draft.take(target, "auto", ("spec", KIND.specs))
        draft.note(target, "the operator's default")


def _take_elastic(draft: Draft, elastic: Mapping[str, Any]) -> None:
    """The numbers, each by default the other one, and both by default that of the workers."""
    worker = draft.data["roles"].get("worker", {})
    numbers = {name: elastic[name] for name in ("minReplicas", "maxReplicas") if name in elastic}
    for name, other in (("minReplicas", "maxReplicas"), ("maxReplicas", "minReplicas")):
        value = numbers.get(name, numbers.get(other, worker.get("replicas", 1)))
        draft.take(("pytorch", name), value, (*_ELASTIC, name) if name in elastic else _ELASTIC)
    if "rdzvPort" in elastic and worker:
        draft.take(("roles", "worker", "port"), elastic["rdzvPort"], (*_ELASTIC, "rdzvPort"))
    if elastic.get("rdzvConf"):
        settings = ",".join(f"{entry['key']}={entry['value']}" for entry in elastic["rdzvConf"])
        draft.take(("pytorch", "rdzvConf"), settings, (*_ELASTIC, "rdzvConf"))
    if "maxRestarts" in elastic:
        env = {**draft.data.get("env", {}), "PET_MAX_RESTARTS": str(elastic["maxRestarts"])}
        draft.take(("env",), env, (*_ELASTIC, "maxRestarts"))
    else:
        draft.note(("pytorch",), "PET_MAX_RESTARTS is 3; the operator left it to torchrun, 0")
    for name in ("metrics", "rdzvHost", "rdzvId", "standalone"):
        if name in elastic:
            draft.note(("pytorch",), f"elasticPolicy.{name} is left out: {_DROPPED[name]}")
    draft.note(("pytorch",), "worker 0 decides how the job ends; with the operator, any worker did")


_DROPPED = {
    "metrics": "the chart has no autoscaler",
    "rdzvHost": "workers meet at worker 0",
    "rdzvId": "the runtime id is the id of the rendezvous",
    "standalone": "a single worker meets itself",
}
