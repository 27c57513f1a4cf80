"""Job descriptions with parameters: one job per combination, with places in the template."""

import pytest

from tests.support.command_line import Typist

SWEEP = """\
name: sweep
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  worker:
    command: [python, train.py, --lr, "<%= lr %>", "{{ lr }}"]
"""


def args(typed: Typist, job: str) -> str:
    values = typed.tree("charts")[f"{job}/values.yaml"]
    return values.partition("command: ")[2].partition("\n")[0]


def test_a_template_is_filled_and_braces_stay_text(typed: Typist) -> None:
    typed.job(text=SWEEP, file="sweep.yaml.j2")
    done = typed("render", "sweep.yaml.j2", "-o", "charts", "--define", "lr=0.1")
    assert done.code == 0, done.err
    assert args(typed, "sweep") == '[python, train.py, "--lr", "0.1", "{{ lr }}"]'


def test_a_plain_description_is_no_template(typed: Typist) -> None:
    typed.job(text=SWEEP, file="sweep.yaml")
    assert typed("render", "sweep.yaml", "-o", "charts", "--define", "lr=0.1").code == 0
    assert '"<%= lr %>", "{{ lr }}"' in args(typed, "sweep")


def test_a_matrix_gives_a_job_for_each_combination_named_for_it(typed: Typist) -> None:
    text = SWEEP.replace("train.py", "<%= model %>.py").replace("python", "<%= program %>")
    typed.job(text=text, file="sweep.yaml.j2")
    words = ("--matrix", "lr=0.1,1e-2", "--matrix", "model=A_b,c", "--define", "program=py")
    assert typed("render", "sweep.yaml.j2", "-o", "charts", *words).code == 0
    names = {path.partition("/")[0] for path in typed.tree("charts")}
    assert names == {
        *("sweep-lr-0-1-model-a-b", "sweep-lr-0-1-model-c"),
        *("sweep-lr-1e-2-model-a-b", "sweep-lr-1e-2-model-c"),
    }
    assert '"1e-2"' in args(typed, "sweep-lr-1e-2-model-c")


def test_names_that_the_template_tells_apart_are_kept(typed: Typist) -> None:
    text = SWEEP.replace("name: sweep", "name: run<%= lr | replace('.', '') %>")
    typed.job(text=text, file="sweep.yaml.j2")
    assert typed("render", "sweep.yaml.j2", "-o", "charts", "--matrix", "lr=0.1,0.2").code == 0
    assert {path.partition("/")[0] for path in typed.tree("charts")} == {"run01", "run02"}


def test_a_name_that_gets_too_long_is_a_problem_in_the_line_of_the_name(typed: Typist) -> None:
    typed.job(text=f"# A comment.\n{SWEEP}", file="sweep.yaml.j2")
    out = typed("validate", "sweep.yaml.j2", "--matrix", f"lr=0.1,{'x' * 40}").out
    assert out.startswith("sweep.yaml.j2:2:7: name: ")
    assert "    2 | name: sweep\n" in out


def test_two_values_that_give_one_name_are_a_problem(typed: Typist) -> None:
    typed.job(text=SWEEP, file="sweep.yaml.j2")
    done = typed("render", "sweep.yaml.j2", "-o", "charts", "--matrix", "lr=0.1,0-1")
    assert done.code == 1
    assert "another job is named 'sweep-lr-0-1'" in done.err


def test_a_native_text_can_be_a_template_too(typed: Typist) -> None:
    text = (
        "apiVersion: tensorflow.org/v1alpha1\nkind: TfJob\nmetadata: {name: job-<%= n %>}\n"
        "spec:\n  replicaSpecs:\n    - {replicas: 1, tfReplicaType: MASTER, template: {spec: "
        "{containers: [{name: tensorflow, image: 'a:<%= n %>'}], restartPolicy: OnFailure}}}\n"
    )
    typed.job(text=text, file="job.yaml.j2")
    done = typed("render", "job.yaml.j2", "-o", "charts", "--matrix", "n=1,2")
    assert done.code == 0, done.err
    assert {path.partition("/")[0] for path in typed.tree("charts")} == {"job-1", "job-2"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--matrix", "lr"), "--matrix ...: expected NAME=VALUE,VALUE"),
        (("--matrix", "lr=1,,2"), "--matrix lr=...: expected NAME=VALUE,VALUE"),
        (("--matrix", "lr=1", "--matrix", "lr=2"), "--matrix lr=...: lr is given twice"),
        (("--matrix", "lr=1", "--define", "lr=2"), "--matrix lr=...: lr is given twice"),
        (
            ("--matrix", "lr=1", "--matrix", "lrr=2"),
            "--matrix lrr: sweep.yaml.j2 does not use 'lrr'; did you mean 'lr'?",
        ),
        (
            ("--matrix", "lr=" + ",".join(map(str, range(1001)))),
            "--matrix gives 1,001 combinations; the limit is 1,000",
        ),
    ],
)
def test_a_matrix_that_cannot_be_meant(typed: Typist, words: tuple[str, ...], message: str) -> None:
    typed.job(text=SWEEP, file="sweep.yaml.j2")
    done = typed("validate", "sweep.yaml.j2", *words)
    assert done.code == 2
    assert done.err.startswith(f"chartgen: {message}")


def test_a_matrix_needs_a_template(typed: Typist) -> None:
    typed.job()
    assert "--matrix is for templates" in typed("validate", "mnist.yaml", "--matrix", "a=1").err


def test_control_characters_and_broken_templates_have_their_places(typed: Typist) -> None:
    typed.job(text="name: a\x07\n", file="sweep.yaml.j2")
    assert typed("validate", "sweep.yaml.j2").out.startswith("sweep.yaml.j2:1:8: ")
    typed.job(text="name: a\n<% for %>\n", file="sweep.yaml.j2")
    for words in ((), ("--matrix", "a=1")):
        assert typed("validate", "sweep.yaml.j2", *words).out.startswith("sweep.yaml.j2:2:1: ")
