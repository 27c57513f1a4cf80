"""The corpus of problems: each directory in problems/ is a test, with a job and the exact report.

Beside expected.txt is what chartgen is given: job.yaml or a file of another name; a case without
one asks for a job.yaml that does not exist. `make golden` rewrites the reports: read the diff as
the person who made the mistake.
"""

import re
from pathlib import Path

import pytest

from chartgen import sources
from chartgen.errors import InputError, Problem
from chartgen.kits.find import open_kit
from chartgen.report import problems as report
from tests.support.paths import CORPUS

PROBLEMS = CORPUS / "problems"
CASES = sorted(path.name for path in PROBLEMS.iterdir() if path.is_dir())

# Files in a case's directory that chartgen is not given as jobs: the report, clouds and kits.
BESIDE = ("expected.txt", "clouds", "kit", "kit2", "link.yaml")

_LINE = re.compile(
    r"(?P<file>[^:]+):(?P<line>[0-9]+):(?P<column>[0-9]+): .+ \([a-z0-9-]+\)|  hint: .+"
)


def problems(case: str, monkeypatch: pytest.MonkeyPatch) -> list[Problem]:
    """What chartgen finds, called as its commands call it."""
    monkeypatch.chdir(PROBLEMS / case)
    given = sorted(path.name for path in Path().iterdir() if path.name not in BESIDE)
    try:
        kits = tuple(open_kit(name) for name in ("kit", "kit2") if Path(name).is_dir())
    except InputError as error:
        return [*error.problems]
    return sources.gather(given or ["job.yaml"], sources.SourceOptions(kits=kits)).problems


@pytest.mark.parametrize("case", CASES)
def test_problems_are_reported_as_expected(
    case: str, bless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = PROBLEMS / case / "expected.txt"
    text = report.report(problems(case, monkeypatch), "text")
    if bless:
        place.write_text(text, "utf-8")
    assert place.exists(), f"{place} is missing: write it with `make golden`, and read it"
    assert text == place.read_text("utf-8")


@pytest.mark.parametrize("case", CASES)
def test_problems_point_into_the_file(case: str) -> None:
    """Each line has the documented form, and an editor can go to its place."""
    expected = (PROBLEMS / case / "expected.txt").read_text("utf-8")
    assert expected
    for match in map(_LINE.fullmatch, expected.splitlines()):
        assert match, expected
        if not match["file"] or not (file := PROBLEMS / case / match["file"]).is_file():
            continue
        lines = file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
        assert int(match["column"]) <= len(lines[int(match["line"]) - 1]) + 1
