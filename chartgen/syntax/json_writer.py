"""Print data as JSON that people can read: lines are filled, and what fits on a line is on one."""

from collections.abc import Iterator
from json import dumps
from json.encoder import encode_basestring as quote
from typing import Any

_WIDTH = 100


def emit_json(data: Any) -> str:
    """A whole JSON document."""
    whole: dict[int, str] = {}
    _join(data, whole)
    return "\n".join(_lines(data, "", "", "", whole)) + "\n"


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


def _lines(value: Any, head: str, tail: str, space: str, whole: dict[int, str]) -> Iterator[str]:
    """A value behind its key, if it has one, and before its comma."""
    line = f"{space}{head}{whole.get(id(value)) or _join(value, whole)}{tail}"
    if len(line) <= _WIDTH or not isinstance(value, dict | list) or not value:
        yield line
        return
    start, end = "{}" if isinstance(value, dict) else "[]"
    inner = f"{space} "  # as deep as schemas are, more would be a good part of the text
    yield f"{space}{head}{start}"
    *lines, last = _fill(_items(value, inner, whole), inner)
    yield from lines
    if len(last) + len(end) + len(tail) <= _WIDTH:
        yield f"{last}{end}{tail}"  # and so would be lines with a bracket alone
    else:
        yield from (last, f"{space}{end}{tail}")


def _items(
    value: dict[str, Any] | list[Any], space: str, whole: dict[int, str]
) -> Iterator[list[str]]:
    """The lines of each item."""
    if isinstance(value, dict):
        items = [(f"{quote(key)}: ", inner) for key, inner in value.items()]
    else:
        items = [("", inner) for inner in value]
    for index, (key, inner) in enumerate(items, 1):
        comma = "," if index < len(items) else ""
        yield list(_lines(inner, key, comma, space, whole))


def _fill(items: Iterator[list[str]], space: str) -> Iterator[str]:
    """The lines of all items; those that take one line each share it as far as it goes."""
    filled = ""
    for lines in items:
        more = f"{filled} {lines[0].removeprefix(space)}"
        if filled and len(lines) == 1 and len(more) <= _WIDTH:
            filled = more
            continue
        if filled:
            yield filled
        *first, filled = lines
        if first:
            yield from lines
            filled = ""
    if filled:
        yield filled
