"""What an upgrade would do: compare the objects of two renderings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chartgen.document import Document, Path
from chartgen.k8s.objects import Object, changed_immutable_fields, fields, is_hook
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.yaml import reader as yaml_reader

RUNTIME_ID = "chartgen/runtime-id"
ROLE = "chartgen/role"


class Field(NamedTuple):
    """A value of a job that differs, and where the job description says it."""

    path: Path
    old: Any
    new: Any
    place: str = ""


class ObjectPair(NamedTuple):
    """An object that gets another name because its pods change."""

    old: Object
    new: Object


class Changes(NamedTuple):
    """What would happen to the objects of a job."""

    name: str
    added: Sequence[Object] = ()
    gone: Sequence[Object] = ()
    replaced: Sequence[ObjectPair] = ()
    rescaled: Sequence[str] = ()  # roles whose number of replicas changes, in words
    changed: Sequence[ObjectPair] = ()
    unchanged: int = 0
    values: Sequence[Field] = ()

    @property
    def restarts(self) -> bool:
        """Whether running pods are stopped and created again."""
        return any(trains(pair.old) for pair in self.replaced)

    @property
    def refused(self) -> list[ObjectPair]:
        """Objects that keep their names although an immutable field changes."""
        return [pair for pair in self.changed if fixed_fields(pair)]

    @property
    def any(self) -> bool:
        """Whether anything happens at all."""
        return bool(self.added or self.gone or self.replaced or self.changed)


def fixed_fields(pair: ObjectPair) -> list[str]:
    """The fields that the upgrade would change, and Kubernetes does not allow to be changed."""
    return [*changed_immutable_fields(*pair)]


def has_other_pods(pair: ObjectPair) -> bool:
    """Whether the pods of an object change."""
    return fields(pair.old, "spec").get("template") != fields(pair.new, "spec").get("template")


def compare(
    name: str, old: Sequence[Object], new: Sequence[Object], values: Sequence[Field] = ()
) -> Changes:
    """What an upgrade from the old objects to the new ones does; Helm's hooks are left out."""
    before = {_identity(obj): obj for obj in old if not is_hook(obj)}
    after = {_identity(obj): obj for obj in new if not is_hook(obj)}
    changed, unchanged = [], 0
    for identity in before.keys() & after.keys():
        if _plain(before[identity]) == _plain(after[identity]):
            unchanged += 1
        else:
            changed.append(ObjectPair(before[identity], after[identity]))
    gone = [obj for identity, obj in before.items() if identity not in after]
    added = [obj for identity, obj in after.items() if identity not in before]
    replaced, gone, added = _match(gone, added)
    rescaled, gone, added = _find_rescaled(gone, added, before.values(), after.values())
    changed.sort(key=lambda pair: _identity(pair.new))
    return Changes(name, added, gone, replaced, rescaled, changed, unchanged, values)


def _identity(obj: Object) -> tuple[str, str, str]:
    metadata = obj["metadata"]
    return obj["kind"], str(metadata.get("namespace", "")), metadata["name"]


def _plain(obj: Object) -> Object:
    """An object without the marks of the chart's version, which change nothing that runs."""
    metadata = dict(obj["metadata"])
    for group in ("labels", "annotations"):
        kept = {}
        for key, value in fields(metadata, group).items():
            if key not in ("helm.sh/chart", "app.kubernetes.io/version"):
                kept[key] = value
        metadata[group] = kept
    return {**obj, "metadata": metadata}


def _match(
    gone: Iterable[Object], added: Iterable[Object]
) -> tuple[list[ObjectPair], list[Object], list[Object]]:
    """Pair objects whose names differ only in the runtime id."""
    new = {(obj["kind"], _stem(obj)): obj for obj in added}
    pairs, rest = [], []
    for obj in gone:
        partner = new.pop((obj["kind"], _stem(obj)), None)
        if partner is None:
            rest.append(obj)
        else:
            pairs.append(ObjectPair(obj, partner))
    return pairs, rest, [*new.values()]


def _stem(obj: Object) -> str:
    """The name without the runtime id, and without the hash that follows it in a clean-up Job's."""
    name: str = obj["metadata"]["name"]
    runtime_id = runtime_id_of(obj)
    if not runtime_id:
        return name
    if obj["kind"] == "Job" and not trains(obj):
        return name.partition(f"-{runtime_id}")[0]
    return name.replace(f"-{runtime_id}", "-", 1)


def runtime_id_of(obj: Object) -> str:
    """The runtime id in the labels of an object; empty if it has none."""
    return str(fields(obj, "metadata", "labels").get(RUNTIME_ID, ""))


def _find_rescaled(
    gone: list[Object], added: list[Object], before: Iterable[Object], after: Iterable[Object]
) -> tuple[list[str], list[Object], list[Object]]:
    """Roles whose Jobs become more or fewer while the others go on."""
    words = []
    ids = set(map(runtime_id_of, before)) & set(map(runtime_id_of, after))
    roles = dict.fromkeys(_role(obj) for obj in (*gone, *added) if runtime_id_of(obj) in ids)
    for role in roles:
        numbers = []
        for objects in (before, after):
            jobs = [obj for obj in objects if obj["kind"] == "Job" and _role(obj) == role]
            numbers.append(len(jobs))
        if role and numbers[0] != numbers[1] and all(numbers):
            words.append(f"{role} from {numbers[0]} to {numbers[1]} replicas")
            gone = [obj for obj in gone if _role(obj) != role]
            added = [obj for obj in added if _role(obj) != role]
    return words, gone, added


def _role(obj: Object) -> str:
    return str(fields(obj, "metadata", "labels").get(ROLE, ""))


def trains(obj: Object) -> bool:
    """Whether it is the Job of a replica, or of a chart without roles."""
    helper = runtime_id_of(obj) and not _role(obj)  # such as the Job that cleans up
    return bool(obj["kind"] == "Job" and not helper)


def differing(old: Any, new: Any, path: Path = (), *, entries: bool = False) -> Iterator[Field]:
    """The values that differ, each by its path; in lists, too, if entries are asked for."""
    if entries and isinstance(old, list) and isinstance(new, list):
        old, new = _by_name(old), _by_name(new)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from differing(old.get(key), new.get(key), (*path, key), entries=entries)
    elif old != new:
        yield Field(path, old, new)


def _by_name(entries: list[Any]) -> dict[str, Any]:
    """The entries of a list by their names, as containers and variables have them, or numbers."""
    names = [entry.get("name") for entry in entries if isinstance(entry, Mapping)]
    if len(names) == len(entries) == len({*map(str, names)} - {"None"}):
        return dict(zip(map(str, names), entries, strict=True))
    return {str(number): entry for number, entry in enumerate(entries)}


def changed_values(
    old: str, new: str, document: Document, file: str = "values.yaml"
) -> list[Field]:
    """The values that differ between two texts of a file, with the lines of the description."""
    values = [yaml_reader.read(text.encode(), file)[0].data for text in (old, new)]
    return place_fields(differing(*values), document)


def place_fields(fields: Iterable[Field], document: Document) -> list[Field]:
    """The same values, with the lines of the job description."""
    placed_fields = []
    for field in fields:
        placed_fields.append(field._replace(place=str(document.mark(field.path))))
    return placed_fields


def object_fields(changes: Changes) -> list[Field]:
    """The fields of objects that differ apart from names, each once; their kind comes first."""
    fields: dict[str, Field] = {}
    pairs = (*changes.replaced, *changes.changed)
    for pair in sorted(pairs, key=lambda pair: not trains(pair.new)):
        old = _rename(_plain(pair.old), runtime_id_of(pair.old), runtime_id_of(pair.new))
        new = _plain(pair.new)
        if old["metadata"].get("name") != new["metadata"].get("name"):
            continue  # such as the clean-up Job, whose name follows from its content
        for field in differing(old, new, (pair.new["kind"],), entries=True):
            fields.setdefault(repr(field), field)
    return [*fields.values()]


def _rename(value: Any, old: str, new: str) -> Any:
    """The same data with another runtime id in all names."""
    if isinstance(value, Mapping):
        return {key: _rename(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rename(inner, old, new) for inner in value]
    return value.replace(old, new) if isinstance(value, str) and old else value
