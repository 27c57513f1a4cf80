"""The command `validate`: every problem of every job description, for people and for machines."""

import sys
from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.parser import Parser, add_color, add_define, add_from, add_jobs, add_quiet, add_strict
from chartgen.errors import OK, PROBLEMS

SYNTAX = "JOB... [options]"
ABOUT = """\
Tell every problem of every job description at once, with file, line and column. Warnings alone do
not fail."""
EXAMPLES = """\
  chartgen validate job.yaml
  chartgen validate jobs/*.yaml --strict --output github
  chartgen explain mnist | chartgen validate -

Exit codes: 0 no problems, 1 there are problems, 2 usage."""


def options(parser: Parser) -> None:
    """What to check, and in which form to tell."""
    add_jobs(parser)
    forms = ("text", "json", "github", "junit")
    parser.add_argument("--output", choices=forms, default="text", help="the form of the report; text by default")
    add_from(parser)
    add_define(parser)
    add_strict(parser)
    add_color(parser)
    add_quiet(parser, "summary")


def run(args: Namespace) -> int:
    """Report on stdout, and sum up on stderr."""
    from chartgen import sources as inputs
    from chartgen.report import problems as report

    found = inputs.gather(args.jobs, strict=args.strict, quiet=args.quiet, form=args.form, define=args.define)
    if args.output == "text":
        screen.out(inputs.show(found, args.color, sys.stdout))
    else:
        screen.out(report.report(found.problems, args.output, files=list(found.texts)))
    if not args.quiet:
        screen.flush()  # the report comes before its summary
        screen.say(report.summary(found.problems) if found.problems else _fine(len(args.jobs), len(found.found)))
    return PROBLEMS if found.broken else OK


def _fine(files: int, jobs: int) -> str:
    return f"{files:,} file{'s' * (files != 1)}, {jobs:,} job{'s' * (jobs != 1)}: no problems"
