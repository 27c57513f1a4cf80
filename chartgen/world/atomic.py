"""Replace a directory by a new one, all or nothing; the next run repairs what a killed one left."""

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR

from chartgen.startup.records import NamedTuple

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux' renameat2, and RENAME_SWAP of macOS' renamex_np
WAIT = 30.0  # seconds to wait for another run, which needs milliseconds


MANIFEST = ".chartgen"  # the first file of a chart to be written, by which we know our own


class Slot(NamedTuple):
    """A directory, and the two beside it for the new one while it is built and for the old one."""

    real: str
    new: str
    old: str

    def replace(self, build: Callable[[str], None]) -> None:
        """Build the new directory aside and swap it in; if that fails, the old one is unchanged.

        Where the system can exchange two directories, there is one at every moment. Elsewhere
        there is none for some microseconds.

        No fsync: it would take longer than everything else, and after a power cut a chart can be
        written again.
        """
        replaced = exists(self.real)
        if replaced:
            _check_removable(self.real)
        try:
            build(self.new)
            if not (replaced and _exchange(self.new, self.real)):
                if replaced:
                    os.rename(self.real, self.old)
                os.rename(self.new, self.real)
            self.mend()
        except BaseException:  # Ctrl-C too
            self.mend()
            raise

    def mend(self) -> None:
        """Finish or undo a swap that was interrupted; usually there is nothing to do."""
        if exists(self.old):
            if exists(self.real):
                _remove(self.old)
            else:
                os.rename(self.old, self.real)
        if exists(self.new):
            _remove(self.new)


@contextmanager
def alone(real: str) -> Iterator[Slot]:
    """Let one run at a time into the parent directory, made if missing; raises only OSErrors."""
    parent, name = os.path.split(real)
    os.makedirs(parent, exist_ok=True)
    with _lock(parent) as locked:
        # Fixed names let this run find what a killed one left. Without locks, runs must not share
        # them.
        new, old = (os.path.join(parent, f".{name}.chartgen-{which}") for which in ("new", "old"))
        place = Slot(real, new if locked else _own_name(new), old)
        for path in (place.new, place.old):
            _check_ours(path)
        place.mend()
        yield place


def _own_name(new: str) -> str:
    """The same path for this process alone; what killed ones have left under such is removed."""
    from chartgen.world import processes  # most file systems have locks

    parent, prefix = os.path.split(f"{new}-")
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        if name.startswith(prefix) and processes.has_ended(name.removeprefix(prefix)):
            _check_ours(path)
            if is_own(path):
                _remove(path)
    return f"{new}-{processes.own_name()}"


def is_own(path: str) -> bool:
    """Whether a path belongs to the user who runs this."""
    return os.lstat(path).st_uid == getattr(os, "geteuid", lambda: os.lstat(path).st_uid)()


def _exchange(one: str, other: str) -> bool:
    """Exchange two directories in one step, if the system and the file system can do that."""
    import ctypes  # only a chart that is replaced needs it

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            code = libc.renamex_np(os.fsencode(one), os.fsencode(other), _EXCHANGE)
        else:
            here = ctypes.c_int(-100)  # AT_FDCWD: paths are relative to the current directory
            code = libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), _EXCHANGE)
    except (AttributeError, OSError, TypeError):  # no such function, or no libc at all
        return False
    if code and ctypes.get_errno() in (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), other)
    return not code


def _check_removable(folder: str) -> None:
    """Raise an error if a directory has parts that only another user can remove."""
    if not S_ISDIR(os.lstat(folder).st_mode) or not (
        is_own(folder) or os.access(folder, os.W_OK | os.X_OK)
    ):
        raise PermissionError(errno.EACCES, "it belongs to another user", folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _check_removable(entry.path)


def exists(path: str) -> bool:
    """Whether the path exists; unlike os.path.lexists, it raises an error of the disk."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def keep(source: str, copy: str) -> None:
    """Put the same file into the new directory too; the old one stays whole until it is removed."""
    try:
        os.link(source, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):  # not every file system and owner allows it
        import shutil

        shutil.copy2(source, copy, follow_symlinks=False)


def _check_ours(path: str) -> None:
    """Raise an error if something of others has the name of our temporary directory."""
    if exists(path):
        ours = os.path.isdir(path) and not os.path.islink(path)
        if not ours or (os.listdir(path) and MANIFEST not in os.listdir(path)):
            message = f"{os.path.basename(path)!r} is in the way, and chartgen did not create it"
            raise OSError(errno.ENOTEMPTY, message, path)


def _remove(path: str) -> None:
    # As shutil.rmtree does, whose import takes longer than writing a chart.
    mode = os.lstat(path).st_mode
    if S_ISDIR(mode):
        if mode & 0o700 != 0o700:  # its owner may not delete what is in it, but may change that
            os.chmod(path, 0o700)
        with os.scandir(path) as entries:
            inside = {entry.name: entry.path for entry in entries}
        last = inside.pop(
            MANIFEST, None
        )  # by which the next run knows it, should this one be killed
        for entry in (*inside.values(), *([last] if last else [])):
            _remove(entry)
        os.rmdir(path)
    else:
        os.unlink(path)


@contextmanager
def _lock(folder: str) -> Iterator[bool]:
    """Hold a lock on the directory itself, which leaves no lock file; whether that is possible."""
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
