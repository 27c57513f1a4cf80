"""What TfJob and MxJob share: an object with sets of equal replicas in replicaSpecs."""

from collections.abc import Callable, Collection, Mapping

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Draft
from chartgen.native.operators.go_spelling import read_as_go
from chartgen.native.operators.leftovers import Mender, mend_name
from chartgen.native.schemas import native_schema
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

ReplicaSet = Mapping[str, Any]  # one entry of replicaSpecs

SPECS: Path = ("spec", "replicaSpecs")
# Used by samples in both operators' own manuals, and by the first operator until August 2017.
_ALIASES = {
    "replica_specs": "replicaSpecs",
    "tf_port": "tfPort",
    "tf_replica_type": "tfReplicaType",
    "mx_replica_type": "mxReplicaType",
    "ps_root_port": "PsRootPort",
    "tf_image": "tfImage",
}
_SET_BY_CLUSTER = (
    "clusterName",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "initializers",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
)


class Reading(NamedTuple):
    """An object as its operator read it."""

    sound: Document | None  # what remains without the parts that its schema refuses
    whole: bool  # nothing was refused
    problems: list[Problem]


def read_object(
    document: Document, form: str, mend: Callable[[Mender], None] = mend_name
) -> Reading:
    """The object without what its schema refuses; an invalid set does not spoil the others.

    `mend` changes what people left in it to what they meant.
    """
    known = native_schema(form)
    document, problems = read_as_go(document, known, _ALIASES)
    mender = Mender(document)
    mend(mender)
    document, mended = mender.result()
    problems += [*mended, *schema.check(document, known)]
    if all(problem.severity == "warning" for problem in problems):
        return Reading(document, True, problems)
    valid = _keep_valid_sets(document, known)
    sound = schema.sound_part(valid, known, {"metadata": {"name": "unnamed"}})
    return Reading(sound, False, problems)


def _keep_valid_sets(document: Document, known: schema.Schema) -> Document:
    data = document.data
    spec = data.get("spec") if isinstance(data, dict) else None
    sets = spec.get("replicaSpecs") if isinstance(spec, dict) else None
    if not isinstance(sets, list):
        return document
    place = schema.at(known, (*SPECS, 0)) or {}
    origins: dict[Path, Path] = {(): ()}
    valid: list[Any] = []
    for index, replica_set in enumerate(sets):
        if schema.accepts(place, replica_set, known):
            origins[*SPECS, len(valid)] = (*SPECS, index)
            valid.append(replica_set)
    return document.moved({**data, "spec": {**data["spec"], "replicaSpecs": valid}}, origins)


def describe_job(draft: Draft, framework: str, specs: Path = SPECS) -> None:
    """Describe what such an object says about the job as a whole."""
    data = draft.source.data
    metadata, spec = data["metadata"], data["spec"]
    if namespace := metadata.get("namespace"):
        draft.in_namespace(namespace, "metadata.namespace", ("metadata", "namespace"))
    for field in ("labels", "annotations"):
        if metadata.get(field):
            kind = data.get("kind", "object")
            text = f"metadata.{field} belonged to the {kind} itself; its pods never had them"
            draft.note((), text)
    dropped = [f"metadata.{key}" for key in _SET_BY_CLUSTER if key in metadata]
    if "status" in data:
        dropped.append("status")
    if dropped:
        draft.note((), f"{', '.join(dropped)}: set by the cluster, not part of the job")
    draft.take(("name",), metadata["name"], ("metadata", "name"))
    draft.take(("framework",), framework, ("kind",))
    if "RuntimeId" in spec:
        draft.take(("runtimeId",), spec["RuntimeId"], ("spec", "RuntimeId"))
    draft.take(("roles",), {}, specs)


def add_role(draft: Draft, index: int, field: str, kind: str) -> bool:
    """Add the role of a set whose type is in `field`; False if there is one of that type."""
    role = kind.lower()
    if role not in draft.data["roles"]:
        draft.take(("roles", role), {}, (*SPECS, index))
        return True
    first = draft.source.mark(draft.origins["roles", role]).line
    message = f"line {first} already has a set of type {kind}; expected one set of each type"
    given = field in draft.source.data["spec"]["replicaSpecs"][index]
    hint = "" if given else f"a set that names no type is a {kind}"
    draft.problem((*SPECS, index, field), message, "replica-type-duplicate", hint)
    return False


def hoist_image(draft: Draft, trainers: Collection[str], container: str) -> None:
    """Make the image of the roles that train the job's, if all have the same.

    `--set image=` then changes them together.
    """
    paths = {role: _find_image(draft, role, container) for role in draft.data["roles"]}
    images = set()
    for role in trainers:
        path = paths[role]
        images.add(value_at(draft.data, path) if path else None)
    image = images.pop() if len(images) == 1 else None
    if image is None:
        return
    for role in trainers:
        if path := paths[role]:
            draft.take(("image",), image, _origin_of(draft, path))
            break
    for path in paths.values():
        if path and value_at(draft.data, path) == image:
            del value_at(draft.data, path[:-1])["image"]


def _find_image(draft: Draft, role: str, container: str) -> Path | None:
    """The path of the image of a role's main container: in the role, or in its template."""
    fields = draft.data["roles"][role]
    if "image" in fields:
        return ("roles", role, "image")
    containers = fields.get("template", {}).get("spec", {}).get("containers", ())
    for index, described in enumerate(containers):
        if described["name"] == container:
            path: Path = ("roles", role, "template", "spec", "containers", index, "image")
            return path if "image" in described else None
    return None


def value_at(data: Any, path: Path) -> Any:
    """The value at a path that exists."""
    for step in path:
        data = data[step]
    return data


def _origin_of(draft: Draft, path: Path) -> Path:
    """Where an image comes from; a template is known as a whole, by the origin of its role."""
    return draft.origins.get(path) or (*draft.origins[path[:3]], *path[3:])
