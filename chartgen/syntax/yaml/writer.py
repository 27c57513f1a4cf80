"""Print data as YAML that every reader, above all Go's, reads as the same data."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from chartgen.startup.json import JSONEncoder, dumps
from chartgen.startup.typing import Any

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.@-]*")
_WORDS = {None: "null", True: "true", False: "false"}
_as_json = JSONEncoder(ensure_ascii=False).encode
_LINE = 72  # characters of a list on one line
_KEY = 1000  # characters of a key that is written without '?'
# Words that some YAML reader does not read as text; PyYAML prints several of them plain.
_NOT_TEXT = frozenset(
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
        word = scalar(key)
        # A YAML reader looks for the ':' of a key in the next 1,024 characters, and no further.
        head = f"{space}{word}:" if len(word) < _KEY else f"{space}? {word}\n{space}:"
        if isinstance(value, (dict, list, str)):
            yield from _under(head, value, indent)
        else:
            yield f"{head} {scalar(value)}"


def _under(head: str, value: Any, indent: int) -> Iterator[str]:
    """A value under its key or dash."""
    if isinstance(value, dict) and value:
        yield head
        yield from mapping(value, indent + 2)
    elif isinstance(value, list) and value and not (short := _short(value)):
        yield head
        for item in value:
            yield from _item(item, indent + 2)
    elif isinstance(value, str) and "\n" in value and _reads_well_as_block(value):
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        for line in value.removesuffix("\n").split("\n"):
            yield " " * (indent + 2) + line if line else ""
    else:
        yield f"{head} {short if isinstance(value, list) and value else scalar(value)}"


def _short(items: list[Any]) -> str:
    """A short list on one line, as a person would write a command; "" if it does not fit."""
    if any(isinstance(item, (dict, list)) for item in items):
        return ""
    line = f"[{', '.join(scalar(item) for item in items)}]"
    return line if len(line) <= _LINE else ""


def _item(item: Any, indent: int) -> Iterator[str]:
    dash = " " * indent + "-"
    if isinstance(item, dict) and item:
        lines = mapping(item, indent + 2)
        yield f"{dash} {next(lines).lstrip(' ')}"
        yield from lines
    else:
        yield from _under(dash, item, indent)


def _reads_well_as_block(value: str) -> bool:
    """Whether a text of several lines can be a block without losing a space, tab or line break."""
    lines = value.split("\n")
    if len(lines) < 2 or value.endswith("\n\n") or value[0] in " \t\n":
        return False
    return all(line.isprintable() and line == line.rstrip() for line in lines)


@lru_cache(1000)  # the keys of all jobs are the same
def _text(value: str) -> str:
    return value if _PLAIN.fullmatch(value) and value not in _NOT_TEXT else quoted(value)


def scalar(value: Any) -> str:
    """A scalar, or an empty collection, on one line."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__repr__(value)  # as dumps does, which takes ten times as long
    return _WORDS[value] if value is None or isinstance(value, bool) else dumps(value)


def quoted(value: str) -> str:
    """A text in double quotes, or in single quotes if it has double ones.

    What is not printable is escaped in the way that Go reads.
    """
    if '"' in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    text = _as_json(value)
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    """A character in double quotes; Go's YAML reader refuses JSON's pairs of surrogates."""
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _number(value: float) -> str:
    """A number with a point or without an exponent, because `1e+16` is text to some readers."""
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits or not exponent else '.0'}{exponent}{power}"
