"""The formats of a report: what people read, and what programs and CI systems parse."""

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.errors import Mark, Problem
from chartgen.report.problems import FORMS, report, summary

UNKNOWN = Problem(
    Mark("job.yaml", 3, 1), "unknown key 'rols'", "key-unknown", "did you mean 'roles'?"
)
EARLIER = Problem(Mark("job.yaml", 2, 12), "expected a number", "value-wrong-type")
WARNING = Problem(
    Mark("a.yaml", 10, 5), "the chart sets this label itself", "label-reserved", severity="warning"
)
ALL = [UNKNOWN, EARLIER, WARNING]

texts = st.text(st.characters(), max_size=20)
problems = st.builds(
    Problem,
    st.builds(Mark, texts, st.integers(1, 99), st.integers(1, 30)),
    texts,
    texts,
    texts,
    st.sampled_from(["error", "warning"]),
)


def excerpt(line: str, column: int) -> list[str]:
    """The two lines that show a place, without the gutter."""
    problem = Problem(Mark("job.yaml", 7, column), "wrong", "value-malformed", "mend it")
    _, source, caret, hint = report([problem], "text", excerpts=lambda mark: line).splitlines()
    assert source[:8] == "    7 | "
    assert caret[:8] == "      | "
    assert hint == "  hint: mend it"
    return [source[8:], caret[8:]]


def test_text_is_sorted_by_place_with_hints_below_and_warnings_named() -> None:
    assert report(ALL, "text") == (
        "a.yaml:10:5: warning: the chart sets this label itself (label-reserved)\n"
        "job.yaml:2:12: expected a number (value-wrong-type)\n"
        "job.yaml:3:1: unknown key 'rols' (key-unknown)\n"
        "  hint: did you mean 'roles'?\n"
    )


def test_lines_sort_as_numbers() -> None:
    marks = [Mark("f", 10, 1), Mark("f", 9, 10), Mark("f", 9, 2)]
    lines = report([Problem(mark, "m", "file-syntax") for mark in marks], "text").splitlines()
    assert lines == ["f:9:2: m (file-syntax)", "f:9:10: m (file-syntax)", "f:10:1: m (file-syntax)"]


@pytest.mark.parametrize("form", FORMS)
def test_a_problem_found_twice_is_reported_once_in_any_order(form: str) -> None:
    assert report(iter([*ALL, *reversed(ALL)]), form) == report(ALL, form)


def test_nothing_to_report_is_nothing_to_read() -> None:
    assert report([], "text") == ""
    assert report([], "github") == ""
    assert report([], "json") == '{\n  "problems": []\n}\n'


def test_an_unknown_format_is_a_bug() -> None:
    with pytest.raises(ValueError, match="no such form: html"):
        report([], "html")


def test_colour_adds_only_colour() -> None:
    plain = report(ALL, "text", excerpts=lambda mark: "rols: {}")
    painted = report(ALL, "text", colour=True, excerpts=lambda mark: "rols: {}")
    assert "\x1b[33m warning:\x1b[0m" in painted
    assert "\x1b[31m^\x1b[0m" in painted
    assert re.sub(r"\x1b\[\d+m", "", painted) == plain


def test_the_caret_is_below_the_column() -> None:
    assert excerpt("  rols: {}\n", 3) == ["  rols: {}", "  ^"]


def test_the_caret_follows_tabs_wide_and_combining_characters() -> None:
    assert excerpt("\tx\ty", 4) == ["\tx\ty", "\t \t^"]
    assert excerpt("名前: x", 3) == ["名前: x", "    ^"]
    assert excerpt("e\u0301\t: x", 4) == ["e\u0301\t: x", " \t^"]


def test_the_caret_for_a_place_after_the_line_is_at_its_end() -> None:
    assert excerpt("abc", 4) == ["abc", "   ^"]
    assert excerpt("abc", 40) == ["abc", "   ^"]


@pytest.mark.parametrize("column", [1, 61, 62, 500, 940, 941, 1000])
def test_of_a_long_line_the_part_around_the_place_is_shown(column: int) -> None:
    line = "".join(chr(ord("a") + place % 26) for place in range(1000))
    source, caret = excerpt(line, column)
    assert len(source) <= 122
    assert source[len(caret) - 1] == line[column - 1]
    assert source.strip("…") in line
    assert source.startswith("…") == (column > 61)
    assert source.endswith("…") == (column < 941)


def test_a_line_that_is_empty_or_unknown_is_not_shown() -> None:
    assert report([EARLIER], "text", excerpts=lambda mark: None) == report([EARLIER], "text")
    assert report([EARLIER], "text", excerpts=lambda mark: "") == report([EARLIER], "text")


def test_control_characters_in_the_input_do_not_reach_the_terminal() -> None:
    evil = Problem(Mark("a\x1b[2J.yaml"), "key '\x9b31m\u202e'\nnext", "rule\x07", "\udcff")
    shown = report([evil], "text", excerpts=lambda mark: "\x1b]0;owned\x07\tx")
    assert shown == (
        "a\\x1b[2J.yaml:1:1: key '\\x9b31m\\u202e'\\nnext (rule\\x07)\n"
        "    1 | \ufffd]0;owned\ufffd\tx\n"
        "      | ^\n"
        "  hint: \\udcff\n"
    )


def test_json_is_for_programs() -> None:
    assert json.loads(report([UNKNOWN, WARNING], "json")) == {
        "problems": [
            {
                "file": "a.yaml",
                "line": 10,
                "column": 5,
                "severity": "warning",
                "rule": "label-reserved",
                "message": "the chart sets this label itself",
                "hint": "",
            },
            {
                "file": "job.yaml",
                "line": 3,
                "column": 1,
                "severity": "error",
                "rule": "key-unknown",
                "message": "unknown key 'rols'",
                "hint": "did you mean 'roles'?",
            },
        ]
    }


def test_github_gets_one_command_per_problem() -> None:
    assert report(ALL, "github").splitlines() == [
        "::warning file=a.yaml,line=10,col=5,title=label-reserved::"
        "the chart sets this label itself",
        "::error file=job.yaml,line=2,col=12,title=value-wrong-type::expected a number",
        "::error file=job.yaml,line=3,col=1,title=key-unknown::"
        "unknown key 'rols'%0Ahint: did you mean 'roles'?",
    ]


def test_github_commands_are_escaped_as_the_runner_decodes_them() -> None:
    problem = Problem(Mark("C:\\a,b%.yaml"), "100%: a, b\r\nc", "x:y,z")
    assert report([problem], "github") == (
        "::error file=C%3A\\a%2Cb%25.yaml,line=1,col=1,title=x%3Ay%2Cz::100%25: a, b%0D%0Ac\n"
    )


def test_junit_has_a_suite_per_file_a_case_per_problem_and_warnings_pass() -> None:
    root = ElementTree.fromstring(report(ALL, "junit", files=["z.yaml", "job.yaml", "a.yaml"]))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
        "testsuites",
        "4",
        "2",
        "0",
    )
    suites = [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root]
    assert suites == [("a.yaml", "1", "0"), ("job.yaml", "2", "2"), ("z.yaml", "1", "0")]
    warned, failed, passed = root[0][0], root[1][1], root[2][0]
    assert (
        warned.findtext("system-out")
        == "warning: a.yaml:10:5: the chart sets this label itself (label-reserved)"
    )
    assert failed.attrib == {
        "classname": "job.yaml",
        "name": "3:1: unknown key 'rols' (key-unknown)",
        "time": "0",
    }
    failure = failed[0]
    assert (failure.tag, failure.get("message"), failure.get("type")) == (
        "failure",
        "unknown key 'rols'",
        "key-unknown",
    )
    assert (
        failure.text
        == "job.yaml:3:1: unknown key 'rols' (key-unknown)\nhint: did you mean 'roles'?"
    )
    assert (passed.get("classname"), passed.get("name"), len(passed)) == ("z.yaml", "valid", 0)


def test_junit_of_no_files_is_still_a_report() -> None:
    assert ElementTree.fromstring(report([], "junit")).get("tests") == "0"


@given(st.lists(problems, max_size=4), st.lists(texts, max_size=3))
def test_junit_is_well_formed_for_any_text_in_any_encoding(
    all_problems: list[Problem], files: list[str]
) -> None:
    root = ElementTree.fromstring(report(all_problems, "junit", files=files).encode("ascii"))
    assert (
        sum(int(suite.get("tests", "")) for suite in root)
        == int(root.get("tests", ""))
        == len(root.findall("*/*"))
    )
    assert len(root.findall("*/*/failure")) == sum(
        problem.severity == "error" for problem in set(all_problems)
    )


@given(st.lists(problems, max_size=4))
def test_json_keeps_any_text(all_problems: list[Problem]) -> None:
    rows = json.loads(report(all_problems, "json").encode("ascii"))["problems"]
    back = [
        Problem(
            Mark(r["file"], r["line"], r["column"]),
            r["message"],
            r["rule"],
            r["hint"],
            r["severity"],
        )
        for r in rows
    ]
    assert back == sorted(set(all_problems))


@given(problems, texts)
def test_any_text_stays_on_its_line_and_can_be_printed(problem: Problem, line: str) -> None:
    text = report([problem], "text", colour=False, excerpts=lambda mark: line)
    expected = 1 + 2 * bool(line) + bool(problem.hint)
    assert len(text.encode().decode().splitlines()) == expected
    assert len(report([problem], "github").encode().decode().splitlines()) == 1


@pytest.mark.parametrize(
    ("all_problems", "expected"),
    [
        ([], "no problems"),
        ([EARLIER], "1 problem in 1 file"),
        ([EARLIER, EARLIER], "1 problem in 1 file"),
        ([WARNING], "1 warning in 1 file"),
        (ALL, "2 problems and 1 warning in 2 files"),
        (
            [Problem(Mark("f", line), "m", "file-syntax") for line in range(1, 1235)],
            "1,234 problems in 1 file",
        ),
    ],
)
def test_summary_counts_problems_warnings_and_files(
    all_problems: list[Problem], expected: str
) -> None:
    assert summary(all_problems) == expected
