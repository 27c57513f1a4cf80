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
editor that knows YAML checks what is written, completes it, and explains its fields."""
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
    """Print it as it is; that of a native format with the definitions that it borrows."""
    if args.name not in names():
        raise UsageError(
            f"there is no schema {args.name!r}; {did_you_mean_or_known(args.name, names())}"
        )
    from chartgen.native import FORMATS

    if form := FORMATS.get(args.name):
        screen.out(_whole(form.schema or args.name))
    elif args.name == "project":
        screen.out(_project())
    elif args.name == "job" and _elsewhere():
        screen.out(_job())
    else:
        screen.out(resources.text(f"schemas/{args.name}{_END}"))
    return OK


def _elsewhere() -> list[str]:
    """The frameworks of other installed packages."""
    from chartgen.frameworks import MODULES
    from chartgen.frameworks import names as all_names

    return all_names()[len(MODULES) :]


def _job() -> str:
    """The schema of job descriptions, with the frameworks of other installed packages."""
    from json import dumps  # as below

    from chartgen.frameworks import job_schema

    return dumps(job_schema(_elsewhere()[0]), indent=2, ensure_ascii=False) + "\n"


def _project() -> str:
    from json import dumps  # as below

    from chartgen.project.model import project_schema

    return dumps(project_schema(), indent=2, ensure_ascii=False) + "\n"


def _whole(form: str) -> str:
    from json import dumps  # other schemas do without them

    from chartgen.native.schemas import native_schema

    return dumps(native_schema(form), indent=2, ensure_ascii=False) + "\n"
