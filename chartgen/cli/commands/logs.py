"""The command `logs`: the logs of a job by replica, many at once."""

import sys
from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, connect, parse_duration
from chartgen.cli.parser import Parser, add_color
from chartgen.errors import OK, WORLD, UsageError, WorldError
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported when they are needed
    from chartgen.life.logs import LogSource

SYNTAX = "RELEASE [ROLE[/INDEX]] [options]"
ABOUT = """\
Print the logs of a job: of all replicas, of a role (worker), or of one replica (worker/3). If the
job has failed, those of the failed replicas come first."""
EXAMPLES = """\
  chartgen logs mnist chief
  chartgen logs mnist worker/3 --tail 100
  chartgen logs mnist -f                            all replicas, restarts included
  chartgen logs mnist --grep 'loss|accuracy' --since 10m
  chartgen logs mnist worker --previous             before the last restart"""


def options(parser: Parser) -> None:
    """Which logs, and which of their lines."""
    add_release(parser)
    about = "a role (worker) or one of its replicas (worker/3); all by default"
    parser.add_argument("which", nargs="?", default="", metavar="ROLE[/INDEX]", help=about)
    about = "follow the logs until the job has ended, even through restarts"
    parser.add_argument("-f", "--follow", action="store_true", help=about)
    about = "only lines newer than this, as in 10m"
    parser.add_argument("--since", default="", metavar="TIME", help=about)
    about = "only the last N lines of each replica; by default all for one replica, 20 for several"
    parser.add_argument("--tail", type=int, metavar="N", help=about)
    about = "the logs of the container before its last restart"
    parser.add_argument("-p", "--previous", action="store_true", help=about)
    about = "only lines that match this regular expression"
    parser.add_argument("--grep", default="", metavar="REGEX", help=about)
    parser.add_argument("--timestamps", action="store_true", help="show when each line was written")
    about = "the container; by default the main one"
    parser.add_argument("-c", "--container", default="", metavar="NAME", help=about)
    add_color(parser)
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Print logs, or follow them."""
    if args.follow and args.previous:
        raise UsageError("--previous logs have ended, and cannot be followed")
    since = parse_duration(args.since, "--since") if args.since else 0.0
    from chartgen.life import log_reader
    from chartgen.report import log_lines

    wanted = log_reader.LogOptions(
        args.which, args.container, since, args.tail, args.previous, args.follow
    )
    colour = screen.colour(args.color, sys.stdout)
    look = log_lines.LineOptions(log_lines.pattern(args.grep), args.timestamps, colour)

    def show(source: "LogSource", time: str, text: str) -> None:
        screen.out(log_lines.line(source, time, text, look))

    def pause(reason: str) -> None:
        screen.flush()
        screen.show_progress(f"waits for a log: {reason}" if reason else "")

    with connect(args) as api:
        sources = log_reader.find_sources(api, args.release, wanted)
        look = look._replace(alone=len(sources) == 1)
        if args.follow:
            callbacks = log_reader.FollowCallbacks(show, pause)
            log_reader.follow(api, args.release, wanted, callbacks)
            return OK
        code = WORLD  # if no log can be read
        for source, lines in log_reader.read(api, sources, wanted):
            if isinstance(lines, WorldError):
                screen.say(f"chartgen: {source.name}: {lines}")
                continue
            code = OK
            for time, text in lines:
                show(source, time, text)
    return code
