"""The command `completion`: a static script for a shell, made from the parsers of all commands."""

from argparse import Action, Namespace

from chartgen.cli import screen, shells
from chartgen.cli.commands import COMMANDS
from chartgen.cli.dispatch import load
from chartgen.cli.parser import Parser
from chartgen.cli.shells import Argument, Completable
from chartgen.errors import OK

SYNTAX = "bash|zsh|fish"
ABOUT = """\
Print a script that makes a shell complete chartgen's commands, options, values and files."""
EXAMPLES = """\
  source <(chartgen completion bash)                                      in ~/.bashrc
  chartgen completion zsh > ~/.zfunc/_chartgen                            with ~/.zfunc in $fpath
  chartgen completion fish > ~/.config/fish/completions/chartgen.fish"""


def options(parser: Parser) -> None:
    """For which shell."""
    parser.add_argument(
        "shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish"
    )


def run(args: Namespace) -> int:
    """Print the script."""
    screen.out(getattr(shells, args.shell)(_commands()))
    return OK


def _commands() -> list[Completable]:
    return [Completable(name, about, _arguments(load(name)[1])) for name, about in COMMANDS.items()]


def _arguments(parser: Parser) -> tuple[Argument, ...]:
    # argparse has no public way to list them.
    return tuple(_argument(action, parser) for action in parser._actions)


def _argument(action: Action, parser: Parser) -> Argument:
    words = tuple(action.choices or parser.words.get(action.dest, tuple)())
    kinds = {"CHART": "file", "JOB": "file", "NATIVE": "file", "FILE": "file", "DIR": "dir"}
    metavar = str(action.metavar or action.dest)
    kind = "words" if words else "nothing" if action.nargs == 0 else kinds.get(metavar, "text")
    return Argument(tuple(action.option_strings), action.help or "", kind, words, metavar)
