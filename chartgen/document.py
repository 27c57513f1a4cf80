"""Document: the plain data of one description, with the place every value was written at."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from chartgen.errors import Mark, Problem

Path = tuple[str | int, ...]


class Trap(NamedTuple):
    """An unquoted scalar that YAML readers disagree about, such as `on`, `012`, `1e3` or a date."""

    path: Path
    text: str


class Document(NamedTuple):
    """Plain data (str-keyed dicts, lists, scalars) and a way back to where each value stands."""

    file: str
    data: Any
    locate: Callable[[Path, bool], Mark]
    traps: tuple[Trap, ...] = ()
    problems: tuple[Problem, ...] = ()  # what was found on reading it, and did not keep it from being read
    form: str = ""  # the native format it is written in; none if it is a job description

    def mark(self, path: Path = (), *, key: bool = False) -> Mark:
        """The place of the value at this path (or of its key); of the nearest parent if the path leads nowhere."""
        return self.locate(path, key)

    def problem(self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False) -> Problem:
        """An error at the value of this path, or at its key."""
        return Problem(self.mark(path, key=key), message, rule, hint)

    def warning(self, path: Path, message: str, rule: str, hint: str = "", *, key: bool = False) -> Problem:
        """A warning at the value of this path, or at its key."""
        return Problem(self.mark(path, key=key), message, rule, hint, "warning")

    def moved(self, data: Any, origins: Mapping[Path, Path]) -> "Document":
        """The same description in other words: each path of the new data leads back to where its origin was written."""

        def locate(path: Path, key: bool) -> Mark:
            for length in range(len(path), -1, -1):
                if path[:length] in origins:
                    return self.locate(origins[path[:length]] + path[length:], key)
            return self.locate(path, key)

        return self._replace(data=data, locate=locate)
