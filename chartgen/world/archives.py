"""Packages on disk: the same files give the same bytes."""

import io
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from chartgen.errors import RefusedError, WorldError
from chartgen.world import project_files


def pack(name: str, contents: Mapping[str, bytes]) -> bytes:
    """A .tgz in which all that could differ is fixed: order, times, owners and modes."""
    import gzip
    import tarfile

    try:
        plain = _archive(name, contents, tarfile.USTAR_FORMAT)
    except ValueError:  # a path is too long for this format; all others have the same bytes in it
        plain = _archive(name, contents, tarfile.PAX_FORMAT)
    # Python writes the time, and in some versions the system, into the header: zeros are for both.
    packed = bytearray(gzip.compress(plain, compresslevel=9, mtime=0))
    packed[9] = 0xFF
    return bytes(packed)


def _archive(name: str, contents: Mapping[str, bytes], form: int) -> bytes:
    import tarfile

    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=form) as archive:
        for path, content in contents.items():
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, io.BytesIO(content))
    return plain.getvalue()


def write(folder: str, contents: Mapping[str, bytes], *, force: bool = False) -> list[str]:
    """Write files, each at once; those that are there with other bytes are refused."""
    changed = []
    for name, content in contents.items():
        path = os.path.join(folder, name)
        old = project_files.content(path)
        if old == content:
            continue
        if old is not None and not force:
            raise RefusedError(
                f"{path} exists with other content; a published version must not change: "
                "raise it (`version: auto` does), or use --force"
            )
        _replace(path, content)
        changed.append(path)
    return changed


def _replace(path: str, content: bytes) -> None:
    temporary = f"{path}.chartgen-{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(temporary, "wb") as stream:
            stream.write(content)
        os.replace(temporary, path)
    except OSError as error:
        raise WorldError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):  # it is there only if this has failed, or was interrupted
            os.unlink(temporary)


def packages(folder: str) -> Iterable[tuple[str, bytes]]:
    """The packages in a directory, by name."""
    for name in project_files.list_folder(folder):
        if name.endswith(".tgz"):
            yield name, project_files.content(os.path.join(folder, name)) or b""


def text(path: str) -> str:
    """The text of a file; empty if there is none."""
    return (project_files.content(path) or b"").decode(errors="replace")
