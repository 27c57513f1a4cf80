"""The command `validate`: every problem of every job description, for people and programs."""

import sys
from argparse import Namespace

from chartgen.cli import hidden, project, screen
from chartgen.cli.jobs import add_jobs, add_kits, add_reading, add_set, problems_text, read_jobs
from chartgen.cli.parser import Parser, add_color, add_quiet
from chartgen.errors import OK, PROBLEMS
from chartgen.words import count

SYNTAX = "[JOB...] [options]"
ABOUT = """\
Report every problem of every job description at once, with file, line and column. Warnings alone
do not fail. Without a job, everything that the project file chartgen.yaml names is checked."""
EXAMPLES = """\
  chartgen validate job.yaml
  chartgen validate jobs/*.yaml --strict --output github
  chartgen explain mnist | chartgen validate -

Exit codes: 0 no problems, 1 there are problems, 2 usage."""


def options(parser: Parser) -> None:
    """What to check, and the form of the report."""
    add_jobs(parser, optional=True)
    forms = ("text", "json", "github", "junit")
    parser.add_argument(
        "--output", choices=forms, default="text", help="the format of the report; text by default"
    )
    add_kits(parser)
    add_reading(parser)
    add_set(parser)
    add_color(parser)
    add_quiet(parser, "the summary")


def run(args: Namespace) -> int:
    """Report on stdout, and sum up on stderr."""
    if project.is_meant(args):
        return project.validate(args)
    args.jobs = project.expand(args.jobs)
    from chartgen.report import problems

    sources = read_jobs(args.jobs, args)
    if args.output == "text":
        screen.out(problems_text(sources, args.color, sys.stdout))
    else:
        shown = hidden.conceal_problems(sources.problems, sources.texts)
        screen.out(problems.report(shown, args.output, files=list(sources.texts)))
    if not args.quiet:
        screen.flush()  # the report comes before its summary
        fine = f"{count(len(args.jobs), 'file')}, {count(len(sources.jobs), 'job')}: no problems"
        screen.say(problems.summary(sources.problems) if sources.problems else fine)
    return PROBLEMS if sources.broken else OK
