"""Read an input: a file, or standard input."""

import os

from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.typing import BinaryIO, NoReturn
from chartgen.words import nearest

STDIN = "<stdin>"


def relative_to(path: str, name: str) -> str:
    """The path of a file that is named in another one, relative to it."""
    return os.path.normpath(os.path.join(os.path.dirname(path), name))


def read(path: str, limit: int, stdin: BinaryIO | None = None) -> bytes:
    """The bytes of an input file, or of `stdin` for `-`; raises InputError if it has none."""
    name = STDIN if path == "-" and stdin else path
    try:
        if path == "-" and stdin:
            return _read(name, limit, stdin)
        with open(path, "rb") as stream:
            if (size := os.fstat(stream.fileno()).st_size) > limit:
                _reject(
                    name,
                    f"the file has {size:,} bytes, more than the limit of {_size(limit)}",
                    "file-too-large",
                )
            # Asking for all that is allowed reserves the memory for it, which takes longer.
            return stream.read(size) if size else _read(name, limit, stream)
    except IsADirectoryError:
        _reject(name, "a directory, not a file", "file-is-directory", "name the files in it")
    except (FileNotFoundError, NotADirectoryError):
        _reject(name, "no such file", "file-missing", _nearest(path))
    except OSError as error:
        _reject(name, f"the file cannot be read: {error.strerror}", "file-unreadable")


def _read(name: str, limit: int, stream: BinaryIO) -> bytes:
    content = stream.read(limit + 1)  # the size of a pipe or device is not known
    if len(content) > limit:
        _reject(name, f"the input is longer than the limit of {_size(limit)}", "file-too-large")
    return content


def _reject(file: str, message: str, rule: str, hint: str = "") -> NoReturn:
    raise InputError([Problem(Mark(file), message, rule, hint)]) from None


def _size(count: int) -> str:
    return f"{count:,} bytes ({count / (1 << 20):.3g} MiB)"


def _nearest(path: str) -> str:
    """A hint at the file in the same directory whose name is most like this one."""
    folder, name = os.path.split(path)
    try:
        neighbours = sorted(os.listdir(folder or "."), reverse=True)
    except OSError:
        return f"no directory '{folder}'"
    # Names are compared without their suffixes, which make any two of them look alike.
    stems = {os.path.splitext(neighbour)[0]: neighbour for neighbour in neighbours}
    meant = nearest(os.path.splitext(name)[0], sorted(stems))
    return f"did you mean '{os.path.join(folder, stems[meant])}'?" if meant else ""
