"""The options of `render`: what they are, which of them go together, and what they mean."""

from argparse import Namespace

from chartgen.cli.helm import add_helm, add_set, add_values, helm_values
from chartgen.cli.jobs import add_jobs, add_kits, add_reading
from chartgen.cli.parser import Parser, add_color, add_quiet
from chartgen.errors import UsageError
from chartgen.outputs import OUTPUTS
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.outputs.base import OutputOptions
    from chartgen.sources import CheckedSource


def add_options(parser: Parser) -> None:
    """What to render, into what and where to."""
    add_jobs(parser, optional=True)
    parser.add_argument(
        "-o", "--output-dir", metavar="DIR", help="where the charts go; - prints them"
    )
    parser.add_argument(
        "--format",
        choices=tuple(OUTPUTS),
        default="chart",
        help="; ".join(f"{name}: {about}" for name, about in OUTPUTS.items()),
    )
    parser.add_argument(
        "--clouds",
        choices=("used", "all"),
        default="used",
        help="charts with cloud data: those of jobs that name a cloud or request a device, or all",
    )
    parser.add_argument(
        "--layout",
        choices=("full", "thin"),
        default="full",
        help="thin charts share their templates in a library chart, which is written beside them",
    )
    parser.add_argument(
        "--library",
        metavar="URL",
        help="where thin charts find the library, if not beside them, such as "
        "oci://example.com/charts",
    )
    _comparing_options(parser)
    add_kits(parser)
    add_reading(parser)
    about = "set a field of a job in a native format or, with --format manifests, of the chart"
    add_set(parser, about)
    add_color(parser)
    add_quiet(parser, "the summary and warnings")
    _helm_options(parser)


def _comparing_options(parser: Parser) -> None:
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if DIR differs, and say where"
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="like --check, and show what would happen on the cluster (needs Helm)",
    )
    parser.add_argument(
        "--text", action="store_true", help="with --diff: also show the differences of the files"
    )
    parser.add_argument(
        "--output",
        choices=("text", "json", "github", "markdown"),
        default="text",
        help="the format of the report of --check; text by default",
    )
    parser.add_argument(
        "--prune",
        action="store_true",
        help="remove the charts of a project that no longer have a job",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite hand edits and files that chartgen did not write",
    )


def _helm_options(parser: Parser) -> None:
    group = parser.add_argument_group(
        "only with --format manifests; for a chart, pass them to helm install"
    )
    group.add_argument("--release", metavar="NAME", help="the release's name; the job's by default")
    group.add_argument("-n", "--namespace", metavar="NAME", help="the namespace of all objects")
    add_values(group, "set values from a file")
    about = "also write what `helm test` does, as Jobs in NAME/tests"
    group.add_argument("--tests", action="store_true", help=about)
    about = "write all objects of a job to one file, NAME/manifests.yaml"
    group.add_argument("--stream", action="store_true", help=about)
    add_helm(group)


def check_usage(args: Namespace) -> None:
    """Refuse options that do not go together."""
    if not args.jobs:
        raise UsageError("name a job description, as in: chartgen render job.yaml -o charts")
    if args.output_dir is None:
        raise UsageError(
            "say where the charts go, as in: chartgen render job.yaml -o charts (or print them: "
            "-o -)"
        )
    if not args.output_dir:
        raise UsageError("-o needs a directory; for the current one, write -o .")
    if args.prune:
        raise UsageError("--prune is for a project (chartgen.yaml): it needs to know all jobs")
    if args.output_dir == "-" and (args.check or args.diff or args.force):
        raise UsageError("--check, --diff and --force need a directory; -o - prints instead")
    _check_format(args)
    if args.library is not None:
        _check_library(args.library, args.layout)


def _check_format(args: Namespace) -> None:
    for option in ("release", "namespace", "values", "tests", "stream", "helm"):
        if option == "helm" and args.diff:
            continue
        if getattr(args, option) and not _installs(args.format):
            raise UsageError(_AT_INSTALL.format(option))
    if args.layout == "thin" and args.format != "chart":
        raise UsageError("--layout thin goes with --format chart; manifests need no library")


def _installs(form: str) -> bool:
    """Whether an output takes the values that a chart takes at install."""
    from chartgen import outputs

    return outputs.output(form).INSTALLS


def check_settings(args: Namespace, jobs: "list[CheckedSource]") -> None:
    """What --set is for: native texts, which have no description to edit, and manifests."""
    native = [bool(source.document.form) for source in jobs]
    if args.set and native and not any(native) and not _installs(args.format):
        raise UsageError(_AT_INSTALL.format("set"))
    if native and all(native):
        args.set = None  # each description has them already


_AT_INSTALL = (
    "--{} needs --format manifests; a chart takes its values when it is "
    "installed, as in: helm install mnist charts/mnist --set image=mnist:2"
)


def _check_library(address: str, layout: str) -> None:
    if layout != "thin":
        raise UsageError("--library goes with --layout thin; other charts need no library")
    if not address.startswith(("file://", "oci://", "http://", "https://", "@", "alias:")):
        raise UsageError(
            f"--library {address}: expected what Helm accepts as a repository, such as "
            "oci://example.com/charts or file://../chartgen-library"
        )


def output_options(args: Namespace) -> "OutputOptions":
    """What the options say about the form of the output."""
    from chartgen.chart import ChartOptions
    from chartgen.outputs.base import OutputOptions

    chart = ChartOptions(clouds=args.clouds, layout=args.layout)
    if args.library:
        chart = chart._replace(library=args.library)
    return OutputOptions(
        args.release or "", helm_values(args), args.helm, chart, args.tests, args.stream
    )
