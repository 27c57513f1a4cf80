"""The corpus of problems: each directory in corpus/problems/ is a test, with a job and the exact report on it.

Beside expected.txt stands what is given to chartgen: job.yaml or a file of another name; a case without any asks for a
job.yaml that is not there. `make golden` writes the reports anew: read the diff as the person who made the mistake.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartgen import sources as inputs
from chartgen.errors import Problem
from chartgen.report import problems as report

HERE = Path(__file__).parents[1]
PROBLEMS = HERE / "corpus/problems"
CASES = sorted(path.name for path in PROBLEMS.iterdir() if path.is_dir())
SOURCES = sorted((HERE.parent / "chartgen").rglob("*.py"))

# Rules that need a disk or a command line to be broken, and the tests that break them.
ELSEWHERE = {
    "too-large": "unit/world/test_files_refused.py",
    "unreadable": "unit/world/test_files_refused.py",
    "duplicate-name": "unit/cli/test_render.py",
} | (
    dict.fromkeys(("helm-lint", "no-chart", "package", "render"), "helm/test_cli_test.py")
    | {"no-object": "unit/verify/test_helm_output.py"}
)

# What stands in a case's directory and is not given to chartgen: the report, and clouds that a job names.
BESIDE = ("expected.txt", "clouds")

_RULE = re.compile(r"[a-z]+(-[a-z]+)*")
_MAKERS = {"problem", "warning", "report", "Fault", "Problem", "Remark", "_reject", "_StopError"}
_LINE = re.compile(r"(?P<file>[^:]+):(?P<line>[0-9]+):(?P<column>[0-9]+): .+ \((?P<rule>[a-z-]+)\)|  hint: .+")


def problems(case: str, monkeypatch: pytest.MonkeyPatch) -> list[Problem]:
    """What chartgen finds, by the road that its commands take."""
    monkeypatch.chdir(PROBLEMS / case)
    given = sorted(path.name for path in Path().iterdir() if path.name not in BESIDE)
    return inputs.gather(given or ["job.yaml"], strict=False, quiet=True).problems


def blessed() -> str:
    """All reports of the corpus."""
    return "".join((PROBLEMS / case / "expected.txt").read_text("utf-8") for case in CASES)


def rules() -> Iterator[str]:
    """Every rule that a literal in chartgen's source names, whoever makes a problem of it."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _MAKERS:
                unpacked = any(isinstance(word, ast.Starred) for word in node.args)
                yield from _words(node.args if unpacked else node.args[2:3])
            elif isinstance(node, ast.Tuple) and len(node.elts) == 3 and path.name == "messages.py":
                yield from _words(node.elts[1:2])


def _words(nodes: list[ast.expr]) -> Iterator[str]:
    words = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return (word for word in words if _RULE.fullmatch(word))


@pytest.mark.parametrize("case", CASES)
def test_problems_are_reported_as_blessed(case: str, bless: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    place = PROBLEMS / case / "expected.txt"
    text = report.report(problems(case, monkeypatch), "text")
    if bless:
        place.write_text(text, "utf-8")
    assert place.exists(), f"{place} is missing: write it with `make golden`, and read it"
    assert text == place.read_text("utf-8")


@pytest.mark.parametrize("case", CASES)
def test_problems_point_into_the_file(case: str) -> None:
    """Each line has the promised form, and its place is one that an editor can go to."""
    expected = (PROBLEMS / case / "expected.txt").read_text("utf-8")
    assert expected
    for found in map(_LINE.fullmatch, expected.splitlines()):
        assert found, expected
        if not found["file"] or not (file := PROBLEMS / case / found["file"]).is_file():
            continue
        lines = file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
        assert int(found["column"]) <= len(lines[int(found["line"]) - 1]) + 1


def test_the_search_for_rules_finds_them() -> None:
    """One of each way in which a rule is named: by a document, a reader, a schema, a disk."""
    assert {"quantity", "reserved-label", "syntax", "depth", "unknown-key", "enum", "no-such-file"} <= set(rules())


def test_no_rule_is_without_a_case() -> None:
    """Whoever adds a message adds a directory, so that somebody has read it as it will be read."""
    missing = {rule for rule in rules() if f"({rule})" not in blessed()}
    assert missing == ELSEWHERE.keys()


@pytest.mark.parametrize(("rule", "file"), ELSEWHERE.items())
def test_what_has_no_case_is_tested_elsewhere(rule: str, file: str) -> None:
    assert rule in (HERE / file).read_text("utf-8")
