"""The command `explain`: manual pages of frameworks, and of the job description field by field."""

from argparse import Namespace
from collections.abc import Iterable

from chartgen import frameworks, resources
from chartgen.cli import screen
from chartgen.cli.commands.list import examples
from chartgen.cli.parser import Parser, meant
from chartgen.devices import catalog as clouds
from chartgen.errors import OK, UsageError
from chartgen.manual import fields

SYNTAX = "TOPIC [NAME]"
ABOUT = """\
Explain a framework, a cloud, or a field of the job description by its path; or print an example,
which is a good start for a job description of one's own."""
EXAMPLES = """\
  chartgen explain tensorflow                a framework's manual page
  chartgen explain job                       all fields of a job description
  chartgen explain job.roles.worker.env      one field; `roles.env` does as well
  chartgen explain cloud gke                 what a cloud adds, for which devices, and the sources
  chartgen explain mnist > job.yaml          an example (`chartgen list examples` names them)"""


def options(parser: Parser) -> None:
    """What to explain."""
    about = "a framework, `job`, the path of a field, or an example"
    topic = parser.add_argument("topic", metavar="TOPIC", help=about)
    parser.completes(topic, topics)
    name = parser.add_argument("name", nargs="?", metavar="NAME", help="after `cloud`: which one")
    parser.completes(name, lambda: clouds.names("cloud"))


def topics() -> list[str]:
    """Everything that can be explained, down to the first level of fields."""
    return [*_short(), *(f"{fields.ROOT}.{name}" for name in fields.first())]


def _short() -> list[str]:
    return [*frameworks.MODULES, *examples(), fields.ROOT]


def run(args: Namespace) -> int:
    """Print the page."""
    lines = _page(args.topic) if args.name is None else _cloud(args.topic, args.name)
    screen.out("".join(f"{line}\n" for line in lines))
    return OK


def _cloud(topic: str, name: str) -> Iterable[str]:
    from chartgen.devices import describe as told  # the other pages do without it

    if topic != "cloud":
        raise UsageError(f"a name can follow 'cloud', not {topic!r}")
    if name not in clouds.names("cloud"):
        raise UsageError(f"there is no cloud {name!r}; {meant(name, clouds.names('cloud'))}")
    return told.page(name)


def _page(topic: str) -> Iterable[str]:
    if topic in frameworks.MODULES:
        return (frameworks.framework(topic).__doc__ or "").rstrip().splitlines()
    if topic in examples():
        return resources.text(f"values/jobs/{topic}.yaml").splitlines()
    path = topic.split(".")
    if path[0] == fields.ROOT:
        del path[0]
    if path and path[0] not in fields.first():
        raise UsageError(
            f"there is nothing named {path[0]!r} to explain; {meant(path[0], [*_short(), *fields.first()])}"
        )
    return fields.page(path)
