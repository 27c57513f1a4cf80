"""Accept: whether a value satisfies a JSON Schema, fast; and which part of a schema speaks about a path."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from chartgen.document import Path

Schema = Mapping[str, Any]
_Judge = Callable[[Any, Any, Schema, Schema], bool]


def accepts(schema: Schema, value: Any, root: Schema | None = None) -> bool:
    """Whether the value is valid; False, too, if the schema uses a word that is not understood here."""
    try:
        return _accepts(schema, value, schema if root is None else root)
    except KeyError:  # a keyword, type or definition that the tables below lack: let the schema library judge
        return False


def at(schema: Schema, path: Path) -> Schema | None:
    """What the schema says about a path, as one schema with its description; None where it says nothing."""
    places: list[Any] = [schema]
    for step in path:
        places = [inner for place in places for choice in choices(place, schema) for inner in _inside(choice, step)]
    found: list[Schema] = []
    for place in places:
        if isinstance(place, Mapping) and (whole := _whole(place, schema)) not in found:
            found.append(whole)
    return {"anyOf": found} if len(found) > 1 else next(iter(found), None)


def choices(schema: Any, root: Schema) -> Iterator[Schema]:
    """A schema and every alternative it offers, each without a $ref."""
    if not isinstance(schema, Mapping):
        return
    schema = _whole(schema, root)
    yield schema
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(keyword, ()):
            yield from choices(branch, root)


def types(schema: Schema) -> list[str]:
    """The types a schema names itself, none if it leaves them open."""
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def found(pattern: str, text: str) -> bool:
    """Whether a JSON Schema pattern is found in a text."""
    return _compiled(pattern).search(text) is not None


def matching(schema: Schema, key: str) -> Iterator[Any]:
    """The schemas of the patternProperties that a key matches."""
    return (inner for pattern, inner in schema.get("patternProperties", {}).items() if re.search(pattern, key))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # JSON Schema's `$` is the end of the text; Python's also stands before a last newline, which YAML's `|` leaves.
    return re.compile(re.sub(r"(\\.|\[(?:\\.|[^]\\])*\])|\$", lambda match: match[1] or r"\Z", pattern))


def _inside(schema: Schema, step: str | int) -> list[Any]:
    """The schemas a schema has for one item or key."""
    if isinstance(step, int):
        return [schema["items"]] if "items" in schema else []
    if step in schema.get("properties", {}):
        return [schema["properties"][step]]
    return list(matching(schema, step)) or [schema.get("additionalProperties")]


def _whole(schema: Schema, root: Schema) -> Schema:
    """The schema itself, or what its $ref points to; draft-07 ignores whatever stands beside a $ref."""
    while "$ref" in schema:
        start, *steps = schema["$ref"].split("/")
        if start != "#":
            raise KeyError(start)
        schema = root
        for step in steps:
            schema = schema[step]
    return schema


def _accepts(schema: Any, value: Any, root: Schema) -> bool:
    if isinstance(schema, bool):
        return schema
    if "$ref" in schema:
        schema = _whole(schema, root)
    return all(_JUDGES[keyword](limit, value, schema, root) for keyword, limit in schema.items())


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "number": _number,
    "integer": lambda value: _number(value) and (isinstance(value, int) or value.is_integer()),
    "null": lambda value: value is None,
}


def _type(limit: Any, value: Any, _schema: Schema, _root: Schema) -> bool:
    if isinstance(limit, str):
        return _TYPES[limit](value)
    return any(_TYPES[name](value) for name in limit)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict | list):
        raise KeyError("enum")  # Python finds [1] equal to [true], JSON does not
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _enum(limit: Any, value: Any, _schema: Schema, _root: Schema) -> bool:
    return any(_same(one, value) for one in limit)


def _const(limit: Any, value: Any, _schema: Schema, _root: Schema) -> bool:
    return _same(limit, value)


def _properties(limit: Any, value: Any, _schema: Schema, root: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    return all(_accepts(limit[key], item, root) for key, item in value.items() if key in limit)


def _pattern_properties(_limit: Any, value: Any, schema: Schema, root: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    return all(_accepts(inner, item, root) for key, item in value.items() for inner in matching(schema, key))


def _additional(limit: Any, value: Any, schema: Schema, root: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    known = schema.get("properties", ())
    rest = (item for key, item in value.items() if key not in known and not any(True for _ in matching(schema, key)))
    return all(_accepts(limit, item, root) for item in rest)


def _names(limit: Any, value: Any, _schema: Schema, root: Schema) -> bool:
    return not isinstance(value, dict) or all(_accepts(limit, key, root) for key in value)


def _items(limit: Any, value: Any, _schema: Schema, root: Schema) -> bool:
    if isinstance(limit, list):
        raise KeyError("items")  # one schema per place: not needed so far
    return not isinstance(value, list) or all(_accepts(limit, item, root) for item in value)


def _length(kind: type, *, most: bool) -> _Judge:
    def judge(limit: Any, value: Any, _schema: Schema, _root: Schema) -> bool:
        return not isinstance(value, kind) or (len(value) <= limit if most else len(value) >= limit)  # type: ignore[arg-type]

    return judge


_JUDGES: dict[str, _Judge] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "required": lambda limit, value, _schema, _root: not isinstance(value, dict) or all(key in value for key in limit),
    "pattern": lambda limit, value, _schema, _root: not isinstance(value, str) or found(limit, value),
    # Not `value >= limit`: no order holds for NaN, and the library accepts what it cannot refute.
    "minimum": lambda limit, value, _schema, _root: not (_number(value) and value < limit),
    "maximum": lambda limit, value, _schema, _root: not (_number(value) and value > limit),
    "minLength": _length(str, most=False),
    "maxLength": _length(str, most=True),
    "minItems": _length(list, most=False),
    "maxItems": _length(list, most=True),
    "minProperties": _length(dict, most=False),
    "maxProperties": _length(dict, most=True),
    "anyOf": lambda limit, value, _schema, root: any(_accepts(branch, value, root) for branch in limit),
    "oneOf": lambda limit, value, _schema, root: sum(_accepts(branch, value, root) for branch in limit) == 1,
    "allOf": lambda limit, value, _schema, root: all(_accepts(branch, value, root) for branch in limit),
    "not": lambda limit, value, _schema, root: not _accepts(limit, value, root),
}
for _note in ("$schema", "title", "description", "examples", "default", "definitions", "x-expect"):
    _JUDGES[_note] = lambda _limit, _value, _schema, _root: True
