"""The command `status`: how a job is, once, live, or until it ends."""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, collect, connect, current, mirrors
from chartgen.cli.durations import parse_duration
from chartgen.cli.parser import Parser, add_color
from chartgen.errors import OK, PROBLEMS, TIME_OVER, MissingError, UsageError

if TYPE_CHECKING:  # imported when they are needed
    from chartgen.life.model import Status
    from chartgen.world.cluster.api import Api

SYNTAX = "[RELEASE] [options]"
ABOUT = """\
Show how a job is: its phase and state, the reason in a sentence, and all replicas with what keeps
them from running. Without RELEASE, list the releases of chartgen's charts in the namespace."""
EXAMPLES = """\
  chartgen status mnist
  chartgen status mnist --watch
  chartgen status mnist --wait=2h && echo trained
  chartgen status mnist --output json
  chartgen status -A                      all releases of the cluster

Exit codes: 0 fine, and with --wait succeeded; 1 failed, or no such release; 2 usage; 3 the cluster
cannot be reached or refuses; 4 the time of --wait is over; 130 interrupted."""

_REDRAW = 1.0  # seconds until ages are shown anew
_LOOK = 2.0  # seconds until a wait looks again, whatever it has heard


def options(parser: Parser) -> None:
    """Which job, how long, and in which form."""
    add_release(parser, optional=True)
    about = "show it live, until it ends or you interrupt"
    parser.add_argument("-w", "--watch", action="store_true", help=about)
    about = "wait until the job has ended, for at most TIME (as in 90s or 2h)"
    parser.add_argument("--wait", nargs="?", const="", metavar="TIME", help=about)
    about = "text (the default) is a table"
    parser.add_argument("--output", choices=("text", "json", "yaml"), default="text", help=about)
    about = "list the releases of all namespaces"
    parser.add_argument("-A", "--all-namespaces", action="store_true", help=about)
    add_color(parser)
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Print the status, or follow it."""
    timeout = _read_wait(args)
    if args.release and args.all_namespaces:
        raise UsageError("-A lists all releases, and cannot be used with the name of one")
    with connect(args) as api:
        if not args.release:
            return _list(api, args)
        if args.watch or args.wait is not None:
            return _follow(api, args, timeout)
        objects = collect(api, args.release)
    from chartgen.life.status import status

    found = status(objects)
    assert found is not None  # collect found its Jobs
    _show(found, args)
    return OK


def _read_wait(args: Namespace) -> float:
    """The time to wait for; `--wait mnist` means the release."""
    if args.wait and not args.release and not args.wait[0].isdigit():
        args.release, args.wait = args.wait, ""
    if args.wait is not None and not args.release:
        raise UsageError("--wait needs the name of a release")
    return parse_duration(args.wait, "--wait") if args.wait else float("inf")


def _list(api: "Api", args: Namespace) -> int:
    from chartgen.life import find
    from chartgen.life.status import status
    from chartgen.report import status as report
    from chartgen.world.cluster.api import EVENTS, JOBS, PODS, now

    namespace = "" if args.all_namespaces else None
    selected = {"labelSelector": find.OURS}
    jobs, pods = (api.list(one, namespace, **selected)[0] for one in (JOBS, PODS))
    events = api.list(EVENTS, namespace, fieldSelector="type=Warning")[0]
    found, pods_of = [], find.releases(pods)
    for key, own in find.releases(jobs).items():
        here = [event for event in events if event["metadata"].get("namespace") == key[0]]
        one = status(find.Objects(own, pods_of.get(key, []), here))
        if one:
            found.append(one)
    if args.output != "text":
        screen.out(report.printed({"releases": [report.data(one) for one in found]}, args.output))
    elif found:
        screen.out(report.listing(found, now(), screen.width(), colour=_colour(args)))
    else:
        place = "the cluster" if args.all_namespaces else f"namespace {api.namespace}"
        screen.say(f"no releases of chartgen's charts in {place}")
    return OK


def _follow(api: "Api", args: Namespace, timeout: float) -> int:
    """Show each change until the job ends or time is over."""
    from chartgen.world.cluster import api as world

    collect(api, args.release)  # a release that is missing or not ours is told at once
    end = world.now() + timeout
    kept = mirrors(api, args.release)
    try:
        kept.wait_until_known()
        while True:
            _, found = current(api, args.release, kept)
            if found.endless and args.wait is not None:
                why = "it runs until it is removed, and --wait would never end"
                raise MissingError(f"no replica of {found.release} decides its end: {why}")
            over = found.ended or world.now() >= end
            if args.watch:
                screen.redraw(_text(found, args))
            else:
                screen.show_progress(
                    "" if over else f"{found.release}: {found.phase}: {found.reason}"
                )
            if over:
                return _conclude(found, args)
            kept.wait(max(0.0, min(_REDRAW if args.watch else _LOOK, end - world.now())))
    finally:
        kept.close()


def _conclude(found: "Status", args: Namespace) -> int:
    if not args.watch:
        _show(found, args)
    if args.wait is None:
        return OK
    if not found.ended:
        screen.say(f"chartgen: {found.release} has not ended within {args.wait}")
        return TIME_OVER
    return OK if found.state == "Succeeded" else PROBLEMS


def _show(found: "Status", args: Namespace) -> None:
    from chartgen.report import status as report

    shown = _text(found, args)
    screen.out(shown if args.output == "text" else report.printed(report.data(found), args.output))


def _text(found: "Status", args: Namespace) -> str:
    from chartgen.report import status as report
    from chartgen.world.cluster.api import now

    return report.text(found, now(), screen.width(), colour=_colour(args))


def _colour(args: Namespace) -> bool:
    return screen.colour(args.color, sys.stdout)
