"""Suggest: what a person may have meant by a word that a schema refuses."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from chartgen.document import Path
from chartgen.schema.accept import Schema, accepts, at, choices


def near(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known word that differs least, upper and lower case aside."""
    folded = {one.lower(): one for one in known}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=likeness)
    return folded[close[0]] if close else None


def elsewhere(key: str, path: Path, schema: Schema, root: Schema) -> Path | None:
    """Where a key that is unknown at a path would be known, below or above: wrong indentation is a common slip."""
    below: list[tuple[Path, Any]] = [(path, schema)]
    for _ in range(2):
        below = [inner for where, place in below for inner in _members(where, place, root)]
        for where, place in below:
            if _names(key, place, root):
                return (*where, key)
    above = (path[:end] for end in reversed(range(len(path))))
    return next(((*where, key) for where in above if _names(key, at(root, where), root)), None)


def mended(text: str, schema: Schema, root: Schema) -> str | None:
    """The same text in a spelling that the schema accepts, if a simple change makes one."""
    text = text.strip()
    if not text or "=" in text:  # NAME=value is a pair, and no name that is spelt badly
        return None
    # Of an image, a path or a part, another would come out and not the same.
    slug = "" if re.search("[/:%]", text) else re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    tries = (text, text.lower(), slug, text.lstrip("vV"), f"{text}.0")
    return next((one for one in tries if one and accepts(schema, one, root)), None)


def _members(path: Path, schema: Any, root: Schema) -> Iterator[tuple[Path, Any]]:
    for choice in choices(schema, root):
        for name, inner in choice.get("properties", {}).items():
            yield (*path, name), inner
        yield (*path, "<name>"), choice.get("additionalProperties")


def _names(key: str, schema: Any, root: Schema) -> bool:
    """Whether the schema names this very key, and not just any key."""
    return any(key in choice.get("properties", ()) for choice in choices(schema, root))
