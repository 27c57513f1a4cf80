"""Messages: what is wrong with a value that a schema refuses, and how to correct it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence, Set

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.accept import accepts
from chartgen.schema.suggest import correct_spelling, find_elsewhere, is_placeholder
from chartgen.schema.walk import Schema, at, choices, matching, types
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, listed, nearest, short


class Violation(NamedTuple):
    """One keyword of a schema that a value, or a key, does not satisfy."""

    path: Path
    keyword: str
    limit: Any
    value: Any
    schema: Schema
    is_key: bool = False


def problems(
    violation: Violation, beside: Set[str], document: Document, root: Schema
) -> Iterator[Problem]:
    """One problem per thing to correct; `beside` are all keywords violated at the same path."""
    if any(better in beside for better in _OVERRULED.get(violation.keyword, ())):
        return
    if violation.keyword == "additionalProperties":
        yield from _unknown(violation, document, root)
    elif violation.keyword == "required":
        yield from _missing(violation, beside, document, root)
    else:
        path = violation.path
        message, rule, hint = _MESSAGES.get(violation.keyword, _other)(violation, root)
        name = dotted(path[:-1] if violation.is_key else path)
        message = f"{name}: {message}" if name else message
        yield document.problem(path, message, rule, hint, key=violation.is_key)


def describe_ambiguous(text: str) -> tuple[str, str, str]:
    """Message, rule and hint for an unquoted scalar that YAML readers disagree about."""
    quoted = json.dumps(text, ensure_ascii=False)
    hint = f"write {quoted}" if len(quoted) <= _LONGEST_HINT else "write it in quotes"
    return f"{_quote(text)} is {_readings(text)}", "yaml-quotes-needed", hint


def dotted(path: Path) -> str:
    """A path as people write it: roles.worker.args[1]; a single key, as in properties, as it is."""
    if len(path) == 1 and isinstance(path[0], str):
        return path[0]
    return "".join(map(_step, path)).removeprefix(".")


def _step(step: str | int) -> str:
    plain = isinstance(step, str) and re.fullmatch(r"[\w$<>-]+", step)
    return f".{step}" if plain else f"[{json.dumps(step)}]"


_Message = tuple[str, str, str]  # message, rule, hint
# Of several violations at one value, only the most helpful is reported.
_OVERRULED = {
    "type": ("enum", "const"),
    "anyOf": ("type", "enum", "const"),
    "oneOf": ("type", "enum", "const"),
    "not": ("type",),
}
_NOUNS = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "null",
}
_MOST_HINTS = 50  # at the unknown keys of one mapping; each takes a millisecond
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)=(.*)", re.DOTALL)
_LONGEST_HINT = 200
_PLACEHOLDER = "this is a placeholder that was not filled in: write the value in its place"
_DURATION = re.compile(r"([0-9]{1,9}) ?(s|m|h|d)(?:[a-z]*)")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_TRUE, _FALSE = ("y", "yes", "on", "true"), ("n", "no", "off", "false")


def _readings(text: str) -> str:
    """How YAML readers differ about a text."""
    if text.lower() in (*_TRUE, *_FALSE):
        return f"text to some YAML readers and {flow(text.lower() in _TRUE)} to others"
    if re.fullmatch(r"[-+]?0[0-7]{1,18}", text):
        return f"{int(text, 8)} to some YAML readers and {int(text)} to others"
    if re.match(r"[0-9]{4}-[0-9]", text):
        return "text to some YAML readers and a date to others"
    return "text to some YAML readers and a number to others"


def _unknown(violation: Violation, document: Document, root: Schema) -> Iterator[Problem]:
    inside = f" in {dotted(violation.path)}" if violation.path else ""
    expect = violation.schema.get("x-expect") if "patternProperties" in violation.schema else None
    for index, key in enumerate(unknown_keys(violation)):
        message = f"unknown key {_quote(key)}{inside}" + (f"; expected {expect}" if expect else "")
        hint = "" if expect or index >= _MOST_HINTS else _suggest_key(key, violation, root)
        yield document.problem((*violation.path, key), message, "key-unknown", hint, key=True)


def unknown_keys(violation: Violation) -> list[str]:
    """The keys of a mapping that its schema does not know."""
    known = violation.schema.get("properties", {})
    unknown = []
    for key in violation.value:
        if key not in known and not any(True for _ in matching(violation.schema, key)):
            unknown.append(key)
    return unknown


def _suggest_key(key: str, violation: Violation, root: Schema) -> str:
    path = violation.path
    known = list(violation.schema.get("properties", {}))
    if path[-1:] == ("pod",) and key == "securityContext":
        return f"it belongs at {dotted((*path[:-1], 'podSecurityContext'))}"
    # A field of roles at the top level is more likely misplaced than misspelt.
    of_roles = not path and key in (at(root, ("roles", "any")) or {}).get("properties", {})
    misplaced = of_roles or not nearest(key, known, 0.85)
    if misplaced and (place := find_elsewhere(key, path, violation.schema, root)):
        return f"it belongs at {dotted(place) if len(place) > 1 else 'the top level'}"
    return did_you_mean(key, known) or f"known keys: {_shorten_list(known) or 'none'}"


def _missing(
    violation: Violation, beside: Set[str], document: Document, root: Schema
) -> Iterator[Problem]:
    missing = [name for name in violation.limit if name not in violation.value]
    if "additionalProperties" in beside:  # the problem of a misspelt key already names this one
        meant = {nearest(key, missing) for key in unknown_keys(violation)[:_MOST_HINTS]}
        missing = [name for name in missing if name not in meant]
    inside = f" in {dotted(violation.path)}" if violation.path else ""
    at_key = violation.path != () and isinstance(violation.path[-1], str)
    for name in missing:
        place = at(root, (*violation.path, name)) or {}
        why = f": {_as_clause(place['description'])}" if "description" in place else ""
        hint = f"for example {name}: {flow(place['examples'][0])}" if "examples" in place else ""
        message = f"missing {name!r}{inside}{why}"
        yield document.problem(violation.path, message, "key-missing", hint, key=at_key)


def _type(violation: Violation, root: Schema) -> _Message:
    wanted = types(violation.schema)
    if not wanted:
        for choice in choices(violation.schema, root):
            wanted += types(choice)
    if not wanted or accepts({"type": wanted}, violation.value):
        return _other(violation, root)  # more than one alternative of a oneOf, for example
    expected = _describe_types(list(dict.fromkeys(wanted)))
    if wanted == ["object"] and "required" in violation.schema:
        expected += f" with {listed(violation.schema['required'], 'and')}"
    got = "nothing (null)" if violation.value is None else _describe(violation.value)
    return (
        f"expected {expected}, got {got}",
        "value-wrong-type",
        _suggest_type(wanted, violation, root),
    )


def _suggest_type(wanted: Sequence[str], violation: Violation, root: Schema) -> str:
    """How the same value might be written in an expected type."""
    value = violation.value
    if value is None:
        blank = {"object": "{}", "array": "[]"}.get(wanted[0], "a value")
        in_list = bool(violation.path) and isinstance(violation.path[-1], int)
        return f"write {blank} or remove the {'entry' if in_list else 'key'}"
    if isinstance(value, dict):
        return "begin each item with '- '" if "array" in wanted else ""
    if isinstance(value, list):
        if wanted[0] == "object":
            return "write keys and values (key: value), without '- '"
        in_list = bool(violation.path) and isinstance(violation.path[-1], int)
        return "write its items beside the others, without brackets of their own" * in_list
    if wanted[0] == "object" and violation.path and (hint := _suggest_mapping(violation, root)):
        return hint
    if isinstance(value, str) and is_placeholder(value):
        return _PLACEHOLDER
    if isinstance(value, str):
        return _suggest_type_of_text(wanted, value, violation.path)
    if "string" in wanted:
        text = flow(value)
        return f"write {json.dumps(correct_spelling(text, violation.schema, root) or text)}"
    return f"write a list: [{flow(value)}]" if wanted[0] == "array" else ""


def _suggest_mapping(violation: Violation, root: Schema) -> str:
    """The mapping that a single value may be short for, by what is required or by an example."""
    value, schema = violation.value, violation.schema
    required = schema.get("required", [])
    variable = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    if variable and required == ["name"] and "value" in schema.get("properties", {}):
        name, text = variable[1], flow(variable[2])
        entry = f"{{name: {name}, value: {text}}}"
        return f"write {entry}, or a mapping in place of the list: {{{name}: {text}}}"
    if variable and not {"properties", "required"} & schema.keys():
        return f"write {{{variable[1]}: {flow(variable[2])}}}"
    example: Any = next(iter(schema.get("examples", ())), {})
    keys = [*required, *(example if isinstance(example, dict) else ())]
    known = schema.get("properties", {})
    if isinstance(value, str) and keys and keys[0] in known and len(required) <= 1:
        inner = at(root, (*violation.path, keys[0])) or {}
        if accepts(inner, value, root):
            return f"write {{{keys[0]}: {flow(value)}}}"
    return f"for example {flow(example)}" if example else ""


def _suggest_type_of_text(wanted: Sequence[str], text: str, path: Path) -> str:
    duration = _DURATION.fullmatch(text)
    if "integer" in wanted and duration and str(path[-1]).endswith("Seconds"):
        seconds = int(duration[1]) * _SECONDS[duration[2]]
        return f"write {seconds}, in seconds"
    if wanted[0] == "array":
        return f"write a list: {flow(text.split())}"
    if "boolean" in wanted and text.lower() in (*_TRUE, *_FALSE):
        return f"write {flow(text.lower() in _TRUE)}"
    if {"integer", "number"} & set(wanted) and re.fullmatch(r"-?(0|[1-9][0-9]{,14})", text):
        return f"write {text} without quotes"
    return ""


def _enum(violation: Violation, _root: Schema) -> _Message:
    allowed = violation.limit if violation.keyword == "enum" else [violation.limit]
    expected = _shorten_list([_quote(value) for value in allowed])
    one_of = "one of " if len(allowed) > 1 else ""
    words = [value for value in allowed if isinstance(value, str)]
    message = f"expected {one_of}{expected}, got {_quote(violation.value)}"
    also = violation.schema.get("x-also", {}).get(str(violation.value).lower())
    hint = f"did you mean {also!r}?" if also else did_you_mean(str(violation.value), words)
    return message, "value-not-listed", hint


def _pattern(violation: Violation, root: Schema) -> _Message:
    expected = violation.schema.get("x-expect", f"text that matches {violation.limit}")
    key = " as a key" if violation.is_key else ""
    short_enough = len(violation.value) <= 100
    meant = correct_spelling(violation.value, violation.schema, root) if short_enough else ""
    message = f"expected {expected}{key}, got {_quote(violation.value)}"
    hint = f"did you mean {meant!r}?" if meant else ""
    if is_placeholder(violation.value):
        hint = _PLACEHOLDER
    return message, "value-malformed", hint


def _range(violation: Violation, _root: Schema) -> _Message:
    side = "below the minimum" if violation.keyword == "minimum" else "above the maximum"
    return f"{flow(violation.value)} is {side} {violation.limit}", "value-out-of-range", ""


def _length(violation: Violation, _root: Schema) -> _Message:
    value, limit = violation.value, violation.limit
    if isinstance(value, dict) and "x-expect" in violation.schema:
        got = listed(list(value), "and") or "nothing"
        return f"expected {violation.schema['x-expect']}, got {got}", "value-wrong-length", ""
    nouns = ("character", "characters") if isinstance(value, str) else ("entry", "entries")
    side = "most" if violation.keyword.startswith("max") else "least"
    noun = nouns[limit != 1]
    return (
        f"expected at {side} {limit} {noun}, got {len(value) or 'none'}",
        "value-wrong-length",
        "",
    )


def _other(violation: Violation, _root: Schema) -> _Message:
    value = _describe(violation.value)
    if "x-expect" in violation.schema:
        message = f"expected {violation.schema['x-expect']}"
    elif violation.keyword == "not":
        message = f"{value} is not allowed here"
    else:
        message = f"{value} does not satisfy {violation.keyword} {flow(violation.limit)}"
    return message, "value-not-allowed", ""


_LENGTHS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_MESSAGES: dict[str, Callable[[Violation, Schema], _Message]] = {
    **dict.fromkeys(("type", "anyOf", "oneOf"), _type),
    **dict.fromkeys(("enum", "const"), _enum),
    **dict.fromkeys(("minimum", "maximum"), _range),
    **dict.fromkeys(_LENGTHS, _length),
    "pattern": _pattern,
}


def flow(value: Any) -> str:
    """A value as it might be written in YAML, on one line and shortened."""
    return short(_inline(value), 80)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{_inline(key)}: {_inline(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z/][A-Za-z0-9:/._-]*[A-Za-z0-9]", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _describe(value: Any) -> str:
    """What a value is, with the value itself where it is short enough."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return f"the text {_quote(value)}"
    return flow(value) if value is None or isinstance(value, bool) else f"the number {flow(value)}"


def _quote(value: Any) -> str:
    """A text in quotes, shortened; a description of anything else."""
    if not isinstance(value, str):
        return _describe(value)
    return repr(short(value))


def _describe_types(wanted: Sequence[str]) -> str:
    """The expected types in words; where numbers and booleans are read as text, only text."""
    scalars = {"number", "boolean"} if {"string", "number", "boolean"} <= set(wanted) else set()
    return listed([_NOUNS[name] for name in wanted if name not in scalars])


def _shorten_list(words: Sequence[str]) -> str:
    """As many words as fit on a line."""
    fitting = list(words)
    while len(fitting) > 1 and len(", ".join(fitting)) > 90:
        fitting.pop()
    rest = f", ... ({len(words)} in all)" if len(fitting) < len(words) else ""
    return ", ".join(fitting) + rest


def _as_clause(sentences: str) -> str:
    """The first sentence, to follow a colon."""
    first = sentences.partition(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:]
