"""A framework's image has the Python that its requirements name; where that is missing, it is said which."""

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


def test_without_a_word_it_is_the_python_that_runs_this(tmp_path: Path) -> None:
    found = needed(requirements(tmp_path, "# What Python 2.7 had is not here.\nsix==1.17.0\n"))
    assert found == interpreters.running()
    assert (found.command, found.version) == (sys.executable, sys.version)


def test_one_that_is_missing_is_named(tmp_path: Path) -> None:
    path = requirements(tmp_path, "# Python 3.2: some reason.\nsix==1.10.0\n")
    assert "Python 3.2" in lacking(path)
    with pytest.raises(Failure, match=r"Python 3\.2"):
        needed(path)


def test_one_of_pyenv_is_found_and_one_that_only_looks_like_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the version that an interpreter tells: pyenv has commands for versions that are switched off."""
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
    found = find(other)
    assert found
    assert found.version == f"{other}.2 (x)"
