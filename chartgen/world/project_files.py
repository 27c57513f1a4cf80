"""The files of a project: found by patterns, stamped to see what has changed, and removed."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from operator import attrgetter

from chartgen.errors import WorldError
from chartgen.world import files

_name = attrgetter("name")
MOST_FILES = 100_000  # that a directory or a pattern may mean; a whole disk has more
CACHE = ".chartgen_cache"
_STATE = "state.json"


def exists(path: str) -> bool:
    """Whether there is a file of this name."""
    return os.path.isfile(path)


def is_folder(path: str) -> bool:
    """Whether there is a directory of this name."""
    return os.path.isdir(path)


def join(root: str, path: str) -> str:
    """A path below the project's directory, as people would type it."""
    return os.path.normpath(os.path.join(root, path)).replace(os.sep, "/")


def list_folder(folder: str) -> list[str]:
    """The names of what is in a directory, sorted; nothing if there is none."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def matching(root: str, pattern: str) -> list[str]:
    """The files that a pattern means, relative to the root; hidden ones are left out.

    WorldError if there are too many: nobody meant `chartgen validate /`.
    """
    import glob

    if is_folder(os.path.join(root, pattern)):
        pattern = f"{pattern.rstrip('/')}/**"
    top, everything, _ = pattern.partition("**")
    if everything and pattern.endswith("**") and not glob.has_magic(top):
        paths = _below(root, top.rstrip("/"), set())
    else:
        paths = _files(root, glob.iglob(pattern, root_dir=root or None, recursive=True))
    relative = []
    for path in paths:
        relative.append(os.path.normpath(path).replace(os.sep, "/"))
        if len(relative) > MOST_FILES:
            where = os.path.join(root, pattern)
            message = f"{where}: more than {MOST_FILES:,} files; expected a smaller directory"
            raise WorldError(message)
    return sorted(relative)


def _files(root: str, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isfile(os.path.join(root, path)):
            yield path


def _below(root: str, folder: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    """All files below a directory, as glob finds them, in a tenth of the time; no loop of links."""
    place = os.path.join(root, folder) or "."
    try:
        status = os.stat(place)
        entries = [*os.scandir(place)]
    except OSError:
        return
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    for entry in entries:
        path = os.path.join(folder, entry.name)
        if entry.name.startswith("."):
            continue
        with suppress(OSError):  # a link to what nobody may see
            if entry.is_dir():
                yield from _below(root, path, seen)
            elif entry.is_file():
                yield path


def find_written(folder: str, names: Iterable[str]) -> list[str]:
    """The directories of these files that are charts, or that chartgen wrote; each ends with /."""
    folders = []
    for above in dict.fromkeys(name.rpartition("/")[0] for name in names):
        for name in ("Chart.yaml", files.MANIFEST):
            if os.path.isfile(os.path.join(folder, above, name)):
                folders.append(f"{above}/" if above else "")
    return folders


def above(folder: str, name: str) -> str:
    """The nearest directory above one that has a file of this name, as people would type it."""
    place = os.path.abspath(folder or ".")
    while place != (place := os.path.dirname(place)):
        if exists(os.path.join(place, name)):
            return os.path.relpath(place).replace(os.sep, "/")
    return ""


def content(path: str) -> bytes | None:
    """The bytes of a file; None if it is not there."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror}") from error


def stamp(folder: str) -> str:
    """What changes when any file below a directory is touched; empty if there is none.

    Reading the files would take ten times as long; git looks at the same numbers.
    """
    try:
        return f"{hash_of(_numbers(folder)):x}"
    except OSError:
        return ""


def _numbers(folder: str, above: str = "") -> list[str]:
    with os.scandir(folder) as entries:
        inside = sorted(entries, key=_name)
    numbers = []
    for entry in inside:
        name = entry.name
        if not entry.is_dir(follow_symlinks=False):
            stat = entry.stat(follow_symlinks=False)
            times = f"{stat.st_mtime_ns} {stat.st_ctime_ns}"
            numbers.append(f"{above}{name} {stat.st_size} {times} {stat.st_ino}")
        elif name != "__pycache__":  # of chartgen itself, written whenever Python likes
            numbers += _numbers(entry.path, f"{above}{name}/")
    return numbers


def hash_of(words: Iterable[str]) -> int:
    """A number for some texts, the same in every run."""
    from hashlib import blake2b

    digest = blake2b("\n".join(words).encode(errors="surrogateescape"), digest_size=16).digest()
    return int.from_bytes(digest)


def own_stamp() -> str:
    """The stamp of chartgen itself: its code, templates, schemas and data."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    above = os.path.dirname(here)
    parts = [stamp(here)]
    for name in ("charts", "schemas", "values"):
        parts.append(stamp(os.path.join(above, name)))
    return " ".join(parts)


def read_state(root: str) -> bytes:
    """What the last run wrote down; nothing if there was none."""
    try:
        with open(os.path.join(root, CACHE, _STATE), "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def write_state(root: str, state: bytes) -> None:
    """Write it down for the next run; a disk that does not allow it only makes that run slower."""
    folder = os.path.join(root, CACHE)
    temporary = os.path.join(folder, f"{_STATE}-{os.getpid()}")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as stream:
            stream.write("*\n")
        with open(temporary, "wb") as stream_:
            stream_.write(state)
        os.replace(temporary, os.path.join(folder, _STATE))
    except OSError:
        return


def ours(folder: str) -> list[str]:
    """The directories directly below one that chartgen wrote, by the list of files in each."""
    names = []
    for name in list_folder(folder):
        if os.path.isfile(os.path.join(folder, name, files.MANIFEST)) and not name.startswith("."):
            names.append(name)
    return names


def remove(folder: str, *, force: bool = False) -> None:
    """Remove what chartgen wrote into a directory, and the directory if nothing else is in it.

    The list of files goes last: a run that was interrupted is completed by the next one.
    """
    paths = files.written(folder)
    changed = [path for path in files.edited(folder) if path in (paths or ())]
    if paths is None or (changed and not force):
        why = f"files changed by hand: {', '.join(changed)}" if changed else f"no {files.MANIFEST}"
        raise WorldError(
            f"{folder} no longer has a source, but has {why}; move what you need away and remove "
            "it yourself, or use --force"
        )
    try:
        for path in [*paths, files.MANIFEST]:
            place = os.path.join(folder, path)
            os.unlink(place)
            _remove_empty(os.path.dirname(place), folder)
        _remove_empty(folder, os.path.dirname(folder))
    except OSError as error:
        raise WorldError(f"cannot remove {folder}: {error.strerror}") from error


def _remove_empty(place: str, top: str) -> None:
    """Remove a directory and those above it, up to the top, as long as they are empty."""
    while place not in (top, "") and os.path.isdir(place) and not os.listdir(place):
        os.rmdir(place)
        place = os.path.dirname(place)


def write_new(path: str, text: str) -> bool:
    """Write a file, unless there is one; whether it was written."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise WorldError(f"cannot write {path}: {error.strerror}") from error
    return True
