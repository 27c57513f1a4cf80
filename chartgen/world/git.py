"""Files of another revision, by Git."""

import os

from chartgen.errors import UsageError, WorldError


def prefix(folder: str) -> str:
    """Where a directory is in its Git repository, as "ml/training"; empty at its top or outside.

    A repository has .git at its top: a directory or, in a worktree or a submodule, a file.
    """
    place = os.path.realpath(folder or ".")
    steps: list[str] = []
    while not os.path.exists(os.path.join(place, ".git")):
        place, step = os.path.split(place)
        if not step:
            return ""
        steps.insert(0, step)
    return "/".join(steps)


def export(revision: str, path: str, folder: str) -> str:
    """Write what a revision has at a path into a directory; where it is now, if there is anything.

    The path is relative to the current directory or, as Git itself has it, to the repository's top.
    """
    import io
    import subprocess
    import tarfile

    if revision.startswith("-"):
        raise UsageError(f"{revision} is not a revision")
    try:
        known = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"],
            capture_output=True,
        )
        place, archive = _find(revision, path or ".")
    except OSError as error:
        raise WorldError(f"cannot run git: {error.strerror}; a revision needs it") from error
    if known.returncode:
        raise UsageError(f"Git has no revision {revision!r} here")
    if not archive:  # the path did not exist then
        return ""
    try:
        os.makedirs(folder, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            if hasattr(tarfile, "data_filter"):
                files.extractall(folder, filter="data")
            else:  # before Python 3.11.4; the archive is the repository's own
                files.extractall(folder)
    except (tarfile.TarError, OSError) as error:  # a link leads out, or the disk is full
        raise WorldError(f"cannot write {revision}:{path}: {error}") from error
    return os.path.join(folder, place)


def _find(revision: str, path: str) -> tuple[str, bytes]:
    """The path relative to the repository's top, and what a revision has there as a tar file."""
    import subprocess

    command = ["git", "rev-parse", "--show-toplevel", "--show-prefix"]
    printed = subprocess.run(command, capture_output=True).stdout
    top, here, *_ = (*os.fsdecode(printed).splitlines(), "", "")  # a bare repository has no top
    if os.path.isabs(path):
        path = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
        here = ""
    for place in dict.fromkeys(map(os.path.normpath, (os.path.join(here, path), path))):
        if place.split(os.sep)[0] != ".." and (archive := _archive(revision, place, top)):
            return place, archive
    return "", b""


def _archive(revision: str, path: str, top: str) -> bytes:
    """What a revision has at a path below the top, as a tar file; nothing if there is none."""
    import subprocess

    command = ["git", "archive", "--format=tar", revision, "--", path]
    done = subprocess.run(command, capture_output=True, cwd=top or None)
    return b"" if done.returncode else done.stdout
