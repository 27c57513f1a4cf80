"""How stages are summarised: failed, not judged and passed are different in every format."""

import json
from xml.etree import ElementTree

import pytest

from chartgen.errors import Mark, Problem
from chartgen.report import stages
from chartgen.verify.result import (
    FAILED,
    INTERRUPTED,
    PASSED,
    SKIPPED,
    UNJUDGED,
    ChartResult,
    StageResult,
    exit_code,
    merge_duplicates,
    summary,
    verdict,
)

ERROR = Problem(Mark("Job/a", 0, 0), "spec: <bad> & \x1b[31mworse", "value-wrong-type", "mend it")
WARNING = Problem(Mark("Job/a", 0, 0), "odd", "label-reserved", severity="warning")


def trial(*words: str) -> ChartResult:
    return ChartResult(
        "charts/a",
        [StageResult(f"stage{number}", word, 0.5) for number, word in enumerate(words)],
        ["the moon"],
    )


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
def test_a_stage_fails_only_if_it_has_a_problem(
    problems: list[Problem], reasons: list[str], word: str
) -> None:
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
def test_the_exit_code_distinguishes_failed_and_not_judged(words: list[str], code: int) -> None:
    assert exit_code([trial(*words)]) == code
    assert exit_code([trial(PASSED), trial(*words)]) == code


def test_a_summary_counts() -> None:
    assert (
        summary([trial(PASSED, FAILED), trial(PASSED, UNJUDGED)])
        == "2 passed, 1 failed, 1 not judged"
    )


def many(number: int, message: str = "bad") -> list[Problem]:
    return [
        Problem(Mark(f"Job/worker-{index}", 0, 0), message, "value-malformed")
        for index in range(number)
    ]


def test_what_a_thousand_replicas_have_in_common_is_reported_once() -> None:
    (problem,) = merge_duplicates({("defaults",): many(1000)})
    assert str(problem.mark) == "Job/worker-0"
    assert problem.message == "bad; 999 more Jobs have it too"


def test_problems_with_lines_are_not_merged() -> None:
    problems = [Problem(Mark("a.yaml", line, 1), "bad", "value-malformed") for line in (1, 2)]
    assert merge_duplicates({("defaults",): problems}) == problems


@pytest.mark.parametrize(
    ("ways", "shown"),
    [
        ([("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")], ""),
        ([("a", "1"), ("a", "2")], " [a]"),
        ([("a", "2"), ("b", "2")], " [2]"),
        ([("a", "2")], " [a with 2]"),
    ],
)
def test_the_renderings_that_show_a_problem_are_named_briefly(
    ways: list[tuple[str, str]], shown: str
) -> None:
    every: dict[tuple[str, ...], list[Problem]] = {
        (values, version): many(1) if (values, version) in ways else []
        for values in "ab"
        for version in "12"
    }
    assert [problem.message for problem in merge_duplicates(every)] == [f"bad{shown}"]


STAGES = ChartResult(
    "charts/a",
    [
        StageResult("lint", FAILED, 0.25, "2 files", (WARNING, ERROR), ("yamllint is missing",)),
        StageResult("render", UNJUDGED, 1.5, reasons=("no helm:\n  - get one",)),
        StageResult("policy", SKIPPED, 0, reasons=("there are no objects",)),
        StageResult("test", PASSED, 61.04, "helm test", log="ok <1>\nok \x07"),
        StageResult("wait", INTERRUPTED, 2),
    ],
    ["the moon"],
)


def test_text_shows_a_stage_in_one_line_with_its_problems_below() -> None:
    assert (
        "\n".join(map(stages.line, STAGES.stages))
        == """\
  lint       failed          0.2 s  2 files
    Job/a: spec: <bad> & \\x1b[31mworse (value-wrong-type)
      hint: mend it
    Job/a: warning: odd (label-reserved)
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


def test_only_the_result_is_coloured() -> None:
    assert "\x1b[31mfailed     \x1b[0m" in stages.line(STAGES.stages[0], colour=True)


def test_json_has_everything() -> None:
    (chart,) = json.loads(stages.report([STAGES], "json"))["charts"]
    assert (chart["chart"], chart["result"], chart["unchecked"]) == (
        "charts/a",
        "interrupted",
        ["the moon"],
    )
    assert [stage["result"] for stage in chart["stages"]] == [
        stage.verdict for stage in STAGES.stages
    ]
    assert chart["stages"][0]["problems"][0] == {
        "place": "Job/a",
        "severity": "error",
        "rule": "value-wrong-type",
        "message": ERROR.message,
        "hint": "mend it",
    }
    assert chart["stages"][3]["log"] == "ok <1>\nok \x07"


def test_junit_distinguishes_failures_errors_and_skipped_stages() -> None:
    root = ElementTree.fromstring(stages.report([STAGES, trial(PASSED)], "junit"))
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
    assert failure.attrib["message"] == "Job/a: spec: <bad> & \\x1b[31mworse (value-wrong-type)"
    error = cases["render"].find("error")
    assert error is not None
    assert error.attrib["message"] == "no helm:"
    assert cases["policy"].find("skipped") is not None
    assert cases["test"].findtext("system-out") == "ok <1>\nok \\x07"
    assert cases["test"].attrib["time"] == "61.040"
    assert suite.findtext("system-out") == "not checked: the moon"
