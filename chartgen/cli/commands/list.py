"""The command `list`: what chartgen knows, as a table or as JSON."""

from argparse import Namespace
from collections.abc import Callable, Iterator

from chartgen import frameworks, resources
from chartgen.cli import screen
from chartgen.cli.commands import COMMANDS
from chartgen.cli.parser import Parser, meant
from chartgen.devices import catalog as clouds
from chartgen.errors import OK, UsageError

SYNTAX = "WHAT [FRAMEWORK] [--output text|json]"
ABOUT = """\
List what chartgen knows: the frameworks a job may use and their roles, the native formats it may be
written in, the clouds it may name with their accelerators and fabrics; examples to start from; and
its own commands."""
EXAMPLES = """\
  chartgen list frameworks
  chartgen list roles tensorflow
  chartgen list examples --output json"""

Row = dict[str, str]


def options(parser: Parser) -> None:
    """What to list, and in which form."""
    parser.add_argument("what", choices=_TOPICS, metavar="WHAT", help=", ".join(_TOPICS))
    which = parser.add_argument("framework", nargs="?", metavar="FRAMEWORK", help="list the roles of this one only")
    parser.completes(which, lambda: frameworks.MODULES)
    parser.add_argument("--output", choices=("text", "json"), default="text", help="text (the default) is a table")


def run(args: Namespace) -> int:
    """Print the rows."""
    rows = [row for row in _TOPICS[args.what]() if args.framework in (None, row.get("framework"))]
    if args.framework and args.what != "roles":
        raise UsageError(f"a framework can be named after 'roles', not after {args.what!r}")
    if args.framework and not rows:
        raise UsageError(f"there is no framework {args.framework!r}; {meant(args.framework, frameworks.MODULES)}")
    if args.output == "json":
        from json import dumps  # a table does without it

        screen.out(dumps(rows, indent=2) + "\n")
    else:
        screen.out("".join(f"{line}\n" for line in table(rows)))
    return OK


def table(rows: list[Row]) -> Iterator[str]:
    """Aligned columns under their names."""
    lines = [[name.upper() for name in rows[0]], *([*row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()


def examples() -> list[str]:
    """The examples that ship with chartgen, by name."""
    return [name.removesuffix(".yaml") for name in resources.names("values/jobs")]


def _frameworks() -> Iterator[Row]:
    for name in frameworks.MODULES:
        module = frameworks.framework(name)
        about = (module.__doc__ or "").partition("\n")[0].removeprefix(f"{module.TITLE}: ")
        yield {"name": name, "roles": ",".join(module.ROLES), "about": about}


def _roles() -> Iterator[Row]:
    for name in frameworks.MODULES:
        for role, about in frameworks.framework(name).ROLES.items():
            yield {"framework": name, "role": role, "about": about}


def _formats() -> Iterator[Row]:
    from chartgen.native import FORMATS  # the other lists do without it

    return ({"name": name, "framework": form.framework, "about": form.about} for name, form in FORMATS.items())


def _clouds() -> Iterator[Row]:
    return ({"name": name, "about": clouds.data("cloud", name)["description"]} for name in clouds.names("cloud"))


def _accelerators() -> Iterator[Row]:
    """Every kind of device, and behind it the models of it; what one of them stands for, and where it can be had."""
    from chartgen.devices.request import types  # the other lists do without it

    there = {name: types(clouds.data("cloud", name)) for name in clouds.names("cloud")}
    for name in clouds.names("accelerator"):
        kind = clouds.data("accelerator", name)
        for type_ in (name, *kind.get("types", ())):
            on = ",".join(cloud for cloud, known in there.items() if type_ in known)
            about = kind["description"] if type_ == name else f"{name}, this model only"
            yield {"name": type_, "resource": kind["resource"], "clouds": on or "-", "about": about}


def _fabrics() -> Iterator[Row]:
    for cloud in clouds.names("cloud"):
        for name, own in clouds.data("cloud", cloud).get("fabrics", {}).items():
            about = own.get("description") or clouds.data("fabric", name)["description"]
            yield {"cloud": cloud, "name": name, "about": about}


def _examples() -> Iterator[Row]:
    """An example says in its first line, a comment, what it is."""
    from chartgen import pipeline  # the other lists do without it

    for name in examples():
        text = resources.text(f"values/jobs/{name}.yaml")
        used = dict.fromkeys(document.data.get("framework", "") for document in pipeline.read(text.encode(), name))
        yield {"name": name, "framework": ",".join(used), "about": text.partition("\n")[0].removeprefix("# ")}


def _commands() -> Iterator[Row]:
    return ({"name": name, "about": about} for name, about in COMMANDS.items())


_TOPICS: dict[str, Callable[[], Iterator[Row]]] = {
    "frameworks": _frameworks,
    "roles": _roles,
    "formats": _formats,
    "clouds": _clouds,
    "accelerators": _accelerators,
    "fabrics": _fabrics,
    "examples": _examples,
    "commands": _commands,
}
