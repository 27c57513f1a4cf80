"""The command `init`: a first job description to go on from."""

from argparse import Namespace

from chartgen import frameworks
from chartgen.cli import screen
from chartgen.cli.parser import Parser, meant
from chartgen.errors import OK, UsageError

SYNTAX = "NAME [options]"
ABOUT = """\
Print a first job description: small, valid, with comments that say what else could stand there."""
EXAMPLES = """\
  chartgen init mnist > job.yaml
  chartgen init mnist --image example.com/mnist:1.4 --role chief --role worker=3 > job.yaml
  chartgen render job.yaml -o charts"""

_IMAGE = "registry.example.com/image:tag"


def options(parser: Parser) -> None:
    """Whatever a description cannot do without."""
    parser.add_argument("name", metavar="NAME", help="the job's name, which becomes the chart's")
    given = parser.add_argument(
        "--framework", default="tensorflow", metavar="NAME", help="see: chartgen list frameworks"
    )
    parser.completes(given, lambda: list(frameworks.MODULES))
    parser.add_argument("--image", default=_IMAGE, help=f"the container image; {_IMAGE} by default")
    parser.add_argument(
        "--role", action="append", metavar="ROLE[=COUNT]", help="a role and its replicas; may be repeated"
    )


def run(args: Namespace) -> int:
    """Print it, once it has been checked like any other."""
    from chartgen import pipeline  # completion asks for the options, and does without the core
    from chartgen.scaffold.environment import render  # jinja2 is for this command alone

    if args.framework not in frameworks.MODULES:
        raise UsageError(f"there is no framework {args.framework!r}; {meant(args.framework, frameworks.MODULES)}")
    framework = frameworks.framework(args.framework)
    roles = _counts(args.role) if args.role else dict.fromkeys(framework.FIRST, 1)
    about = dict.fromkeys(roles, "") | dict(framework.ROLES)
    holes = {"name": args.name, "framework": args.framework, "image": args.image, "roles": roles, "about": about}
    holes |= {"options": _options(args.framework), "programs": ()}
    (document,) = pipeline.read(render("init/job.yaml.j2", holes).encode(), "job.yaml")
    plan = pipeline.check(document).plan
    # Only who has no program from the framework, nor a pod of its making, is to have one from a person.
    holes["programs"] = [role.name for role in plan.roles if not (role.command or role.start or role.takes)]
    screen.out(render("init/job.yaml.j2", holes))
    return OK


def _options(framework: str) -> list[str]:
    """The options that a framework cannot do without, with the schema's examples to be changed."""
    from chartgen import resources  # as above
    from chartgen.syntax.yaml_writer import mapping

    described = resources.data("schemas/job.schema.json")["definitions"][framework]
    needed = {name: described["properties"][name]["examples"][0] for name in described.get("required", ())}
    return [*mapping({framework: needed})] if needed else []


def _counts(words: list[str]) -> dict[str, int]:
    """The roles a person asked for, with their replicas."""
    counts = {}
    for word in words:
        role, _, count = word.partition("=")
        if not (count or "1").isdecimal():
            raise UsageError(f"--role {word}: expected ROLE or ROLE=COUNT, as in worker=3")
        counts[role] = int(count or "1")
    return counts
