"""The command `explain`: the pages of the manual."""

from argparse import Namespace
from collections.abc import Iterable

from chartgen import manual
from chartgen.cli import screen
from chartgen.cli.parser import Parser
from chartgen.errors import OK

SYNTAX = "[TOPIC | KIND NAME]"
ABOUT = """\
Print a page of the manual: a guide, a framework, a role, a native format, a field of the job
description, a cloud, an accelerator, a fabric, a kit, a stage of `chartgen test`, or a rule that a
problem names; or print an example of a job description. Without a topic, print the table of
contents."""
EXAMPLES = """\
  chartgen explain                           the table of contents
  chartgen explain tensorflow                a framework
  chartgen explain tfjob                     a format of another system
  chartgen explain job.roles.worker.env      a field; `job` lists all fields
  chartgen explain env-too-long              a rule, with an example
  chartgen explain gke                       what a cloud adds, for which devices, and the sources
  chartgen explain kit ./platform            a kit, by its name or its directory
  chartgen explain format mars               a name that several kinds have, after its kind
  chartgen explain mnist > job.yaml          an example to start from"""


def options(parser: Parser) -> None:
    """What to explain."""
    kinds = ", ".join(kind.name for kind in manual.KINDS)
    about = f"a topic, or, before a name, its kind: {kinds}"
    topic = parser.add_argument("topic", nargs="?", metavar="TOPIC", help=about)
    parser.completes(topic, lambda: (*manual.topics(), *(kind.name for kind in manual.KINDS)))
    name = parser.add_argument("name", nargs="?", metavar="NAME", help="a topic of that kind")
    parser.completes(name, manual.topics)


def run(args: Namespace) -> int:
    """Print the page, and where to read on."""
    if args.topic is None:
        _print(manual.contents())
        return OK
    if args.name is None:
        page = manual.explain(args.topic)
    else:
        page = manual.explain_as(args.topic, args.name)
    _print(page.lines)
    if page.verbatim:
        screen.flush()
        for command in page.see_also:
            screen.say(f"see also: {command}")
    elif page.see_also:
        _print(["", "See also", *(f"  {command}" for command in page.see_also)])
    return OK


def _print(lines: Iterable[str]) -> None:
    screen.out("".join(f"{line}\n" for line in lines))
