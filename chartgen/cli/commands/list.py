"""The command `list`: what chartgen knows, as a table or as JSON."""

from argparse import Namespace
from collections.abc import Callable, Iterable

from chartgen import frameworks, manual
from chartgen.cli import screen
from chartgen.cli.commands import COMMANDS
from chartgen.cli.parser import Parser
from chartgen.errors import OK, UsageError
from chartgen.kits import find
from chartgen.kits.model import Kit
from chartgen.manual import kits
from chartgen.manual.base import TopicRow, table
from chartgen.words import did_you_mean_or_known

SYNTAX = "WHAT [FRAMEWORK] [--output text|json]"
ABOUT = """\
List what chartgen knows: frameworks and their roles, native formats, clouds with their accelerators
and fabrics, kits, fields, examples, stages of `chartgen test`, rules that problems name, and
commands. `chartgen explain` has a page on each of them."""
EXAMPLES = """\
  chartgen list frameworks
  chartgen list roles tensorflow
  chartgen list kits --kit ./platform
  chartgen list examples --output json"""


def options(parser: Parser) -> None:
    """What to list, and in which form."""
    lists = _lists()
    parser.add_argument("what", choices=lists, metavar="WHAT", help=", ".join(lists))
    which = parser.add_argument(
        "framework", nargs="?", metavar="FRAMEWORK", help="list the roles of this one only"
    )
    parser.completes(which, frameworks.names)
    about = "with kits: list this one too, by its directory; may be repeated"
    parser.add_argument("--kit", action="append", default=[], metavar="DIR", help=about)
    parser.add_argument(
        "--output", choices=("text", "json"), default="text", help="text (the default) is a table"
    )


def run(args: Namespace) -> int:
    """Print the rows."""
    rows = list(_lists()[args.what]())
    if args.what == "kits":
        rows = [*kits.rows([*_kits_of_project(), *map(find.open_kit, args.kit)])]
    elif args.kit:
        raise UsageError(f"--kit is for 'kits', not for {args.what!r}")
    if args.framework is not None:
        rows = _of_framework(rows, args)
    if args.output == "json":
        from json import dumps  # a table does without it

        screen.out(dumps(rows, indent=2) + "\n")
    else:
        screen.out("".join(f"{line}\n" for line in table(rows)))
    return OK


def _lists() -> dict[str, Callable[[], Iterable[TopicRow]]]:
    """What can be listed: the topics of every kind, and what has no page of its own."""
    lists = {kind.plural: kind.rows for kind in manual.KINDS}
    return {**lists, "commands": _commands}


def _kits_of_project() -> Iterable[Kit]:
    """The kits that the project here names."""
    from chartgen.project import find as projects  # other lists do without it

    return projects.open_project().kits if projects.has_project() else ()


def _of_framework(rows: list[TopicRow], args: Namespace) -> list[TopicRow]:
    if args.what != "roles":
        raise UsageError(f"only 'roles' takes a framework, not {args.what!r}")
    if args.framework not in frameworks.names():
        hint = did_you_mean_or_known(args.framework, frameworks.names())
        raise UsageError(f"there is no framework {args.framework!r}; {hint}")
    return [row for row in rows if row["framework"] == args.framework]


def _commands() -> list[TopicRow]:
    return [{"name": name, "about": about} for name, about in COMMANDS.items()]
