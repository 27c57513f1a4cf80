"""Suggest: what a person may have meant by a word that a schema refuses."""

import re
from collections.abc import Iterator

from chartgen.document import Path
from chartgen.schema.accept import accepts
from chartgen.schema.walk import Schema, at, choices
from chartgen.startup.typing import Any

_PLACEHOLDER = re.compile(
    r"<[^<>]+>|\$\{[^{}]+\}|\$\([^()]+\)|\{\{.+\}\}|%[A-Za-z_]+%|^[A-Z]+(_[A-Z]+)+$"
)


def find_elsewhere(key: str, path: Path, schema: Schema, root: Schema) -> Path | None:
    """Where a key unknown at a path is known, below or above: wrong indentation is common."""
    below: list[tuple[Path, Any]] = [(path, schema)]
    for _ in range(2):
        members: list[tuple[Path, Any]] = []
        for where, place in below:
            members += _members(where, place, root)
        for where, place in members:
            if _names(key, place, root):
                return (*where, key)
        below = members
    for end in reversed(range(len(path))):
        if _names(key, at(root, path[:end]), root):
            return (*path[:end], key)
    return None


def correct_spelling(text: str, schema: Schema, root: Schema) -> str | None:
    """The text in a spelling that the schema accepts, if a simple change is enough."""
    text = text.strip()
    if not text or "=" in text:  # NAME=value is a pair, not a misspelt name
        return None
    address = text.removeprefix("https://").removeprefix("http://")
    spellings = [text, text.lower(), address]
    # A changed image, path, share or placeholder would be another one, not a corrected one.
    if not re.search("[/:%<>${}]", text):
        dotted = re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")
        spellings += [dotted] if "." in dotted else []
        spellings.append(re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"))
    if text[-1].isdigit():  # 1.2 for 1.2.0
        spellings.append(f"{text}.0")
    for spelling in (*spellings, text.lstrip("vV")):
        if spelling and accepts(schema, spelling, root):
            return spelling
    return None


def is_placeholder(text: str) -> bool:
    """Whether a text has a part that some other program was to fill in."""
    return bool(_PLACEHOLDER.search(text))


def _members(path: Path, schema: Any, root: Schema) -> Iterator[tuple[Path, Any]]:
    for choice in choices(schema, root):
        for name, inner in choice.get("properties", {}).items():
            yield (*path, name), inner
        yield (*path, "<name>"), choice.get("additionalProperties")


def _names(key: str, schema: Any, root: Schema) -> bool:
    """Whether the schema names this key, rather than allowing any."""
    return any(key in choice.get("properties", ()) for choice in choices(schema, root))
