"""Files on disk: write a chart whole or not at all, compare it with what is there, read an input."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO, Literal, NamedTuple, NoReturn

from chartgen.errors import InputError, Mark, Problem, WorldError
from chartgen.world import atomic as swap

MANIFEST = ".chartgen"
STDIN = "<stdin>"

_HEADER = "# Files chartgen wrote here (CRC-32, bytes, path); it keeps all others as they are."
_ADVICE = {
    errno.ENOSPC: "; free some space there, or name another directory",
    errno.EDQUOT: "; free some of your quota there, or name another directory",
    errno.EACCES: "; change the permissions there, or name another directory",
    errno.EPERM: "; change the permissions there, or name another directory",
    errno.EROFS: "; name a directory that can be written",
    errno.ENAMETOOLONG: "; choose a shorter name or directory",
    errno.EBUSY: "; it is in use, perhaps as a mount point: name another directory",
    errno.ETIMEDOUT: "; try again when it is done",
}
_Kind = Literal["missing", "changed", "stale"]


class Difference(NamedTuple):
    """One file that is not on disk as it would be written; a text that is not there is empty."""

    path: str
    kind: _Kind
    old: str
    new: str


class _Chart(NamedTuple):
    """What a chart's directory holds now, by relative path."""

    folders: dict[str, int]  # with their modes; the directory itself is ""
    leaves: dict[str, os.DirEntry[str]]  # all else, symbolic links too
    sums: dict[str, str] | None = None  # what the manifest says we wrote
    contents: Mapping[str, bytes] = {}  # of the regular files that we wrote or would write


def write(target: str, files: Mapping[str, str], *, force: bool = False) -> list[str]:
    """Make the directory hold these files, all or nothing, beside what others put there; gives what paths changed."""
    wanted = _wanted(files)
    real = os.path.realpath(target)  # a symbolic link stays, and the chart is written where it points
    with _explained("write", target, real), swap.alone(real) as place:
        chart = _look(real, wanted)
        differences = _differences(target, chart, wanted)
        if differences and not force:
            _refuse_losses(target, chart, wanted)
        if differences:
            place.replace(lambda new: _build(new, chart, wanted))
    return [difference.path for difference in differences]


def compare(target: str, files: Mapping[str, str]) -> list[Difference]:
    """What `write` would change; files that others put there are no difference. Touches nothing."""
    wanted = _wanted(files)
    real = os.path.realpath(target)
    with _explained("read", target, real):
        return _differences(target, _look(real, wanted), wanted)


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
    return [line + "\n" for line in lines] + ([f"{last}\n\\ No newline at end of file\n"] if last else [])


def read(path: str, limit: int, stdin: BinaryIO | None = None) -> bytes:
    """The bytes of an input file, or of the given stream for `-`; what is wrong with it is an InputError."""
    name = STDIN if path == "-" and stdin else path
    try:
        if path == "-" and stdin:
            return _read(name, limit, stdin)
        with open(path, "rb") as stream:
            if (size := os.fstat(stream.fileno()).st_size) > limit:
                _reject(name, f"the file has {size:,} bytes, more than the limit of {_size(limit)}", "too-large")
            return _read(name, limit, stream)
    except IsADirectoryError:
        _reject(name, "this is a directory, not a file", "not-a-file", "name the files in it")
    except (FileNotFoundError, NotADirectoryError):
        _reject(name, "there is no such file", "no-such-file", _nearest(path))
    except OSError as error:
        _reject(name, f"the file cannot be read: {error.strerror}", "unreadable")


def _read(name: str, limit: int, stream: BinaryIO) -> bytes:
    content = stream.read(limit + 1)  # pipes and devices do not tell their size
    if len(content) > limit:
        _reject(name, f"the input goes on beyond the limit of {_size(limit)}", "too-large")
    return content


def _reject(file: str, message: str, rule: str, hint: str = "") -> NoReturn:
    raise InputError([Problem(Mark(file), message, rule, hint)]) from None


def _size(count: int) -> str:
    return f"{count:,} bytes ({count / (1 << 20):.3g} MiB)"


def _nearest(path: str) -> str:
    """A hint at the file that was meant: the one with the nearest name in the same directory."""
    import difflib  # only this message needs it

    folder, name = os.path.split(path)
    try:
        stems = {os.path.splitext(one)[0]: one for one in sorted(os.listdir(folder or "."), reverse=True)}
    except OSError:
        return f"there is no directory '{folder}'"
    # Without what all files of a kind end in, or any two of them would look alike.
    near = difflib.get_close_matches(os.path.splitext(name)[0], sorted(stems), 1)
    return f"did you mean '{os.path.join(folder, stems[near[0]])}'?" if near else ""


def _wanted(files: Mapping[str, str]) -> dict[str, bytes]:
    """The bytes of every file to write, the manifest among them."""
    for path in files:
        if path == MANIFEST or "\n" in path or "\\" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
            raise ValueError(f"not a path inside a chart: {path!r}")
    if clash := sorted(files.keys() & _parents(files)):
        raise ValueError(f"both a file and a directory: {', '.join(clash)}")
    wanted = {path: text.encode() for path, text in files.items()}
    rows = (f"{_sum(content)} {path}" for path, content in sorted(wanted.items()))
    wanted[MANIFEST] = "\n".join([_HEADER, *rows, ""]).encode()
    return wanted


def _sum(content: bytes) -> str:
    # The sum guards hand edits against accidents, not against malice: CRC-32 and the size do, and
    # importing hashlib would cost every run ten times as much as this.
    from binascii import crc32

    return f"{crc32(content):08x} {len(content)}"


def _parents(paths: Iterable[str]) -> set[str]:
    parents = set()
    for path in paths:
        while path := path.rpartition("/")[0]:
            parents.add(path)
    return parents


def _look(root: str, wanted: Mapping[str, bytes]) -> _Chart:
    chart = _Chart({}, {})
    if not swap.exists(root):
        return chart
    _list(root, "", chart)
    sums = _sums(chart.leaves)
    ours = (path for path in chart.leaves if path in wanted or path in (sums or {}))
    contents = ((path, _content(chart.leaves[path])) for path in ours)
    return chart._replace(sums=sums, contents={path: content for path, content in contents if content is not None})


def _list(root: str, folder: str, chart: _Chart) -> None:
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
    """Path -> sum as the manifest says; None if there is none, or one that we did not write (a merge conflict)."""
    content = _content(leaves[MANIFEST]) if MANIFEST in leaves else None
    try:
        header, *rows, end = (content or b"").decode().split("\n")
        sums = {path: f"{crc} {size}" for crc, size, path in (row.split(" ", 2) for row in rows)}
    except ValueError:
        return None
    return sums if header == _HEADER and not end else None


def _differences(target: str, chart: _Chart, wanted: Mapping[str, bytes]) -> list[Difference]:
    found: list[Difference] = []
    stale = chart.leaves.keys() & (chart.sums or {}).keys() - wanted.keys()
    for path in [*sorted({*wanted, *stale} - {MANIFEST}), MANIFEST]:
        old, new = chart.contents.get(path), wanted.get(path)
        if (old == new and path not in stale) or (path == MANIFEST and found):  # it always changes with the others
            continue
        kind: _Kind = "stale" if path in stale else "changed" if path in chart.leaves else "missing"
        texts = [(content or b"").decode(errors="replace") for content in (old, new)]
        found.append(Difference(os.path.join(target, path), kind, *texts))
    return found


def _refuse_losses(target: str, chart: _Chart, wanted: Mapping[str, bytes]) -> None:
    """Hand edits are precious: say what would be lost instead of writing."""
    if chart.sums is None and len(chart.leaves) + len(chart.folders) > 1:
        raise WorldError(
            f"{target} exists and chartgen did not make it (it holds no {MANIFEST} that chartgen can read); "
            "name another directory, or use --force to write into it, which keeps the files of other names"
        )
    lost = {path for path, content in chart.contents.items() if content != wanted.get(path)}
    lost = {path for path in lost if _sum(chart.contents[path]) != (chart.sums or {}).get(path)}
    lost |= chart.leaves.keys() - chart.contents.keys() - _theirs(chart, wanted)
    if lost := lost - {MANIFEST}:
        raise WorldError(
            f"{target} holds files changed by hand that would be lost: {', '.join(sorted(lost))}; move the "
            "changes to the job description or to files of other names, or use --force to overwrite them"
        )


def _theirs(chart: _Chart, wanted: Mapping[str, bytes]) -> set[str]:
    """The files and empty directories of others that can stay, since they are not in the way of ours."""
    sums = chart.sums or {}
    empty = chart.folders.keys() - {""} - _parents(chart.leaves) - _parents(sums)
    others = (chart.leaves.keys() | empty) - wanted.keys() - sums.keys() - _parents(wanted)
    return {path for path in others if wanted.keys().isdisjoint(_parents([path]))}


def _build(new: str, chart: _Chart, wanted: Mapping[str, bytes]) -> None:
    theirs = _theirs(chart, wanted)
    same = {path for path, content in chart.contents.items() if content == wanted.get(path)}
    for folder in sorted({""} | (theirs & chart.folders.keys()) | _parents(theirs | wanted.keys())):
        mode = chart.folders.get(folder, 0o777) & 0o777 | 0o700  # what is closed to others stays so; we must get in
        os.mkdir(os.path.join(new, folder), mode)
    for path in (theirs | same) & chart.leaves.keys():
        swap.keep(chart.leaves[path].path, os.path.join(new, path))
    for path in wanted.keys() - same:
        with open(os.path.join(new, path), "xb") as stream:
            stream.write(wanted[path])


@contextmanager
def _explained(verb: str, target: str, real: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorldError(_explanation(verb, target, real, error)) from error


def _explanation(verb: str, target: str, real: str, error: OSError) -> str:
    place = target
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        while place and not os.path.lexists(place):
            place = os.path.dirname(place)
        return f"cannot {verb} {target}: '{place}' is not a directory; move it away, or name another directory"
    if isinstance(error.filename, str) and error.filename.startswith(real + os.sep):
        place = os.path.join(target, os.path.relpath(error.filename, real))
    return f"cannot {verb} {place}: {error.strerror or error}{_ADVICE.get(error.errno or 0, '')}"
