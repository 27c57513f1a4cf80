"""Inputs that once broke something, each a file in tests/corpus/fuzz."""

from pathlib import Path

import pytest

from tests.fuzz.folders import COMMANDS, make_folder
from tests.fuzz.inputs import inputs
from tests.fuzz.judge import judge
from tests.fuzz.words import judge_command
from tests.support.command_line import Typist
from tests.support.paths import CORPUS

CASES = sorted((CORPUS / "fuzz").iterdir())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_an_input_that_broke_something_breaks_nothing_now(path: Path) -> None:
    """No crash, no hang, no place outside of the text."""
    verdict = judge(path.read_bytes(), f"job{path.suffix}", {"A": "x", "NAME": "y z"})
    assert (verdict.kind, verdict.why) == ("", "")


def test_directories_are_fine_before_they_are_changed(typed: Typist) -> None:
    """So what a change breaks is found in each of them, and not hidden by another problem."""
    make_folder(typed.folder / "plain")
    typed.patch.chdir(typed.folder / "plain")
    codes = {
        words: typed(*words).code for _, words in COMMANDS if words[:2] != ("render", "--check")
    }
    assert {*codes.values()} == {0}, codes


def test_the_same_seed_gives_the_same_inputs() -> None:
    """A failure can be found again by its seed and its number."""
    assert list(inputs(3, 20)) == list(inputs(3, 20))
    assert list(inputs(3, 20)) != list(inputs(4, 20))


@pytest.mark.parametrize(
    "words",
    [["list", "examples", ""], ["list", "roles", ""], ["explain", ""], ["schema", ""]],
    ids=" ".join,
)
def test_an_empty_word_is_a_usage_error(typed: Typist, words: list[str]) -> None:
    """The word is looked up as any other, and is not there."""
    assert typed(*words).code == 2


def test_a_command_that_does_not_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line catches everything, also what is to end it; the judge still knows."""

    def run_for_ever(_words: list[str]) -> int:
        while True:
            pass

    monkeypatch.setattr("tests.fuzz.words.SECONDS", 1)
    monkeypatch.setattr("chartgen.cli.dispatch.run", run_for_ever)
    assert judge_command(["list", "roles"]).kind == "hang"
    monkeypatch.undo()
    assert judge_command(["list", "roles"]).kind == ""
