"""The command `status`: how a job is, once, live, or until it ends."""

from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.cluster import add_cluster, add_release, connect, look, parse_duration
from chartgen.cli.parser import Parser, add_color
from chartgen.errors import OK, PROBLEMS, TIME_OVER, UsageError
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported when they are needed
    from chartgen.life.model import Status
    from chartgen.world.cluster.api import Api

SYNTAX = "[RELEASE] [options]"
ABOUT = """\
Show the phase and the state of a job, the reason in a sentence, and all replicas with what keeps
them from running. Without RELEASE, list the releases of chartgen's charts in the namespace."""
EXAMPLES = """\
  chartgen status mnist
  chartgen status mnist --watch
  chartgen status mnist --wait=2h && echo trained
  chartgen status mnist --output json
  chartgen status -A                      all releases of the cluster

Exit codes: 0 fine, and with --wait succeeded; 1 failed, or no such release; 2 usage; 3 the cluster
cannot be reached or denies access; 4 the time of --wait is over; 130 interrupted."""

_REDRAW = 1.0  # seconds until ages are updated


def options(parser: Parser) -> None:
    """Which job, how long, and in which form."""
    add_release(parser, optional=True)
    about = "update the display until the job has ended or you press Ctrl-C"
    parser.add_argument("-w", "--watch", action="store_true", help=about)
    about = "wait until the job has ended, for at most TIME (as in 90s or 2h)"
    parser.add_argument("--wait", nargs="?", const="", metavar="TIME", help=about)
    about = "text (the default) is a table"
    parser.add_argument("--output", choices=("text", "json", "yaml"), default="text", help=about)
    about = "list the releases in all namespaces"
    parser.add_argument("-A", "--all-namespaces", action="store_true", help=about)
    add_color(parser)
    add_cluster(parser)


def run(args: Namespace) -> int:
    """Print the status, or follow it."""
    from chartgen.life.release import read_status
    from chartgen.report import status as report

    timeout = _read_wait(args)
    if args.release and args.all_namespaces:
        raise UsageError("-A lists all releases, and cannot be used with the name of one")
    with connect(args) as api:
        if not args.release:
            return _list(api, args)
        if args.watch or args.wait is not None:
            return _follow(api, args, timeout)
        _, job_status = read_status(api, args.release)
    screen.out(report.report(job_status, args.output, look(args)))
    return OK


def _read_wait(args: Namespace) -> float:
    """The time to wait for; `--wait mnist` means the release."""
    if args.wait and not args.release and not args.wait[0].isdigit():
        args.release, args.wait = args.wait, ""
    if args.wait is not None and not args.release:
        raise UsageError("--wait needs the name of a release")
    if args.watch and not args.release:
        raise UsageError("--watch needs the name of a release")
    return parse_duration(args.wait, "--wait") if args.wait else float("inf")


def _list(api: "Api", args: Namespace) -> int:
    from chartgen.life.release import list_releases
    from chartgen.report import status as report

    releases = list_releases(api, everywhere=args.all_namespaces)
    if releases or args.output != "text":
        screen.out(report.listing(releases, args.output, look(args)))
    else:
        place = "the cluster" if args.all_namespaces else f"namespace {api.namespace}"
        screen.say(f"no releases of chartgen's charts in {place}")
    return OK


def _follow(api: "Api", args: Namespace, timeout: float) -> int:
    """Show each change until the job ends or time is over."""
    from chartgen.life.release import WaitOptions, follow
    from chartgen.report import status as report

    def show(job_status: "Status", last: bool) -> None:
        if args.watch:
            screen.redraw(report.text(job_status, look(args)))
        else:
            now = f"{job_status.release}: {job_status.phase}: {job_status.reason}"
            screen.show_progress("" if last else now)

    options = WaitOptions(timeout, must_end=args.wait is not None)
    if args.watch:
        options = options._replace(pause=_REDRAW)
    job_status = follow(api, args.release, options, show)
    if not args.watch:
        screen.out(report.report(job_status, args.output, look(args)))
    if args.wait is None:
        return OK
    if not job_status.ended:
        screen.say(f"chartgen: {job_status.release} has not ended within {args.wait}")
        return TIME_OVER
    return OK if job_status.state == "Succeeded" else PROBLEMS
