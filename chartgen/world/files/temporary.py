"""Directories and charts that are on disk only while they are needed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from chartgen.errors import WorldError
from chartgen.startup.typing import TYPE_CHECKING
from chartgen.world import atomic, processes
from chartgen.world import files as world_files

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_PREFIX = "chartgen-"  # then the name of the process, and what distinguishes its directories


def temporary_directory() -> "TemporaryDirectory[str]":
    """A directory that is removed at the end of a `with`; or by the next run, after a kill."""
    from tempfile import TemporaryDirectory, gettempdir  # slow to import, and most runs need none

    try:
        _remove_leftovers(gettempdir())
        return TemporaryDirectory(prefix=f"{_PREFIX}{processes.own_name()}-")
    except OSError as error:
        message = f"cannot make a temporary directory: {error.strerror}; see TMPDIR"
        raise WorldError(message) from error


def make_directory(path: str) -> str:
    """A directory in a temporary one."""
    try:
        os.mkdir(path)
    except OSError as error:
        raise WorldError(f"cannot make {path}: {error.strerror}; see TMPDIR") from error
    return path


def _remove_leftovers(place: str) -> None:
    """Remove the directories of runs that were killed: ours by name and owner, and not in use."""
    import shutil

    with os.scandir(place) as entries:
        left = [entry for entry in entries if entry.name.startswith(_PREFIX)]
    for entry in left:
        owner, _, _ = entry.name.removeprefix(_PREFIX).rpartition("-")
        with suppress(OSError):  # another run removes it as well
            ours = entry.is_dir(follow_symlinks=False) and atomic.is_own(entry.path)
            # An orphaned Helm continues with what it was doing.
            if ours and processes.has_ended(owner) and not processes.is_mentioned(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)


@contextmanager
def temporary_chart(name: str, files: Mapping[str, str]) -> Iterator[str]:
    """The directory of a chart that is on disk only as long as the `with` lasts."""
    with temporary_directory() as folder:
        target = os.path.join(folder, name)
        world_files.write(target, files)
        yield target


def copy_tree(source: str, target: str, *, follow_links: bool = False) -> None:
    """Copy a directory; links as links, or as what they lead to."""
    import shutil  # only tests of charts need it

    try:
        shutil.copytree(source, target, symlinks=not follow_links)
    except (OSError, shutil.Error) as error:
        raise WorldError(f"cannot copy {source}: {error}") from error
