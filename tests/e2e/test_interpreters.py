"""A framework's image has the Python that its requirements name; a missing one is reported."""

import sys
from pathlib import Path

import pytest

from tests.e2e import interpreters
from tests.e2e.interpreters import find, lacking, needed
from tests.e2e.process import Failure


def requirements(folder: Path, text: str) -> Path:
    path = folder / "some.txt"
    path.write_text(text)
    return path


def test_the_default_is_the_python_that_runs_this(tmp_path: Path) -> None:
    python = needed(requirements(tmp_path, "# What Python 2.7 had is not here.\nsix==1.17.0\n"))
    assert python == interpreters.running()
    assert (python.command, python.version) == (sys.executable, sys.version)


def test_a_missing_python_is_named(tmp_path: Path) -> None:
    path = requirements(tmp_path, "# Python 3.2: some reason.\nsix==1.10.0\n")
    assert "Python 3.2" in lacking(path)
    with pytest.raises(Failure, match=r"Python 3\.2"):
        needed(path)


def test_a_python_of_pyenv_is_found_unless_it_is_disabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version that an interpreter prints counts: pyenv has commands for disabled versions."""
    major, minor = sys.version_info[:2]
    other = f"{major}.{minor + 50}"
    for version, says in (
        (f"{other}.1", "exit 127"),
        (f"{other}.2", f'echo \'["a", "b", "c", "{other}.2 (x)", "d"]\''),
    ):
        program = tmp_path / "versions" / version / "bin/python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{says}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    python = find(other)
    assert python
    assert python.version == f"{other}.2 (x)"
