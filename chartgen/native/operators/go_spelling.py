"""Read an object as an operator written in Go did: keys in any case, and null or "" for nothing."""

from collections.abc import Mapping

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.accept import accepts
from chartgen.schema.walk import Schema, at, choices
from chartgen.startup.typing import Any


def read_as_go(
    document: Document, schema: Schema, aliases: Mapping[str, str]
) -> tuple[Document, list[Problem]]:
    """The document with the schema's spelling of keys, and a warning for each that was respelt.

    `aliases` are other spellings that are known, beside those in another case.
    """
    reader = _KeyReader(document, schema, aliases)
    data = reader.read(document.data, (), ())
    traps = tuple(trap._replace(path=reader.respell(trap.path)) for trap in document.traps)
    return document.moved(data, {(): (), **reader.origins})._replace(traps=traps), reader.problems


_OLD_TAGS = ("tf_port", "tf_replica_type")


class _KeyReader:
    """Walks data along its schema.

    `path` is the path of a value as the schema spells it, `source` as the document does.
    """

    def __init__(self, document: Document, schema: Schema, aliases: Mapping[str, str]) -> None:
        self.document = document
        self.schema = schema
        self.aliases = aliases
        self.origins: dict[Path, Path] = {}
        self.problems: list[Problem] = []

    def read(self, value: Any, path: Path, source: Path) -> Any:
        """A value with all keys in it respelt."""
        if isinstance(value, dict):
            return self._read_mapping(value, path, source)
        if isinstance(value, list):
            items = []
            for index, item in enumerate(value):
                items.append(self.read(item, (*path, index), (*source, index)))
            return items
        return value

    def respell(self, path: Path) -> Path:
        """A path of the document as the schema spells it."""
        names = {source: name[-1] for name, source in self.origins.items()}
        return tuple(names.get(path[: end + 1], step) for end, step in enumerate(path))

    def _read_mapping(self, value: dict[str, Any], path: Path, source: Path) -> dict[str, Any]:
        known = self._known_keys(path)
        respelt: dict[str, Any] = {}
        for key, item in value.items():
            name = known.get(key.lower()) or known.get(self.aliases.get(key, "").lower()) or key
            if name in respelt:
                message = f"{key!r} sets {name!r} a second time; expected it once"
                problem = self.document.problem((*source, key), message, "key-duplicate", key=True)
                self.problems.append(problem)
                continue
            if name != key:
                self.origins[*path, name] = (*source, key)
                self._warn(key, name, source)
            if not self._is_absent(item, (*path, name)):
                respelt[name] = self.read(item, (*path, name), (*source, key))
        return respelt

    def _known_keys(self, path: Path) -> dict[str, str]:
        """The keys that the schema names at a path, by their lower case."""
        known = {}
        for choice in choices(at(self.schema, path), self.schema):
            for name in choice.get("properties", ()):
                known[name.lower()] = name
        return known

    def _warn(self, key: str, name: str, source: Path) -> None:
        message = f"{key!r} is spelt {name!r}; the operator ignored the case of keys"
        if key.lower() != name.lower():
            message = f"{key!r} is read as {name!r}; the operator ignored it and everything in it"
            if key in _OLD_TAGS:
                message = f"{key!r} is what the operator called {name!r} until August 2017"
        hint = f"write {name!r}"
        warning = self.document.warning((*source, key), message, "key-spelling", hint, key=True)
        self.problems.append(warning)

    def _is_absent(self, value: Any, path: Path) -> bool:
        """Whether a value means nothing to Go: null, or "" where a text must not be empty."""
        if value is None:
            return True
        place = at(self.schema, path) if value == "" else None
        return place is not None and not accepts(place, "", self.schema)
