"""MxJob: the objects of MXNet's first operator (deepinsight/mxnet-operator, 2017), read as the operator read them."""

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.pod_template import starts, take_template
from chartgen.native.operators.replica_sets import SPECS, Set, describe, hoist_image, read, take_set

CONTAINER = "mxnet"

_PORT = 9091  # what the operator filled in, for every type


def adopt(document: Document) -> Adopted:
    """The job description that an MxJob means; where parts of it are refused, as much as can be judged without them."""
    if later := _later(document):
        return Adopted(None, (), (later,))
    sound, _, problems = read(document, "mxjob")
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft)
    return draft.adopted(problems)


def _later(document: Document) -> Problem | None:
    """Kubeflow went on with APIs of its own under the same kind."""
    api = str(document.data.get("apiVersion", "")) if isinstance(document.data, dict) else ""
    group, _, version = api.partition("/")
    if group != "kubeflow.org":
        return None
    message = f"an MXJob of {api} is of a later API than the one chartgen reads (mxnet.mlkube.io/v1beta1)"
    if version == "v1alpha1":
        hint = (
            "its replicaSpecs are the same: write apiVersion: mxnet.mlkube.io/v1beta1, kind: MxJob, "
            "and jobMode: dist in spec"
        )
    else:
        hint = (
            "write a job description: each entry of mxReplicaSpecs is a role (scheduler, server or worker), "
            "and its template goes under the role's template; `chartgen explain mxnet` says more"
        )
    return document.problem(("apiVersion",), message, "api-version", hint)


def _describe(draft: Draft) -> None:
    """All that an MxJob says, in a job description's words."""
    data = draft.source.data
    describe(draft, "mxnet")
    draft.take(("namePrefix",), f"{data['metadata']['name']}-", ("metadata", "name"))
    draft.note(("namePrefix",), "MxJob's objects have the job's name in front of theirs")
    if data["spec"]["jobMode"] == "local":
        draft.take(("mxnet",), {"mode": "local"}, ("spec",))
        draft.take(("mxnet", "mode"), "local", ("spec", "jobMode"))
    for index, one in enumerate(data["spec"]["replicaSpecs"]):
        _set(draft, index, one)
    hoist_image(draft, [role for role in draft.data["roles"] if role == "worker"], CONTAINER)


def _set(draft: Draft, index: int, one: Set) -> None:
    """A set of replicas becomes a role."""
    kind = one.get("mxReplicaType", "WORKER")
    role = kind.lower()
    if not take_set(draft, index, "mxReplicaType", kind):
        return
    path: Path = (*SPECS, index)
    _replicas(draft, path, role, one)
    _port(draft, path, role, one)
    if "template" not in one:
        draft.problem(path, f"the {kind} has no template; expected the pod that runs it", "required")
    elif take_template(draft, role, path, one["template"], CONTAINER) and role != "worker":
        _own_entrypoint(draft, path, role, one)


def _replicas(draft: Draft, path: Path, role: str, one: Set) -> None:
    if one.get("replicas") == 0 and role == "worker" and "mxnet" in draft.data:
        message = "a local job has 1 worker, and the operator made it whatever the count was; read as 1"
        draft.warning((*path, "replicas"), message, "local-mode", "write replicas: 1")
    elif "replicas" in one:
        draft.take(("roles", role, "replicas"), one["replicas"], (*path, "replicas"))


def _port(draft: Draft, path: Path, role: str, one: Set) -> None:
    """Only the scheduler listens on PsRootPort; the operator filled it in for all."""
    port = one.get("PsRootPort")
    if port is None:
        return
    if role == "scheduler":
        draft.take(("roles", role, "port"), port, (*path, "PsRootPort"))
    elif port == _PORT:
        draft.note(("roles", role), f"PsRootPort: only a scheduler listens on it, so it means nothing to a {role}")
    else:
        message = f"only the SCHEDULER's PsRootPort is used; that of a {role.upper()} means nothing and is left out"
        hint = "remove it, or give it to the SCHEDULER"
        draft.warning((*path, "PsRootPort"), message, "no-port", hint, key=True)


def _own_entrypoint(draft: Draft, path: Path, role: str, one: Set) -> None:
    """A set with a template runs what its image runs, where our own description would start MXNet alone."""
    if not starts(one["template"], CONTAINER):
        draft.take(("roles", role, "command"), [], (*path, "template"))
        text = f"A {role.upper()} runs what its image runs; without this line it would be `python -c 'import mxnet'`"
        draft.note(("roles", role, "command"), text)
