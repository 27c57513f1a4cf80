"""The command `schema`: a JSON Schema on stdout, for editors and other checkers."""

from argparse import Namespace

from chartgen import resources
from chartgen.cli import screen
from chartgen.cli.parser import Parser, meant
from chartgen.errors import OK, UsageError

SYNTAX = "[NAME]"
ABOUT = """\
Print a JSON Schema (draft-07), of job descriptions or of a native format. With it, an editor that
knows YAML checks what is written, completes it, and explains its fields."""
EXAMPLES = """\
  chartgen schema > job.schema.json
  then write as the first line of job.yaml:
    # yaml-language-server: $schema=job.schema.json"""

_NATIVE, _END = "native/", ".schema.json"


def options(parser: Parser) -> None:
    """Which schema."""
    name = parser.add_argument("name", nargs="?", default="job", metavar="NAME", help="which schema; job by default")
    parser.completes(name, names)


def names() -> list[str]:
    """The schemas there are, by the name of every format that one holds for."""
    from chartgen.native import FORMATS  # completion of other words does without it

    files = [name for name in resources.names("schemas") if name.endswith(_END)]
    return sorted({*FORMATS, *(name.removeprefix(_NATIVE).removesuffix(_END) for name in files)})


def run(args: Namespace) -> int:
    """Print it as it is; that of a native format with what it borrows from the other."""
    if args.name not in names():
        raise UsageError(f"there is no schema {args.name!r}; {meant(args.name, names())}")
    from chartgen.native import FORMATS

    if form := FORMATS.get(args.name):
        screen.out(_whole(form.schema or args.name))
    else:
        screen.out(resources.text(f"schemas/{args.name}{_END}"))
    return OK


def _whole(form: str) -> str:
    from json import dumps  # other schemas do without them

    from chartgen.native.draft import rules

    return dumps(rules(form), indent=2, ensure_ascii=False) + "\n"
