"""What TfJob and MxJob share: objects with sets of equal replicas in replicaSpecs, which an operator in Go read."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Draft, rules
from chartgen.native.operators.go_spelling import as_go_reads

Set = Mapping[str, Any]  # one entry of replicaSpecs

SPECS: Path = ("spec", "replicaSpecs")
_ALSO = {"replica_specs": "replicaSpecs"}  # samples in both operators' own manuals have it
_BY_CLUSTER = (
    "clusterName", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers",
    "generateName", "generation", "initializers", "managedFields", "ownerReferences", "resourceVersion", "selfLink",
    "uid",
)  # fmt: skip


class Object(NamedTuple):
    """An object as its operator read it: what of it can be judged, whether that is the whole, and its problems."""

    sound: Document | None
    whole: bool
    problems: list[Problem]


def read(document: Document, form: str) -> Object:
    """The object without what its schema refuses; of the sets of replicas, those that are fine."""
    found, problems = as_go_reads(document, rules(form), _ALSO)
    problems += schema.check(found, rules(form))
    whole = all(problem.severity == "warning" for problem in problems)
    return Object(found if whole else _sound(found, rules(form)), whole, problems)


def _sound(document: Document, whole: schema.Schema) -> Document | None:
    data = document.data
    origins: dict[Path, Path] = {(): ()}
    spec = data.get("spec") if isinstance(data, dict) else None
    sets = spec.get("replicaSpecs") if isinstance(spec, dict) else None
    if isinstance(sets, list):
        place = schema.at(whole, (*SPECS, 0)) or {}
        kept = [index for index, one in enumerate(sets) if schema.accepts(place, one, whole)]
        origins |= {(*SPECS, new): (*SPECS, old) for new, old in enumerate(kept)}
        data = {**data, "spec": {**data["spec"], "replicaSpecs": [sets[index] for index in kept]}}
    return schema.sound_part(document.moved(data, origins), whole, {"metadata": {"name": "unnamed"}})


def describe(draft: Draft, framework: str) -> None:
    """What every such object says of the job as a whole, in a job description's words."""
    metadata, spec = draft.source.data["metadata"], draft.source.data["spec"]
    _leave_out(draft, metadata)
    draft.take(("name",), metadata["name"], ("metadata", "name"))
    draft.take(("framework",), framework, ("kind",))
    if "RuntimeId" in spec:
        draft.take(("runtimeId",), spec["RuntimeId"], ("spec", "RuntimeId"))
    draft.take(("roles",), {}, SPECS)


def _leave_out(draft: Draft, metadata: Mapping[str, Any]) -> None:
    """What belongs to the cluster that the object was in."""
    if namespace := metadata.get("namespace"):
        draft.in_namespace(namespace, "metadata.namespace")
    for field in ("labels", "annotations"):
        if metadata.get(field):
            kind = draft.source.data.get("kind", "object")
            draft.note((), f"metadata.{field} were those of the {kind} itself; its pods never had them")
    left = [f"metadata.{key}" for key in _BY_CLUSTER if key in metadata]
    if "status" in draft.source.data:
        left.append("status")
    if left:
        draft.note((), f"{', '.join(left)}: written by the cluster, and no part of the job")


def take_set(draft: Draft, index: int, field: str, kind: str) -> bool:
    """Make a role of a set of replicas, whose type stands in that field; False if the type was there before."""
    role = kind.lower()
    if role not in draft.data["roles"]:
        draft.take(("roles", role), {}, (*SPECS, index))
        return True
    first = draft.source.mark(draft.origins["roles", role]).line
    message = f"a set of type {kind} stands already in line {first}; expected one set for each type"
    given = field in draft.source.data["spec"]["replicaSpecs"][index]
    hint = "" if given else f"{kind} is the type of a set that names none"
    draft.problem((*SPECS, index, field), message, "duplicate-type", hint)
    return False


def hoist_image(draft: Draft, trains: Collection[str], container: str) -> None:
    """The image of those that train is the job's, if it is one, so that `--set image=` changes them together."""
    roles = draft.data["roles"]
    speaking = {role: _says_image(draft, role, container) for role in roles}
    images = {path and _at(draft, path) for role, path in speaking.items() if role in trains}
    image = next(iter(images), None)
    if image is None or len(images) > 1:
        return
    first = next(path for role in trains if (path := speaking[role]))
    draft.take(("image",), image, draft.origins.get(first) or _origin(draft, first))
    for path in speaking.values():
        if path and _at(draft, path) == image:
            del _at(draft, path[:-1])["image"]


def _says_image(draft: Draft, role: str, container: str) -> Path | None:
    """Where a role says the image of the container that trains: itself, or in its template."""
    said = draft.data["roles"][role]
    if "image" in said:
        return ("roles", role, "image")
    containers = said.get("template", {}).get("spec", {}).get("containers", ())
    main = next((index for index, one in enumerate(containers) if one["name"] == container), None)
    if main is None or "image" not in containers[main]:
        return None
    return ("roles", role, "template", "spec", "containers", main, "image")


def _at(draft: Draft, path: Path) -> Any:
    node: Any = draft.data
    for step in path:
        node = node[step]
    return node


def _origin(draft: Draft, path: Path) -> Path:
    """The place of a word of a template, which as a whole is taken from its own place."""
    return (*draft.origins[path[:3]], *path[3:])
