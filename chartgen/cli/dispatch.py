"""From the words typed to the command they name."""

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from chartgen import __version__
from chartgen.cli import screen
from chartgen.cli.commands import COMMANDS
from chartgen.cli.parser import Command, Parser, meant, parser
from chartgen.errors import OK, UsageError

_ABOUT = """\
chartgen turns one short job description into one complete Helm chart for a distributed training job."""

_EPILOG = """\
Commands:
{commands}

Examples:
  chartgen explain mnist > job.yaml     start from an example
  chartgen validate job.yaml            see what is wrong with it, if anything
  chartgen render job.yaml -o charts    write the chart to charts/mnist
  helm install mnist charts/mnist       run it

Exit codes:
  0  fine    1  the input has problems or differs    2  usage    3  the disk, Helm or the cluster failed us
  70  a bug of ours    130  interrupted

`chartgen COMMAND --help` says more about a command."""


def load(name: str) -> tuple[Command, Parser]:
    """A command, and the parser of its words."""
    command = cast(Command, import_module(f"chartgen.cli.commands.{name}"))
    return command, parser(name, command)


def run(words: Sequence[str]) -> int:
    """Do what the words say."""
    if words and words[0] == "help":
        words = [*words[1:2], "--help"]
    if not words or words[0].startswith("-"):
        return _top(words)
    name, *rest = words
    if name not in COMMANDS:
        raise UsageError(f"there is no command {name!r}; {meant(name, COMMANDS)}")
    command, made = load(name)
    args = made.read(rest)
    try:
        return command.run(args)
    except UsageError as error:
        made.error(str(error))


def _parser() -> Parser:
    """The parser of what stands before a command."""
    width = max(map(len, COMMANDS))
    table = "\n".join(f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items())
    made = Parser("chartgen", "COMMAND ...", _ABOUT, _EPILOG.format(commands=table))
    made.add_argument("--version", action="store_true", help="show the version")
    return made


def _top(words: Sequence[str]) -> int:
    """chartgen without a command."""
    made = _parser()
    args, rest = made.parse_known_args(words)
    if rest:
        name = next((word for word in rest if word in COMMANDS), "COMMAND")
        raise UsageError(f"options follow the command, as in: chartgen {name} {rest[0]}")
    if not args.version:
        raise UsageError(f"name a command\n{made.format_help().rstrip()}")
    screen.out(f"chartgen {__version__}\n")
    return OK
