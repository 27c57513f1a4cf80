"""Commands as people type them: in this process, or in another if signals or streams matter."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from chartgen.cli import main
from tests.support.paths import ROOT

JOB = """\
name: {name}
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {{}}
  worker: {{replicas: 2}}
"""


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


class Typist:
    """Runs commands for a test, in the test's own directory."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self.folder, self.capsys, self.patch = folder, capsys, patch
        patch.chdir(folder)

    def __call__(self, *words: str, stdin: str = "") -> Done:
        """What `chartgen WORDS` does."""
        self.capsys.readouterr()
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(words)
        return Done(code, *self.capsys.readouterr())

    def job(self, name: str = "mnist", text: str = JOB, file: str = "") -> Path:
        """Write a job description to that directory."""
        path = self.folder / (file or f"{name}.yaml")
        path.write_text(text.format(name=name) if text is JOB else text, encoding="utf-8")
        return path

    def tree(self, folder: str = ".") -> dict[str, str]:
        """Every file below a folder, by its path."""
        top = self.folder / folder
        files = (path for path in sorted(top.rglob("*")) if path.is_file())
        return {path.relative_to(top).as_posix(): path.read_text("utf-8") for path in files}


def command(*words: str) -> list[str]:
    """The words that start chartgen as a process."""
    return [sys.executable, "-m", "chartgen", *words]


def environment(**more: str) -> dict[str, str]:
    """The environment of such a process, which finds chartgen from any directory."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "PYTHONUNBUFFERED")
    }
    return {**plain, "PYTHONPATH": str(ROOT), **more}


def process(*words: str, cwd: Path, stdin: str = "", **more: str) -> Done:
    """What `chartgen WORDS` does in a separate process."""
    env = environment(**more)
    done = subprocess.run(
        command(*words), cwd=cwd, env=env, input=stdin, capture_output=True, encoding="utf-8"
    )
    return Done(done.returncode, done.stdout, done.stderr)
