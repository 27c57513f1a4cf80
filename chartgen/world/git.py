"""Files of another revision, by Git."""

import os

from chartgen.errors import UsageError, WorldError


def export(revision: str, path: str, folder: str) -> None:
    """Write what a revision has at a path into a directory; nothing if it has nothing there."""
    import io
    import subprocess
    import tarfile

    if revision.startswith("-"):
        raise UsageError(f"{revision} is not a revision")
    command = ["git", "archive", "--format=tar", revision, "--", path]
    try:
        known = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"],
            capture_output=True,
        )
        done = subprocess.run(command, capture_output=True)
    except OSError as error:
        raise WorldError(f"cannot run git: {error.strerror}; a revision needs it") from error
    if known.returncode:
        raise UsageError(f"Git knows no revision {revision!r} here")
    if done.returncode:  # the path did not exist then
        return
    os.makedirs(folder, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:  # before Python 3.11.4; the archive is the repository's own
            archive.extractall(folder)
