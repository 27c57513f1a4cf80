"""The options of `test`: what they are, and what they mean."""

from argparse import Namespace

from chartgen.cli.cluster import add_cluster, parse_duration
from chartgen.cli.helm import add_helm, add_set, add_values, helm_values
from chartgen.cli.jobs import add_kits, add_reading, read_options, stdin
from chartgen.cli.parser import Parser, add_color, add_quiet
from chartgen.errors import UsageError
from chartgen.report.stages import FORMS
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.verify.base import TestOptions

CLEAN_UP = "--clean-up"


def add_options(parser: Parser) -> None:
    """What to test, how, and the form of the report."""
    about = "a chart's directory or package, or a job as for render; - is standard input"
    parser.add_argument("charts", nargs="*", metavar="CHART", help=about)
    about = "the format of the report; text by default"
    parser.add_argument("--output", choices=tuple(FORMS), default="text", help=about)
    about = "a Kubernetes version, as in 1.29, to check for; may be repeated; "
    about += "by default the oldest and the newest"
    parser.add_argument(
        "--kube-version", action="append", default=[], metavar="VERSION", help=about
    )
    about = "accept that this kind has no schema; may be repeated"
    parser.add_argument("--skip-kind", action="append", default=[], metavar="KIND", help=about)
    add_set(parser, "set a value of the chart")
    add_values(parser, "set values from a file")
    about = "for each stage, as in 90s or 5m (the default)"
    parser.add_argument("--timeout", default="5m", metavar="TIME", help=about)
    add_kits(parser)
    add_reading(parser)
    add_color(parser)
    add_quiet(parser, "the summary")
    add_helm(parser)
    group = add_cluster(parser)
    about = "install the chart, wait, run helm test, and uninstall it"
    group.add_argument("--cluster", action="store_true", help=about)
    group.add_argument("--keep", action="store_true", help="do not uninstall, whatever happens")
    about = "test nothing; remove the releases that killed runs left in the namespace"
    group.add_argument(CLEAN_UP, action="store_true", help=about)


def test_options(args: Namespace) -> "TestOptions":
    """The options, checked for what argparse cannot check."""
    timeout = parse_duration(args.timeout, "--timeout")
    if not args.charts:
        raise UsageError("the following arguments are required: CHART")
    needy = {"--kubeconfig": args.kubeconfig, "--kube-context": args.context, "--keep": args.keep}
    for option, given in needy.items():
        if given and not args.cluster:
            raise UsageError(f"{option} needs --cluster")
    from chartgen.project.inputs import read_as_source
    from chartgen.verify.base import ClusterOptions, TestOptions

    cluster = ClusterOptions(args.kubeconfig, args.context, args.keep)
    options = TestOptions(
        charts=tuple(args.charts),
        sources=read_options(args),
        stdin=stdin(),
        values=helm_values(args),
        helm=args.helm,
        kube_versions=tuple(version.removeprefix("v") for version in args.kube_version),
        skip_kinds=frozenset(args.skip_kind),
        timeout=timeout,
        cluster=cluster if args.cluster else None,
        reading=read_as_source,
    )
    options.check()
    return options
