"""How stages are summed up and told: failed, not judged and passed are three words, in every form."""

import json
from xml.etree import ElementTree

import pytest

from chartgen.errors import Mark, Problem
from chartgen.report import stages as stage_report
from chartgen.verify.result import (
    FAILED,
    INTERRUPTED,
    PASSED,
    SKIPPED,
    UNJUDGED,
    Stage,
    Trial,
    exit_code,
    summary,
    told,
    verdict,
)

ERROR = Problem(Mark("Job/a", 0, 0), "spec: <bad> & \x1b[31mworse", "type", "mend it")
WARNING = Problem(Mark("Job/a", 0, 0), "odd", "odd", severity="warning")


def trial(*words: str) -> Trial:
    return Trial("charts/a", [Stage(f"stage{number}", word, 0.5) for number, word in enumerate(words)], ["the moon"])


@pytest.mark.parametrize(
    ("problems", "reasons", "word"),
    [
        ([], [], PASSED),
        ([WARNING], [], PASSED),
        ([], ["no helm"], UNJUDGED),
        ([WARNING], ["no helm"], UNJUDGED),
        ([ERROR], [], FAILED),
        ([ERROR], ["no helm"], FAILED),
    ],
)
def test_a_stage_fails_by_a_problem_alone(problems: list[Problem], reasons: list[str], word: str) -> None:
    assert verdict(problems, reasons) == word


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([PASSED, PASSED], 0),
        ([PASSED, SKIPPED], 0),
        ([PASSED, UNJUDGED], 3),
        ([UNJUDGED, FAILED, SKIPPED], 1),
    ],
)
def test_the_exit_code_tells_failed_from_not_judged(words: list[str], code: int) -> None:
    assert exit_code([trial(*words)]) == code
    assert exit_code([trial(PASSED), trial(*words)]) == code


def test_a_summary_counts() -> None:
    assert summary([trial(PASSED, FAILED), trial(PASSED, UNJUDGED)]) == "2 passed, 1 failed, 1 not judged"


def many(number: int, message: str = "bad") -> list[Problem]:
    return [Problem(Mark(f"Job/worker-{index}", 0, 0), message, "rule") for index in range(number)]


def test_what_a_thousand_replicas_have_in_common_is_told_once() -> None:
    (problem,) = told({("defaults",): many(1000)})
    assert str(problem.mark) == "Job/worker-0"
    assert problem.message == "bad; 999 more Jobs have it, too"


def test_problems_in_lines_stay_apart() -> None:
    found = [Problem(Mark("a.yaml", line, 1), "bad", "rule") for line in (1, 2)]
    assert told({("defaults",): found}) == found


@pytest.mark.parametrize(
    ("ways", "shown"),
    [
        ([("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")], ""),
        ([("a", "1"), ("a", "2")], " [a]"),
        ([("a", "2"), ("b", "2")], " [2]"),
        ([("a", "2")], " [a with 2]"),
    ],
)
def test_the_ways_that_show_a_problem_are_named_in_few_words(ways: list[tuple[str, str]], shown: str) -> None:
    every: dict[tuple[str, ...], list[Problem]] = {
        (values, version): many(1) if (values, version) in ways else [] for values in "ab" for version in "12"
    }
    assert [problem.message for problem in told(every)] == [f"bad{shown}"]


STAGES = Trial(
    "charts/a",
    [
        Stage("lint", FAILED, 0.25, "2 files", (WARNING, ERROR), ("yamllint is missing",)),
        Stage("render", UNJUDGED, 1.5, reasons=("no helm:\n  - get one",)),
        Stage("policy", SKIPPED, 0, reasons=("there are no objects",)),
        Stage("test", PASSED, 61.04, "helm test", log="ok <1>\nok \x07"),
        Stage("wait", INTERRUPTED, 2),
    ],
    ["the moon"],
)


def test_text_tells_a_stage_in_a_line_and_what_it_found_below() -> None:
    assert (
        "\n".join(map(stage_report.line, STAGES.stages))
        == """\
  lint       failed          0.2 s  2 files
    Job/a: spec: <bad> & \\x1b[31mworse (type)
      hint: mend it
    Job/a: warning: odd (odd)
    not judged: yamllint is missing
  render     not judged      1.5 s
    not judged: no helm:
      - get one
  policy     skipped         0.0 s
    skipped: there are no objects
  test       passed         61.0 s  helm test
    | ok <1>
    | ok \\x07
  wait       interrupted     2.0 s"""
    )


def test_colour_is_for_the_word() -> None:
    assert "\x1b[31mfailed     \x1b[0m" in stage_report.line(STAGES.stages[0], colour=True)


def test_json_has_everything() -> None:
    (chart,) = json.loads(stage_report.json([STAGES]))["charts"]
    assert (chart["chart"], chart["result"], chart["unchecked"]) == ("charts/a", "interrupted", ["the moon"])
    assert [stage["result"] for stage in chart["stages"]] == [stage.verdict for stage in STAGES.stages]
    assert chart["stages"][0]["problems"][0] == {
        "place": "Job/a",
        "severity": "error",
        "rule": "type",
        "message": ERROR.message,
        "hint": "mend it",
    }
    assert chart["stages"][3]["log"] == "ok <1>\nok \x07"


def test_junit_tells_failures_from_errors_and_what_was_skipped() -> None:
    root = ElementTree.fromstring(stage_report.junit([STAGES, trial(PASSED)]))
    assert {name: root.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "1",
        "errors": "2",
        "skipped": "1",
    }
    suite = root[0]
    cases = {case.attrib["name"]: case for case in suite.iter("testcase")}
    failure = cases["lint"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "Job/a: spec: <bad> & \\x1b[31mworse (type)"
    error = cases["render"].find("error")
    assert error is not None
    assert error.attrib["message"] == "no helm:"
    assert cases["policy"].find("skipped") is not None
    assert cases["test"].findtext("system-out") == "ok <1>\nok \\x07"
    assert cases["test"].attrib["time"] == "61.040"
    assert suite.findtext("system-out") == "not checked: the moon"
