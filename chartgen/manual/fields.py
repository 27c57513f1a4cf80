"""Fields of the job description: a page for each, and the schema by which editors know them."""

from collections.abc import Iterator, Mapping
from textwrap import wrap

from chartgen import frameworks, resources
from chartgen.devices import catalog
from chartgen.errors import UsageError
from chartgen.manual import devices
from chartgen.manual.base import WIDTH, Kind, TopicRow, names_only, one_each
from chartgen.schema.walk import Schema, choices, matching, types
from chartgen.startup.typing import Any
from chartgen.syntax.yaml.writer import mapping, scalar
from chartgen.words import did_you_mean_or_known

ROOT = "job"
Node = Mapping[str, Any]

_WORDS = {
    "object": "map",
    "array": "list",
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
}


def names() -> list[str]:
    """What a path may start with: the job, its fields, and those that only its roles have."""
    properties = _schema()["properties"]
    return [*dict.fromkeys([ROOT, *properties, *_fields(properties["roles"])])]


def qualify(name: str) -> str:
    """The path of a field that starts with the job."""
    return name if name == ROOT else f"{ROOT}.{name}"


def page(topic: str) -> Iterator[str]:
    """What there is to say about the field at a path."""
    path = _path(topic)
    if path and path[0] not in _schema()["properties"]:
        path = ["roles", "*", *path]
    node: Node = _schema()
    for index, step in enumerate(path):
        node = _below(node, step, ".".join([ROOT, *path[:index]]))
    whole = next(choices(node, _schema()))
    yield f"{'.'.join([ROOT, *path])}: {_kind(node)}"
    yield ""
    title = f"{whole['title']}. " if "title" in whole else ""
    about = f"{title}{whole.get('description', 'As in Kubernetes.')}"
    yield from wrap(about, WIDTH, break_on_hyphens=False)
    yield from _limits(whole)
    yield from _example(whole, path[-1] if path else "")
    yield from _table(node)


def rows() -> Iterator[TopicRow]:
    """The fields of the job and of its roles."""
    properties = _schema()["properties"]
    known = {**_fields(properties["roles"]), **properties}
    for name in names()[1:]:
        yield {"name": name, "about": _about(known[name])}


def _path(topic: str) -> list[str]:
    path = topic.split(".")
    return path[1:] if path[0] == ROOT else path


def _starts_well(topic: str) -> bool:
    return (_path(topic) or [ROOT])[0] in names()


def _schema() -> Node:
    schema: Node = resources.data("schemas/job.schema.json")
    return schema


def _below(node: Node, step: str, where: str) -> Node:
    """The schema of a field; lists and mappings of objects may be skipped, as in `roles.env`."""
    known = _fields(node)
    if step in known:
        return known[step]
    if step == "*" or _takes(node, step):
        return next(_unnamed(node))
    if not known:
        raise UsageError(f"{where} has no fields that chartgen knows: it is passed on as it is")
    raise UsageError(f"{where} has no field {step!r}; {did_you_mean_or_known(step, known)}")


def _fields(node: Node) -> dict[str, Node]:
    """The fields of an object; those of the items, if it is a list or a mapping of objects."""
    own: dict[str, Node] = {}
    for choice in choices(node, _schema()):
        own |= choice.get("properties", {})
    if not own:
        for thing in _unnamed(node):
            own |= _fields(thing)
    return own


def _unnamed(node: Node) -> Iterator[Node]:
    """The things in a list, or in a mapping whose keys are the user's."""
    for choice in choices(node, _schema()):
        inner = [
            choice.get("items"),
            choice.get("additionalProperties"),
            *choice.get("patternProperties", {}).values(),
        ]
        yield from (thing for thing in inner if isinstance(thing, Mapping))


def _takes(node: Node, step: str) -> bool:
    """Whether the step is a key or an index that is the user's to choose."""
    return any(
        isinstance(choice.get("additionalProperties"), Mapping)
        or any(matching(choice, step))
        or ("items" in choice and step.isdigit())
        for choice in choices(node, _schema())
    )


def _kind(node: Node, ending: str = "") -> str:
    """What the value may be, in a few words; with an ending, of many."""
    whole, *others = choices(node, _schema())
    if whole.get("not") == {}:
        return "not accepted"
    if "enum" in whole:
        return "one of " + ", ".join(str(word) or '""' for word in whole["enum"])
    # Alternatives that only say which fields are required are not kinds of values.
    kinds = dict.fromkeys(_kind(other, ending) for other in others if types(other))
    if kinds and ("anyOf" in whole or "type" not in whole):
        return ", or ".join(kinds)
    if whole.get("properties"):
        # A few objects have a short form, which is a text.
        return f"{'text, or ' * ('string' in types(whole))}object{ending}"
    words = [_WORDS.get(name, name) for name in types(whole)]
    inner = [_kind(thing, "s").partition(", or ")[0] for thing in _unnamed(whole)]
    of = f" of {inner[0]}" if inner else ""
    return "text" if "text" in words else (" or ".join(words) or "anything") + of


def _limits(whole: Node) -> Iterator[str]:
    if "x-expect" in whole:
        yield from wrap(f"Expected: {whole['x-expect']}.", WIDTH, break_on_hyphens=False)
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
    """Its fields, and what each is about; not those that the schema only refuses by name."""
    fields = {name: inner for name, inner in _fields(node).items() if inner.get("not") != {}}
    if fields:
        yield from ("", "Fields:")
        for line in one_each((name, _about(inner)) for name, inner in fields.items()):
            yield f"  {line}"


def _about(node: Node) -> str:
    return next(choices(node, _schema())).get("description") or _kind(node)


def editor_schema() -> Schema:
    """The schema by which descriptions are checked, for editors, which know no other checks.

    Role names are those of the framework; clouds, accelerators and fabrics are completed.
    """
    names = frameworks.names()
    schema = frameworks.job_schema(names[-1])
    definitions = dict(schema["definitions"])
    for field in ("cloud", "fabric"):
        definitions[field] = _suggesting(definitions[field], ["none", *catalog.names(field)])
    accelerator = definitions["accelerator"]
    types = _suggesting(accelerator["properties"]["type"], devices.accelerators())
    properties = {**accelerator["properties"], "type": types}
    definitions["accelerator"] = {**accelerator, "properties": properties}
    return {
        **schema,
        "allOf": [*filter(None, map(_framework_roles, names))],
        "definitions": definitions,
    }


def _suggesting(field: Schema, known: list[str]) -> Schema:
    """A text that is completed by known ones, and may be another."""
    return {**field, "anyOf": [{"enum": [*dict.fromkeys(known)]}, {"type": "string"}]}


def _framework_roles(name: str) -> Schema:
    """The roles of a framework; nothing if a job names its own."""
    roles = {}
    for role, about in frameworks.framework(name).ROLES.items():
        roles[role] = {"description": about, "allOf": [{"$ref": "#/definitions/role"}]}
    if not roles:
        return {}
    return {
        "if": {"required": ["framework"], "properties": {"framework": {"const": name}}},
        "then": {"properties": {"roles": {"additionalProperties": False, "properties": roles}}},
    }


KIND = Kind(
    "field",
    "fields",
    "Fields of the job description, or the path of one, such as roles.worker.env",
    names,
    page,
    rows,
    lambda: names_only(names()),
    accepts=_starts_well,
)
