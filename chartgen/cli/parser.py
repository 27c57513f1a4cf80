"""The parser of a command's words: argparse, with a help that opens with usage and ends with examples."""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, Protocol

from chartgen.cli import screen
from chartgen.errors import UsageError

WIDEST = 100  # columns; longer lines are hard to read


class Command(Protocol):
    """What a module of this package must have to be a command."""

    SYNTAX: str  # its words in the usage line
    ABOUT: str  # what it does
    EXAMPLES: str

    def options(self, parser: "Parser") -> None:
        """Add its arguments to the parser."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do it, and give the exit code."""
        ...


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, in reason."""

    def __init__(self, prog: str) -> None:
        # argparse would ask shutil, whose import takes longer than all of the parsing.
        super().__init__(prog, max_help_position=30, width=_width())


def _width() -> int:
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (OSError, ValueError):  # no terminal, or COLUMNS is no number
        columns = WIDEST
    return max(40, min(columns, WIDEST) - 2)


class Parser(argparse.ArgumentParser):
    """argparse, but mistakes are UsageErrors, and what a shell may complete is known."""

    def __init__(self, prog: str, syntax: str, about: str, epilog: str) -> None:
        super().__init__(
            prog,
            f"{prog} {syntax}",
            about,
            epilog,
            formatter_class=_Layout,
            allow_abbrev=False,  # or an option to come would change what a script means
            add_help=False,
        )
        self.words: dict[str, Callable[[], Iterable[str]]] = {}  # by argument, what else than files may stand there
        self.add_argument("-h", "--help", action="help", help="show this help")

    def completes(self, action: argparse.Action, words: Callable[[], Iterable[str]]) -> None:
        """Say which words a shell may offer for an argument that takes others, too."""
        self.words[action.dest] = words

    def error(self, message: str) -> NoReturn:
        """A mistake in the words typed: say how the command is used, and what is wrong."""
        _, unknown, words = message.partition("unrecognized arguments: ")
        if unknown and words.startswith("-"):
            message = f"there is no option {words}; {meant(words.partition('=')[0], self._option_string_actions)}"
        raise UsageError(f"{message}\n{self.format_usage()}{self.prog} --help says more")

    def print_help(self, file: object = None) -> None:
        """The help is a result, so it goes where results go."""
        screen.out(self.format_help())
        screen.flush()

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments; options may stand before, between and after the others."""
        return self.parse_intermixed_args(words)


def meant(word: str, known: Iterable[str]) -> str:
    """What a person probably meant by a word that is not known; if nothing comes near, all that is."""
    from chartgen.schema.suggest import near  # only who mistypes needs it

    words = [*known]
    found = near(word, words)
    return f"did you mean {found!r}?" if found else f"known are: {', '.join(words)}"


def parser(name: str, command: Command) -> Parser:
    """The parser of one command, with what all commands have."""
    made = Parser(f"chartgen {name}", command.SYNTAX, command.ABOUT, f"Examples:\n{command.EXAMPLES}")
    command.options(made)
    made.add_argument("--debug", action="store_true", help="show where an error comes from")
    return made


def add_color(parser: Parser) -> None:
    """--color, for commands that show problems."""
    when = ("auto", "always", "never")
    parser.add_argument("--color", choices=when, default="auto", help="auto (the default) is on terminals only")


def add_quiet(parser: Parser, what: str) -> None:
    """--quiet, for commands that tell how it went."""
    parser.add_argument("-q", "--quiet", action="store_true", help=f"tell no {what}")


def add_strict(parser: Parser) -> None:
    """--strict, for commands that check jobs."""
    parser.add_argument("--strict", action="store_true", help="take warnings for problems")


def add_jobs(parser: Parser) -> None:
    """The job descriptions a command works on."""
    about = "a job description, or a job in a native format; - is standard input"
    parser.add_argument("jobs", nargs="+", metavar="JOB", help=about)


def add_from(parser: Parser) -> None:
    """--from, for commands that read jobs."""
    about = "the native format the jobs are written in, where in doubt (`chartgen list formats`)"
    action = parser.add_argument("--from", dest="form", default="", metavar="FORMAT", help=about)
    parser.completes(action, _formats)


def add_define(parser: Parser) -> None:
    """--define, for commands that read jobs."""
    about = "what ${NAME} stands for in a native command line; the environment is never asked"
    parser.add_argument("--define", action="append", default=[], metavar="NAME=VALUE", help=about)


def _formats() -> list[str]:
    from chartgen.native import FORMATS  # only completion needs it

    return [*FORMATS]


def add_helm(parser: argparse._ActionsContainer) -> None:
    """--helm, for commands that run Helm."""
    parser.add_argument(
        "--helm", metavar="FILE", help="the Helm to run; else $CHARTGEN_HELM, the one on PATH, or chartgen[helm]'s"
    )
