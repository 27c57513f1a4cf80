"""The command `diff`: what an upgrade from one chart to another would do, in words."""

from argparse import Namespace

from chartgen.cli import hidden, screen
from chartgen.cli.helm import add_helm, add_set, add_values, helm_values
from chartgen.cli.parser import Parser
from chartgen.errors import OK, PROBLEMS, RefusedError, WorldError

SYNTAX = "OLD NEW [options]"
ABOUT = """\
Show what happens to the objects of jobs when NEW replaces OLD: added, removed, replaced (training
restarts), rescaled, changed without a restart; and which values are the cause. OLD and NEW are
charts, packages, jobs, directories of charts or of manifests, REVISION:PATH in the current Git
repository, or release:NAME for what Helm has installed."""
EXAMPLES = """\
  chartgen diff charts/mnist job.yaml
  chartgen diff main:charts charts --output markdown     for a pull request
  chartgen diff mnist-0.1.0.tgz mnist-0.1.1.tgz --environment staging
  chartgen diff release:mnist charts/mnist -n research   needs a cluster

Exit codes: 0 nothing changes, 1 something changes or would fail, 2 usage, 3 Git or Helm error."""


def options(parser: Parser) -> None:
    """What to compare, and with which values."""
    parser.add_argument("old", metavar="OLD", help="the state before")
    parser.add_argument("new", metavar="NEW", help="the state after")
    parser.add_argument(
        "--output",
        choices=("text", "json", "markdown"),
        default="text",
        help="the format of the report; text by default",
    )
    about = "also show the differences of the files"
    parser.add_argument("--text", action="store_true", help=about)
    parser.add_argument("--release", metavar="NAME", help="the release's name; the job's if unset")
    parser.add_argument("-n", "--namespace", metavar="NAME", help="the namespace of the release")
    add_values(parser, "values for both sides")
    add_set(parser, "set a value on both sides")
    about = "use the values for this environment, in charts of a project"
    parser.add_argument("--environment", metavar="NAME", default="", help=about)
    add_helm(parser)


def run(args: Namespace) -> int:
    """Render both sides, and compare their objects."""
    from chartgen.cli.rendering import patch
    from chartgen.project import inputs
    from chartgen.project.find import check_environment
    from chartgen.project.places import place_values
    from chartgen.report import changes
    from chartgen.report import problems as report
    from chartgen.verify.comparison import sides
    from chartgen.world import helm

    patch.check_usage(args)
    if args.environment:
        check_environment(args.environment)
    values = helm_values(args)
    values.check()
    try:
        tool = helm.find(args.helm)
    except WorldError as error:
        return _without_helm(args, error)
    options = sides.SideOptions(
        tool,
        values,
        args.release or "",
        args.environment,
        args.text,
        inputs.read_as_source,
        lambda word, job: inputs.values_file(word, job, args.environment),
    )
    all_changes, refused, differences = sides.diff(args.old, args.new, options)
    all_changes = place_values(all_changes, args.new, args.environment)
    screen.out(changes.FORMS[args.output](all_changes))
    patch.show(differences, args)
    screen.flush()
    if refused:
        shown = hidden.conceal_problems(refused)
        screen.say(report.report(shown, "text").rstrip("\n"))
    happens = any(change.any or change.rescaled for change in all_changes)
    return PROBLEMS if happens or refused else OK


def _without_helm(args: Namespace, error: WorldError) -> int:
    """Show the text, and say that the words need Helm."""
    from chartgen.cli.rendering import patch
    from chartgen.project import inputs
    from chartgen.verify.comparison import sides

    patch.excuse(error, args)
    try:
        differences = sides.diff_texts(args.old, args.new, inputs.read_as_source)
    except RefusedError as why:
        raise WorldError(f"{why}, and {error}") from error
    patch.show(differences, args)
    return PROBLEMS if differences else OK
