"""The command `logs`: the logs of a job by replica, many at once."""

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, collect, connect, current, mirrors
from chartgen.cli.durations import parse_duration
from chartgen.cli.parser import Parser, add_color
from chartgen.errors import OK, UsageError, WorldError

if TYPE_CHECKING:  # imported when they are needed
    from chartgen.life.logs import LogSource
    from chartgen.world.cluster.api import Api

SYNTAX = "RELEASE [ROLE[/INDEX]] [options]"
ABOUT = """\
Print the logs of a job: of all replicas, of a role (worker), or of one replica (worker/3). Of a job
that has failed, those of the failed replicas come first."""
EXAMPLES = """\
  chartgen logs mnist chief
  chartgen logs mnist worker/3 --tail 100
  chartgen logs mnist -f                            all replicas, restarts included
  chartgen logs mnist --grep 'loss|accuracy' --since 10m
  chartgen logs mnist worker --previous             before the last restart"""

_TAIL = 20  # lines of each replica, if there are many and nothing else is asked for
_LOOK = 2.0  # seconds between two looks for new pods


def options(parser: Parser) -> None:
    """Which logs, and which of their lines."""
    add_release(parser)
    about = "a role (worker) or one of its replicas (worker/3); all by default"
    parser.add_argument("which", nargs="?", default="", metavar="ROLE[/INDEX]", help=about)
    about = "go on until the job has ended, also after restarts"
    parser.add_argument("-f", "--follow", action="store_true", help=about)
    about = "only lines that are younger, as in 10m"
    parser.add_argument("--since", default="", metavar="TIME", help=about)
    about = "only the last N lines of each replica; by default all of one, 20 of each of several"
    parser.add_argument("--tail", type=int, metavar="N", help=about)
    about = "of the container before its last restart"
    parser.add_argument("-p", "--previous", action="store_true", help=about)
    about = "only lines that match this regular expression"
    parser.add_argument("--grep", default="", metavar="REGEX", help=about)
    parser.add_argument("--timestamps", action="store_true", help="show when each was written")
    about = "the container; by default the main one"
    parser.add_argument("-c", "--container", default="", metavar="NAME", help=about)
    add_color(parser)
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Print logs, or follow them."""
    if args.follow and args.previous:
        raise UsageError("--previous has ended, and cannot be followed")
    wanted = _wanted(args)
    with connect(args) as api:
        return _read(api, args, wanted)


def _read(api: "Api", args: Namespace, wanted: dict[str, str]) -> int:
    from chartgen.life import logs
    from chartgen.life.status import status

    objects = collect(api, args.release)
    found = status(objects)
    assert found is not None  # collect found its Jobs
    sources = logs.sources(found, objects.pods, args.which, args.container)
    if args.follow:
        return _follow(api, args, wanted, one=len(sources) == 1)
    if not sources:
        raise WorldError(f"no replica of {args.release} has a pod, and so a log: {found.reason}")
    if found.state == "Failed":
        sources = logs.failed_first(sources)
    if len(sources) > 1 and args.tail is None and not args.since:
        wanted["tailLines"] = str(_TAIL)
    _print(api, sources, args, wanted)
    return OK


def _wanted(args: Namespace) -> dict[str, str]:
    """The lines to ask for; always with their times, by which a stream can be taken up again."""
    wanted = {"timestamps": "true"}
    if args.since:
        wanted["sinceSeconds"] = str(max(1, int(parse_duration(args.since, "--since"))))
    if args.tail is not None:
        wanted["tailLines"] = str(args.tail)
    if args.previous:
        wanted["previous"] = "true"
    return wanted


def _printer(args: Namespace, *, one: bool) -> "Callable[[LogSource, str, str], None]":
    """Prints a line with the name of its replica, unless there is only one."""
    from chartgen.report.problems import safe

    colour = screen.colour(args.color, sys.stdout)
    try:
        pattern = re.compile(args.grep)
    except re.error as error:
        raise UsageError(f"--grep {args.grep}: {error}") from error

    def show(source: "LogSource", time: str, text: str) -> None:
        if not pattern.search(text):
            return
        name = "" if one else source.name
        if name and colour:
            name = f"\x1b[{'31' if source.failed else source.colour}m{name}\x1b[0m"
        words = [name, time if args.timestamps else "", text if one else safe(text)]
        screen.out(" ".join(word for word in words if word) + "\n")

    return show


def _print(api: "Api", sources: "list[LogSource]", args: Namespace, wanted: dict[str, str]) -> None:
    """All logs, one after the other."""
    from chartgen.world.cluster.log_streams import read_all

    show = _printer(args, one=len(sources) == 1)

    logs = read_all(lambda source: [*_lines(api, source, wanted)], sources)
    for source, lines in zip(sources, logs, strict=True):
        if isinstance(lines, WorldError):
            screen.say(f"chartgen: {source.name}: {lines}")
            continue
        for time, text in lines:
            show(source, time, text)


def _lines(api: "Api", source: "LogSource", wanted: dict[str, str]) -> Iterator[tuple[str, str]]:
    from chartgen.world.cluster.api import PODS

    path = api.path(PODS, name=f"{source.pod}/log")
    for line in api.lines(path, container=source.container, **wanted):
        time, _, text = line.decode(errors="replace").rstrip("\r\n").partition(" ")
        yield time, text


def _follow(api: "Api", args: Namespace, wanted: dict[str, str], *, one: bool) -> int:
    """The lines of all replicas as they come, until the job has ended and all has been read."""
    from chartgen.life import logs
    from chartgen.life.logs import LogSource
    from chartgen.world.cluster.log_streams import LogStreams

    show = _printer(args, one=one)
    kept = mirrors(api, args.release)
    streams: LogStreams[LogSource] = LogStreams(api, wanted)
    try:
        kept.wait_until_known()
        while True:
            objects, found = current(api, args.release, kept)
            for source in logs.sources(found, objects.pods, args.which, args.container):
                streams.follow(source)
            streams.keep(logs.still_logging(objects.pods))
            for source, time, text in streams.lines(_LOOK):
                show(source, time, text)
            screen.flush()
            screen.show_progress(
                "" if found.ended or streams.open else f"waits for a log: {found.reason}"
            )
            if found.ended and not streams.open:
                return OK
    finally:
        kept.close()
        streams.close()
