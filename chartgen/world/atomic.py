"""One directory replaced by a new one, all or nothing, while other runs wait; a killed run is mended by the next."""

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR
from typing import NamedTuple

WAIT = 30.0  # seconds for another run to leave one directory, which it needs for milliseconds


class Place(NamedTuple):
    """A directory, and the two beside it where the new one is built and the old one put aside."""

    real: str
    new: str
    old: str

    def replace(self, build: Callable[[str], None]) -> None:
        """Build the new directory aside and swap it in; if anything stops this, the old one is there as before.

        No fsync: it would cost more than all else, and a chart can be written again after a power cut.
        """
        try:
            build(self.new)
            if exists(self.real):
                os.rename(self.real, self.old)
            os.rename(self.new, self.real)
            self.mend()
        except BaseException:  # Ctrl-C too
            self.mend()
            raise

    def mend(self) -> None:
        """Finish or undo a swap, by how far the disk shows that it went; mostly there is nothing to do."""
        if exists(self.old):
            if exists(self.real):
                _remove(self.old)
            else:
                os.rename(self.old, self.real)
        if exists(self.new):
            _remove(self.new)


@contextmanager
def alone(real: str) -> Iterator[Place]:
    """Let one run at a time into the directory above this one, which is made if need be; raises only OSErrors."""
    parent, name = os.path.split(real)
    os.makedirs(parent, exist_ok=True)
    with _locked(parent) as locked:
        # Fixed names let this run find what a killed one left; where locks do not work, runs must not meet.
        new, old = (os.path.join(parent, f".{name}.chartgen-{which}") for which in ("new", "old"))
        place = Place(real, new if locked else f"{new}-{os.getpid()}", old)
        place.mend()
        yield place


def exists(path: str) -> bool:
    """Whether anything is there; a disk that cannot say so is an error, where os.path.lexists would say no."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def keep(source: str, copy: str) -> None:
    """Have the same file in the new directory too, so that the old one stays whole until it is removed."""
    try:
        os.link(source, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):  # not every file system and owner allows it
        import shutil

        shutil.copy2(source, copy, follow_symlinks=False)


def _remove(path: str) -> None:  # as shutil.rmtree does, whose import costs more than writing a chart
    mode = os.lstat(path).st_mode
    if S_ISDIR(mode):
        if mode & 0o700 != 0o700:  # its owner may not delete what is in it, but may change that
            os.chmod(path, 0o700)
        with os.scandir(path) as entries:
            for entry in list(entries):
                _remove(entry.path)
        os.rmdir(path)
    else:
        os.unlink(path)


@contextmanager
def _locked(folder: str) -> Iterator[bool]:
    """Hold the lock of a directory, if there are such locks; the directory itself is locked, so no lock file stays."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield False
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield _wait(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB))
    finally:
        os.close(handle)


def _wait(lock: Callable[[], None]) -> bool:
    deadline = time.monotonic() + WAIT
    while True:
        try:
            lock()
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another run is writing there") from None
            time.sleep(0.01)
        except OSError:  # NFS locks only files open for writing, which a directory cannot be
            return False
