"""Open the charts to test: a directory, a package, or jobs that are rendered; each on disk."""

import os
import re
from collections.abc import Callable, Iterator, Mapping

from chartgen import pipeline, sources
from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem, WorldError
from chartgen.gitops import package
from chartgen.gitops.package import CHART
from chartgen.sources import SourceOptions
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any, BinaryIO, NoReturn
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.world import files
from chartgen.world.files import inputs, temporary

LARGEST = 100 * 2**20  # bytes of all files in a package; Helm accepts no more
_LARGEST_PACKAGE = 20 * 2**20  # bytes of the package itself
_GZIP = b"\x1f\x8b"
_FILE = "file://"
_IGNORE = ".helmignore"
_STEP = re.compile(r"[^/\\\0]+")
_PACKAGE_HINT = "make one with: helm package CHART"

# How the jobs of a word are read, beside what a command line says.
WordReader = Callable[[str, SourceOptions], SourceOptions]


class Chart(NamedTuple):
    """A chart on disk, and what it is called."""

    name: str
    version: str
    folder: str
    shown: str  # the folder as people know it
    origin: str  # where it comes from, if not from there
    library: bool = False  # for other charts to use; it renders no objects
    document: Document | None = None  # the job description that it was rendered from
    warnings: tuple[Problem, ...] = ()

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return inputs.read(os.path.join(self.folder, path), LARGEST)

    def files(self) -> list[str]:
        """The paths of all files, sorted."""
        paths = []
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.folder)
                paths.append(path.replace(os.sep, "/"))
        return sorted(paths)

    def packed(self) -> dict[str, bytes]:
        """The files that belong into a package, and into Helm's record of a release."""
        paths = self.files()
        # As the names of files are read: what is not UTF-8 in both is the same.
        ignore = self.read(_IGNORE).decode(errors="surrogateescape") if _IGNORE in paths else ""
        return {path: self.read(path) for path in package.select_files(paths, ignore)}

    def ci_values(self) -> list[str]:
        """The values files to test the chart with, where chart-testing looks for them."""
        paths = []
        for path in self.files():
            if path.startswith("ci/") and path.endswith("-values.yaml"):
                paths.append(path)
        return paths


def read_plainly(_word: str, options: SourceOptions) -> SourceOptions:
    """How jobs are read that are in no project."""
    return options


def open_charts(
    path: str, folder: str, options: SourceOptions, stdin: BinaryIO | None
) -> Iterator[Chart]:
    """The charts that a path means; files that have to be written for them go into the folder."""
    if path != "-" and os.path.isdir(path):
        yield _with_dependencies(_read_chart(path, path, ""), os.path.join(folder, "copy"))
    elif path != "-" and _is_package(path):
        target = os.path.join(folder, "package")
        name = _unpack(path, target)
        yield _read_chart(os.path.join(target, name), f"{path}:{name}", f"from {path}")
    else:
        yield from _render_jobs(path, folder, options, stdin)


def _with_dependencies(chart: Chart, target: str) -> Chart:
    """The chart, or a copy of it that has the charts beside it that it depends on.

    This is what `helm dependency build` does, which would write into the chart itself.
    """
    missing = []
    for dependency in _dependencies(chart):
        name, address = str(dependency.get("name")), str(dependency.get("repository", ""))
        paths = [f"{name}/", f"{name}-{dependency.get('version')}.tgz"]
        known = [path.removeprefix("charts/") for path in chart.files()]
        if address.startswith(_FILE) and not any(path.startswith(tuple(paths)) for path in known):
            _check_step(name, os.path.join(chart.shown, CHART), "the name of a chart")
            source = os.path.join(chart.folder, address.removeprefix(_FILE))
            missing.append((name, os.path.normpath(source)))
    if not missing:
        return chart
    copy = os.path.join(target, chart.name)
    temporary.copy_tree(chart.folder, copy)
    for name, source in missing:
        if not os.path.isdir(source):
            message = f"no chart in {source}, which this chart depends on"
            hint = "render the job again, or run: helm dependency build"
            _reject(os.path.join(chart.shown, CHART), message, "chart-dependency", hint)
        temporary.copy_tree(source, os.path.join(copy, "charts", name))
    return chart._replace(folder=copy)


def _dependencies(chart: Chart) -> list[Mapping[str, Any]]:
    listed = read_metadata(chart.read(CHART), f"{chart.shown}/{CHART}").get("dependencies")
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _is_package(path: str) -> bool:
    """Whether a file is a package: by its first bytes, or by its name if it cannot be read."""
    if path.endswith((".tgz", ".tar.gz")):
        return True
    try:
        with open(path, "rb") as stream:
            return stream.read(2) == _GZIP
    except OSError:
        return False


def read_package(content: bytes, file: str) -> Iterator[tuple[str, bytes]]:
    """The files of a package; links, devices and paths that lead out of it are refused."""
    import gzip
    import io
    import tarfile
    import zlib

    too_large = f"the package holds more than {LARGEST:,} bytes"
    total = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            plain = packed.read(2 * LARGEST)  # headers come in addition, and could be of any size
        if len(plain) == 2 * LARGEST:
            _reject(file, too_large, "file-too-large")
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            for member in archive:
                total += member.size
                if total > LARGEST:
                    _reject(file, too_large, "file-too-large")
                if member.size < 0:  # what follows would be looked for before it, without end
                    raise ValueError(f"{member.name!r} has a negative size")
                if member.isdir():
                    continue
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is None or not _is_inside(member.name):
                    message = f"{member.name!r} is not a file inside the chart"
                    _reject(file, message, "chart-package-invalid", _PACKAGE_HINT)
                yield member.name, stream.read()
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as error:
        _reject(file, f"not a chart package: {error}", "chart-package-invalid", _PACKAGE_HINT)


def _is_inside(name: str) -> bool:
    steps = name.split("/")
    return steps[0] != "" and ".." not in steps and "\\" not in name and "\0" not in name


def _unpack(path: str, target: str) -> str:
    """Unpack a package into a directory; gives the name of the chart's own directory in there."""
    tops = set()
    for name, content in read_package(inputs.read(path, _LARGEST_PACKAGE), path):
        file = os.path.join(target, *name.split("/"))
        tops.add(name.removeprefix("./").partition("/")[0])
        try:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as stream:
                stream.write(content)
        except OSError as error:
            raise WorldError(f"cannot unpack {path}: {error.strerror}") from error
    if len(tops) != 1:
        message = f"expected one directory in the package, got {len(tops)}"
        _reject(path, message, "chart-package-invalid", _PACKAGE_HINT)
    return tops.pop()


def _read_chart(folder: str, shown: str, origin: str) -> Chart:
    """A chart, by its Chart.yaml."""
    file = os.path.join(folder, CHART)
    if not os.path.exists(file):
        _reject(shown, "it has no Chart.yaml; expected a chart", "chart-missing")
    metadata = read_metadata(inputs.read(file, LARGEST), os.path.join(shown, CHART))
    library = metadata.get("type") == "library"
    return Chart(metadata["name"], metadata["version"], folder, shown, origin, library)


def read_metadata(text: bytes, file: str) -> dict[str, Any]:
    """What a Chart.yaml says; it has a name and a version, of which paths can be made."""
    data: Any = yaml_reader.read(text, file)[0].data
    for field in ("name", "version"):
        if not isinstance(data, dict) or not isinstance(data.get(field), str):
            message = f"it has no {field!r}; expected the chart's {field}"
            raise InputError([Problem(Mark(file), message, "chart-field-missing")])
        _check_step(data[field], file, f"the chart's {field}")
    return dict(data)


def _check_step(word: str, file: str, what: str) -> None:
    """Refuse a word by which a path would lead elsewhere."""
    if word in ("", ".", "..") or not _STEP.fullmatch(word):
        message = f"{word!r} cannot be part of a file's name; expected {what}"
        raise InputError([Problem(Mark(file), message, "chart-field-malformed")])


def _render_jobs(
    path: str, folder: str, options: SourceOptions, stdin: BinaryIO | None
) -> Iterator[Chart]:
    gathered = sources.gather([path], options, stdin=stdin)
    if gathered.broken:
        raise InputError(gathered.problems)
    if duplicates := list(sources.duplicate_names(gathered.names)):
        raise InputError(duplicates)
    origin = f"rendered from {inputs.STDIN if path == '-' else path}"
    for source in gathered.jobs:
        name = source.checked.job.name
        target = os.path.join(folder, name)
        files.write(target, pipeline.render(source.checked))
        chart = _read_chart(target, name, origin)
        yield chart._replace(warnings=source.checked.warnings, document=source.checked.document)


def _reject(file: str, message: str, rule: str, hint: str = "") -> NoReturn:
    raise InputError([Problem(Mark(file, 0, 0), message, rule, hint)])
