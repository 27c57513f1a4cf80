"""The command `events`: the events of a job, oldest first."""

from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, connect, look
from chartgen.cli.parser import Parser, add_color
from chartgen.errors import OK

SYNTAX = "RELEASE [options]"
ABOUT = """\
Show the events of a job's Jobs and pods, oldest first, including those of pods that are gone. A
cluster keeps events for about an hour."""
EXAMPLES = """\
  chartgen events mnist
  chartgen events mnist --warnings
  chartgen events mnist --output json"""


def options(parser: Parser) -> None:
    """Of which job, and in which form."""
    add_release(parser)
    parser.add_argument("--warnings", action="store_true", help="show only warnings")
    about = "text (the default) is a table"
    parser.add_argument("--output", choices=("text", "json", "yaml"), default="text", help=about)
    add_color(parser)
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Print the events."""
    from chartgen.life.events import events
    from chartgen.life.release import collect
    from chartgen.report import status as report

    with connect(args) as api:
        objects = collect(api, args.release, all_events=True)
    said = [event for event in events(objects) if not args.warnings or event.kind == "Warning"]
    if said or args.output != "text":
        screen.out(report.events(said, args.output, look(args)))
    else:
        screen.say(f"the cluster has no events about {args.release} any more")
    return OK
