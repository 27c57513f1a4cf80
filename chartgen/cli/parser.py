"""The parser of a command's arguments: argparse, with examples at the end of its help."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from chartgen.cli import screen
from chartgen.errors import UsageError
from chartgen.startup.patterns import compile_late
from chartgen.startup.typing import NoReturn, Protocol
from chartgen.words import did_you_mean_or_known, short

with compile_late():
    import argparse

# chartgen speaks English in every locale; to look for translations takes a millisecond.
argparse._ = str  # type: ignore[attr-defined]

_LONG = r"\S{200,}"  # words of a message that are too long to read
WIDEST = 100  # columns; longer lines are hard to read


class Command(Protocol):
    """A module of chartgen.cli.commands."""

    @property
    def SYNTAX(self) -> str:  # noqa: N802
        """Its arguments, for the usage line."""

    @property
    def ABOUT(self) -> str:  # noqa: N802
        """What it does."""

    @property
    def EXAMPLES(self) -> str:  # noqa: N802
        """How it is called."""

    def options(self, parser: "Parser") -> None:
        """Add its arguments to the parser."""

    def run(self, args: argparse.Namespace) -> int:
        """Run it; the exit code."""


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, within limits."""

    def __init__(self, prog: str, width: int) -> None:
        super().__init__(prog, max_help_position=30, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap a description, and each line of a table in it; examples are lines to copy."""
        if "Examples:" in text:
            return super()._fill_text(text, width, indent)
        import textwrap  # as argparse does, only for help

        lines: list[str] = []
        for indented, group in groupby(text.splitlines(), lambda line: line.startswith(" ")):
            for line in group if indented else [" ".join(group)]:
                row = re.match(r" +\S+ +", line)
                hanging = " " * row.end() if row else ""
                lines += textwrap.wrap(line, width, subsequent_indent=hanging)
        return "".join(f"{indent}{line}\n" for line in lines)


def _width() -> int:
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (OSError, ValueError):  # no terminal, or COLUMNS is not a number
        columns = WIDEST
    return max(40, min(columns, WIDEST) - 2)


class Parser(argparse.ArgumentParser):
    """argparse, but mistakes are UsageErrors, and it knows what a shell may complete."""

    def __init__(self, prog: str, syntax: str, about: str, epilog: str) -> None:
        # argparse would ask shutil, whose import takes longer than the parsing, for every argument.
        width = _width()
        super().__init__(
            prog,
            f"{prog} {syntax}",
            about,
            epilog,
            formatter_class=lambda prog: _Layout(prog, width),
            allow_abbrev=False,  # or a future option could change what a script means
            add_help=False,
        )
        # The words that a shell may offer for an argument, by the argument's name.
        self.words: dict[str, Callable[[], Iterable[str]]] = {}
        self.add_argument("-h", "--help", action="help", help="show this help")

    def completes(self, action: argparse.Action, words: Callable[[], Iterable[str]]) -> None:
        """Set the words that a shell may offer for an argument, which may take others too."""
        self.words[action.dest] = words

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError that says what is wrong and how the command is used."""
        _, unknown, words = message.partition("unrecognized arguments: ")
        if unknown and words.startswith("-"):
            # What follows a `=` may be a secret, and so may the next words.
            options = [word.partition("=")[0] for word in words.split() if word[0] == "-"]
            hint = did_you_mean_or_known(options[0], self._option_string_actions)
            message = f"there is no option {' '.join(options)}; {hint}"
        message = re.sub(_LONG, lambda word: short(word[0]), message)
        raise UsageError(f"{message}\n{self.format_usage()}See {self.prog} --help")

    def print_help(self, file: object = None) -> None:
        """The help is a result, so it goes where results go."""
        screen.out(self.format_help())
        screen.flush()

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments; options may come before, between and after the others."""
        return self.parse_intermixed_args(words)


def parser(name: str, command: Command) -> Parser:
    """The parser of one command, with what all commands have."""
    examples = f"Examples:\n{command.EXAMPLES}"
    its_parser = Parser(f"chartgen {name}", command.SYNTAX, command.ABOUT, examples)
    command.options(its_parser)
    its_parser.add_argument("--debug", action="store_true", help="show where an error comes from")
    return its_parser


def add_color(parser: Parser) -> None:
    """--color, for commands that show problems."""
    when = ("auto", "always", "never")
    parser.add_argument(
        "--color", choices=when, default="auto", help="auto (default): only on a terminal"
    )


def add_quiet(parser: Parser, what: str) -> None:
    """--quiet, for commands that print a summary."""
    parser.add_argument("-q", "--quiet", action="store_true", help=f"suppress {what}")
