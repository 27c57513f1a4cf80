"""Layers of a description: defaults, which it overrides, and values, which override it."""

from collections.abc import Callable, Mapping

from chartgen.document import Document, Path, Trap
from chartgen.errors import Mark
from chartgen.job.model import merge
from chartgen.startup.typing import Any


def lay_under(document: Document, under: Document) -> Document:
    """The document, with what it does not say itself from another one; each with its place."""
    data = _fill(document.data, under.data)
    return _join(document, under, data, lambda own, other: own >= other)


def lay_over(document: Document, over: Document) -> Document:
    """The document with other values, merged as Helm merges them; each with its place."""
    data = merge(document.data, over.data)
    return _join(document, over, data, lambda own, other: own > other)


def says(document: Document, path: Path) -> bool:
    """Whether a document has a value of its own at a path."""
    return _depth(document.data, path) == len(path)


def _fill(own: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    """What is there, in its order, and then what is missing."""
    result = dict(own)
    for key, value in below.items():
        if key not in result:
            result[key] = value
        elif isinstance(result[key], dict) and isinstance(value, dict):
            result[key] = _fill(result[key], value)
    return result


def _join(
    document: Document, other: Document, data: Any, is_own: Callable[[int, int], bool]
) -> Document:
    """Data of two documents; a path has its place in the one that knows more of it."""

    def locate(path: Path, key: bool) -> Mark:
        depth = _depth(other.data, path)
        if depth == 0 or is_own(_depth(document.data, path), depth):
            return document.locate(path, key)
        return other.locate(path, key)

    traps: list[Trap] = []
    for side in (document, other):
        for trap in side.traps:
            own = is_own(_depth(document.data, trap.path), _depth(other.data, trap.path))
            if own == (side is document):
                traps.append(trap)
    return document._replace(data=data, locate=locate, traps=tuple(traps))


def _depth(data: Any, path: Path) -> int:
    """How many steps of a path there are in some data."""
    for number, step in enumerate(path):
        known = isinstance(data, dict) and step in data
        if isinstance(data, list) and isinstance(step, int):
            known = step < len(data)
        if not known:
            return number
        data = data[step]
    return len(path)
