"""Document: the plain data of one description, with the place of every value."""

from collections.abc import Callable, Mapping

from chartgen.errors import NOWHERE, Mark, MissingProblem, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

Path = tuple[str | int, ...]
# A problem and the field that it is about, for those who know fields but not the document.
FieldProblem = tuple[Path, Problem]


def about(
    path: Path, message: str, rule: str, hint: str = "", severity: str = "error"
) -> FieldProblem:
    """A problem of a field, to be placed by whoever knows where the field is written."""
    return path, Problem(NOWHERE, message, rule, hint, severity)


def about_missing(path: Path, message: str, rule: str, hint: str = "") -> FieldProblem:
    """The same for something that is not there, which may be in a part that was refused."""
    return path, MissingProblem(NOWHERE, message, rule, hint)


class Trap(NamedTuple):
    """An unquoted scalar that YAML readers read differently: `on`, `012`, `1e3` or a date."""

    path: Path
    text: str


class Setting(NamedTuple):
    """A value that the command line adds to a description, and the option that says so."""

    path: Path
    value: Any
    option: str


class Document(NamedTuple):
    """Plain data (str-keyed dicts, lists, scalars) and the place of each value in the file."""

    file: str
    data: Any
    locate: Callable[[Path, bool], Mark]
    traps: tuple[Trap, ...] = ()
    problems: tuple[Problem, ...] = ()  # found on reading, without preventing it
    form: str = ""  # its native format; empty for a job description
    settings: tuple[Setting, ...] = ()  # what the description that a native text means gets, too
    beside: tuple["Document", ...] = ()  # objects of the same file that complete this one

    def gives(self, *path: str) -> bool:
        """Whether the command line gives a field of the description."""
        return any(setting.path == path for setting in self.settings)

    def setting(self, *path: str) -> Any:
        """What the command line gives for a field of the description, or None."""
        values = [setting.value for setting in self.settings if setting.path == path]
        return values[-1] if values else None

    def mark(self, path: Path = (), *, key: bool = False) -> Mark:
        """The place of the value at this path, or of its key; else that of the nearest parent."""
        return self.locate(path, key)

    def problem(
        self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False
    ) -> Problem:
        """An error at the value of this path, or at its key."""
        return Problem(self.mark(path, key=key), message, rule, hint)

    def warning(
        self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False
    ) -> Problem:
        """A warning at the value of this path, or at its key."""
        return Problem(self.mark(path, key=key), message, rule, hint, "warning")

    def missing(
        self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False
    ) -> Problem:
        """An error for something that is not there, reported only if no other part was refused."""
        return MissingProblem(self.mark(path, key=key), message, rule, hint)

    def place(self, path: Path, problem: Problem, *, key: bool = False) -> Problem:
        """A problem at the place of its field."""
        return problem._replace(mark=self.mark(path, key=key))

    def moved(self, data: Any, origins: Mapping[Path, Path]) -> "Document":
        """The same document with other data, each path of which has the place of its origin."""

        def locate(path: Path, key: bool) -> Mark:
            for length in range(len(path), -1, -1):
                if path[:length] in origins:
                    return self.locate(origins[path[:length]] + path[length:], key)
            return self.locate(path, key)

        return self._replace(data=data, locate=locate)
