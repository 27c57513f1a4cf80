"""The command `test`: run the stages over each chart, and report."""

import re
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.durations import parse_duration
from chartgen.cli.jobs import add_kits, add_reading, read_options, stdin
from chartgen.cli.parser import Parser, add_color, add_helm, add_quiet
from chartgen.errors import UsageError, WorldError
from chartgen.report.stages import FORMS
from chartgen.verify import STAGES
from chartgen.world.helm import HelmValues

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from collections.abc import Sequence

    from chartgen.verify.base import Callbacks, TestOptions
    from chartgen.verify.result import ChartResult, StageResult

SYNTAX = "CHART... [options]"
_CLEAN_UP = "--clean-up"


def _about() -> str:
    width = max(len(stage.name) for stage in STAGES)
    lines = [
        "Test a chart: a directory, a package (.tgz), or a job, which is rendered first. Stages:"
    ]
    for stage in STAGES:
        cluster = " (with --cluster)" if stage.needs_cluster else ""
        lines.append(f"  {stage.name:{width}}  {stage.about}{cluster}")
    lines.append("What could not be judged is reported as such, and not as a failure.")
    return "\n".join(lines)


ABOUT = _about()
EXAMPLES = """\
  chartgen test charts/mnist
  chartgen test job.yaml --kube-version 1.29 --kube-version 1.33
  chartgen test mnist-1.4.0.tgz --output junit > report.xml
  chartgen test charts/mnist --cluster -n research --set image=mnist:2 --timeout 10m
  chartgen test charts/mnist --cluster --keep         leave the release for a closer look
  chartgen test --clean-up -n research                remove what killed runs left there

Exit codes: 0 all passed, 1 a test failed, 2 usage, 3 something could not be judged (Helm, the
cluster or schemas are missing), 130 interrupted."""


def options(parser: Parser) -> None:
    """What to test, how, and the form of the report."""
    about = "a chart's directory or package, or a job as for render; - is standard input"
    parser.add_argument("charts", nargs="*", metavar="CHART", help=about)
    about = "the form of the report; text by default"
    parser.add_argument("--output", choices=tuple(FORMS), default="text", help=about)
    about = "a Kubernetes version, as in 1.29, to check for; may be repeated; "
    about += "by default the oldest and the newest"
    parser.add_argument(
        "--kube-version", action="append", default=[], metavar="VERSION", help=about
    )
    about = "expect no schema for this kind; may be repeated"
    parser.add_argument("--skip-kind", action="append", default=[], metavar="KIND", help=about)
    about = "set a value of the chart"
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=about)
    about = "set values from a file"
    parser.add_argument("-f", "--values", action="append", default=[], metavar="FILE", help=about)
    about = "for each stage, as in 90s or 5m (the default)"
    parser.add_argument("--timeout", default="5m", metavar="TIME", help=about)
    add_kits(parser)
    add_reading(parser)
    add_color(parser)
    add_quiet(parser, "the summary")
    add_helm(parser)
    group = parser.add_argument_group("on a cluster")
    about = "install the chart, wait, run helm test, and uninstall it"
    group.add_argument("--cluster", action="store_true", help=about)
    about = "as for Helm: $KUBECONFIG or ~/.kube/config by default"
    group.add_argument("--kubeconfig", default="", metavar="FILE", help=about)
    about = "as for Helm: the current context by default"
    group.add_argument("--kube-context", default="", metavar="NAME", help=about)
    about = "as for Helm: the context's by default; it must exist"
    group.add_argument("-n", "--namespace", default="", metavar="NAME", help=about)
    about = "do not uninstall, whatever happens"
    group.add_argument("--keep", action="store_true", help=about)
    about = "test nothing; remove the releases that killed runs left in the namespace"
    group.add_argument(_CLEAN_UP, action="store_true", help=about)


def run(args: Namespace) -> int:
    """Test the charts; show each stage as it ends, and the report at the end."""
    if args.clean_up:
        return _clean_up(args)
    test_options = _test_options(args)
    from chartgen.verify import result
    from chartgen.verify.run import run as run_stages

    results: list[ChartResult] = []
    try:
        run_stages(test_options, _callbacks(args), results)
    finally:
        _report(results, args)
    return result.exit_code(results)


def _test_options(args: Namespace) -> "TestOptions":
    """The options, checked for what argparse cannot check."""
    timeout = parse_duration(args.timeout, "--timeout")
    if not args.charts:
        raise UsageError("the following arguments are required: CHART")
    versions = tuple(map(_parse_version, args.kube_version))
    if args.charts.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    values = HelmValues(tuple(args.set), tuple(args.values), args.namespace)
    values.check()
    for option in ("kubeconfig", "kube_context", "keep"):
        if getattr(args, option) and not args.cluster:
            raise UsageError(f"--{option.replace('_', '-')} needs --cluster")
    from chartgen.verify.base import ClusterOptions, TestOptions

    cluster = ClusterOptions(args.kubeconfig, args.kube_context, args.keep)
    return TestOptions(
        charts=tuple(args.charts),
        sources=read_options(args),
        stdin=stdin(),
        values=values,
        helm=args.helm or "",
        kube_versions=versions,
        skip_kinds=frozenset(args.skip_kind),
        timeout=timeout,
        cluster=cluster if args.cluster else None,
    )


def _clean_up(args: Namespace) -> int:
    """Remove what killed runs left in a namespace, and say what may be in use."""
    if args.charts or args.cluster or args.keep:
        raise UsageError(f"{_CLEAN_UP} takes no CHART, no --cluster and no --keep")
    timeout = parse_duration(args.timeout, "--timeout")
    from chartgen.verify.base import ClusterOptions
    from chartgen.verify.releases import leftovers
    from chartgen.world import helm
    from chartgen.world.cluster import client
    from chartgen.world.files import temporary_directory

    where = ClusterOptions(args.kubeconfig, args.kube_context)
    options = leftovers.CleanUpOptions(helm.find(args.helm or None), where, timeout)
    with temporary_directory() as folder:
        there = client.connect(args.kubeconfig, args.kube_context, args.namespace, folder)
        releases = leftovers.find(there)
        failures = leftovers.remove(releases, there, options, _print_line)
    for release in releases:
        if why := release.in_use():
            _print_line(f"left {release.name} alone: {why}")
    if not releases:
        _print_line(f"no run of chartgen test has left anything in namespace {there.namespace}")
    if failures:
        raise WorldError("\n".join(failures))
    return 0


def _print_line(text: str) -> None:
    screen.out(f"{text}\n")
    screen.flush()


def _parse_version(text: str) -> str:
    match = re.fullmatch(r"v?(\d+\.\d+(\.\d+)?)", text)
    if not match:
        raise UsageError(f"--kube-version {text}: expected a version such as 1.29")
    return match[1]


def _callbacks(args: Namespace) -> "Callbacks":
    """Show progress: on stdout if the report is text, else on stderr."""
    from chartgen.report import stages
    from chartgen.verify import signals
    from chartgen.verify.base import Callbacks

    def show(text: str) -> None:
        if args.output == "text":
            screen.out(f"{text}\n")
            screen.flush()
        elif not args.quiet:
            screen.say(text)

    def show_stage(stage: "StageResult") -> None:
        stream = sys.stdout if args.output == "text" else sys.stderr
        show(stages.line(stage, colour=screen.colour(args.color, stream)))

    return Callbacks(show, screen.show_progress, show_stage, lambda: signals.shield(screen.say))


def _report(results: "Sequence[ChartResult]", args: Namespace) -> None:
    from chartgen.report import stages
    from chartgen.verify import result

    screen.out(stages.report(results, args.output))
    if not args.quiet:
        screen.flush()
        screen.say(result.summary(results))
