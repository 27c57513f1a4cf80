"""Accept: whether a value satisfies a JSON Schema, much faster than the schema library says so."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from chartgen.schema.walk import Schema, matching, resolve

_Judge = Callable[[Any, Any, Schema, Schema], bool]


def accepts(schema: Schema, value: Any, root: Schema | None = None) -> bool:
    """Whether the value is valid; False also if the schema uses a keyword not implemented here."""
    try:
        return _accepts(schema, value, schema if root is None else root)
    except KeyError:  # a keyword, type or definition that the tables below lack
        return False  # the schema library decides


def pattern_found(pattern: str, text: str) -> bool:
    """Whether a text contains a match of a JSON Schema pattern."""
    return _compile(pattern).search(text) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    # In JSON Schema `$` is the end of the text. In Python it also matches before a last newline,
    # which YAML's `|` leaves.
    at_end = re.sub(r"(\\.|\[(?:\\.|[^]\\])*\])|\$", lambda match: match[1] or r"\Z", pattern)
    return re.compile(at_end)


def _accepts(schema: Any, value: Any, root: Schema) -> bool:
    if isinstance(schema, bool):
        return schema
    if "$ref" in schema:
        schema = resolve(schema, root)
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
        raise KeyError("enum")  # in Python [1] equals [True], in JSON it does not
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
    for key, item in value.items():
        if not all(_accepts(inner, item, root) for inner in matching(schema, key)):
            return False
    return True


def _additional(limit: Any, value: Any, schema: Schema, root: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    known = schema.get("properties", ())
    for key, item in value.items():
        if key in known or any(True for _ in matching(schema, key)):
            continue
        if not _accepts(limit, item, root):
            return False
    return True


def _names(limit: Any, value: Any, _schema: Schema, root: Schema) -> bool:
    return not isinstance(value, dict) or all(_accepts(limit, key, root) for key in value)


def _items(limit: Any, value: Any, _schema: Schema, root: Schema) -> bool:
    if isinstance(limit, list):
        raise KeyError("items")  # one schema per item: not needed so far
    return not isinstance(value, list) or all(_accepts(limit, item, root) for item in value)


def _length(kind: type, *, most: bool) -> _Judge:
    def judge(limit: Any, value: Any, _schema: Schema, _root: Schema) -> bool:
        if not isinstance(value, kind):
            return True
        size = len(value)  # type: ignore[arg-type]
        return bool(size <= limit if most else size >= limit)

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
    "required": lambda limit, value, _schema, _root: (
        not isinstance(value, dict) or all(key in value for key in limit)
    ),
    "pattern": lambda limit, value, _schema, _root: (
        not isinstance(value, str) or pattern_found(limit, value)
    ),
    # Not `value >= limit`: that is False for NaN, which the library accepts.
    "minimum": lambda limit, value, _schema, _root: not (_number(value) and value < limit),
    "maximum": lambda limit, value, _schema, _root: not (_number(value) and value > limit),
    "minLength": _length(str, most=False),
    "maxLength": _length(str, most=True),
    "minItems": _length(list, most=False),
    "maxItems": _length(list, most=True),
    "minProperties": _length(dict, most=False),
    "maxProperties": _length(dict, most=True),
    "anyOf": lambda limit, value, _schema, root: any(
        _accepts(branch, value, root) for branch in limit
    ),
    "oneOf": lambda limit, value, _schema, root: (
        sum(_accepts(branch, value, root) for branch in limit) == 1
    ),
    "allOf": lambda limit, value, _schema, root: all(
        _accepts(branch, value, root) for branch in limit
    ),
    "not": lambda limit, value, _schema, root: not _accepts(limit, value, root),
}
for _annotation in (
    "$schema",
    "title",
    "description",
    "examples",
    "default",
    "definitions",
    "$defs",
    "x-expect",
    "x-also",
):
    _JUDGES[_annotation] = lambda _limit, _value, _schema, _root: True
