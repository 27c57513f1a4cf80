"""What can go wrong: problems are values, failures are exceptions, and each failure knows its exit code."""

from collections.abc import Iterable
from typing import NamedTuple


class Mark(NamedTuple):
    """A place in a text a person wrote; lines and columns count from 1, and are 0 for a thing that has none."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Problem(NamedTuple):
    """One thing to mend: where it stands, what is wrong and what was expected, the rule, and a hint."""

    mark: Mark
    message: str
    rule: str
    hint: str = ""
    severity: str = "error"  # or "warning"


OK = 0
PROBLEMS = 1
USAGE = 2
WORLD = 3
BUG = 70
INTERRUPTED = 130


class ChartgenError(Exception):
    """A failure chartgen can explain; the command line prints it without a traceback."""

    exit_code = BUG


class InputError(ChartgenError):
    """The input has problems: all of them, not the first."""

    exit_code = PROBLEMS

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{problem.mark}: {problem.message}" for problem in self.problems))


class RefusedError(ChartgenError):
    """A chart refuses the values that were given for it."""

    exit_code = PROBLEMS


class UsageError(ChartgenError):
    """The command line asks for something that makes no sense."""

    exit_code = USAGE


class WorldError(ChartgenError):
    """The disk, Helm or the cluster failed us."""

    exit_code = WORLD
