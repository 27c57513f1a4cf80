"""The command `schema`: a JSON Schema on stdout, for editors and other checkers."""

from argparse import Namespace

from chartgen import resources
from chartgen.cli import screen
from chartgen.cli.parser import Parser
from chartgen.errors import OK, UsageError
from chartgen.words import did_you_mean_or_known

SYNTAX = "[NAME]"
ABOUT = """\
Print a JSON Schema (draft-07): of job descriptions, project files or a native format. With it, an
editor that supports YAML schemas checks a file, completes it, and explains its fields."""
EXAMPLES = """\
  chartgen schema > job.schema.json
  then write as the first line of job.yaml:
    # yaml-language-server: $schema=job.schema.json"""

_NATIVE, _END = "native/", ".schema.json"


def options(parser: Parser) -> None:
    """Which schema."""
    name = parser.add_argument(
        "name", nargs="?", default="job", metavar="NAME", help="which schema; job by default"
    )
    parser.completes(name, names)


def names() -> list[str]:
    """The names of all schemas: of jobs, projects, clouds and each native format."""
    from chartgen.native import FORMATS  # completion of other words does without it

    files = [name for name in resources.names("schemas") if name.endswith(_END)]
    return sorted({*FORMATS, *(name.removeprefix(_NATIVE).removesuffix(_END) for name in files)})


def run(args: Namespace) -> int:
    """Print it: as it is shipped, or with what frameworks, formats and packages add."""
    if args.name not in names():
        raise UsageError(
            f"there is no schema {args.name!r}; {did_you_mean_or_known(args.name, names())}"
        )
    data = _build_schema(args.name)
    if data is None:
        screen.out(resources.text(f"schemas/{args.name}{_END}"))
    else:
        from json import dumps  # others do without it

        screen.out(dumps(data, indent=2, ensure_ascii=False) + "\n")
    return OK


def _build_schema(name: str) -> object:
    """A schema that is not printed as it is shipped; None for others."""
    from chartgen.native import FORMATS

    if form := FORMATS.get(name):
        from chartgen.native.schemas import native_schema

        return native_schema(form.schema or name)  # with the definitions that it borrows
    if name == "project":
        from chartgen.project.model import project_schema

        return project_schema()
    if name == "job":
        from chartgen.manual.fields import editor_schema

        return editor_schema()
    return None
