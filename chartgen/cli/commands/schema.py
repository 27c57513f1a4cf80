"""The command `schema`: a JSON Schema on stdout, for editors and other checkers."""

from argparse import Namespace

from chartgen import resources
from chartgen.cli import screen
from chartgen.cli.parser import Parser, meant
from chartgen.errors import OK, UsageError

SYNTAX = "[NAME]"
ABOUT = """\
Print a JSON Schema (draft-07). With it, an editor that knows YAML checks job descriptions, completes
them, and explains their fields."""
EXAMPLES = """\
  chartgen schema > job.schema.json
  then write as the first line of job.yaml:
    # yaml-language-server: $schema=job.schema.json"""

_END = ".schema.json"


def options(parser: Parser) -> None:
    """Which schema."""
    name = parser.add_argument("name", nargs="?", default="job", metavar="NAME", help="which schema; job by default")
    parser.completes(name, names)


def names() -> list[str]:
    """The schemas there are."""
    return [name.removesuffix(_END) for name in resources.names("schemas") if name.endswith(_END)]


def run(args: Namespace) -> int:
    """Print it as it is."""
    if args.name not in names():
        raise UsageError(f"there is no schema {args.name!r}; {meant(args.name, names())}")
    screen.out(resources.text(f"schemas/{args.name}{_END}"))
    return OK
