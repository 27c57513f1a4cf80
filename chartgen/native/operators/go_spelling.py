"""Objects as an operator written in Go read them: keys in any case, and null or "" for what is absent."""

from collections.abc import Mapping
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.accept import Schema, accepts, at, choices


def as_go_reads(document: Document, rules: Schema, also: Mapping[str, str]) -> tuple[Document, list[Problem]]:
    """The document in the schema's own spelling, with a warning for each other one; `also` are spellings of its own."""
    reader = _Reader(document, rules, also)
    data = reader.read(document.data, (), ())
    traps = tuple(trap._replace(path=reader.canonical(trap.path)) for trap in document.traps)
    return document.moved(data, {(): (), **reader.origins})._replace(traps=traps), reader.problems


class _Reader:
    """Walks data along its schema; `path` is where a value stands as the schema spells it, `source` as a person did."""

    def __init__(self, document: Document, rules: Schema, also: Mapping[str, str]) -> None:
        self.document = document
        self.rules = rules
        self.also = also
        self.origins: dict[Path, Path] = {}
        self.problems: list[Problem] = []

    def read(self, value: Any, path: Path, source: Path) -> Any:
        if isinstance(value, dict):
            return self.mapping(value, path, source)
        if isinstance(value, list):
            return [self.read(item, (*path, index), (*source, index)) for index, item in enumerate(value)]
        return value

    def mapping(self, value: dict[str, Any], path: Path, source: Path) -> dict[str, Any]:
        known = self.known(path)
        found: dict[str, Any] = {}
        for key, item in value.items():
            name = known.get(key.lower()) or known.get(self.also.get(key, "").lower()) or key
            if name in found:
                message = f"{key!r} names {name!r} a second time; expected it once"
                self.problems.append(self.document.problem((*source, key), message, "duplicate-key", key=True))
                continue
            if name != key:
                self.rename(key, name, path, source)
            if not self.absent(item, (*path, name)):
                found[name] = self.read(item, (*path, name), (*source, key))
        return found

    def known(self, path: Path) -> dict[str, str]:
        """The keys that a place has by name, by what Go takes for them."""
        place = at(self.rules, path)
        fields = [name for choice in choices(place, self.rules) for name in choice.get("properties", ())]
        return {name.lower(): name for name in fields}

    def rename(self, key: str, name: str, path: Path, source: Path) -> None:
        self.origins[*path, name] = (*source, key)
        why = f"{key!r} is spelt {name!r}; the operator read keys in any case"
        if key.lower() != name.lower():
            why = f"{key!r} is read as {name!r}; the operator knew no such key and left out all that it held"
        self.problems.append(self.document.warning((*source, key), why, "spelling", f"write {name!r}", key=True))

    def absent(self, value: Any, path: Path) -> bool:
        """Whether a value is Go's way to say nothing: null, or "" where text cannot be empty."""
        place = at(self.rules, path) if value == "" else None
        return value is None or (place is not None and not accepts(place, "", self.rules))

    def canonical(self, path: Path) -> Path:
        """A path of the source as the schema spells it."""
        spelt = {source: name[-1] for name, source in self.origins.items()}
        return tuple(spelt.get(path[: end + 1], step) for end, step in enumerate(path))
