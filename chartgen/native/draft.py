"""What adopting a native format gives: a job description, and notes on what was changed."""

import re
from collections.abc import Iterable, Mapping

from chartgen import resources
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.k8s.limits import DNS_LABEL
from chartgen.schema.walk import Schema
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any, Protocol
from chartgen.words import short

_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


class Note(NamedTuple):
    """What was dropped or changed, and why; printed beside the value that it is about."""

    path: Path
    text: str


class Adopted(NamedTuple):
    """The job description that a native text means; each path of it leads back to that text."""

    document: Document | None  # None if the problems leave nothing to describe
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...]
    namespace: str = ""  # the one that the native text names


class Native(Protocol):
    """A module that adopts one format; its docstring is the format's manual page."""

    def adopt(self, document: Document, /) -> Adopted:
        """Native data -> job data."""


class Draft:
    """A job description in the making, and where in the native text each value comes from."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self.data: dict[str, Any] = {}
        self.origins: dict[Path, Path] = {(): ()}
        self.notes: list[Note] = []
        self.problems: list[Problem] = []
        self.namespace = ""

    def take(self, path: Path, value: Any, origin: Path) -> None:
        """Set a value of the description, and the path of the native text that it comes from."""
        node: Any = self.data
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = value
        self.origins[path] = origin

    def note(self, path: Path, text: str) -> None:
        """Say what was dropped or changed, and why."""
        self.notes.append(Note(path, text))

    def problem(
        self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False
    ) -> None:
        """Report a problem at a path of the native text."""
        self.problems.append(self.source.problem(path, message, rule, hint, key=key))

    def warning(
        self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False
    ) -> None:
        """Report a warning at a path of the native text."""
        self.problems.append(self.source.warning(path, message, rule, hint, key=key))

    def in_namespace(self, namespace: str, field: str, origin: Path = ()) -> None:
        """Keep the namespace that a field of the native text names, for the release."""
        if len(namespace) > DNS_LABEL or not _NAMESPACE.fullmatch(namespace):
            message = f"{field}: expected a namespace (lowercase letters, digits and '-', at most"
            message += f" {DNS_LABEL} characters), got {short(namespace)!r}"
            self.problem(origin, message, "value-malformed")
            return
        self.namespace = namespace
        command = f"helm install -n {namespace}"
        self.note((), f"{field}: a chart carries no namespace; choose it with: {command}")

    def adopted(self, problems: Iterable[Problem]) -> Adopted:
        """The finished description, with the problems that were found before it was begun."""
        return Adopted(
            self.described(), tuple(self.notes), (*problems, *self.problems), self.namespace
        )

    def described(self) -> Document:
        """The description, with its keys in the order that a person would write them."""
        data = sort_description(self.data)
        # The native schema has already checked the traps.
        return self.source.moved(data, self.origins)._replace(form="", traps=())


def sort_description(data: Mapping[str, Any]) -> dict[str, Any]:
    """A description with its keys in the order of its schema, and unknown ones at the end."""
    job = resources.data("schemas/job.schema.json")
    described = _sort_keys(data, job)
    if isinstance(roles := described.get("roles"), dict):
        role_schema = job["definitions"]["role"]
        for name, role in roles.items():
            roles[name] = _sort_keys(role, role_schema) if isinstance(role, dict) else role
    return described


def _sort_keys(data: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    known = {key: data[key] for key in schema["properties"] if key in data}
    return {**known, **data}
