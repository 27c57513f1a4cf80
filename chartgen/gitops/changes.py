"""What an upgrade would do, in words: compare the objects of two renderings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chartgen.document import Document, Path
from chartgen.k8s.objects import Object, fields, is_hook
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.words import count

RUNTIME_ID = "chartgen/runtime-id"
ROLE = "chartgen/role"
_SHOWN = 12  # names of a kind that are shown; the others are counted
_WIDTH = 120


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
        """Whether pods that are running are stopped and created anew."""
        return any(_trains(pair.old) for pair in self.replaced)

    @property
    def refused(self) -> list[ObjectPair]:
        """Jobs that keep their names though their pods change, which Kubernetes does not allow."""
        return [pair for pair in self.changed if pair.new["kind"] == "Job" and _other_pods(pair)]

    @property
    def any(self) -> bool:
        """Whether anything happens at all."""
        return bool(self.added or self.gone or self.replaced or self.changed)


def _other_pods(pair: ObjectPair) -> bool:
    return fields(pair.old, "spec").get("template") != fields(pair.new, "spec").get("template")


def compare(
    name: str, old: Sequence[Object], new: Sequence[Object], values: Sequence[Field] = ()
) -> Changes:
    """What an upgrade from the old objects to the new ones does; Helm's hooks are left out."""
    before = {_identity(one): one for one in old if not is_hook(one)}
    after = {_identity(one): one for one in new if not is_hook(one)}
    changed, unchanged = [], 0
    for identity in before.keys() & after.keys():
        if _plain(before[identity]) == _plain(after[identity]):
            unchanged += 1
        else:
            changed.append(ObjectPair(before[identity], after[identity]))
    gone = [one for identity, one in before.items() if identity not in after]
    added = [one for identity, one in after.items() if identity not in before]
    replaced, gone, added = _match(gone, added)
    rescaled, gone, added = _rescaled(gone, added, before.values(), after.values())
    changed.sort(key=lambda pair: _identity(pair.new))
    return Changes(name, added, gone, replaced, rescaled, changed, unchanged, values)


def _identity(one: Object) -> tuple[str, str, str]:
    metadata = one["metadata"]
    return one["kind"], str(metadata.get("namespace", "")), metadata["name"]


def _plain(one: Object) -> Object:
    """An object without the marks of the chart's version, which change nothing that runs."""
    metadata = dict(one["metadata"])
    for group in ("labels", "annotations"):
        kept = {}
        for key, value in fields(metadata, group).items():
            if key not in ("helm.sh/chart", "app.kubernetes.io/version"):
                kept[key] = value
        metadata[group] = kept
    return {**one, "metadata": metadata}


def _match(
    gone: Iterable[Object], added: Iterable[Object]
) -> tuple[list[ObjectPair], list[Object], list[Object]]:
    """Pair objects whose names differ only in the runtime id."""
    new = {(one["kind"], _stem(one)): one for one in added}
    pairs, rest = [], []
    for one in gone:
        partner = new.pop((one["kind"], _stem(one)), None)
        if partner is None:
            rest.append(one)
        else:
            pairs.append(ObjectPair(one, partner))
    return pairs, rest, [*new.values()]


def _stem(one: Object) -> str:
    """The name without the runtime id, and without the hash that follows it in a clean-up Job's."""
    name: str = one["metadata"]["name"]
    runtime_id = runtime_id_of(one)
    if not runtime_id:
        return name
    if one["kind"] == "Job" and not _trains(one):
        return name.partition(f"-{runtime_id}")[0]
    return name.replace(f"-{runtime_id}", "-", 1)


def runtime_id_of(one: Object) -> str:
    """The runtime id in the labels of an object; empty if it has none."""
    return str(fields(one, "metadata", "labels").get(RUNTIME_ID, ""))


def _rescaled(
    gone: list[Object], added: list[Object], before: Iterable[Object], after: Iterable[Object]
) -> tuple[list[str], list[Object], list[Object]]:
    """Roles whose Jobs become more or fewer while the others go on."""
    words = []
    ids = set(map(runtime_id_of, before)) & set(map(runtime_id_of, after))
    roles = dict.fromkeys(_role(one) for one in (*gone, *added) if runtime_id_of(one) in ids)
    for role in roles:
        numbers = []
        for objects in (before, after):
            jobs = [one for one in objects if one["kind"] == "Job" and _role(one) == role]
            numbers.append(len(jobs))
        if role and numbers[0] != numbers[1] and all(numbers):
            words.append(f"{role} from {numbers[0]} to {numbers[1]} replicas")
            gone = [one for one in gone if _role(one) != role]
            added = [one for one in added if _role(one) != role]
    return words, gone, added


def _role(one: Object) -> str:
    return str(fields(one, "metadata", "labels").get(ROLE, ""))


def _trains(one: Object) -> bool:
    """Whether it is the Job of a replica, or of a chart without roles."""
    helper = runtime_id_of(one) and not _role(one)  # such as the Job that cleans up
    return bool(one["kind"] == "Job" and not helper)


def differing(old: Any, new: Any, path: Path = ()) -> Iterator[Field]:
    """The values that differ, each by its path."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from differing(old.get(key), new.get(key), (*path, key))
    elif old != new:
        yield Field(path, old, new)


def changed_values(old: str, new: str, document: Document) -> list[Field]:
    """The values that differ between two values.yaml, with the lines of the job description."""
    texts = [yaml_reader.read(text.encode(), "values.yaml")[0].data for text in (old, new)]
    found = []
    for field in differing(*texts):
        found.append(field._replace(place=str(document.mark(field.path))))
    return found


# The words


def lines(changes: Changes) -> Iterator[str]:
    """What would happen, in at most a line for each kind of change."""
    if not changes.any and not changes.rescaled:
        yield f"{changes.name}: nothing happens"
        yield from _value_lines(changes.values)
        return
    yield f"{changes.name}: {_verdict(changes)}"
    if changes.refused:
        refused = [pair.new for pair in changes.refused]
        why = "their pods change under a given runtimeId"
        yield f"  refused    {count(len(refused), 'Job')}, because {why}: {_names(refused)}"
    jobs = [pair for pair in changes.replaced if _trains(pair.old)]
    others = [pair.new for pair in changes.replaced if not _trains(pair.old)]
    if jobs:
        before = ", ".join(dict.fromkeys(runtime_id_of(pair.old) for pair in jobs))
        after = ", ".join(dict.fromkeys(runtime_id_of(pair.new) for pair in jobs))
        names = _names([pair.old for pair in jobs])
        yield f"  replaced   {count(len(jobs), 'Job')} (training restarts): {names}"
        yield f"             the runtime id becomes {after} instead of {before}"
    if others:
        yield f"  renamed    {_counted(others)}"
    for role in changes.rescaled:
        yield f"  rescaled   {role}; the others go on"
    for word, objects in (("added", changes.added), ("gone", changes.gone)):
        if objects:
            yield f"  {word:9}  {_counted(objects)}: {_names(objects)}"
    yield from _changed_lines(changes)
    if changes.unchanged:
        yield f"  unchanged  {count(changes.unchanged, 'object')}"
    yield from _value_lines(changes.values)


def _changed_lines(changes: Changes) -> Iterator[str]:
    """Objects that keep their names and are not refused: with new pods, or changed in place."""
    restarted: list[Object] = []
    changed: list[Object] = []
    for pair in changes.changed:
        if pair.new["kind"] != "Job":
            (restarted if _other_pods(pair) else changed).append(pair.new)
        elif not _other_pods(pair):
            changed.append(pair.new)
    if restarted:
        yield f"  restarted  {_counted(restarted)}, with new pods: {_names(restarted)}"
    if changed:
        yield f"  changed    {_counted(changed)}, without a restart: {_names(changed)}"


def _verdict(changes: Changes) -> str:
    if changes.refused:
        return "Kubernetes would refuse the upgrade"
    if changes.restarts:
        return "training starts over"
    if changes.gone and not changes.added and not changes.unchanged:
        return "everything is removed"
    if changes.added and not changes.unchanged and not changes.gone:
        return "new"
    return "nothing restarts"


def _value_lines(values: Sequence[Field]) -> Iterator[str]:
    for number, (path, old, new, place) in enumerate(values):
        head = "because  " if number == 0 else "         "
        where = f"  ({place})" if place else ""
        text = f"{'.'.join(map(str, path))}: {_value(old)} -> {_value(new)}"
        yield f"  {head}  {text[:_WIDTH]}{where}"


def _value(value: Any) -> str:
    import json

    return "unset" if value is None else json.dumps(value, ensure_ascii=False).strip('"')


def _counted(objects: Sequence[Object]) -> str:
    kinds: dict[str, int] = {}
    for one in objects:
        kinds[one["kind"]] = kinds.get(one["kind"], 0) + 1
    words = [f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in kinds.items()]
    return ", ".join(words)


def _names(objects: Sequence[Object]) -> str:
    names = [one["metadata"]["name"] for one in objects]
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def as_text(every: Sequence[Changes]) -> str:
    """For a terminal."""
    return "".join(f"{line}\n" for changes in every for line in lines(changes))


def as_markdown(every: Sequence[Changes]) -> str:
    """For a comment on a pull request."""
    parts = []
    for changes in every:
        head, *rest = lines(changes)
        name, _, verdict = head.partition(": ")
        parts.append(f"**{name}**: {verdict}\n")
        if rest:
            parts.append("```text\n" + "".join(f"{line[2:]}\n" for line in rest) + "```\n")
    return "\n".join(parts)


def as_json(every: Sequence[Changes]) -> str:
    """For programs."""
    import json

    return json.dumps({"changes": [_data(changes) for changes in every]}, indent=2) + "\n"


def _data(changes: Changes) -> dict[str, object]:
    replaced, values = [], []
    for pair in changes.replaced:
        replaced.append({"old": _word(pair.old), "new": _word(pair.new)})
    for field in changes.values:
        path = ".".join(map(str, field.path))
        values.append({"path": path, "old": field.old, "new": field.new, "place": field.place})
    return {
        "name": changes.name,
        "restarts": changes.restarts,
        "added": [*map(_word, changes.added)],
        "gone": [*map(_word, changes.gone)],
        "replaced": replaced,
        "rescaled": list(changes.rescaled),
        "changed": [_word(pair.new) for pair in changes.changed],
        "unchanged": changes.unchanged,
        "values": values,
    }


def _word(one: Object) -> str:
    return f"{one['kind']}/{one['metadata']['name']}"


FORMS = {"text": as_text, "markdown": as_markdown, "json": as_json}
