"""Print data as YAML that every reader, Go's above all, takes for the same data; the same data gives the same bytes."""

import re
from collections.abc import Iterator, Mapping
from json import dumps
from typing import Any

# Words beside numbers that some YAML reader takes for something other than text; PyYAML prints several of them plain.
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.@-]*")
_LINE = 72  # characters of a list on one line
_WORDS = frozenset(
    word
    for base in ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
    for word in (base, base.capitalize(), base.upper())
)


def emit(data: Mapping[str, Any]) -> str:
    """A whole YAML document."""
    return "".join(line + "\n" for line in mapping(data))


def mapping(data: Mapping[str, Any], indent: int = 0) -> Iterator[str]:
    """A mapping in block style, line by line."""
    space = " " * indent
    for key, value in data.items():
        yield from _under(f"{space}{scalar(key)}:", value, indent)


def _under(head: str, value: Any, indent: int) -> Iterator[str]:
    """A value under the key or dash that leads it."""
    if isinstance(value, Mapping) and value:
        yield head
        yield from mapping(value, indent + 2)
    elif isinstance(value, list) and value and not (short := _short(value)):
        yield head
        for item in value:
            yield from _item(item, indent + 2)
    elif isinstance(value, str) and _reads_well_as_block(value):
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        for line in value.splitlines():
            yield " " * (indent + 2) + line if line else ""
    else:
        yield f"{head} {short if isinstance(value, list) and value else scalar(value)}"


def _short(items: list[Any]) -> str:
    """A list of a few words on one line, as a person would write a command; nothing if it does not fit."""
    if any(isinstance(item, Mapping | list) for item in items):
        return ""
    line = f"[{', '.join(scalar(item) for item in items)}]"
    return line if len(line) <= _LINE else ""


def _item(item: Any, indent: int) -> Iterator[str]:
    dash = " " * indent + "-"
    if isinstance(item, Mapping) and item:
        lines = mapping(item, indent + 2)
        yield f"{dash} {next(lines).lstrip(' ')}"
        yield from lines
    elif isinstance(item, list):
        yield f"{dash} {_flow(item)}"
    else:
        yield from _under(dash, item, indent)


def _reads_well_as_block(value: str) -> bool:
    """Whether a text of several lines can stand as it is, without a space, tab or line break being lost."""
    lines = value.split("\n")
    if len(lines) < 2 or value.endswith("\n\n") or value[0] in " \t\n":
        return False
    return all(line.isprintable() and line == line.rstrip() for line in lines)


def scalar(value: Any) -> str:
    """A scalar, or an empty collection, on one line."""
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value not in _WORDS else quoted(value)
    return _flow(value)


def quoted(value: str) -> str:
    """A text in double quotes; what is not printable is escaped, for Go's reader refuses some of it."""
    return dumps(value, ensure_ascii=not value.replace("\n", "").replace("\t", "").isprintable())


def _flow(value: Any) -> str:
    return dumps(value, ensure_ascii=False)
