"""The files of a chart on disk: write them, all or nothing; compare them with what is there."""

import errno
import os
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from chartgen.errors import WorldError
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Literal
from chartgen.world import atomic

MANIFEST = atomic.MANIFEST

_HEADER = "# Files chartgen wrote here (CRC-32, path); it keeps all others as they are."
# The words before a path, by the header; earlier versions also wrote the size of each file.
_BEFORE_PATH = {_HEADER: 1, _HEADER.replace("CRC-32", "CRC-32, bytes"): 2}
_ADVICE = {
    errno.ENOSPC: "; free some space there, or name another directory",
    errno.EDQUOT: "; free some of your quota there, or name another directory",
    errno.EACCES: "; change the permissions there, or name another directory",
    errno.EPERM: "; change the permissions there, or name another directory",
    errno.EROFS: "; name a directory that can be written",
    errno.ENAMETOOLONG: "; choose a shorter name or directory",
    errno.EBUSY: "; it is in use, perhaps as a mount point: name another directory",
    errno.ETIMEDOUT: "; try again when it is done",
    errno.ENOTEMPTY: "; move it away, or name another directory",
}
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # flags of a new file
_NO_NAMES = frozenset(("", ".", ".."))  # that a step of a path may have
_Kind = Literal["missing", "changed", "stale", "half merged"]


class Difference(NamedTuple):
    """One file that is not on disk as it would be written; a text that is not there is empty."""

    path: str
    kind: _Kind
    old: str
    new: str


class _ChartOnDisk(NamedTuple):
    """What a chart's directory holds now, by relative path."""

    folders: dict[str, int]  # with their modes; the directory itself is ""
    leaves: dict[str, os.DirEntry[str]]  # all else, symbolic links too
    sums: dict[str, str] | None = None  # what the manifest says we wrote
    contents: Mapping[str, bytes] = {}  # of the regular files that we wrote or would write


def write(target: str, files: Mapping[str, str], *, force: bool = False) -> list[str]:
    """Make the directory hold these files, all or nothing; the paths that changed.

    Files that others put there stay.
    """
    wanted = _encode(files)
    # A symbolic link stays, and the chart is written where it points.
    real = os.path.realpath(target)
    with _explain_errors("write", target, real), atomic.alone(real) as place:
        chart = _look(real, wanted)
        changes = _changes(chart, wanted)
        if changes and os.path.islink(target) and chart.sums is None and _occupied(chart):
            raise WorldError(
                f"{target} is a link to {real}, which chartgen did not create; name that directory "
                "itself, or another"
            )
        if changes and not force:
            _refuse_losses(target, chart, wanted)
        if changes:
            place.replace(lambda new: _build(new, chart, wanted))
    return [f"{target}/{path}" for path in changes]


def compare(target: str, files: Mapping[str, str]) -> list[Difference]:
    """What `write` would change; files that others put there are no difference. Touches nothing."""
    wanted = _encode(files)
    real = os.path.realpath(target)
    with _explain_errors("read", target, real):
        return _differences(target, _look(real, wanted), wanted)


def text(target: str, path: str) -> str | None:
    """The text of a file that may be in a chart; None if it is not there, or cannot be read."""
    try:
        with open(os.path.join(target, path), encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return None


def edited(target: str) -> list[str]:
    """The files of a chart that are not as chartgen wrote them: changed by hand, or removed."""
    chart = _look_at(target)
    sums = chart.sums or {}
    return sorted(path for path in sums if _sum(chart.contents.get(path, b"")) != sums[path])


def written(target: str) -> list[str] | None:
    """The files below a directory that chartgen wrote, by its own list; None if there is no list.

    Whatever the list names outside of the directory, or beyond a link in it, is not among them.
    """
    chart = _look_at(target)
    return sorted((chart.leaves.keys() & chart.sums.keys()) - {MANIFEST}) if chart.sums else None


def _look_at(target: str) -> _ChartOnDisk:
    real = os.path.realpath(target)
    with _explain_errors("read", target, real):
        return _look(real, {})


def diff(differences: Iterable[Difference]) -> str:
    """The differences as a unified diff, from what is on disk to what would be written."""
    import difflib  # only --diff needs it

    lines: list[str] = []
    for path, kind, old, new in differences:
        before = "/dev/null" if kind == "missing" else path
        after = "/dev/null" if kind == "stale" else path
        lines += difflib.unified_diff(_lines(old), _lines(new), before, after)
    return "".join(lines)


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")  # splitlines would also split at form feeds and the like
    lines = [f"{line}\n" for line in lines]
    if last:
        lines.append(f"{last}\n\\ No newline at end of file\n")
    return lines


def _encode(files: Mapping[str, str]) -> dict[str, bytes]:
    """The bytes of every file to write, the manifest among them."""
    _check_paths(tuple(files))
    wanted = {path: text.encode() for path, text in files.items()}
    rows = (f"{_sum(content)} {path}" for path, content in sorted(wanted.items()))
    wanted[MANIFEST] = "\n".join([_HEADER, *rows, ""]).encode()
    return wanted


@lru_cache(100)  # the charts of many jobs have the same files
def _check_paths(paths: tuple[str, ...]) -> None:
    """Raise an error, which is our bug, if these cannot be the files of a chart."""
    for path in paths:
        leaves = not _NO_NAMES.isdisjoint(path.split("/"))
        if path == MANIFEST or "\n" in path or "\\" in path or leaves:
            raise ValueError(f"not a path inside a chart: {path!r}")
    if clash := sorted({*paths} & _parents(paths)):
        raise ValueError(f"both a file and a directory: {', '.join(clash)}")


def _sum(content: bytes) -> str:
    # The sum protects hand edits from accidents, not from malice: CRC-32 suffices, and importing
    # hashlib would take ten times as long.
    return f"{crc32(content):08x}"


def _parents(paths: Iterable[str]) -> set[str]:
    parents: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in parents:
            parents.add(path)
    return parents


@lru_cache(100)  # as above
def _folders(paths: tuple[str, ...]) -> frozenset[str]:
    """The directories of a chart with these files, and the chart's own."""
    return frozenset({"", *_parents(paths)})


def _look(root: str, wanted: Mapping[str, bytes]) -> _ChartOnDisk:
    chart = _ChartOnDisk({}, {})
    if not atomic.exists(root):
        return chart
    _list(root, "", chart)
    sums = _sums(chart.leaves)
    contents = {}
    for path, entry in chart.leaves.items():
        if path in wanted or path in (sums or {}):
            content = _content(entry)
            if content is not None:
                contents[path] = content
    return chart._replace(sums=sums, contents=contents)


def _list(root: str, folder: str, chart: _ChartOnDisk) -> None:
    place = os.path.join(root, folder) if folder else root
    with os.scandir(place) as entries:
        chart.folders[folder] = os.stat(place).st_mode
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                _list(root, path, chart)
            else:
                chart.leaves[path] = entry


def _content(entry: os.DirEntry[str]) -> bytes | None:
    if not entry.is_file(follow_symlinks=False):
        return None
    with open(entry.path, "rb") as stream:
        return stream.read()


def _sums(leaves: Mapping[str, os.DirEntry[str]]) -> dict[str, str] | None:
    """The sum of each path, by the manifest; None if it is missing or broken."""
    content = _content(leaves[MANIFEST]) if MANIFEST in leaves else None
    if _is_half_merged(content):
        return _sums_of_both_sides(content or b"")
    try:
        header, *lines, end = (content or b"").decode().split("\n")
        before = _BEFORE_PATH[header]
        sums = {}
        for line in lines:
            *words, path = line.split(" ", before)
            sums[path] = words[0]
    except (IndexError, KeyError, ValueError):
        return None
    return None if end else sums


def _is_half_merged(content: bytes | None) -> bool:
    """Whether Git left both sides of a conflict in a file."""
    return content is not None and b"\n<<<<<<< " in b"\n" + content


def _sums_of_both_sides(manifest: bytes) -> dict[str, str]:
    """Every path that either side wrote; which content is whose cannot be known."""
    sums = {}
    for line in manifest.decode(errors="replace").split("\n"):
        crc, _, rest = line.partition(" ")
        size, _, path = rest.partition(" ")  # as earlier versions wrote it
        if len(crc) == 8 and rest:
            sums[path if size.isdecimal() and path else rest] = ""
    return sums


def _changes(chart: _ChartOnDisk, wanted: Mapping[str, bytes]) -> dict[str, _Kind]:
    """The paths that writing would change, and how."""
    changes: dict[str, _Kind] = {}
    if not chart.leaves and len(wanted) > 1:  # a new chart, as most are
        return dict.fromkeys(sorted(wanted.keys() - {MANIFEST}), "missing")
    stale = chart.leaves.keys() & (chart.sums or {}).keys() - wanted.keys()
    for path in [*sorted({*wanted, *stale} - {MANIFEST}), MANIFEST]:
        if chart.contents.get(path) == wanted.get(path) and path not in stale:
            continue
        if path == MANIFEST and changes:  # it always changes with the others
            continue
        changes[path] = "missing" if path not in chart.leaves else "changed"
        if path in stale:
            changes[path] = "stale"
    return changes


def _differences(target: str, chart: _ChartOnDisk, wanted: Mapping[str, bytes]) -> list[Difference]:
    differences = []
    for path, kind in _changes(chart, wanted).items():
        contents = (chart.contents.get(path), wanted.get(path))
        if kind == "changed" and _is_half_merged(contents[0]):
            kind = "half merged"
        old, new = ((content or b"").decode(errors="replace") for content in contents)
        differences.append(Difference(os.path.join(target, path), kind, old, new))
    return differences


def _occupied(chart: _ChartOnDisk) -> bool:
    return len(chart.leaves) + len(chart.folders) > 1


def _refuse_losses(target: str, chart: _ChartOnDisk, wanted: Mapping[str, bytes]) -> None:
    """Raise an error that names the hand edits that would be lost."""
    marked = [path for path, content in chart.contents.items() if _is_half_merged(content)]
    if marked:
        raise WorldError(
            f"{target} is half merged: there are conflict markers in {', '.join(sorted(marked))}; "
            "use --force to write all its files again from the job description"
        )
    if chart.sums is None and _occupied(chart):
        raise WorldError(
            f"{target} exists, but chartgen did not create it (no readable {MANIFEST} in it); name "
            "another directory, or use --force to write into it; files with other names are kept"
        )
    lost = {path for path, content in chart.contents.items() if content != wanted.get(path)}
    lost = {path for path in lost if _sum(chart.contents[path]) != (chart.sums or {}).get(path)}
    lost |= chart.leaves.keys() - chart.contents.keys() - _theirs(chart, wanted)
    if lost := lost - {MANIFEST}:
        raise WorldError(
            f"{target} has files changed by hand that would be lost: {', '.join(sorted(lost))}; "
            "move the changes to the job description or to files with other names, or use --force "
            "to overwrite them"
        )


def _theirs(chart: _ChartOnDisk, wanted: Mapping[str, bytes]) -> set[str]:
    """The files and empty directories of others that can stay: none of ours needs their place."""
    if not chart.folders:  # there is no directory yet
        return set()
    sums = chart.sums or {}
    empty = chart.folders.keys() - {""} - _parents(chart.leaves) - _parents(sums)
    others = (chart.leaves.keys() | empty) - wanted.keys() - sums.keys() - _parents(wanted)
    return {path for path in others if wanted.keys().isdisjoint(_parents([path]))}


def _build(new: str, chart: _ChartOnDisk, wanted: Mapping[str, bytes]) -> None:
    theirs = _theirs(chart, wanted)
    same = {path for path, content in chart.contents.items() if content == wanted.get(path)}
    folders = _folders(tuple(wanted)) | (theirs & chart.folders.keys()) | _parents(theirs)
    for folder in sorted(folders):
        mode = chart.folders.get(folder, 0o777) & 0o777
        os.mkdir(os.path.join(new, folder), mode | 0o700)  # we must be able to write into it
        if not folder:  # by which we know our own, should this run be killed
            _create(f"{new}/{MANIFEST}", wanted[MANIFEST])
    for path in (theirs | same) & chart.leaves.keys() - {MANIFEST}:
        atomic.keep(chart.leaves[path].path, os.path.join(new, path))
    for path in wanted.keys() - same - {MANIFEST}:
        _create(f"{new}/{path}", wanted[path])


def _create(path: str, content: bytes) -> None:
    """Write a new file; without Python's streams, which take longer than the disk does."""
    handle = os.open(path, _NEW, 0o666)
    try:
        while content:
            content = content[os.write(handle, content) :]
    finally:
        os.close(handle)


@contextmanager
def _explain_errors(verb: str, target: str, real: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorldError(_explanation(verb, target, real, error)) from error


def _explanation(verb: str, target: str, real: str, error: OSError) -> str:
    place = target
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        while place and not os.path.lexists(place):
            place = os.path.dirname(place)
        advice = "move it away, or name another directory"
        return f"cannot {verb} {target}: '{place}' is not a directory; {advice}"
    if isinstance(error.filename, str) and error.filename.startswith(real + os.sep):
        place = os.path.join(target, os.path.relpath(error.filename, real))
    return f"cannot {verb} {place}: {error.strerror or error}{_ADVICE.get(error.errno or 0, '')}"
