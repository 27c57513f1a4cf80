"""The command `render`: job descriptions in; charts or manifests out, or compared with the disk."""

from argparse import Namespace

from chartgen.cli import project, screen
from chartgen.cli.jobs import read_jobs, report_problems
from chartgen.cli.parser import Parser
from chartgen.cli.rendering import arguments
from chartgen.errors import OK, PROBLEMS, UsageError
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.outputs.base import Maker, Output
    from chartgen.sources import CheckedSource

SYNTAX = "[JOB... -o DIR] [options]"
ABOUT = """\
Write one Helm chart per job to DIR/NAME; several documents in a file are several jobs. All jobs are
checked first: if any has a problem, nothing is written. A chart is written completely or not at
all, and files that others put into it are kept. Without a job and a directory, everything that the
project file chartgen.yaml names is rendered; a directory means the jobs in it."""
EXAMPLES = """\
  chartgen render job.yaml -o charts                  write charts/NAME
  chartgen render jobs -o charts --check              fail if charts/ is not up to date (for CI)
  chartgen render jobs/*.yaml -o charts --diff        show what would change
  chartgen render --prune                             everything that chartgen.yaml names
  chartgen render job.yaml -o -                       print the chart's files
  chartgen render job.yaml -o - --format manifests --set image=mnist:2 | kubectl apply -f -

Exit codes: 0 fine, 1 the jobs have problems or DIR differs, 2 usage, 3 disk or Helm error."""


def options(parser: Parser) -> None:
    """What to render, into what and where to."""
    arguments.add_options(parser)


def run(args: Namespace) -> int:
    """Check all jobs, then make and write one after the other."""
    if project.is_meant(args):
        return project.render(args)
    arguments.check_usage(args)
    args.jobs = project.expand(args.jobs)
    from chartgen import outputs
    from chartgen.sources import duplicate_names

    sources = read_jobs(args.jobs, args)
    arguments.check_settings(args, sources.jobs)
    output = outputs.output(args.format)
    output_options = arguments.output_options(args)
    shared = [*output.shared(output_options)]
    sources.problems.extend(duplicate_names(sources.names, {beside.name for beside in shared}))
    if report_problems(sources, args):
        return PROBLEMS
    if args.release and len(sources.jobs) > 1:
        raise UsageError(f"--release names one release, but there are {len(sources.jobs)} jobs")
    make = output.maker(output_options)
    if args.output_dir == "-":
        return _print(output, make, sources.jobs)
    if args.check or args.diff:
        from chartgen.cli.rendering.compare import compare

        return compare(make, sources.jobs, shared, args)
    from chartgen.cli.rendering.write import write

    return write(make, sources.jobs, shared, args)


def _print(output: "Output", make: "Maker", jobs: "list[CheckedSource]") -> int:
    for source in jobs:
        screen.out(output.as_text(make(source.checked)))
    return OK
