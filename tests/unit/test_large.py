"""No small file takes the machine, and time grows with the size of a file, not with its square."""

import time
from pathlib import Path

import pytest

from chartgen import sources
from chartgen.checks.pods.env import check_variables
from chartgen.report import problems
from chartgen.syntax.budget import CHARACTERS, VALUES
from tests.support import large

SIZE = 20_000
SLACK = 0.05  # seconds; less says nothing about how the time grows
# As `kubectl get -o json` prints them, with a warning each.
TFJOBS = large.Shape("TfJobs", ".json", lambda size: large.tfjobs(size // 400, 4))
SHAPES = [*large.PLAIN, *large.HOSTILE, TFJOBS]

pytestmark = pytest.mark.unmeasured


def seconds(tmp_path: Path, shape: large.Shape, size: int) -> float:
    """CPU time of what `validate` does; whatever the problems are, it ends."""
    file = tmp_path / f"job{shape.suffix}"
    file.write_text(shape.text(size))
    start = time.process_time()
    gathered = sources.gather([str(file)], sources.SourceOptions())
    problems.report(gathered.problems, "text", excerpts=gathered.excerpt)
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_time_grows_with_the_size_and_not_with_its_square(
    tmp_path: Path, shape: large.Shape
) -> None:
    """Four times the text takes about four times as long; sixteen times would be quadratic.

    What other programs do at the same time may cost either measurement some time: a result that
    looks quadratic has to look so again.
    """
    fourfold = seconds(tmp_path, shape, 4 * SIZE)
    if fourfold < SLACK:
        return
    once = seconds(tmp_path, shape, SIZE)
    if fourfold >= 10 * once + SLACK:
        fourfold = min(fourfold, *(seconds(tmp_path, shape, 4 * SIZE) for _ in range(2)))
        once = min(once, *(seconds(tmp_path, shape, SIZE) for _ in range(2)))
    assert fourfold < 10 * once + SLACK


GROW = "A=$A$A$A$A$A$A$A$A$A$A\n" * 9 + "angel-submit -Dk=$A\n"
TINY = [
    ("job.py", "a = [a, a]\nnew_cluster(worker_num=a)\n", "value-too-large"),
    ("job.py", "a = {'k': a, 'l': a}\nnew_cluster(extra_env=a)\n", "value-too-large"),
    ("job.py", f"a = '{'x' * 9000}'\nnew_cluster(x=[{'a,' * 900}])\n", "value-too-large"),
    ("job.py", f"new_cluster(worker_num=0x{'f' * 9000})\n", "value-out-of-range"),
    ("job.sh", "A=0123456789\n" + GROW, "value-too-large"),
    ("job.sh", "A=$NO\n" + GROW, "value-too-large"),
    ("job.yaml", f"a: &a {'x' * 9000}\nb:\n" + "- *a\n" * 900, "yaml-alias-bomb"),
]


@pytest.mark.parametrize(("name", "text", "rule"), TINY)
def test_a_tiny_file_that_means_a_huge_one_is_a_problem_with_a_place(
    tmp_path: Path, name: str, text: str, rule: str
) -> None:
    """Values and characters are counted in every syntax."""
    file = tmp_path / name
    file.write_text(text)
    gathered = sources.gather([str(file)], sources.SourceOptions())
    (problem,) = [problem for problem in gathered.problems if problem.rule == rule]
    assert 1 <= problem.mark.line <= text.count("\n") + 1
    if rule != "value-out-of-range":
        assert f"{VALUES:,} values or {CHARACTERS:,} characters" in problem.message


def test_a_chain_of_references_is_followed_to_its_end(tmp_path: Path) -> None:
    """Five hundred variables, each of which refers ten times to the next; more are refused."""
    lines = [f"      V{number}: " + f"$(V{number + 1})" * 10 for number in range(500)]
    file = tmp_path / "job.yaml"
    head = "name: j\nframework: tensorflow\nimage: j:1\nroles:\n  worker:\n    command: [w]\n"
    file.write_text(head + "    env:\n" + "\n".join(lines) + "\n      V500: end\n")
    gathered = sources.gather([str(file)], sources.SourceOptions())
    assert {problem.rule for problem in gathered.problems} == {"env-too-long"}
    last = max(gathered.problems, key=lambda problem: -problem.mark.line)
    assert "V0 would have more than 1,000,000," in last.message
    file.write_text(file.read_text() + "      V501: $(V0)\n")
    (problem,) = sources.gather([str(file)], sources.SourceOptions()).problems
    assert (problem.rule, problem.mark.line) == ("value-too-large", 509)
    assert problem.message == "501 variables refer to others; expected 500 at most"


def test_references_in_a_loop_are_found_beside_those_in_order() -> None:
    """Only what is in the loop is reported, not what leads to it."""
    env = {"A": "$(B)", "B": "$(C)", "C": "$(B)", "D": "x", "E": "$(D)"}
    loops = {path for path, problem in check_variables(env) if problem.rule == "env-reference-loop"}
    assert loops == {("B",), ("C",)}


def test_more_problems_than_anybody_reads_are_counted(tmp_path: Path) -> None:
    """The first thousand, and the number of the others."""
    file = tmp_path / "job.yaml"
    file.write_text(large.repeat("name: j\n", 8 * 3_000))
    gathered = sources.gather([str(file)], sources.SourceOptions())
    assert len(gathered.problems) == sources.MOST_PROBLEMS + 1
    assert gathered.problems[-1].rule == "file-more-problems"
    assert "more problems here and below" in gathered.problems[-1].message


def test_overrides_that_repeat_a_large_role_are_refused(tmp_path: Path) -> None:
    """A thousand overrides of a role with ten thousand variables would be ten million."""
    file = tmp_path / "job.yaml"
    (shape,) = [shape for shape in SHAPES if shape.name == "overrides over many variables"]
    file.write_text(shape.text(200_000))
    gathered = sources.gather([str(file)], sources.SourceOptions())
    assert "job-too-large" in {problem.rule for problem in gathered.problems}


def test_roles_that_nobody_could_have_meant_are_refused(tmp_path: Path) -> None:
    """Each of them knows all before it, and has what the job says for all."""
    file = tmp_path / "job.yaml"
    (shape,) = [shape for shape in SHAPES if shape.name == "roles"]
    file.write_text(shape.text(20_000))
    (problem,) = sources.gather([str(file)], sources.SourceOptions()).problems
    assert problem.rule == "job-too-large"
    assert problem.message.endswith(" roles; expected at most 100")
    env = large.repeat("  V@: x\n", 400_000)
    file.write_text(shape.text(3_000) + f"env:\n{env}")
    (problem,) = sources.gather([str(file)], sources.SourceOptions()).problems
    assert problem.message.endswith(" values of the job; expected at most 1,000,000")


def test_ranges_of_overrides_that_overlap_are_found_without_counting_replicas(
    tmp_path: Path,
) -> None:
    """A million replicas take no longer than ten."""
    file = tmp_path / "job.yaml"
    file.write_text(
        "name: j\nframework: tensorflow\nimage: j:1\nroles:\n  worker:\n    command: [w]\n"
        '    replicas: 1000000\n    overrides:\n      "5-900000": {port: 5}\n'
        '      "0-899999": {port: 6}\n      "900001": {port: 7}\n'
    )
    start = time.process_time()
    gathered = sources.gather([str(file)], sources.SourceOptions())
    assert time.process_time() - start < 1
    (problem,) = [problem for problem in gathered.problems if problem.rule == "override-overlap"]
    assert "'5-900000' and '0-899999' both name replica 5;" in problem.message
