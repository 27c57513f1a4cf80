"""The command `package`: charts as .tgz, the same bytes from the same files."""

from argparse import Namespace

from chartgen.cli import screen
from chartgen.cli.jobs import stdin
from chartgen.cli.parser import Parser, add_quiet
from chartgen.errors import OK, UsageError

SYNTAX = "[CHART...] -o DIR [options]"
ABOUT = """\
Package charts, or the charts of jobs, as DIR/NAME-VERSION.tgz. The same files give the same bytes,
so an existing package with other content means that the version was not raised, and is refused.
Without a chart, all charts of the project (chartgen.yaml) are packaged."""
EXAMPLES = """\
  chartgen package charts/mnist -o packages
  chartgen package -o packages --index https://charts.example.com    for helm repo add
  chartgen package charts/* -o packages --oci layouts                layouts/NAME, an OCI layout
  chartgen package charts/mnist -o packages --key vision@example.com
  helm push packages/mnist-0.1.0.tgz oci://registry.example.com/charts

Exit codes: 0 fine, 1 a version already has other content, 2 usage, 3 disk or GnuPG error."""


def options(parser: Parser) -> None:
    """What to package, where to, and what to write beside it."""
    about = "a directory with a chart, or a job; without one, the charts of the project"
    parser.add_argument("charts", nargs="*", metavar="CHART", help=about)
    parser.add_argument(
        "-o", "--output-dir", metavar="DIR", required=True, help="where the packages go"
    )
    about = "also write DIR/index.yaml, for a repository at this URL; it lists all packages in DIR"
    parser.add_argument("--index", metavar="URL", help=about)
    about = "also write an OCI image layout for each chart, to OCI_DIR/NAME"
    parser.add_argument("--oci", metavar="OCI_DIR", default="", help=about)
    about = "also write the provenance (.prov, for helm verify), signed with this key by gpg"
    parser.add_argument("--key", metavar="KEY", default="", help=about)
    parser.add_argument("--gpg", metavar="FILE", default="", help="the gpg to run; gpg by default")
    about = "a file with the passphrase of the key"
    parser.add_argument("--passphrase-file", metavar="FILE", default="", help=about)
    about = "overwrite an existing package that has other content"
    parser.add_argument("--force", action="store_true", help=about)
    add_quiet(parser, "the list of what was written")


def run(args: Namespace) -> int:
    """Package the charts, and say what was written."""
    from chartgen.project import find, inputs
    from chartgen.verify.packaging import PackageOptions, write_packages

    for option, given in (("--gpg", args.gpg), ("--passphrase-file", args.passphrase_file)):
        if given and not args.key:
            raise UsageError(f"{option} is for signing; name the key: --key KEY")
    options = PackageOptions(
        args.output_dir,
        args.index,
        args.oci,
        args.key,
        args.gpg,
        args.passphrase_file,
        args.force,
        inputs.read_as_source,
    )

    def tell(line: str) -> None:
        if not args.quiet:
            screen.out(f"{line}\n")

    write_packages(args.charts or find.charts(), options, stdin(), tell)
    return OK
