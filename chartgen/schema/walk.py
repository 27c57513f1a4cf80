"""Walk a JSON Schema: which part of it applies to a path, its alternatives and its types."""

import re
from collections.abc import Iterator, Mapping

from chartgen.document import Path
from chartgen.startup.typing import Any

Schema = Mapping[str, Any]


def at(schema: Schema, path: Path) -> Schema | None:
    """The part of the schema that applies to a path, with its description; None if none does."""
    places: list[Any] = [schema]
    for step in path:
        below: list[Any] = []
        for place in places:
            for choice in choices(place, schema):
                below += _step_into(choice, step)
        places = below
    parts: list[Schema] = []
    for place in places:
        if isinstance(place, Mapping) and (part := resolve(place, schema)) not in parts:
            parts.append(part)
    return {"anyOf": parts} if len(parts) > 1 else next(iter(parts), None)


def choices(schema: Any, root: Schema) -> Iterator[Schema]:
    """A schema and every alternative it offers, each without a $ref."""
    if not isinstance(schema, Mapping):
        return
    schema = resolve(schema, root)
    yield schema
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(keyword, ()):
            yield from choices(branch, root)


def types(schema: Schema) -> list[str]:
    """The types a schema names itself; none if it allows any."""
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def matching(schema: Schema, key: str) -> Iterator[Any]:
    """The schemas of the patternProperties that a key matches."""
    for pattern, inner in schema.get("patternProperties", {}).items():
        if re.search(pattern, key):
            yield inner


def resolve(schema: Schema, root: Schema) -> Schema:
    """The schema, or what its $ref points to; draft-07 ignores all keywords beside a $ref."""
    while "$ref" in schema:
        start, *steps = schema["$ref"].split("/")
        if start != "#":
            raise KeyError(start)
        schema = root
        for step in steps:
            schema = schema[step]
    return schema


def _step_into(schema: Schema, step: str | int) -> list[Any]:
    """The schemas for one item or key."""
    if isinstance(step, int):
        return [schema["items"]] if "items" in schema else []
    if step in schema.get("properties", {}):
        return [schema["properties"][step]]
    return list(matching(schema, step)) or [schema.get("additionalProperties")]
