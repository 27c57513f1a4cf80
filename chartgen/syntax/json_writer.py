"""Print data as JSON in lines that a diff can show: what fits on a line is on one.

There is no space within a line, which would be a twentieth of a schema.
"""

from chartgen.startup.json import dumps
from chartgen.startup.json import encode_basestring as quote
from chartgen.startup.typing import Any

_Items = dict[int, list[str]]
_WIDTH = 100
_WORDS = {id(True): "true", id(False): "false", id(None): "null"}  # 1 and 0 equal two of them


def emit_json(data: Any) -> str:
    """A whole JSON document."""
    items: _Items = {}
    text = _join(data, items)
    lines = [text] if _fits(data, len(text)) else _lines(data, "", "", "", items)
    return "\n".join(lines) + "\n"


def _join(value: Any, items: _Items) -> str:
    """A value on one line; `items` keeps those of each collection, by its identity."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        texts = [f"{quote(key)}:{_join(inner, items)}" for key, inner in value.items()]
        text = f"{{{','.join(texts)}}}"
    elif isinstance(value, list):
        texts = [_join(inner, items) for inner in value]
        text = f"[{','.join(texts)}]"
    else:
        return _WORDS.get(id(value)) or dumps(value)
    items[id(value)] = texts
    return text


def _fits(value: Any, columns: int) -> bool:
    """Whether a value is on one line that has so many columns; only collections can be broken."""
    return columns <= _WIDTH or not value or not isinstance(value, (dict, list))


def _lines(
    value: dict[str, Any] | list[Any], head: str, tail: str, space: str, items: _Items
) -> list[str]:
    """A collection behind its key, if it has one, and before its comma.

    Items that take one line each share it as far as it goes.
    """
    start, end = "{}" if isinstance(value, dict) else "[]"
    inner = f"{space} "  # as deep as schemas are, more would be a good part of the text
    lines = [f"{space}{head}{start}"]
    line = ""
    *texts, last = items[id(value)]
    for text, key in zip([*(f"{text}," for text in texts), last], value, strict=True):
        if line and len(line) + len(text) <= _WIDTH:
            line += text
            continue
        if line:
            lines.append(line)
        item = value[key] if isinstance(value, dict) else key
        if _fits(item, len(inner) + len(text)):
            line = f"{inner}{text}"
            continue
        line = ""
        name = f"{quote(key)}:" if isinstance(value, dict) else ""
        lines += _lines(item, name, "," if text.endswith(",") else "", inner, items)
    lines += [line] if line else []
    if len(lines[-1]) + len(end) + len(tail) <= _WIDTH:
        lines[-1] += f"{end}{tail}"  # lines with a bracket alone would be a good part of it too
    else:
        lines.append(f"{space}{end}{tail}")
    return lines
