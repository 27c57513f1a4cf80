"""The command `validate`, as typed."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command_line import JOB, Typist, process

BAD = """\
name: Mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  worker:
    replica: 2
    env: {DEBUG: on}
"""
WARNS = JOB.format(name="warns") + "    \n  ps: {resources: {limits: {memory: 128m}}}\n"


def test_valid_jobs_are_reported_on_stderr(typed: Typist) -> None:
    typed.job("a")
    typed.job("b")
    typed.job(text="---\n".join(JOB.format(name=name) for name in "cd"), file="two.yaml")
    assert typed("validate", "a.yaml", "b.yaml", "two.yaml") == (
        0,
        "",
        "3 files, 4 jobs: no problems\n",
    )
    assert typed("validate", "a.yaml") == (0, "", "1 file, 1 job: no problems\n")
    assert typed("validate", "a.yaml", "-q") == (0, "", "")


def test_every_problem_is_shown_in_its_line_with_a_caret(typed: Typist) -> None:
    typed.job(text=BAD, file="bad.yaml")
    code, out, err = typed("validate", "bad.yaml")
    assert (code, err) == (1, "3 problems in 1 file\n")
    assert "bad.yaml:1:7: " in out
    assert "    1 | name: Mnist\n      |       ^\n" in out
    assert "bad.yaml:6:5: " in out
    assert "hint: did you mean 'replicas'?" in out
    assert "bad.yaml:7:18: " in out
    assert "\x1b[" not in out


def test_problems_of_all_files_are_reported_together_and_sorted(typed: Typist) -> None:
    typed.job(text=BAD, file="z.yaml")
    typed.job(text="", file="m.yaml")
    typed.job("good")
    code, out, err = typed("validate", "z.yaml", "missing.yaml", "m.yaml", "good.yaml", "-q")
    assert (code, err) == (1, "")
    heads = [line.split(":")[0] for line in out.splitlines() if line[:1] not in " "]
    assert heads == ["m.yaml", "missing.yaml", "z.yaml", "z.yaml", "z.yaml"]


def test_colour_can_be_switched_on(typed: Typist) -> None:
    typed.job(text=BAD, file="bad.yaml")
    assert "\x1b[1mbad.yaml:1:7:\x1b[0m" in typed("validate", "bad.yaml", "--color", "always").out
    assert "\x1b[" not in typed("validate", "bad.yaml", "--color=never").out


def test_warnings_do_not_fail_except_with_strict(typed: Typist) -> None:
    typed.job(text=WARNS, file="warns.yaml")
    code, out, err = typed("validate", "warns.yaml")
    assert (code, err) == (0, "1 warning in 1 file\n")
    assert out.startswith("warns.yaml:8:37: warning: '128m' of memory ")
    code, out, err = typed("validate", "warns.yaml", "--strict")
    assert (code, err) == (1, "1 problem in 1 file\n")
    assert out.startswith("warns.yaml:8:37: '128m' of memory ")


def test_json_is_a_document_even_without_problems(typed: Typist) -> None:
    typed.job()
    assert json.loads(typed("validate", "mnist.yaml", "--output", "json").out) == {"problems": []}
    typed.job(text=BAD, file="bad.yaml")
    code, out, err = typed("validate", "bad.yaml", "--output=json")
    assert (code, err) == (1, "3 problems in 1 file\n")
    rows = json.loads(out)["problems"]
    assert [(row["file"], row["line"], row["severity"]) for row in rows] == [
        ("bad.yaml", line, "error") for line in (1, 6, 7)
    ]


def test_github_gets_one_annotation_per_problem(typed: Typist) -> None:
    typed.job(text=BAD, file="bad.yaml")
    code, out, _ = typed("validate", "bad.yaml", "--output", "github")
    assert code == 1
    assert [line.split(",title")[0] for line in out.splitlines()] == [
        f"::error file=bad.yaml,line={line},col={column}"
        for line, column in ((1, 7), (6, 5), (7, 18))
    ]


def test_junit_counts_files_without_problems_too(typed: Typist) -> None:
    typed.job(text=BAD, file="bad.yaml")
    typed.job()
    code, out, _ = typed("validate", "bad.yaml", "mnist.yaml", "--output", "junit")
    suites = ElementTree.fromstring(out)
    assert code == 1
    assert [(suite.get("name"), suite.get("failures")) for suite in suites] == [
        ("bad.yaml", "3"),
        ("mnist.yaml", "0"),
    ]


def test_standard_input_is_read_once(typed: Typist) -> None:
    assert typed("validate", "-", stdin=JOB.format(name="piped")).code == 0
    code, out, _ = typed("validate", "-", stdin=BAD)
    assert code == 1
    assert out.startswith("<stdin>:1:7: ")
    assert "    1 | name: Mnist\n" in out
    code, out, err = typed("validate", "-", "-")
    assert (code, out) == (2, "")
    assert "standard input (-) can be read only once" in err


@pytest.mark.parametrize("option", ["--image=a:2", "--set=image=a:2"])
@pytest.mark.parametrize("command", ["validate", "convert"])
def test_a_job_description_is_not_completed(typed: Typist, command: str, option: str) -> None:
    """It would be taken and have no effect; a native text beside the description makes sense."""
    typed.job()
    code, out, err = typed(command, "mnist.yaml", option)
    assert (code, out) == (2, "")
    name = option.split("=")[0]
    assert err.startswith(f"chartgen: {name} completes jobs in native formats, and there is none")


def test_options_may_come_between_the_files(typed: Typist) -> None:
    typed.job("a")
    typed.job("b")
    assert (
        typed("validate", "a.yaml", "--output", "json", "b.yaml", "--strict").err
        == "2 files, 2 jobs: no problems\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_of_a_problem_is_found_with_any_line_ending(typed: Typist, end: str) -> None:
    (typed.folder / "bad.yaml").write_bytes(b"\xef\xbb\xbf" + BAD.replace("\n", end).encode())
    out = typed("validate", "bad.yaml").out
    assert "    1 | name: Mnist\n      |       ^\n" in out
    assert "    6 |     replica: 2\n      |     ^\n" in out


def test_a_problem_after_the_last_line_or_in_an_empty_file_has_no_excerpt(typed: Typist) -> None:
    (typed.folder / "bad.yaml").write_bytes(b"name: \xff\n")
    code, out, _ = typed("validate", "bad.yaml")
    assert code == 1
    assert "is not UTF-8" in out


def test_as_a_process_the_report_is_on_stdout_and_the_summary_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(BAD)
    done = process("validate", "bad.yaml", cwd=tmp_path)
    assert done.code == 1
    assert done.out.count("bad.yaml:") == 3
    assert done.err == "3 problems in 1 file\n"


def test_an_unrelated_file_is_not_suggested_for_a_missing_one(typed: Typist) -> None:
    """A common extension does not make two names similar."""
    (typed.folder / "cifar.yaml").write_text("")
    assert "did you mean" not in typed("validate", "mnist.yaml").out
    assert "did you mean 'cifar.yaml'?" in typed("validate", "cifra.yaml").out
