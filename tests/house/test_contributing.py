"""CONTRIBUTING.md: what it names is there."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.paths import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TOP = "chartgen|charts|schemas|tests|values|\\.ci|\\.importlinter|CHANGELOG\\.md|README\\.md"
PATHS = sorted(set(re.findall(rf"`((?:{TOP})(?:/[^`\s]*)?)`", TEXT)))


@pytest.mark.parametrize("path", PATHS)
def test_every_path_that_it_names_exists(path: str) -> None:
    """NAME and CASE stand for a new one; its folder, and others of its kind, are there."""
    if "NAME" in path or "CASE" in path:
        assert list(ROOT.glob(re.sub("NAME|CASE", "*", path)))
    else:
        assert (ROOT / path).exists()


def test_it_names_every_room() -> None:
    rooms = {path.name for path in (ROOT / "chartgen").iterdir() if (path / "__init__.py").exists()}
    assert len(PATHS) > 40
    assert rooms - {path.removeprefix("chartgen/") for path in PATHS} == set()


def test_the_targets_that_it_names_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"`make ([a-z0-9-]+)", TEXT)) - {"unit"}
    assert [target for target in sorted(targets) if f"\n{target}:" not in makefile] == []


def test_its_lines_are_short() -> None:
    lines = [line for line in TEXT.splitlines() if not line.startswith("|")]
    assert [line for line in lines if len(line) > 100] == []


def test_make_properties_finds_every_property() -> None:
    """Hypothesis marks what is a property itself; a test that holds one says so."""
    unmarked = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        if re.search(r"^ +@given\(", text, re.MULTILINE):
            unmarked += [f"{path.name}: {name}" for name in _holders(ast.parse(text))]
    assert unmarked == []


def _holders(module: ast.Module) -> Iterator[str]:
    """The tests that hold a property and are not marked."""
    for test in module.body:
        if not isinstance(test, ast.FunctionDef):
            continue
        inner = [ast.unparse(part) for part in test.body if isinstance(part, ast.FunctionDef)]
        marks = [ast.unparse(mark) for mark in test.decorator_list]
        if "@given(" in "".join(inner) and "pytest.mark.hypothesis" not in marks:
            yield test.name
