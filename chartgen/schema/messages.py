"""Wording: what a schema found wrong, in words that say how to mend it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any, NamedTuple

from chartgen.document import Path
from chartgen.schema.accept import Schema, accepts, at, choices, matching, types
from chartgen.schema.suggest import elsewhere, mended, near


class Finding(NamedTuple):
    """One keyword of a schema that a value, or a key, does not satisfy."""

    path: Path
    keyword: str
    limit: Any
    value: Any
    schema: Schema
    is_key: bool = False


class Remark(NamedTuple):
    """What to say about it, and where: at the value of a path, or at its key."""

    path: Path
    message: str
    rule: str
    hint: str = ""
    key: bool = False


def remarks(finding: Finding, beside: Set[str], root: Schema) -> Iterator[Remark]:
    """One remark per thing to mend; `beside` holds the keywords that are hurt at the same path."""
    if any(better in beside for better in _OVERRULED.get(finding.keyword, ())):
        return
    if finding.keyword == "additionalProperties":
        yield from _unknown(finding, root)
    elif finding.keyword == "required":
        yield from _missing(finding, beside, root)
    else:
        message, rule, hint = _SAYINGS.get(finding.keyword, _other)(finding, root)
        name = dotted(finding.path[:-1] if finding.is_key else finding.path)
        yield Remark(finding.path, f"{name}: {message}" if name else message, rule, hint, finding.is_key)


def ambiguous(text: str) -> tuple[str, str, str]:
    """Message, rule and hint for an unquoted scalar that YAML readers disagree about."""
    return f"{text!r} is {_readings(text)}", "quote", f"write {json.dumps(text, ensure_ascii=False)}"


def dotted(path: Path) -> str:
    """A path as people write it: roles.worker.args[1]; a single key, as of properties, as it is."""
    return path[0] if len(path) == 1 and isinstance(path[0], str) else "".join(map(_step, path)).removeprefix(".")


def _step(step: str | int) -> str:
    return f".{step}" if isinstance(step, str) and re.fullmatch(r"[\w$<>-]+", step) else f"[{json.dumps(step)}]"


_Saying = tuple[str, str, str]  # message, rule, hint
# Of two complaints about one value the more telling one is made.
_OVERRULED = {"type": ("enum", "const"), "anyOf": ("type", "enum", "const"), "oneOf": ("type", "enum", "const")}
_NOUNS = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "null",
}
_TRUE, _FALSE = ("y", "yes", "on", "true"), ("n", "no", "off", "false")


def _readings(text: str) -> str:
    """How YAML readers differ about a text."""
    if text.lower() in (*_TRUE, *_FALSE):
        return f"text to some YAML readers and {flow(text.lower() in _TRUE)} to others"
    if re.fullmatch(r"[-+]?0[0-7]+", text):
        return f"{int(text, 8)} to some YAML readers and {int(text)} to others"
    if re.match(r"[0-9]{4}-[0-9]", text):
        return "text to some YAML readers and a date to others"
    return "text to some YAML readers and a number to others"


def _unknown(finding: Finding, root: Schema) -> Iterator[Remark]:
    inside = f" in {dotted(finding.path)}" if finding.path else ""
    expect = finding.schema.get("x-expect") if "patternProperties" in finding.schema else None
    for key in strangers(finding):
        message = f"unknown key {_quoted(key)}{inside}" + (f", expected {expect}" if expect else "")
        hint = "" if expect else _other_key(key, finding, root)
        yield Remark((*finding.path, key), message, "unknown-key", hint, key=True)


def strangers(finding: Finding) -> list[str]:
    """The keys of a mapping that its schema does not know."""
    known = finding.schema.get("properties", {})
    return [key for key in finding.value if key not in known and not any(True for _ in matching(finding.schema, key))]


def _other_key(key: str, finding: Finding, root: Schema) -> str:
    known = list(finding.schema.get("properties", {}))
    if finding.path[-1:] == ("pod",) and key == "securityContext":
        return f"it belongs at {dotted((*finding.path[:-1], 'podSecurityContext'))}"
    of_roles = not finding.path and _of_roles(key, root)
    if of_roles or not (meant := near(key, known, 0.85)):
        if place := elsewhere(key, finding.path, finding.schema, root):
            return f"it belongs at {dotted(place) if len(place) > 1 else 'the top level'}"
        meant = near(key, known)
    return f"did you mean {meant!r}?" if meant else f"known keys: {_some(known) or 'none'}"


def _of_roles(key: str, root: Schema) -> bool:
    """Whether a role takes this very word."""
    return key in (at(root, ("roles", "any")) or {}).get("properties", {})


def _missing(finding: Finding, beside: Set[str], root: Schema) -> Iterator[Remark]:
    missing = [name for name in finding.limit if name not in finding.value]
    if "additionalProperties" in beside:  # a misspelt key is one mistake, and the remark on it says so
        meant = {near(key, missing) for key in strangers(finding)}
        missing = [name for name in missing if name not in meant]
    inside = f" in {dotted(finding.path)}" if finding.path else ""
    for name in missing:
        place = at(root, (*finding.path, name)) or {}
        why = f": {_lowered(place['description'])}" if "description" in place else ""
        hint = f"for example {name}: {flow(place['examples'][0])}" if "examples" in place else ""
        at_key = finding.path != () and isinstance(finding.path[-1], str)
        yield Remark(finding.path, f"missing {name!r}{inside}{why}", "required", hint, at_key)


def _type(finding: Finding, root: Schema) -> _Saying:
    wanted = types(finding.schema) or [name for choice in choices(finding.schema, root) for name in types(choice)]
    if not wanted or accepts({"type": wanted}, finding.value):  # more than one alternative of a oneOf, say
        return _other(finding, root)
    expected = _either(list(dict.fromkeys(wanted)))
    if wanted == ["object"] and "required" in finding.schema:
        expected += f" with {_listed(finding.schema['required'], 'and')}"
    got = "nothing (null)" if finding.value is None else _kind(finding.value)
    return f"expected {expected}, got {got}", "type", _retyped(wanted, finding, root)


def _in_list(finding: Finding) -> bool:
    return bool(finding.path) and isinstance(finding.path[-1], int)


def _retyped(wanted: Sequence[str], finding: Finding, root: Schema) -> str:
    """How the same thing might be written in a type that is wanted."""
    value = finding.value
    if value is None:
        blank = {"object": "{}", "array": "[]"}.get(wanted[0], "a value")
        return f"write {blank} or remove the {'entry' if _in_list(finding) else 'key'}"
    if isinstance(value, dict):
        return "begin each item with '- '" if "array" in wanted else ""
    if isinstance(value, list):
        return "write keys and values (key: value), without '- '" if wanted[0] == "object" else ""
    if isinstance(value, str):
        return _reread(wanted, value)
    if "string" in wanted:
        return f"write {json.dumps(mended(flow(value), finding.schema, root) or flow(value))}"
    return f"write a list: [{flow(value)}]" if wanted[0] == "array" else ""


def _reread(wanted: Sequence[str], text: str) -> str:
    if wanted[0] == "array":
        return f"write a list: {flow(text.split())}"
    if "boolean" in wanted and text.lower() in (*_TRUE, *_FALSE):
        return f"write {flow(text.lower() in _TRUE)}"
    if {"integer", "number"} & set(wanted) and re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return f"write {text} without quotes"
    return ""


def _enum(finding: Finding, _root: Schema) -> _Saying:
    allowed = finding.limit if finding.keyword == "enum" else [finding.limit]
    expected = _some([_quoted(one) for one in allowed])
    meant = near(str(finding.value), [one for one in allowed if isinstance(one, str)])
    message = f"expected {'one of ' if len(allowed) > 1 else ''}{expected}, got {_quoted(finding.value)}"
    return message, "enum", f"did you mean {meant!r}?" if meant else ""


def _pattern(finding: Finding, root: Schema) -> _Saying:
    expected = finding.schema.get("x-expect", f"text that matches {finding.limit}")
    meant = mended(finding.value, finding.schema, root)
    message = f"expected {expected}{' as a key' if finding.is_key else ''}, got {_quoted(finding.value)}"
    return message, "pattern", f"did you mean {meant!r}?" if meant else ""


def _range(finding: Finding, _root: Schema) -> _Saying:
    side = "below the minimum" if finding.keyword == "minimum" else "above the maximum"
    return f"{flow(finding.value)} is {side} {finding.limit}", "range", ""


def _length(finding: Finding, _root: Schema) -> _Saying:
    value, limit = finding.value, finding.limit
    if isinstance(value, dict) and "x-expect" in finding.schema:
        return f"expected {finding.schema['x-expect']}, got {_listed(list(value), 'and') or 'nothing'}", "length", ""
    one, more = ("character", "characters") if isinstance(value, str) else ("entry", "entries")
    side = "most" if finding.keyword.startswith("max") else "least"
    return f"expected at {side} {limit} {one if limit == 1 else more}, got {len(value) or 'none'}", "length", ""


def _other(finding: Finding, _root: Schema) -> _Saying:
    rule = re.sub(r"[A-Z]", lambda match: "-" + match[0].lower(), finding.keyword)
    if "x-expect" in finding.schema:
        return f"expected {finding.schema['x-expect']}", rule, ""
    if finding.keyword == "not":
        return f"{_kind(finding.value)} is not allowed here", rule, ""
    return f"{_kind(finding.value)} does not satisfy {finding.keyword} {flow(finding.limit)}", rule, ""


_SAYINGS: dict[str, Callable[[Finding, Schema], _Saying]] = {
    **dict.fromkeys(("type", "anyOf", "oneOf"), _type),
    **dict.fromkeys(("enum", "const"), _enum),
    **dict.fromkeys(("minimum", "maximum"), _range),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _length),
    "pattern": _pattern,
}


def flow(value: Any) -> str:
    """A value as it might stand in a YAML file, on one line and shortened."""
    text = _plain(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_plain(key)}: {_plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_plain, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z/][A-Za-z0-9:/._-]*[A-Za-z0-9]", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _kind(value: Any) -> str:
    """What a value is, with the value itself where it is short enough to say."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return f"the text {_quoted(value)}"
    return flow(value) if value is None or isinstance(value, bool) else f"the number {flow(value)}"


def _quoted(value: Any) -> str:
    """A text in quotes, shortened; anything else as it is."""
    return repr(value if len(value) <= 60 else value[:57] + "...") if isinstance(value, str) else _kind(value)


def _either(wanted: Sequence[str]) -> str:
    """The types that would do, in words; where numbers and booleans are read as text, text says it all."""
    scalars = {"number", "boolean"} if {"string", "number", "boolean"} <= set(wanted) else set()
    return _listed([_NOUNS[name] for name in wanted if name not in scalars], "or")


def _listed(words: Sequence[str], last: str) -> str:
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def _some(words: Sequence[str]) -> str:
    """As many words as fit a line."""
    shown = list(words)
    while len(shown) > 1 and len(", ".join(shown)) > 90:
        shown.pop()
    return ", ".join(shown) + (f", ... ({len(words)} in all)" if len(shown) < len(words) else "")


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")
