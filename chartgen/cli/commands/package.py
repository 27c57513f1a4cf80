"""The command `package`: charts as .tgz, the same bytes from the same files."""

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.jobs import stdin
from chartgen.cli.parser import Parser, add_quiet
from chartgen.errors import OK, UsageError

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.gitops.package import Package
    from chartgen.verify.source import Chart

SYNTAX = "[CHART...] -o DIR [options]"
ABOUT = """\
Package charts, or the charts of jobs, as DIR/NAME-VERSION.tgz. The same files give the same bytes,
so a package that is there with other content is a version that was not raised, and is refused.
Without a chart, all charts of the project (chartgen.yaml) are packaged."""
EXAMPLES = """\
  chartgen package charts/mnist -o packages
  chartgen package -o packages --index https://charts.example.com    for helm repo add
  chartgen package charts/* -o packages --oci layouts                layouts/NAME, an OCI layout
  chartgen package charts/mnist -o packages --key vision@example.com
  helm push packages/mnist-0.1.0.tgz oci://registry.example.com/charts

Exit codes: 0 fine, 1 a version was packaged with other content, 2 usage, 3 disk or GnuPG error."""


def options(parser: Parser) -> None:
    """What to package, where to, and what to write beside it."""
    about = "a directory with a chart, or a job; without one, the charts of the project"
    parser.add_argument("charts", nargs="*", metavar="CHART", help=about)
    parser.add_argument(
        "-o", "--output-dir", metavar="DIR", required=True, help="where the packages go"
    )
    about = "write DIR/index.yaml too, for a repository at this URL; it lists all packages in DIR"
    parser.add_argument("--index", metavar="URL", help=about)
    about = "write an OCI image layout for each chart too, to OCI_DIR/NAME"
    parser.add_argument("--oci", metavar="OCI_DIR", help=about)
    about = "write the provenance too (.prov, for helm verify), signed with this key by gpg"
    parser.add_argument("--key", metavar="KEY", help=about)
    parser.add_argument("--gpg", metavar="FILE", default="", help="the gpg to run; gpg by default")
    about = "a file with the passphrase of the key"
    parser.add_argument("--passphrase-file", metavar="FILE", default="", help=about)
    about = "overwrite a package that is there with other content"
    parser.add_argument("--force", action="store_true", help=about)
    add_quiet(parser, "the list of what was written")


def run(args: Namespace) -> int:
    """Package one chart after the other, then write what is about all of them."""
    from chartgen.world import archives, files

    words = args.charts or _project_charts()
    with files.temporary_directory() as folder:
        for number, word in enumerate(words):
            for chart in _open(word, os.path.join(folder, str(number))):
                _write(_package(chart, args), args)
    if args.index is not None:
        text = _index(args.output_dir, args.index)
        archives.write(args.output_dir, {"index.yaml": text.encode()}, force=True)
        _say(args, f"{args.output_dir}/index.yaml")
    return OK


def _project_charts() -> list[str]:
    """The charts in the output of the project."""
    from chartgen.project import find
    from chartgen.world import project_files

    place = find.open_project()
    output = place.path(place.project.output)
    found = [f"{output}/{name}" for name in project_files.ours(output)]
    if not found or place.project.format != "chart":
        raise UsageError(f"there is no chart in {output}; run chartgen render first")
    return found


def _open(word: str, folder: str) -> "Iterator[Chart]":
    from chartgen.sources import SourceOptions
    from chartgen.verify import source

    if word.endswith((".tgz", ".tar.gz")):
        raise UsageError(f"{word} is a package already; expected a chart or a job")
    for chart in source.open_charts(word, folder, SourceOptions(), stdin()):
        if not chart.library:
            yield chart


def _package(chart: "Chart", args: Namespace) -> "Package":
    """The package of a chart, with its provenance if a key was named."""
    from chartgen.gitops import package
    from chartgen.syntax.yaml import reader as yaml_reader
    from chartgen.world import archives, gpg

    paths = chart.files()
    ignore = chart.read(".helmignore").decode() if ".helmignore" in paths else ""
    contents = {path: chart.read(path) for path in package.kept(paths, ignore)}
    text = contents[package.CHART]
    metadata = yaml_reader.read(text, f"{chart.shown}/{package.CHART}")[0].data
    made = package.Package(metadata, archives.pack(chart.name, contents))
    if not args.key:
        return made
    message = package.provenance_message(text.decode(), made)
    signed = gpg.clearsign(message, args.key, args.gpg, args.passphrase_file)
    return made._replace(provenance=signed)


def _write(made: "Package", args: Namespace) -> None:
    from chartgen.gitops import package
    from chartgen.world import archives

    archives.write(args.output_dir, {made.file: made.content}, force=args.force)
    if made.provenance:
        # A signature has a time in it, and so is another one each time.
        signed = {f"{made.file}.prov": made.provenance.encode()}
        archives.write(args.output_dir, signed, force=True)
    _say(args, f"{os.path.join(args.output_dir, made.file)}  sha256:{made.digest}")
    if args.oci:
        folder = os.path.join(args.oci, made.metadata["name"])
        before = archives.text(os.path.join(folder, "index.json"))
        archives.write(folder, package.oci_layout(made, before), force=True)
        _say(args, f"{folder}  an OCI layout")


def _index(folder: str, url: str) -> str:
    """index.yaml of all packages in a directory."""
    from chartgen.gitops import package
    from chartgen.syntax.yaml import reader as yaml_reader
    from chartgen.verify.source import read_package
    from chartgen.world import archives

    found = []
    for name, content in archives.packages(folder):
        for path, text in read_package(content, name):
            if path.count("/") == 1 and path.endswith(f"/{package.CHART}"):
                metadata = yaml_reader.read(text, f"{name}:{path}")[0].data
                found.append(package.Package(metadata, content))
    return package.index(found, url)


def _say(args: Namespace, line: str) -> None:
    if not args.quiet:
        screen.out(f"{line}\n")
