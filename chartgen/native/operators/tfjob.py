"""TfJob: the objects of TensorFlow's first operator (tensorflow/k8s, 2017 and 2018), read as the operator read them."""

from collections.abc import Mapping
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.pod_template import Template, starts, take_template
from chartgen.native.operators.replica_sets import SPECS, Set, describe, hoist_image, read, take_set

CONTAINER = "tensorflow"
TF_IMAGE = "tensorflow/tensorflow:1.3.0"

_SERVER_VOLUME = "ps-config-volume"  # where the operator mounted the script of its parameter server


def adopt(document: Document) -> Adopted:
    """The job description that a TfJob means; where parts of it are refused, as much as can be judged without them."""
    if later := _later(document):
        return Adopted(None, (), (later,))
    sound, whole, problems = read(document, "tfjob")
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft)
    if whole:  # else what seems to be missing may be what was refused
        _chief(draft)
    return draft.adopted(problems)


def _later(document: Document) -> Problem | None:
    """Kubeflow went on with another API under the same kind."""
    api = str(document.data.get("apiVersion", "")) if isinstance(document.data, dict) else ""
    group, _, version = api.partition("/")
    if group != "kubeflow.org" or version in ("", "v1alpha1"):
        return None
    message = f"a TFJob of {api} is of a later API than the one chartgen reads (v1alpha1, with replicaSpecs)"
    hint = (
        "write a job description: each entry of tfReplicaSpecs is a role (chief, worker, ps, evaluator or master), "
        "and its template goes under the role's template; `chartgen explain tensorflow` says more"
    )
    return document.problem(("apiVersion",), message, "api-version", hint)


def _describe(draft: Draft) -> None:
    """All that a TfJob says, in a job description's words."""
    spec = draft.source.data["spec"]
    describe(draft, "tensorflow")
    for index, one in enumerate(spec["replicaSpecs"]):
        _set(draft, index, one)
    if "tensorboard" in spec:
        _tensorboard(draft, spec["tensorboard"])
    elif "tfImage" in spec and not any(_type(one) == "PS" and "template" not in one for one in spec["replicaSpecs"]):
        draft.note((), "spec.tfImage is for TensorBoard and for a PS without a template, and there is neither")
    hoist_image(draft, [role for role in draft.data["roles"] if role != "ps"], CONTAINER)


def _type(one: Set) -> str:
    return str(one.get("tfReplicaType", "MASTER"))


def _set(draft: Draft, index: int, one: Set) -> None:
    """A set of replicas becomes a role."""
    path: Path = (*SPECS, index)
    kind = _type(one)
    role = kind.lower()
    if not take_set(draft, index, "tfReplicaType", kind):
        return
    if kind == "MASTER" and one.get("replicas", 1) != 1:
        draft.problem((*path, "replicas"), f"a job has 1 MASTER, not {one['replicas']}", "one-chief")
    elif "replicas" in one:
        draft.take(("roles", role, "replicas"), one["replicas"], (*path, "replicas"))
    if "tfPort" in one:
        draft.take(("roles", role, "port"), one["tfPort"], (*path, "tfPort"))
    if kind != "PS" and one.get("IsDefaultPS"):
        draft.problem((*path, "IsDefaultPS"), f"this is a {kind}; expected IsDefaultPS only with a PS", "default-ps")
    elif "template" in one:
        _template(draft, path, role, one)
    elif kind == "PS":
        _tf_image(draft, ("roles", "ps"), path, "a PS without a template")
    else:
        hint = "only a PS can do without, and then runs TensorFlow's standard server"
        draft.problem(path, f"the {kind} has no template; expected the pod that trains", "required", hint)


def _template(draft: Draft, path: Path, role: str, one: Set) -> None:
    template = one["template"]
    if one.get("IsDefaultPS"):
        template = _without_server(draft, path, template)
    if not take_template(draft, role, path, template, CONTAINER):
        return
    if role == "ps" and not one.get("IsDefaultPS") and not starts(template, CONTAINER):
        draft.take(("roles", "ps", "command"), [], (*path, "template"))
        text = "A PS with a template runs what its image runs; without this line it would be the standard server"
        draft.note(("roles", "ps", "command"), text)


def _without_server(draft: Draft, path: Path, template: Template) -> Template:
    """The template that the operator made for its own server, or that it would have filled, without the server."""
    draft.note(("roles", "ps"), "IsDefaultPS: a ps without a command runs the standard server, which the chart brings")
    containers = []
    for index, one in enumerate(template["spec"]["containers"]):
        at: Path = (*path, "template", "spec", "containers", index)
        containers.append(_without_start(draft, at, one) if one["name"] == CONTAINER else one)
    volumes = [volume for volume in template["spec"].get("volumes", ()) if volume.get("name") != _SERVER_VOLUME]
    return {**template, "spec": {**template["spec"], "containers": containers, "volumes": volumes}}


def _without_start(draft: Draft, path: Path, one: Mapping[str, Any]) -> dict[str, Any]:
    for field in ("command", "args"):
        if one.get(field):
            message = f"with IsDefaultPS the operator ran its own server in place of this {field}; so does the chart"
            draft.warning((*path, field), message, "default-ps", f"remove IsDefaultPS, or the {field}", key=True)
    mounts = [mount for mount in one.get("volumeMounts", ()) if mount.get("name") != _SERVER_VOLUME]
    return {key: value for key, value in one.items() if key not in ("command", "args")} | {"volumeMounts": mounts}


def _tensorboard(draft: Draft, board: Mapping[str, Any]) -> None:
    source: Path = ("spec", "tensorboard")
    draft.take(("tensorboard",), {"logDir": board["logDir"]}, source)
    _tf_image(draft, ("tensorboard",), source, "TensorBoard")
    draft.data["tensorboard"] |= {key: value for key, value in board.items() if value != []}


def _tf_image(draft: Draft, path: Path, source: Path, what: str) -> None:
    """The image of what the operator added to a job."""
    image = draft.source.data["spec"].get("tfImage")
    draft.take((*path, "image"), image or TF_IMAGE, ("spec", "tfImage") if image else source)
    if not image:
        draft.note((*path, "image"), f"TfJob's default for {what}; there was no spec.tfImage")


def _chief(draft: Draft) -> None:
    """Who decides how the job ends: the master; and worker 0 where a policy says so and there is no master."""
    policy: Path = ("spec", "terminationPolicy", "chief")
    chief = draft.source.data["spec"].get("terminationPolicy", {}).get("chief", {})
    name, index = chief.get("replicaName", "MASTER"), chief.get("replicaIndex", 0)
    roles = draft.data["roles"]
    if index != 0:
        draft.problem((*policy, "replicaIndex"), f"expected replica 0 to be the chief, got {index}", "chief")
    if name == "PS" or (name == "WORKER" and "master" in roles):
        message = f"a {name} cannot be the chief: a MASTER is, where there is one, and else WORKER 0"
        draft.problem((*policy, "replicaName"), message, "chief")
    elif name.lower() not in roles:
        hint = "" if name == "WORKER" else _OR_WORKER
        draft.problem(SPECS, f"there is no {name}, whose end is the end of the job", "no-chief", hint, key=True)
    elif name == "WORKER":
        text = 'worker 0 decides how the job ends, as terminationPolicy said; its TF_CONFIG has no "environment"'
        draft.note(("roles", "worker"), text)


_OR_WORKER = "add one, or let a worker decide: terminationPolicy: {chief: {replicaName: WORKER, replicaIndex: 0}}"
