"""The command `stop`: suspend a job's Jobs."""

from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, connect
from chartgen.cli.parser import Parser, add_quiet
from chartgen.errors import OK

SYNTAX = "RELEASE [options]"
ABOUT = """\
Stop a job without uninstalling it: its Jobs are suspended, their pods end and give back what they
requested, and their logs are lost. `chartgen start` resumes it, from its last checkpoint if the
program has one. TensorBoard keeps running."""
EXAMPLES = """\
  chartgen stop mnist
  chartgen stop mnist -n research"""


def options(parser: Parser) -> None:
    """Which job."""
    add_release(parser)
    add_quiet(parser, "what was done")
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Suspend the Jobs that have not ended."""
    from chartgen.life.switch import switch

    with connect(args) as api:
        message = switch(api, args.release, suspend=True)
    if not args.quiet:
        screen.say(message)
    return OK
