"""Package charts on disk, and write what goes with packages: an index, OCI layouts, provenance."""

import os
from collections.abc import Callable, Iterator, Sequence

from chartgen.errors import RefusedError, UsageError
from chartgen.gitops import package
from chartgen.gitops.package import Package
from chartgen.sources import SourceOptions
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import BinaryIO
from chartgen.verify import source
from chartgen.verify.source import Chart, WordReader, read_plainly
from chartgen.world import archives, gpg
from chartgen.world.files import temporary


class PackageOptions(NamedTuple):
    """Where packages go, and what is written beside them."""

    folder: str
    index_url: str | None = None  # of the repository, if there is to be an index
    oci: str = ""  # a directory for OCI layouts
    key: str = ""  # of GnuPG, to sign with
    gpg: str = ""
    passphrase_file: str = ""
    force: bool = False
    reading: WordReader = read_plainly


def write_packages(
    words: Sequence[str], options: PackageOptions, stdin: BinaryIO, tell: Callable[[str], None]
) -> None:
    """Package one chart after the other, then write what is about all of them."""
    with temporary.temporary_directory() as folder:
        for number, word in enumerate(words):
            for chart in _open(word, os.path.join(folder, str(number)), options, stdin):
                _write(_package(chart, options), options, tell)
    if options.index_url is not None:
        text = _index(options.folder, options.index_url)
        archives.write(options.folder, {"index.yaml": text.encode()}, force=True)
        tell(f"{options.folder}/index.yaml")


def _open(word: str, folder: str, options: PackageOptions, stdin: BinaryIO) -> Iterator[Chart]:
    if word.endswith((".tgz", ".tar.gz")):
        raise UsageError(f"{word} is already a package; expected a chart or a job")
    for chart in source.open_charts(word, folder, options.reading(word, SourceOptions()), stdin):
        if not chart.library:
            yield chart


def _package(chart: Chart, options: PackageOptions) -> Package:
    """The package of a chart, with its provenance if a key was named."""
    contents = chart.packed()
    text = contents[package.CHART]
    metadata = source.read_metadata(text, f"{chart.shown}/{package.CHART}")
    made = Package(metadata, archives.pack(chart.name, contents))
    if not options.key:
        return made
    message = package.provenance_message(text.decode(), made)
    signed = gpg.clearsign(message, options.key, options.gpg, options.passphrase_file)
    return made._replace(provenance=signed)


def _write(made: Package, options: PackageOptions, tell: Callable[[str], None]) -> None:
    archives.write(options.folder, {made.file: made.content}, force=options.force)
    if made.provenance:
        # A signature has a time in it, and so is another one each time.
        signed = {f"{made.file}.prov": made.provenance.encode()}
        archives.write(options.folder, signed, force=True)
    place = os.path.join(options.folder, made.file)
    tell(f"{place}  sha256:{made.digest}")
    if made.provenance:
        tell(f"{place}.prov  signed with {options.key}")
    if options.oci:
        folder = os.path.join(options.oci, made.metadata["name"])
        index = os.path.join(folder, "index.json")
        try:
            layout = package.oci_layout(made, archives.text(index))
        except ValueError as error:
            message = f"{index} is not the index of an OCI layout ({error}); move it away"
            raise RefusedError(message) from error
        archives.write(folder, layout, force=True)
        tell(f"{folder}  an OCI layout")


def _index(folder: str, url: str) -> str:
    """index.yaml of all packages in a directory."""
    packages = []
    for name, content in archives.packages(folder):
        for path, text in source.read_package(content, name):
            if path.count("/") == 1 and path.endswith(f"/{package.CHART}"):
                metadata = source.read_metadata(text, f"{name}:{path}")
                packages.append(Package(metadata, content))
    return package.index(packages, url)
