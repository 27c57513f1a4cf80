"""Fields of the job description as its schema tells them: one page each, found by a path like `roles.worker.env`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chartgen import resources
from chartgen.cli.parser import meant
from chartgen.errors import UsageError
from chartgen.schema.accept import choices, matching, types
from chartgen.syntax.yaml_writer import mapping, scalar

ROOT = "job"
Node = Mapping[str, Any]

_WORDS = {"object": "map", "array": "list", "string": "text", "integer": "whole number", "boolean": "true or false"}


def first() -> list[str]:
    """The names a path may start with: the fields of the job, and those that only its roles have."""
    return [*dict.fromkeys([*_schema()["properties"], *_fields(_schema()["properties"]["roles"])])]


def page(path: Sequence[str]) -> Iterator[str]:
    """What there is to say about the field at a path."""
    if path and path[0] not in _schema()["properties"]:
        path = ["roles", "*", *path]
    node: Node = _schema()
    for index, step in enumerate(path):
        node = _below(node, step, ".".join([ROOT, *path[:index]]))
    whole = next(choices(node, _schema()))
    yield f"{'.'.join([ROOT, *path])}: {_kind(node)}"
    yield ""
    yield f"{_title(whole)}{whole.get('description', 'As Kubernetes has it.')}"
    yield from _limits(whole)
    yield from _example(whole, path[-1] if path else "")
    yield from _table(node)


def _schema() -> Node:
    schema: Node = resources.data("schemas/job.schema.json")
    return schema


def _below(node: Node, step: str, where: str) -> Node:
    """The schema of a field: a list stands for its items, and a map of things may be left out, as in `roles.env`."""
    known = _fields(node)
    if step in known:
        return known[step]
    if step == "*" or _takes(node, step):
        return next(_unnamed(node))
    if not known:
        raise UsageError(f"{where} has no fields that chartgen knows: what stands there goes to Kubernetes as it is")
    raise UsageError(f"{where} has no field {step!r}; {meant(step, known)}")


def _fields(node: Node) -> dict[str, Node]:
    """The fields a thing has by name; those of the items, if it is a list or a map of things."""
    own = {name: inner for choice in choices(node, _schema()) for name, inner in choice.get("properties", {}).items()}
    return own or {name: inner for thing in _unnamed(node) for name, inner in _fields(thing).items()}


def _unnamed(node: Node) -> Iterator[Node]:
    """The things in a list, or in a map whose keys are the user's."""
    for choice in choices(node, _schema()):
        inner = [choice.get("items"), choice.get("additionalProperties"), *choice.get("patternProperties", {}).values()]
        yield from (one for one in inner if isinstance(one, Mapping))


def _takes(node: Node, step: str) -> bool:
    """Whether the step is a key, or a place in a list, that is the user's to choose."""
    return any(
        isinstance(choice.get("additionalProperties"), Mapping)
        or any(matching(choice, step))
        or ("items" in choice and step.isdigit())
        for choice in choices(node, _schema())
    )


def _kind(node: Node, ending: str = "") -> str:
    """What may stand there, in a few words; with an ending, of many."""
    whole, *others = choices(node, _schema())
    if "enum" in whole:
        return "one of " + ", ".join(map(str, whole["enum"]))
    if whole.get("anyOf"):
        return ", or ".join(dict.fromkeys(_kind(one, ending) for one in others if types(one)))
    if whole.get("properties"):
        return f"object{ending}"
    words = [_WORDS.get(name, name) for name in types(whole)]
    inner = [_kind(one, "s").partition(",")[0] for one in _unnamed(whole)]
    of = f" of {inner[0]}" if inner else ""
    return "text" if "text" in words else (" or ".join(words) or "anything") + of


def _title(whole: Node) -> str:
    return f"{whole['title']}. " if "title" in whole else ""


def _limits(whole: Node) -> Iterator[str]:
    if "x-expect" in whole:
        yield f"Expected: {whole['x-expect']}."
    elif "minimum" in whole:
        up_to = f" to {whole['maximum']:,}" if "maximum" in whole else " or more"
        yield f"Expected: {whole['minimum']:,}{up_to}."
    if whole.get("required"):
        yield f"Required: {', '.join(whole['required'])}."
    if whole.get("default") not in (None, "", {}, []):
        yield f"Default: {scalar(whole['default'])}"


def _example(whole: Node, name: str) -> Iterator[str]:
    if "examples" in whole:
        example = whole["examples"][0]
        yield from ("", "Example:")
        yield from (f"  {line}" for line in mapping({name: example} if name else example))


def _table(node: Node) -> Iterator[str]:
    """Its fields, one line each."""
    fields = _fields(node)
    if fields:
        yield from ("", "Fields:")
    width = max(map(len, fields), default=0)
    for name, inner in fields.items():
        about = next(choices(inner, _schema())).get("description") or _kind(inner)
        yield f"  {name:{width}}  {about}"
