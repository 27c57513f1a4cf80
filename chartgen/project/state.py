"""What the last run knew: which inputs became which outputs; what has not changed is not made."""

import json
from collections.abc import Mapping

from chartgen.errors import Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any


class JobEntry(NamedTuple):
    """A job of a source, by what other jobs must know of it."""

    name: str
    mark: Mark
    targets: tuple[str, ...]


class SourceEntry(NamedTuple):
    """A source without problems: the digest of every file it depends on, and what it became."""

    inputs: Mapping[str, str]  # by path; empty for a file that is not there
    jobs: tuple[JobEntry, ...]
    warnings: tuple[Problem, ...]


class ProjectState(NamedTuple):
    """Everything that was found to be up to date."""

    key: str = ""  # of chartgen, the project file and the options
    sources: Mapping[str, SourceEntry] = {}
    stamps: Mapping[str, str] = {}  # of each target


def parse(text: bytes, key: str) -> ProjectState:
    """The state in a text; an empty one if it is none, or is not about the same things."""
    try:
        data = json.loads(text or b"{}")
        if data.get("key") != key:
            return ProjectState(key)
        sources = {path: _source(entry) for path, entry in data["sources"].items()}
        return ProjectState(key, sources, data["stamps"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return ProjectState(key)


def _source(entry: Any) -> SourceEntry:
    inputs, jobs, warnings = entry
    entries = [JobEntry(name, Mark(*mark), tuple(targets)) for name, mark, targets in jobs]
    problems = [Problem(Mark(*mark), *rest) for mark, *rest in warnings]
    return SourceEntry(inputs, tuple(entries), tuple(problems))


def dump(state: ProjectState) -> bytes:
    """The state as text."""
    data = {"key": state.key, "sources": state.sources, "stamps": state.stamps}
    return json.dumps(data, separators=(",", ":")).encode()
