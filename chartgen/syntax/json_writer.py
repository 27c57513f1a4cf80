"""Print data as JSON that people can read: lines are filled, and what fits on a line is on one."""

from json import dumps
from json.encoder import encode_basestring as quote
from typing import Any

_WIDTH = 100


def emit_json(data: Any) -> str:
    """A whole JSON document."""
    whole: dict[int, str] = {}
    text = _join(data, whole)
    lines = [text] if _fits(data, len(text)) else _lines(data, "", "", "", whole)
    return "\n".join(lines) + "\n"


def _join(value: Any, whole: dict[int, str]) -> str:
    """A value on one line; `whole` keeps that of each collection, by its identity."""
    if isinstance(value, dict):
        items = [f"{quote(key)}: {_join(inner, whole)}" for key, inner in value.items()]
        text = f"{{{', '.join(items)}}}"
    elif isinstance(value, list):
        text = f"[{', '.join([_join(inner, whole) for inner in value])}]"
    else:
        return quote(value) if isinstance(value, str) else dumps(value)
    whole[id(value)] = text
    return text


def _fits(value: Any, columns: int) -> bool:
    """Whether a value is on one line that has so many columns; only collections can be broken."""
    return columns <= _WIDTH or not value or not isinstance(value, dict | list)


def _lines(
    value: dict[str, Any] | list[Any], head: str, tail: str, space: str, whole: dict[int, str]
) -> list[str]:
    """A collection behind its key, if it has one, and before its comma.

    Items that take one line each share it as far as it goes.
    """
    if isinstance(value, dict):
        start, end = "{", "}"
        items = [(f"{quote(key)}: ", item) for key, item in value.items()]
    else:
        start, end = "[", "]"
        items = [("", item) for item in value]
    inner = f"{space} "  # as deep as schemas are, more would be a good part of the text
    lines = [f"{space}{head}{start}"]
    line = ""
    for number, (key, item) in enumerate(items, 1):
        comma = "," if number < len(items) else ""
        text = f"{key}{whole.get(id(item)) or _join(item, whole)}{comma}"
        if line and len(line) + 1 + len(text) <= _WIDTH:
            line += f" {text}"
            continue
        if line:
            lines.append(line)
        if _fits(item, len(inner) + len(text)):
            line = f"{inner}{text}"
        else:
            lines += _lines(item, key, comma, inner, whole)
            line = ""
    lines += [line] if line else []
    if len(lines[-1]) + len(end) + len(tail) <= _WIDTH:
        lines[-1] += f"{end}{tail}"  # lines with a bracket alone would be a good part of it too
    else:
        lines.append(f"{space}{end}{tail}")
    return lines
