"""What can go wrong: problems are values, failures are exceptions that know their exit codes."""

from collections.abc import Iterable, Mapping

from chartgen.startup.records import NamedTuple


class Mark(NamedTuple):
    """A place in a file; lines and columns count from 1, and are 0 where there are none."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


NOWHERE = Mark("", 0, 0)  # of a problem until its place is known


class Problem(NamedTuple):
    """One thing to fix: where it is, what is wrong and what was expected, the rule, and a hint."""

    mark: Mark
    message: str
    rule: str
    hint: str = ""
    severity: str = "error"  # or "warning"


class MissingProblem(Problem):
    """A problem of something missing, which may well be in a part of the input that was refused."""

    __slots__ = ()


OK = 0
PROBLEMS = 1
USAGE = 2
WORLD = 3
TIME_OVER = 4
BUG = 70
INTERRUPTED = 130


class ChartgenError(Exception):
    """A failure that chartgen can explain; it is printed without a traceback."""

    exit_code = BUG


class InputError(ChartgenError):
    """The input has problems: all of them, not the first.

    Where a file was read as a whole, its text is there too, to show the lines that are meant.
    """

    exit_code = PROBLEMS

    def __init__(
        self, problems: Iterable[Problem], texts: Mapping[str, bytes] | None = None
    ) -> None:
        self.problems = tuple(problems)
        self.texts = texts or {}
        super().__init__(self.problems, self.texts)

    def __str__(self) -> str:
        return "\n".join(f"{problem.mark}: {problem.message}" for problem in self.problems)


class RefusedError(ChartgenError):
    """A chart refuses the values that were given for it."""

    exit_code = PROBLEMS


class MissingError(ChartgenError):
    """There is no such release, or it cannot be changed as requested."""

    exit_code = PROBLEMS


class UsageError(ChartgenError):
    """The command line is wrong."""

    exit_code = USAGE


class WorldError(ChartgenError):
    """Disk, Helm or cluster error."""

    exit_code = WORLD


class PackageError(ChartgenError):
    """Another installed package, which adds something to chartgen, is broken."""

    exit_code = WORLD
