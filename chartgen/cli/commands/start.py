"""The command `start`: resume a job's Jobs."""

from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, connect
from chartgen.cli.parser import Parser, add_quiet
from chartgen.errors import OK

SYNTAX = "RELEASE [options]"
ABOUT = """\
Resume a job that `chartgen stop` has stopped. Its pods are new, and training continues from the
last checkpoint if the program has one. The servers of a job that has ended stay released."""
EXAMPLES = """\
  chartgen start mnist
  chartgen start mnist -n research"""


def options(parser: Parser) -> None:
    """Which job."""
    add_release(parser)
    add_quiet(parser, "what was done")
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Resume the Jobs that have not ended."""
    from chartgen.life.switch import switch

    with connect(args) as api:
        message = switch(api, args.release, suspend=False)
    if not args.quiet:
        screen.say(message)
    return OK
