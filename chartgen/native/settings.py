"""What --image and --set add to the job description that a native text means."""

import re
from collections.abc import Iterator

from chartgen import resources
from chartgen.document import Document, Path, Setting
from chartgen.errors import Mark, UsageError
from chartgen.native.draft import sort_description
from chartgen.schema.accept import accepts
from chartgen.schema.walk import at
from chartgen.startup.typing import Any
from chartgen.syntax.budget import DEPTH
from chartgen.words import short

_STEP = re.compile(r"((?:\\.|[^\\.\[\]=])+)((?:\[[0-9]{1,9}\])*)(\.|$)")
_PLAIN = {"true": True, "false": False, "null": None, "": ""}
_EXPECTED = "expected KEY=VALUE, as in --set roles.worker.replicas=4"


def parse(word: str) -> Iterator[Setting]:
    """The settings of one --set, in Helm's syntax: `a.b=1`, `a[0].b=x`, `a={x,y}`, `a=1,b=2`."""
    for text in _split(word):
        key, equals, value = _partition(text)
        path = _path(key)
        if not equals or not path:
            raise UsageError(f"--set {_hide_value(text)}: {_EXPECTED}{_comma(word)}")
        option = f"--set {_hide_value(text)}"
        yield Setting(path, _value(value, path, option), option)


def contents(word: str) -> Iterator[str]:
    """What one --set gives beside its keys, as it is written and as it is meant."""
    for text in _split(word):
        key, equals, value = _partition(text)
        value = value if equals else key
        items = _split(value[1:-1]) if value.startswith("{") else []
        for part in (value, *items):
            yield part
            yield _unescape(part)


def _hide_value(text: str) -> str:
    """A setting in messages: its key, because the value may be a secret.

    Without a `=`, it is shown if it is a field; else it is probably the rest of a value.
    """
    key, equals, _ = _partition(text)
    if equals:
        return short(f"{key}=...")
    path = _path(key)
    field = path and at(resources.data("schemas/job.schema.json"), path)
    return short(key) if field else "..."


def _comma(word: str) -> str:
    return "; a comma in a value is written as \\," if len(_split(word)) > 1 else ""


def apply(document: Document, settings: tuple[Setting, ...]) -> Document:
    """The description with its settings; each of them is its own place in problems."""
    data = document.data
    places: dict[Path, Mark] = {}
    for path, value, option in settings:
        data = _put(data, path, value, option)
        places[path] = Mark(option, 0, 0)

    def locate(path: Path, key: bool) -> Mark:
        for length in range(len(path), 0, -1):
            if path[:length] in places:
                return places[path[:length]]
        return document.locate(path, key)

    return document._replace(data=sort_description(data), locate=locate)


def _split(text: str, separator: str = ",") -> list[str]:
    """Split at a separator that is neither escaped nor in braces."""
    parts: list[str] = []
    begin, depth, escaped = 0, 0, False
    for index, char in enumerate(text):
        if char == separator and not depth and not escaped:
            parts.append(text[begin:index])
            begin = index + 1
        depth += 0 if escaped else {"{": 1, "}": -1}.get(char, 0)
        escaped = char == "\\" and not escaped
    return [*parts, text[begin:]]


def _partition(text: str) -> tuple[str, bool, str]:
    match = re.match(r"((?:\\.|[^\\=])*)=(.*)", text, re.DOTALL)
    return (match[1], True, match[2]) if match else (text, False, "")


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _path(key: str) -> Path:
    """The path of a key; () if it is not one."""
    steps: list[str | int] = []
    end = 0
    while end < len(key):
        match = _STEP.match(key, end)
        if not match:
            return ()
        steps.append(_unescape(match[1]))
        steps += [int(number) for number in re.findall("[0-9]+", match[2])]
        end = match.end()
    return () if key.endswith(".") else tuple(steps)


def _value(text: str, path: Path, option: str) -> Any:
    """A value with the type that the description has there."""
    if len(path) > DEPTH:
        raise UsageError(f"{option}: nested more than {DEPTH} levels deep; expected fewer")
    if text.startswith("{") and text.endswith("}"):
        items = _split(text[1:-1]) if len(text) > 2 else []
        return [_value(item, (*path, index), option) for index, item in enumerate(items)]
    plain = _unescape(text)
    value: Any = _PLAIN.get(plain, plain)
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", plain):
        value = int(plain)
    schema = resources.data("schemas/job.schema.json")
    place = at(schema, path)
    if place is None or value is None or accepts(place, value, schema):
        return value
    return plain if accepts(place, plain, schema) else value


def _put(node: Any, path: Path, value: Any, option: str) -> Any:
    """A copy of data with a value at a path; null removes it."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = list(node) if isinstance(node, list) else []
        if step > len(items):
            raise UsageError(f"{option}: there are {len(items)} items, so none has index {step}")
        items[step : step + 1] = [
            _put(items[step] if step < len(items) else None, rest, value, option)
        ]
        return items
    fields = dict(node) if isinstance(node, dict) else {}
    if value is None and not rest:
        fields.pop(step, None)
    else:
        fields[step] = _put(fields.get(step), rest, value, option)
    return fields
