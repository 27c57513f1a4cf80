"""What reading a native format gives: the job description it means, and what was dropped or changed on the way."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

from chartgen import resources
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.accept import Schema

_OWN = "#/definitions/"
_SHARED = f"../job.schema.json{_OWN}"


class Note(NamedTuple):
    """What was dropped or changed, and why; told beside the part of the description that it belongs to."""

    path: Path
    text: str


class Adopted(NamedTuple):
    """The job data a person could have written, each path leading back to the native text; None if none can be made."""

    document: Document | None
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...]
    namespace: str = ""  # where the native text would have it run


class Draft:
    """A job description in the making, with the place in the native text of every word that was taken from it."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self.data: dict[str, Any] = {}
        self.origins: dict[Path, Path] = {(): ()}
        self.notes: list[Note] = []
        self.problems: list[Problem] = []
        self.namespace = ""

    def take(self, path: Path, value: Any, origin: Path) -> None:
        """Say something in the description, which the native text says at its origin."""
        node: Any = self.data
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = value
        self.origins[path] = origin

    def note(self, path: Path, text: str) -> None:
        """Tell what was dropped or changed, and why."""
        self.notes.append(Note(path, text))

    def problem(self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False) -> None:
        """A problem at a place of the native text."""
        self.problems.append(self.source.problem(path, message, rule, hint, key=key))

    def warning(self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False) -> None:
        """A warning at a place of the native text."""
        self.problems.append(self.source.warning(path, message, rule, hint, key=key))

    def in_namespace(self, namespace: str, said: str) -> None:
        """The release has the namespace that the native text names."""
        self.namespace = namespace
        self.note((), f"{said}: a chart has none of its own; install it with: helm install -n {namespace}")

    def adopted(self, problems: Iterable[Problem]) -> Adopted:
        """All that came of it, with the problems that were found before."""
        return Adopted(self.described(), tuple(self.notes), (*problems, *self.problems), self.namespace)

    def described(self) -> Document:
        """The description, in the order a person would write it; traps were judged by the native schema."""
        job = resources.data("schemas/job.schema.json")
        data = _ordered(self.data, job)
        data["roles"] = {name: _ordered(role, job["definitions"]["role"]) for name, role in data["roles"].items()}
        return self.source.moved(data, self.origins)._replace(form="", traps=())


def _ordered(data: Mapping[str, Any], place: Schema) -> dict[str, Any]:
    return {key: data[key] for key in place["properties"] if key in data}


class Native(Protocol):
    """A module in this package."""

    __doc__: str | None

    def adopt(self, document: Document) -> Adopted:
        """Native data -> job data."""
        ...


@cache
def rules(form: str) -> Schema:
    """The schema of a native format in one piece, with what it borrows from the job description's."""
    own = resources.data(f"schemas/native/{form}.schema.json")
    shared = resources.data("schemas/job.schema.json")["definitions"]
    borrowed = {ref.removeprefix(_SHARED) for ref in _references(own) if ref.startswith(_SHARED)}
    found: set[str] = set()
    while borrowed:  # what is borrowed may need more
        found |= borrowed
        borrowed = {ref.removeprefix(_OWN) for name in borrowed for ref in _references(shared[name])} - found
    needed = {name: shared[name] for name in shared if name in found}
    whole: Schema = _local({**own, "definitions": {**own["definitions"], **needed}})
    return whole


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        node = [*node.values()]
    if isinstance(node, list):
        for item in node:
            yield from _references(item)


def _local(node: Any) -> Any:
    """A schema whose references all stay inside it."""
    if isinstance(node, dict):
        return {key: _local(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_local(item) for item in node]
    return node.replace(_SHARED, _OWN) if isinstance(node, str) else node
