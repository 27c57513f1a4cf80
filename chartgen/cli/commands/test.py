"""The command `test`: run the stages over each chart, and report."""

import sys
from argparse import Namespace

from chartgen.cli import hidden, screen, testing
from chartgen.cli.cluster import parse_duration
from chartgen.cli.parser import Parser
from chartgen.errors import OK, UsageError
from chartgen.startup.typing import TYPE_CHECKING
from chartgen.verify import STAGES

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from collections.abc import Sequence

    from chartgen.verify.base import Callbacks
    from chartgen.verify.result import ChartResult, StageResult

SYNTAX = "CHART... [options]"


def _about() -> str:
    width = max(len(stage.name) for stage in STAGES)
    lines = [
        "Test a chart: a directory, a package (.tgz), or a job, which is rendered first. Stages:"
    ]
    lines += (f"  {stage.name:{width}}  {stage.summary}" for stage in STAGES)
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
    testing.add_options(parser)


def run(args: Namespace) -> int:
    """Test the charts; show each stage as it ends, and the report at the end."""
    if args.clean_up:
        return _clean_up(args)
    test_options = testing.test_options(args)
    from chartgen.verify import result
    from chartgen.verify.run import run as run_stages

    results: list[ChartResult] = []
    try:
        run_stages(test_options, _callbacks(args), results)
    finally:
        _report(results, args)
    return result.exit_code(results)


def _clean_up(args: Namespace) -> int:
    """Remove what killed runs left in a namespace, and say what may be in use."""
    if args.charts or args.cluster or args.keep:
        raise UsageError(f"{testing.CLEAN_UP} takes no CHART, no --cluster and no --keep")
    timeout = parse_duration(args.timeout, "--timeout")
    from chartgen.verify.base import ClusterOptions
    from chartgen.verify.releases import leftovers
    from chartgen.world import helm

    where = ClusterOptions(args.kubeconfig, args.context)
    options = leftovers.CleanUpOptions(helm.find(args.helm), where, timeout)
    leftovers.clean_up(args.namespace, options, _print_line)
    return OK


def _print_line(text: str) -> None:
    screen.out(f"{text}\n")
    screen.flush()


def _callbacks(args: Namespace) -> "Callbacks":
    """Show progress: on stdout if the report is text, else on stderr."""
    from chartgen.report import stages
    from chartgen.verify import signals
    from chartgen.verify.base import Callbacks

    def show(text: str) -> None:
        text = hidden.conceal(text)
        if args.output == "text":
            screen.out(f"{text}\n")
            screen.flush()
        elif not args.quiet:
            screen.say(text)

    def show_stage(stage: "StageResult") -> None:
        stream = sys.stdout if args.output == "text" else sys.stderr
        shown = hidden.conceal_stage(stage)
        show(stages.line(shown, colour=screen.colour(args.color, stream)))

    return Callbacks(show, screen.show_progress, show_stage, lambda: signals.shield(screen.say))


def _report(results: "Sequence[ChartResult]", args: Namespace) -> None:
    from chartgen.report import stages
    from chartgen.verify import result

    shown = []
    for each in results:
        shown.append(each._replace(stages=[hidden.conceal_stage(stage) for stage in each.stages]))
    screen.out(stages.report(shown, args.output))
    if not args.quiet:
        screen.flush()
        screen.say(result.summary(results))
