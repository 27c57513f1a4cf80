"""The command `test`: a chart linted, rendered and judged, and tried on a cluster if there is one."""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.parser import Parser, add_color, add_define, add_from, add_helm, add_quiet, add_strict
from chartgen.errors import UsageError, WorldError

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from tempfile import TemporaryDirectory

    from chartgen.verify.base import Course
    from chartgen.verify.rendering import Renderings
    from chartgen.verify.result import Stage, Trial
    from chartgen.verify.source import Chart

SYNTAX = "CHART... [options]"
ABOUT = """\
Test a chart: a directory, a package (.tgz), or a job, which is rendered on the way. Stages: lint
(helm lint --strict, yamllint), render (with the defaults and with each of the chart's
ci/*-values.yaml), schemas (every object against Kubernetes' own), policy (names, limits,
privileges, upgrades); and with --cluster: install, wait until its Jobs end or are healthy,
helm test, uninstall. What could not be judged is told apart from what failed."""
EXAMPLES = """\
  chartgen test charts/mnist
  chartgen test job.yaml --kube-version 1.29 --kube-version 1.33
  chartgen test mnist-1.4.0.tgz --output junit > report.xml
  chartgen test charts/mnist --cluster -n research --set image=mnist:2 --timeout 10m
  chartgen test charts/mnist --cluster --keep         leave the release there, to look at it

Exit codes: 0 fine, 1 a test failed, 2 usage, 3 something could not be judged (no Helm, no cluster,
no schemas), 130 interrupted."""

_UNCHECKED = "whether a cluster takes and runs it: install, wait, helm test, uninstall (--cluster does)"
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def options(parser: Parser) -> None:
    """What to test, how, and in which form to tell."""
    about = "a chart's directory or package, or a job as render takes it; - is standard input"
    parser.add_argument("charts", nargs="+", metavar="CHART", help=about)
    forms = ("text", "json", "junit")
    parser.add_argument("--output", choices=forms, default="text", help="the form of the report; text by default")
    about = "judge by this Kubernetes' schemas, as in 1.29; may be repeated; the oldest and the newest by default"
    parser.add_argument("--kube-version", action="append", metavar="VERSION", help=about)
    parser.add_argument("--skip-kind", action="append", metavar="KIND", help="no schema is expected for this kind")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="set a value of the chart")
    parser.add_argument("-f", "--values", action="append", metavar="FILE", help="set values from a file")
    parser.add_argument("--timeout", default="5m", metavar="TIME", help="for each stage, as in 90s or 5m, the default")
    add_from(parser)
    add_define(parser)
    add_strict(parser)
    add_color(parser)
    add_quiet(parser, "summary")
    add_helm(parser)
    _cluster_options(parser)


def _cluster_options(parser: Parser) -> None:
    group = parser.add_argument_group("on a cluster")
    group.add_argument("--cluster", action="store_true", help="install it, wait, run helm test, and uninstall it")
    group.add_argument("--kubeconfig", metavar="FILE", help="as Helm's: $KUBECONFIG or ~/.kube/config by default")
    group.add_argument("--kube-context", metavar="NAME", help="as Helm's: the current context by default")
    group.add_argument("-n", "--namespace", metavar="NAME", help="as Helm's: the context's by default; it must exist")
    group.add_argument("--keep", action="store_true", help="do not uninstall, whatever happens")


def run(args: Namespace) -> int:
    """Test one chart after the other; tell each stage as it ends, and all in the end."""
    _check_usage(args)
    from chartgen.verify import result as stages

    trials: list[Trial] = []
    with _temporary() as place:
        try:
            for number, path in enumerate(args.charts):
                _test(path, os.path.join(place, str(number)), args, trials)
        finally:
            _report(trials, args)
    return stages.exit_code(trials)


def _temporary() -> "TemporaryDirectory[str]":
    from tempfile import TemporaryDirectory

    try:
        return TemporaryDirectory(prefix="chartgen-")
    except OSError as error:
        raise WorldError(f"cannot make a temporary directory: {error.strerror}; see TMPDIR") from error


def _check_usage(args: Namespace) -> None:
    """What argparse cannot say."""
    args.seconds = duration(args.timeout)
    args.kube_version = [_version(word) for word in args.kube_version or ()]
    if args.charts.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    for file in args.values or ():
        if file == "-":
            raise UsageError("--values takes files only; standard input can be a CHART")
        if "://" not in file and not os.path.exists(file):  # Helm takes addresses, too
            raise UsageError(f"--values {file}: there is no such file")
    for option in ("kubeconfig", "kube_context", "keep"):
        if getattr(args, option) and not args.cluster:
            raise UsageError(f"--{option.replace('_', '-')} goes with --cluster")


def duration(text: str) -> float:
    """Seconds, from a time as Helm reads it: 90s, 5m, 1h30m; a bare number is seconds."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        text += "s"
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if "".join(number + unit for number, unit in parts) != text or not seconds:
        raise UsageError(f"--timeout {text}: expected a time such as 90s, 5m or 1h30m")
    return seconds


def _version(word: str) -> str:
    found = re.fullmatch(r"v?(\d+\.\d+(\.\d+)?)", word)
    if not found:
        raise UsageError(f"--kube-version {word}: expected a version such as 1.29")
    return found[1]


def _test(path: str, place: str, args: Namespace, trials: "list[Trial]") -> None:
    """Test what a path means: one chart, or the charts of several jobs."""
    from chartgen.verify import source as charts

    os.mkdir(place)
    found: list[Chart] = []
    course = _course(path, args, trials)
    with course.stage("chart") as finding:
        found += charts.opened(path, place, args)
        finding.about = f"{', '.join(f'{one.name} {one.version}' for one in found)} {found[0].about}".rstrip()
        finding.problems += [problem for one in found for problem in one.warnings]
    for number, chart in enumerate(found):
        if len(found) > 1:
            course = _course(f"{path} ({chart.name})", args, trials)
        _stages(course, chart, os.path.join(place, f"{number}.work"), args)


def _stages(course: "Course", chart: "Chart", place: str, args: Namespace) -> None:
    """All stages of one chart, in their order."""
    from chartgen.verify import release as installing
    from chartgen.verify.stages import lint as judging

    os.mkdir(place)
    made, trouble = _renderings(chart, args)
    judging.lint_stage(course, chart, made, trouble)
    if chart.library:
        for name in (*judging.STAGES[1:], *(installing.STAGES if args.cluster else ())):
            course.skip(name, "a library makes no objects; test a chart that uses it")
        return
    judging.render_stage(course, made, trouble)
    judging.schemas_stage(course, made, args)
    judging.policy_stage(course, made, place)
    if args.cluster:
        installing.stages(course, made, place, args)
    else:
        course.unchecked.append(_UNCHECKED)


def _renderings(chart: "Chart", args: Namespace) -> "tuple[Renderings | None, str]":
    """What Helm makes of a chart; or None, and what is the matter with Helm."""
    from chartgen.verify.rendering import Renderings
    from chartgen.world import helm

    given = [f"--values={file}" for file in args.values or ()] + [f"--set={pair}" for pair in args.set or ()]
    # Helm would take the namespace of whatever cluster this machine happens to talk to.
    space = f"--namespace={args.namespace or 'default'}"
    try:
        return Renderings(chart, helm.find(args.helm), args.kube_version, [space, *given], args.seconds), ""
    except WorldError as error:
        return None, str(error)


def _course(path: str, args: Namespace, trials: "list[Trial]") -> "Course":
    from chartgen.verify.base import Course

    if args.output == "text":
        screen.out(f"{path}\n")
    elif not args.quiet:
        screen.say(path)
    course = Course(path, _teller(args), strict=args.strict)
    trials.append(course.trial)
    return course


def _teller(args: Namespace) -> "Callable[[Stage], None]":
    """What tells of a stage: on stdout if that is the report, else on stderr."""
    from chartgen.report import stages as stage_report

    def tell(stage: "Stage") -> None:
        if args.output == "text":
            screen.out(stage_report.line(stage, colour=screen.colour(args.color, sys.stdout)) + "\n")
            screen.flush()
        elif not args.quiet:
            screen.say(stage_report.line(stage, colour=screen.colour(args.color, sys.stderr)))

    return tell


def _report(trials: "Sequence[Trial]", args: Namespace) -> None:
    """What is told once all is done: the whole in a form for programs, a summary for people."""
    from chartgen.report import stages as stage_report
    from chartgen.verify import result as stages

    if args.output == "text":
        for text in dict.fromkeys(text for trial in trials for text in trial.unchecked):
            screen.out(f"not checked: {text}\n")
    else:
        screen.out((stage_report.json if args.output == "json" else stage_report.junit)(trials))
    if not args.quiet:
        screen.flush()
        screen.say(stages.summary(trials))
