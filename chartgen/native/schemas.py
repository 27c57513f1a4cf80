"""The JSON Schemas of native formats, with the definitions they borrow from job.schema.json."""

from collections.abc import Iterator, Mapping
from functools import cache

from chartgen import resources
from chartgen.schema.walk import Schema
from chartgen.startup.typing import Any

_JOB = "schemas/job.schema.json"
_LOCAL = "#/definitions/"
_BORROWED = f"job.schema.json{_LOCAL}"  # with or without a path before it


@cache
def native_schema(form: str) -> Schema:
    """The whole schema of a native format."""
    own = resources.data(f"schemas/native/{form}.schema.json")
    return assemble(own, resources.data(_JOB)["definitions"])


def assemble(own: Schema, shared: Mapping[str, Any]) -> Schema:
    """A schema with the shared definitions that it refers to, and those that these refer to.

    The result is self-contained: every `$ref` to a definition of job.schema.json is made local.
    """
    pending = []
    for reference in _references(own):
        _, borrowed, name = reference.partition(_BORROWED)
        if borrowed:
            pending.append(name)
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += [ref.removeprefix(_LOCAL) for ref in _references(shared[name])]
    definitions = dict(own.get("definitions", {}))
    for name in shared:  # in the order of the shared schema
        if name in needed:
            definitions[name] = shared[name]
    whole: Schema = _make_local({**own, "definitions": definitions})
    return whole


def _references(node: Any) -> Iterator[str]:
    """Every `$ref` in a schema."""
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        node = [*node.values()]
    if isinstance(node, list):
        for item in node:
            yield from _references(item)


def _make_local(node: Any) -> Any:
    """The same schema, with every `$ref` leading to a definition in it."""
    if isinstance(node, list):
        return [_make_local(item) for item in node]
    if not isinstance(node, dict):
        return node
    local = {key: _make_local(value) for key, value in node.items()}
    if "$ref" in local and _BORROWED in local["$ref"]:
        local["$ref"] = _LOCAL + local["$ref"].partition(_BORROWED)[2]
    return local
