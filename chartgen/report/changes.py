"""What an upgrade would do, in words: as text, markdown and JSON."""

import json
from collections.abc import Iterator, Sequence

from chartgen.gitops.changes import (
    Changes,
    Field,
    ObjectPair,
    fixed_fields,
    has_other_pods,
    runtime_id_of,
    trains,
)
from chartgen.k8s.objects import Object
from chartgen.startup.typing import Any
from chartgen.words import count

_SHOWN = 12  # names of a kind that are shown; the others are counted
_WIDTH = 80  # characters of a value
_FIELDS = 20  # that are shown; the others are counted


def lines(changes: Changes) -> Iterator[str]:
    """What would happen, in at most a line for each kind of change."""
    if not changes.any and not changes.rescaled:
        yield f"{changes.name}: nothing happens"
        yield from _value_lines(changes.values)
        return
    yield f"{changes.name}: {_verdict(changes)}"
    if changes.refused:
        refused = [pair.new for pair in changes.refused]
        why = f"because {_why(changes.refused)}"
        yield f"  refused    {_count(refused)}, {why}: {_names(refused)}"
    jobs = [pair for pair in changes.replaced if trains(pair.old)]
    others = [pair.new for pair in changes.replaced if not trains(pair.old)]
    if jobs:
        before = ", ".join(dict.fromkeys(runtime_id_of(pair.old) for pair in jobs))
        after = ", ".join(dict.fromkeys(runtime_id_of(pair.new) for pair in jobs))
        names = _names([pair.old for pair in jobs])
        yield f"  replaced   {count(len(jobs), 'Job')} (training restarts): {names}"
        yield f"             the runtime id becomes {after} instead of {before}"
    if others:
        yield f"  renamed    {_count(others)}"
    for role in changes.rescaled:
        yield f"  rescaled   {role}; the other replicas keep running"
    for word, objects in (("added", changes.added), ("gone", changes.gone)):
        if objects:
            yield f"  {word:9}  {_count(objects)}: {_names(objects)}"
    yield from _changed_lines(changes)
    if changes.unchanged:
        yield f"  unchanged  {count(changes.unchanged, 'object')}"
    yield from _value_lines(changes.values)


def _why(refused: Sequence[ObjectPair]) -> str:
    """What changes though it may not: the pods, or other fields by their paths."""
    fields = sorted({field for pair in refused for field in fixed_fields(pair)})
    whose = "its" if len(refused) == 1 else "their"
    what = f"{whose} pods change" if fields == ["spec.template"] else f"{', '.join(fields)} changes"
    of_jobs = all(pair.new["kind"] == "Job" for pair in refused)
    return f"{what} under a given runtimeId" if of_jobs else what


def _changed_lines(changes: Changes) -> Iterator[str]:
    """Objects that keep their names and are not refused: with new pods, or changed in place."""
    restarted, changed = _find_kept(changes)
    if restarted:
        yield f"  restarted  {_count(restarted)}, with new pods: {_names(restarted)}"
    if changed:
        yield f"  changed    {_count(changed)}, without a restart: {_names(changed)}"


def _find_kept(changes: Changes) -> tuple[list[Object], list[Object]]:
    """Objects that keep their names: those with new pods, and those that are changed in place."""
    restarted: list[Object] = []
    changed: list[Object] = []
    for pair in changes.changed:
        if not fixed_fields(pair):
            (restarted if has_other_pods(pair) else changed).append(pair.new)
    return restarted, changed


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
    for number, (path, old, new, place) in enumerate(values[:_FIELDS]):
        head = "because  " if number == 0 else "         "
        where = f"  ({place})" if place else ""
        text = f"{'.'.join(map(str, path))}: {_value(old)} -> {_value(new)}"
        yield f"  {head}  {text}{where}"
    if len(values) > _FIELDS:
        yield f"             and {len(values) - _FIELDS:,} more"


def _value(value: Any) -> str:
    text = "unset" if value is None else json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        text = text[1:-1]
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."


def _count(objects: Sequence[Object]) -> str:
    kinds: dict[str, int] = {}
    for obj in objects:
        kinds[obj["kind"]] = kinds.get(obj["kind"], 0) + 1
    return ", ".join(count(number, kind) for kind, number in kinds.items())


def _names(objects: Sequence[Object]) -> str:
    training = sorted(objects, key=lambda obj: not trains(obj))  # what people look for comes first
    names = [*dict.fromkeys(obj["metadata"]["name"] for obj in training)]
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


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
        "changed": _new(changes.changed),
        # Those of them that Kubernetes would refuse, and those whose pods are created again.
        "refused": _new(changes.refused),
        "restarted": [*map(_word, _find_kept(changes)[0])],
        "unchanged": changes.unchanged,
        "values": values,
    }


def _new(pairs: Sequence[ObjectPair]) -> list[str]:
    return [_word(pair.new) for pair in pairs]


def _word(obj: Object) -> str:
    return f"{obj['kind']}/{obj['metadata']['name']}"


FORMS = {"text": as_text, "markdown": as_markdown, "json": as_json}
