"""The command `render`, as typed."""

import errno
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from chartgen import pipeline
from chartgen.world import files as tree
from tests.support.command_line import JOB, Typist, command, environment, process
from tests.unit.cli.test_validate import BAD, WARNS


def files_of(text: str) -> dict[str, str]:
    """What the core renders for the one job in a text."""
    (document,) = pipeline.read(text.encode(), "x")
    return pipeline.render(pipeline.check(document))


def test_a_chart_is_written_below_the_directory_and_the_next_step_is_shown(typed: Typist) -> None:
    typed.job()
    files = files_of(JOB.format(name="mnist"))
    assert typed("render", "mnist.yaml", "-o", "out") == (
        0,
        "",
        f"out/mnist: {len(files)} files written, requests 3 pods\n"
        "next: helm install mnist out/mnist\n",
    )
    written = typed.tree("out/mnist")
    assert written.pop(tree.MANIFEST)
    assert written == files


def test_a_second_run_changes_nothing_and_says_so(typed: Typist) -> None:
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    before = {path: file_state(path) for path in typed.folder.rglob("*")}
    code, _, err = typed("render", "mnist.yaml", "-o", "out")
    assert code == 0
    assert err.startswith("out/mnist: unchanged, requests 3 pods\n")
    assert {path: file_state(path) for path in typed.folder.rglob("*")} == before


def file_state(path: Path) -> tuple[int, ...]:
    """Which file this is, and when it was written; reading it changes none of these."""
    status = path.stat()
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def test_a_changed_job_changes_some_files(typed: Typist) -> None:
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    typed.job(text=JOB.format(name="mnist").replace("1.4", "1.5"), file="mnist.yaml")
    _, _, err = typed("render", "mnist.yaml", "-o", "out")
    assert err.startswith("out/mnist: ")
    assert " files changed, requests 3 pods\n" in err
    assert "mnist:1.5" in typed.tree("out/mnist")["values.yaml"]


def test_several_jobs_get_a_line_each(typed: Typist) -> None:
    typed.job(text="---\n".join(JOB.format(name=name) for name in ("one", "two")), file="both.yaml")
    typed.job("three")
    code, out, err = typed("render", "both.yaml", "three.yaml", "-o", "my charts")
    assert (code, out) == (0, "")
    assert [line.split(":")[0] for line in err.splitlines()] == [
        "my charts/one",
        "my charts/two",
        "my charts/three",
        "next",
    ]
    assert err.endswith("next: helm install three 'my charts/three', and so on\n")
    assert sorted(os.listdir(typed.folder / "my charts")) == ["one", "three", "two"]


def test_quiet_prints_nothing(typed: Typist) -> None:
    typed.job(text=WARNS, file="warns.yaml")
    assert typed("render", "warns.yaml", "-o", "out", "-q") == (0, "", "")


def test_a_job_can_come_from_standard_input(typed: Typist) -> None:
    assert typed("render", "-", "-o", "out", stdin=JOB.format(name="piped")).code == 0
    assert (typed.folder / "out/piped/Chart.yaml").exists()


def test_a_problem_in_one_job_prevents_writing_any(typed: Typist) -> None:
    typed.job()
    typed.job(text=BAD, file="bad.yaml")
    code, out, err = typed("render", "mnist.yaml", "bad.yaml", "nowhere.yaml", "-o", "out")
    assert (code, out) == (1, "")
    assert "bad.yaml:1:7: " in err
    assert "    1 | name: Mnist\n      |       ^\n" in err
    assert "nowhere.yaml:1:1: no such file" in err
    assert not (typed.folder / "out").exists()


def test_warnings_are_shown_and_stop_with_strict(typed: Typist) -> None:
    typed.job(text=WARNS, file="warns.yaml")
    code, _, err = typed("render", "warns.yaml", "-o", "out", "--strict")
    assert code == 1
    assert not (typed.folder / "out").exists()
    code, _, err = typed("render", "warns.yaml", "-o", "out")
    assert code == 0
    assert err.startswith("warns.yaml:8:37: warning: ")
    assert (typed.folder / "out/warns").exists()


def test_two_jobs_of_one_name_are_a_problem_at_both_places(typed: Typist) -> None:
    typed.job("mnist", file="a.yaml")
    typed.job("mnist", file="b.yaml")
    code, _, err = typed("render", "a.yaml", "b.yaml", "-o", "out")
    assert code == 1
    assert err.startswith(
        "b.yaml:1:7: another job is named 'mnist', at a.yaml:1:7; "
        "both would be written to one directory (job-duplicate)\n"
    )
    assert not (typed.folder / "out").exists()


def test_a_dash_prints_every_file_under_its_name(typed: Typist) -> None:
    typed.job()
    files = files_of(JOB.format(name="mnist"))
    printed = "".join(f"==> mnist/{path} <==\n{text}\n" for path, text in files.items())
    assert typed("render", "mnist.yaml", "-o", "-") == (0, printed, "")
    assert not (typed.folder / "-").exists()


def test_check_reports_what_differs_and_writes_nothing(typed: Typist) -> None:
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "out", "--check") == (
        1,
        "out/mnist: missing\n",
        "1 of 1 differs from its job description\n",
    )
    assert not (typed.folder / "out").exists()
    typed("render", "mnist.yaml", "-o", "out")
    assert typed("render", "mnist.yaml", "-o", "out", "--check") == (0, "", "1 up to date\n")
    values = typed.folder / "out/mnist/values.yaml"
    values.write_text(values.read_text().replace("1.4", "1.3"))
    assert typed("render", "mnist.yaml", "-o", "out", "--check", "-q") == (
        1,
        "out/mnist/values.yaml: edited by hand\n",
        "",
    )
    assert "1.3" in values.read_text()


def test_check_reports_charts_of_an_older_description(typed: Typist) -> None:
    """File by file: those that differ, and those that are missing."""
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    typed.job(text=JOB.format(name="mnist").replace("1.4", "1.5"), file="mnist.yaml")
    (typed.folder / "out/mnist/.helmignore").unlink()
    assert typed("render", "mnist.yaml", "-o", "out", "--check").out.splitlines() == [
        "out/mnist/.helmignore: missing",
        "out/mnist/Chart.yaml: differs",
        "out/mnist/README.md: differs",
        "out/mnist/values.yaml: differs",
    ]


def test_check_reports_files_that_are_no_longer_made(typed: Typist) -> None:
    typed.job(text=JOB.format(name="mnist") + "priorityClasses: {high: 5}\n", file="mnist.yaml")
    typed("render", "mnist.yaml", "-o", "out")
    typed.job()
    assert (
        "out/mnist/templates/priorityclasses.yaml: no longer generated\n"
        in typed("render", "mnist.yaml", "-o", "out", "--check").out
    )


def test_diff_shows_the_difference_as_a_patch_for_the_disk(typed: Typist) -> None:
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    typed.job(text=JOB.format(name="mnist").replace("1.4", "1.5"), file="mnist.yaml")
    before = typed.tree("out")
    code, out, err = typed("render", "mnist.yaml", "-o", "out", "--diff", "--text")
    assert code == 1
    assert "--- out/mnist/values.yaml\n+++ out/mnist/values.yaml\n" in out
    assert (
        '-image: "registry.example.com/mnist:1.4"\n+image: "registry.example.com/mnist:1.5"\n'
        in out
    )
    assert err == "1 of 1 differs from its job description\n"
    assert out.startswith("mnist: training starts over\n  replaced   3 Jobs (training restarts): ")
    assert typed.tree("out") == before


def test_a_directory_chartgen_did_not_write_is_refused_unless_forced(typed: Typist) -> None:
    typed.job()
    theirs = typed.folder / "out/mnist"
    theirs.mkdir(parents=True)
    (theirs / "precious.txt").write_text("mine")
    code, out, err = typed("render", "mnist.yaml", "-o", "out")
    assert (code, out) == (3, "")
    assert err.startswith("chartgen: out/mnist exists, but chartgen did not create it")
    assert os.listdir(theirs) == ["precious.txt"]
    assert typed("render", "mnist.yaml", "-o", "out", "--force").code == 0
    assert (theirs / "precious.txt").read_text() == "mine"


def test_a_failure_in_the_middle_says_how_far_it_got(typed: Typist) -> None:
    typed.job("a")
    typed.job("b")
    (typed.folder / "out/b").mkdir(parents=True)
    (typed.folder / "out/b/theirs").write_text("")
    code, _, err = typed("render", "a.yaml", "b.yaml", "-o", "out")
    assert code == 3
    assert err.endswith("\n1 of 2 were written before\n")
    assert (typed.folder / "out/a/Chart.yaml").exists()


def test_a_directory_that_cannot_be_written_is_explained(typed: Typist) -> None:
    typed.job()
    (typed.folder / "out").write_text("a file")
    code, out, err = typed("render", "mnist.yaml", "-o", "out")
    assert (code, out) == (3, "")
    assert err == (
        "chartgen: cannot write out/mnist: 'out' is not a directory; move it away,"
        " or name another directory\n"
    )


def test_a_read_only_directory_is_explained(typed: Typist) -> None:
    typed.job()
    # Not even root may write there.
    code, out, err = typed("render", "mnist.yaml", "-o", "/proc/chartgen")
    assert (code, out) == (3, "")
    assert err.startswith("chartgen: cannot write /proc/chartgen/mnist: ")


def test_a_full_disk_leaves_the_old_chart(typed: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    before = typed.tree("out")
    typed.job(text=JOB.format(name="mnist").replace("1.4", "1.5"), file="mnist.yaml")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tree, "_build", full)
    code, _, err = typed("render", "mnist.yaml", "-o", "out")
    assert code == 3
    assert "No space left on device; free some space there" in err
    assert typed.tree("out") == before


def test_runs_at_the_same_time_leave_one_whole_chart(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.yaml").write_text(
            JOB.format(name="mnist").replace("1.4", f"1.{number}")
        )
    runs = [
        subprocess.Popen(
            command("render", f"{number}.yaml", "-o", "out", "-q"), cwd=tmp_path, env=environment()
        )
        for number in range(4)
    ]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    checks = [
        process("render", f"{number}.yaml", "-o", "out", "--check", "-q", cwd=tmp_path)
        for number in range(4)
    ]
    assert sorted(check.code for check in checks) == [0, 1, 1, 1], (
        "the chart is the one of one of them"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("mnist.yaml",),
            "say where the charts go, as in: chartgen render job.yaml -o charts"
            " (or print them: -o -)",
        ),
        (("mnist.yaml", "--check"), "say where the charts go"),
        (
            ("mnist.yaml", "-o", "-", "--check"),
            "--check, --diff and --force need a directory; -o - prints instead",
        ),
        (
            ("mnist.yaml", "-o", "out", "--set", "a=b"),
            "--set needs --format manifests; a chart takes its values ",
        ),
        (("mnist.yaml", "-o", "out", "-f", "x"), "--values needs --format manifests; "),
        (("mnist.yaml", "-o", "out", "--release=x"), "--release needs --format manifests; "),
        (("mnist.yaml", "-o", "out", "-n", "x"), "--namespace needs --format manifests; "),
        (("mnist.yaml", "-o", "out", "--helm", "x"), "--helm needs --format manifests; "),
        (
            ("mnist.yaml", "-o", "-", "--format=manifests", "-f", "-"),
            "--values -: expected a file, not standard input",
        ),
        (
            ("mnist.yaml", "b.yaml", "-o", "-", "--format=manifests", "--release=x"),
            "--release names one release, ",
        ),
        (
            ("mnist.yaml", "-o", "-", "--format=manifests", "--release=My_x"),
            "--release My_x: expected lowercase letters",
        ),
        (
            ("mnist.yaml", "-o", "-", "--format=manifests", "-f", "no.yaml"),
            "--values no.yaml: no such file",
        ),
    ],
)
def test_options_that_make_no_sense_together_are_usage(
    typed: Typist, words: tuple[str, ...], message: str
) -> None:
    typed.job()
    typed.job("b")
    code, out, err = typed("render", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"chartgen: {message}")
    assert err.endswith(
        "usage: chartgen render [JOB... -o DIR] [options]\nSee chartgen render --help\n"
    )


def test_a_missing_helm_is_reported_with_ways_to_get_it(typed: Typist) -> None:
    typed.job()
    code, _, err = typed("render", "mnist.yaml", "-o", "out", "--format=manifests", "--helm=./none")
    assert (code, err) == (3, "chartgen: --helm ./none: no such program\n")


def test_many_files_are_rendered_in_one_run(typed: Typist) -> None:
    for number in range(30):
        typed.job(f"job-{number}")
    code, out, err = typed("render", *(f"job-{number}.yaml" for number in range(30)), "-o", "out")
    assert (code, out) == (0, "")
    assert len(err.splitlines()) == 31
    assert "\r" not in err, "no counter where there is no terminal"
    assert len(os.listdir(typed.folder / "out")) == 30


ANGEL = (
    "angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.container.image=a:1"
    " -Dangel.job.name=lr"
)
ELASTICDL = (
    "elasticdl train --job_name=lr --model_def=zoo/lr --records_per_task=100 --minibatch_size=64"
    " --num_workers=2 --training_data_dir=/data/train --num_epochs=1 --grads_to_wait=2"
    " --image_name=a:1"
)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("submit.sh", f"{ANGEL} -Dangel.kubernetes.namespace=research"),
        ("train.sh", f"{ELASTICDL} --namespace=research"),
        ("lr.py", "new_cluster(namespace='research')"),
    ],
)
def test_the_next_command_uses_the_namespace_named_in_the_file(
    file: str, text: str, typed: Typist
) -> None:
    (typed.folder / file).write_text(text)
    assert typed("render", file, "-o", "out").err.endswith(
        "next: helm install -n research lr out/lr\n"
    )


def test_the_next_command_uses_the_namespace_of_the_job(typed: Typist) -> None:
    """A chart has no namespace, so it would be lost."""
    job = {
        "containers": [{"name": "tensorflow", "image": "a:1", "command": ["x"]}],
        "restartPolicy": "Never",
    }
    replica_spec = {"tfReplicaType": "MASTER", "template": {"spec": job}}
    metadata = {"name": "moved", "namespace": "research"}
    head = {"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob"}
    text = yaml.safe_dump({**head, "metadata": metadata, "spec": {"replicaSpecs": [replica_spec]}})
    (typed.folder / "tfjob.yaml").write_text(text)
    assert typed("render", "tfjob.yaml", "-o", "out").err.endswith(
        "next: helm install -n research moved out/moved\n"
    )
