"""The charts a command is given: a directory, a package, or jobs that are rendered on the way; each in a directory."""

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from chartgen.errors import InputError, Mark, Problem, WorldError
from chartgen.syntax import yaml_reader as yaml
from chartgen.world import files as tree

LARGEST = 100 * 2**20  # bytes of all files in a package; Helm takes no more
_LIMIT = 20 * 2**20  # bytes of a package
_GZIP = b"\x1f\x8b"


class Chart(NamedTuple):
    """A chart on disk, and what it is called."""

    name: str
    version: str
    folder: str
    shown: str  # the folder as people are told of it
    about: str  # where it comes from, if not from there
    library: bool = False  # for other charts to use; it makes no objects
    ours: bool = False  # made on the way, of a job
    warnings: tuple[Problem, ...] = ()

    def read(self, path: str) -> bytes:
        """One of its files."""
        return tree.read(os.path.join(self.folder, path), LARGEST)

    def files(self) -> list[str]:
        """The paths of its files, sorted."""
        found = (os.path.join(place, file) for place, _, files in os.walk(self.folder) for file in files)
        return sorted(os.path.relpath(path, self.folder).replace(os.sep, "/") for path in found)

    def ci(self) -> list[str]:
        """The files with values to test it with, as chart-testing looks for them."""
        return [path for path in self.files() if path.startswith("ci/") and path.endswith("-values.yaml")]


def opened(path: str, place: str, args: Namespace) -> Iterator[Chart]:
    """The charts that a path means; what has to be written for them goes below a place."""
    if path != "-" and os.path.isdir(path):
        yield _described(path, path, "")
    elif path != "-" and _packed(path):
        target = os.path.join(place, "package")
        name = _unpack(path, target)
        yield _described(os.path.join(target, name), f"{path}:{name}", f"from {path}")
    else:
        yield from _rendered(path, place, args)


def _packed(path: str) -> bool:
    """Whether a file is a package: by its first bytes, or by its name if it cannot be read."""
    if path.endswith((".tgz", ".tar.gz")):
        return True
    try:
        with open(path, "rb") as stream:
            return stream.read(2) == _GZIP
    except OSError:
        return False


def unpacked(package: bytes, file: str) -> Iterator[tuple[str, bytes]]:
    """The files of a package; links, devices and paths that lead out of it are not unpacked but refused."""
    import io
    import tarfile
    import zlib

    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(package), mode="r:gz") as archive:
            for member in archive:
                total += member.size
                if total > LARGEST:
                    _reject(file, f"the package holds more than {LARGEST:,} bytes", "too-large")
                if member.isdir():
                    continue
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is None or not _inside(member.name):
                    _reject(file, f"{member.name!r} is no file inside the chart", "package", "make it by helm package")
                yield member.name, stream.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        _reject(file, f"this is no package of a chart: {error}", "package", "make one by: helm package CHART")


def _inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/") and "\\" not in name and "\0" not in name


def _unpack(path: str, target: str) -> str:
    """Unpack a chart into a directory, and give the name of its own in there."""
    tops = set()
    for name, content in unpacked(tree.read(path, _LIMIT), path):
        place = os.path.join(target, *name.split("/"))
        tops.add(name.removeprefix("./").partition("/")[0])
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as stream:
                stream.write(content)
        except OSError as error:
            raise WorldError(f"cannot unpack {path}: {error.strerror}") from error
    if len(tops) != 1:
        _reject(path, f"expected one directory in the package, got {len(tops)}", "package", "make it by helm package")
    return tops.pop()


def _described(folder: str, shown: str, about: str) -> Chart:
    """A chart by what its Chart.yaml says."""
    file = os.path.join(folder, "Chart.yaml")
    if not os.path.exists(file):
        _reject(shown, "there is no Chart.yaml in it; expected a chart", "no-chart")
    named = os.path.join(shown, "Chart.yaml")
    data: Any = yaml.read(tree.read(file, LARGEST), named)[0].data
    for field in ("name", "version"):
        if not isinstance(data, dict) or not isinstance(data.get(field), str):
            raise InputError([Problem(Mark(named), f"there is no {field!r} in it; expected the chart's", "no-chart")])
    return Chart(data["name"], data["version"], folder, shown, about, data.get("type") == "library")


def _rendered(path: str, place: str, args: Namespace) -> Iterator[Chart]:
    from chartgen import pipeline
    from chartgen import sources as inputs  # a chart does without the core

    found = inputs.gather([path], strict=args.strict, quiet=True, form=args.form, define=args.define)
    if found.broken:
        raise InputError(found.problems)
    names = {one.checked.job.name: one.checked.name for one in found.found}
    for one in found.found:
        if one.checked.name != names[one.checked.job.name]:
            message = f"two jobs are named {one.checked.job.name!r}; expected names that differ"
            raise InputError([Problem(one.checked.name, message, "duplicate-name")])
        folder = os.path.join(place, one.checked.job.name)
        tree.write(folder, pipeline.render(one.checked))
        about = f"rendered from {tree.STDIN if path == '-' else path}"
        yield _described(folder, one.checked.job.name, about)._replace(warnings=one.checked.warnings, ours=True)


def _reject(file: str, message: str, rule: str, hint: str = "") -> NoReturn:
    raise InputError([Problem(Mark(file, 0, 0), message, rule, hint)])
