"""Run a program to its end; if we are interrupted, it is ended too."""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

TAIL = 40  # lines of a failed program's output that are shown


class Failure(Exception):
    """Something outside the tests went wrong; the message is for the person who started them."""


def run(
    *command: str | Path,
    via: Sequence[str] = (),
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> str:
    """The stdout of a program, which may be started through another one.

    If it fails, a Failure with the end of its output.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        child = subprocess.Popen(
            [*via, *map(str, command)],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            errors="replace",
        )
        try:
            output, _ = child.communicate()
        except BaseException:
            end(child)
            raise
        if child.returncode and check:
            errors.seek(0)
            raise Failure(
                f"{Path(command[0]).name} {' '.join(map(str, command[1:]))}:"
                f" exit code {child.returncode}\n" + tail(output + errors.read())
            )
        return output


def end(child: "subprocess.Popen[str] | subprocess.Popen[bytes]", patience: float = 10) -> None:
    """Ask a process to end, and kill it if it does not."""
    child.terminate()
    try:
        child.wait(patience)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def tail(text: str, lines: int = TAIL) -> str:
    """The last lines of a text."""
    return "\n".join(text.rstrip().splitlines()[-lines:])
