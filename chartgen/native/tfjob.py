"""TfJob: the objects of TensorFlow's first operator (tensorflow/k8s, 2017 and 2018), read as the operator read them."""

from collections.abc import Mapping
from typing import Any

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.base import Adopted, Draft, rules
from chartgen.native.role import Template, starts, take_template
from chartgen.native.spelling import as_go_reads

CONTAINER = "tensorflow"
TF_IMAGE = "tensorflow/tensorflow:1.3.0"

Set = Mapping[str, Any]  # one entry of replicaSpecs: a set of equal replicas

_SPECS: Path = ("spec", "replicaSpecs")
_ALSO = {"replica_specs": "replicaSpecs"}  # three samples of the operator's own manual have it
_BY_CLUSTER = (
    "clusterName", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers",
    "generateName", "generation", "initializers", "managedFields", "ownerReferences", "resourceVersion", "selfLink",
    "uid",
)  # fmt: skip
_SERVER_VOLUME = "ps-config-volume"  # where the operator mounted the script of its parameter server


def adopt(document: Document) -> Adopted:
    """The job description that a TfJob means; where parts of it are refused, as much as can be judged without them."""
    if later := _later(document):
        return Adopted(None, (), (later,))
    read, problems = as_go_reads(document, rules("tfjob"), _ALSO)
    problems += schema.check(read, rules("tfjob"))
    whole = all(problem.severity == "warning" for problem in problems)
    sound = read if whole else _sound(read)
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft)
    if whole:  # else what seems to be missing may be what was refused
        _chief(draft)
    return Adopted(draft.described(), tuple(draft.notes), (*problems, *draft.problems))


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


def _sound(document: Document) -> Document | None:
    """The document without what its schema refuses; of the sets of replicas, those that are fine."""
    data = document.data
    origins: dict[Path, Path] = {(): ()}
    spec = data.get("spec") if isinstance(data, dict) else None
    sets = spec.get("replicaSpecs") if isinstance(spec, dict) else None
    if isinstance(sets, list):
        place = schema.at(rules("tfjob"), (*_SPECS, 0)) or {}
        kept = [index for index, one in enumerate(sets) if schema.accepts(place, one, rules("tfjob"))]
        origins |= {(*_SPECS, new): (*_SPECS, old) for new, old in enumerate(kept)}
        data = {**data, "spec": {**data["spec"], "replicaSpecs": [sets[index] for index in kept]}}
    return schema.sound_part(document.moved(data, origins), rules("tfjob"), {"metadata": {"name": "unnamed"}})


def _describe(draft: Draft) -> None:
    """All that a TfJob says, in a job description's words."""
    metadata, spec = draft.source.data["metadata"], draft.source.data["spec"]
    _leave_out(draft, metadata)
    draft.take(("name",), metadata["name"], ("metadata", "name"))
    draft.take(("framework",), "tensorflow", ("kind",))
    if "RuntimeId" in spec:
        draft.take(("runtimeId",), spec["RuntimeId"], ("spec", "RuntimeId"))
    draft.take(("roles",), {}, _SPECS)
    for index, one in enumerate(spec["replicaSpecs"]):
        _set(draft, (*_SPECS, index), one)
    if "tensorboard" in spec:
        _tensorboard(draft, spec["tensorboard"])
    elif "tfImage" in spec and not any(_type(one) == "PS" and "template" not in one for one in spec["replicaSpecs"]):
        draft.note((), "spec.tfImage is for TensorBoard and for a PS without a template, and there is neither")
    _hoist_image(draft)


def _type(one: Set) -> str:
    return str(one.get("tfReplicaType", "MASTER"))


def _leave_out(draft: Draft, metadata: Mapping[str, Any]) -> None:
    """What belongs to the cluster that the TfJob ran in."""
    if namespace := metadata.get("namespace"):
        draft.note((), f"metadata.namespace: a chart has none of its own; install it with: helm install -n {namespace}")
    for field in ("labels", "annotations"):
        if metadata.get(field):
            draft.note((), f"metadata.{field} were those of the TfJob itself; its pods never had them")
    left = [f"metadata.{key}" for key in _BY_CLUSTER if key in metadata]
    if "status" in draft.source.data:
        left.append("status")
    if left:
        draft.note((), f"{', '.join(left)}: written by the cluster, and no part of the job")


def _set(draft: Draft, path: Path, one: Set) -> None:
    """A set of replicas becomes a role."""
    kind = _type(one)
    role = kind.lower()
    if role in draft.data["roles"]:
        first = draft.source.mark(draft.origins["roles", role]).line
        message = f"a set of type {kind} stands already in line {first}; expected one set for each type"
        hint = "" if "tfReplicaType" in one else "MASTER is the type of a set that names none"
        draft.problem((*path, "tfReplicaType"), message, "duplicate-type", hint)
        return
    draft.take(("roles", role), {}, path)
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


def _hoist_image(draft: Draft) -> None:
    """The image of those that train is the job's, if it is one, so that `--set image=` changes them together."""
    roles = draft.data["roles"]
    trains = [role for role in roles if role != "ps"]
    images = {roles[role].get("image") for role in trains}
    image = next(iter(images), None)
    if image is None or len(images) > 1:
        return
    draft.take(("image",), image, draft.origins["roles", trains[0], "image"])
    for role in roles.values():
        if role.get("image") == image:
            del role["image"]


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
        draft.problem(_SPECS, f"there is no {name}, whose end is the end of the job", "no-chief", hint, key=True)
    elif name == "WORKER":
        text = 'worker 0 decides how the job ends, as terminationPolicy said; its TF_CONFIG has no "environment"'
        draft.note(("roles", "worker"), text)


_OR_WORKER = "add one, or let a worker decide: terminationPolicy: {chief: {replicaName: WORKER, replicaIndex: 0}}"
