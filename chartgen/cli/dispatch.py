"""Find the command that the words on the command line name, and run it."""

from collections.abc import Sequence
from importlib import import_module

from chartgen import __version__
from chartgen.cli import screen
from chartgen.cli.commands import COMMANDS
from chartgen.cli.parser import Command, Parser, parser
from chartgen.errors import OK, UsageError
from chartgen.startup.typing import TYPE_CHECKING, cast
from chartgen.words import did_you_mean_or_known

if TYPE_CHECKING:  # mypy checks each module against the Protocol; nothing is imported at run time
    from chartgen.cli.commands import (
        completion,
        convert,
        diff,
        events,
        explain,
        gitops,
        init,
        logs,
        package,
        render,
        schema,
        start,
        status,
        stop,
        test,
        validate,
    )
    from chartgen.cli.commands import list as list_command

    _CHECKED: tuple[Command, ...] = (
        *(completion, convert, diff, events, explain, gitops, init, list_command, logs),
        *(package, render, schema, start, status, stop, test, validate),
    )

_ABOUT = """\
chartgen turns a short job description into a complete Helm chart for a distributed training job."""

_EPILOG = """\
Commands:
{commands}

Examples:
  chartgen explain mnist > job.yaml     start from an example
  chartgen validate job.yaml            see what is wrong with it, if anything
  chartgen render job.yaml -o charts    write the chart to charts/mnist
  helm install mnist charts/mnist       run it

Exit codes:
  0  fine    1  the input has problems or differs    2  usage    3  disk, Helm or cluster error
  4  time is over (--wait)    70  a bug in chartgen    130  interrupted

`chartgen COMMAND --help` says more about a command."""


def load(name: str) -> tuple[Command, Parser]:
    """A command, and the parser of its arguments."""
    command = cast(Command, import_module(f"chartgen.cli.commands.{name}"))
    return command, parser(name, command)


def run(words: Sequence[str]) -> int:
    """Run the command."""
    if words and words[0] == "help":
        words = [*words[1:2], "--help"]
    if not words or words[0].startswith("-"):
        return _top(words)
    name, *rest = words
    if name not in COMMANDS:
        raise UsageError(f"there is no command {name!r}; {did_you_mean_or_known(name, COMMANDS)}")
    command, its_parser = load(name)
    args = its_parser.read(rest)
    try:
        return command.run(args)
    except UsageError as error:
        its_parser.error(str(error))


def _parser() -> Parser:
    """The parser of what comes before a command."""
    width = max(map(len, COMMANDS))
    table = "\n".join(f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items())
    top = Parser("chartgen", "COMMAND ...", _ABOUT, _EPILOG.format(commands=table))
    top.add_argument("--version", action="store_true", help="show the version")
    return top


def _top(words: Sequence[str]) -> int:
    """chartgen without a command."""
    top = _parser()
    args, rest = top.parse_known_args(words)
    if rest:
        name = next((word for word in rest if word in COMMANDS), "COMMAND")
        raise UsageError(f"options follow the command, as in: chartgen {name} {rest[0]}")
    if not args.version:
        raise UsageError(f"name a command\n{top.format_help().rstrip()}")
    screen.out(f"chartgen {__version__}\n")
    return OK
