"""The diff in words: what happens to the objects of a job, and by which line of its description."""

import json
import shutil
import subprocess

import pytest

from tests.support.command_line import Typist
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("resident_helm")

MNIST = (ROOT / "values/jobs/mnist.yaml").read_text("utf-8")
MARS = """\
name: analysis
framework: mars
image: registry.example.com/mars:1
roles: {scheduler: {}, worker: {replicas: 2}, web: {}}
"""


@pytest.fixture
def mnist(typed: Typist) -> Typist:
    typed.job(text=MNIST)
    assert typed("render", "mnist.yaml", "-o", "charts", "-q").code == 0
    return typed


def change(typed: Typist, old: str, new: str) -> None:
    place = typed.folder / "mnist.yaml"
    text = place.read_text("utf-8")
    assert old in text
    place.write_text(text.replace(old, new), "utf-8")


def test_an_image_tag_is_at_most_ten_lines_that_name_the_six_jobs(mnist: Typist, helm: str) -> None:
    change(mnist, "mnist:1.4", "mnist:1.5")
    done = mnist("render", "mnist.yaml", "-o", "charts", "--diff", "--helm", helm)
    assert done.code == 1
    lines = done.out.splitlines()
    assert len(lines) <= 10
    assert lines[0] == "mnist: training starts over"
    assert lines[1].startswith("  replaced   6 Jobs (training restarts): chief-")
    for job in ("chief", "worker", "ps"):
        assert f"{job}-" in lines[1]
    assert lines[1].count(",") == 5
    assert lines[-1] == (
        "  because    image: registry.example.com/mnist:1.4 -> registry.example.com/mnist:1.5"
        "  (mnist.yaml:4:8)"
    )


def test_nothing_happens(mnist: Typist, helm3: str) -> None:
    done = mnist("diff", "charts/mnist", "mnist.yaml", "--helm", helm3)
    assert done == (0, "mnist: nothing happens\n", "")


def test_a_change_that_restarts_nothing(mnist: Typist, helm3: str) -> None:
    change(
        mnist, "  logDir: gs://bucket/mnist", "  logDir: gs://bucket/mnist\n  serviceType: NodePort"
    )
    done = mnist("diff", "charts/mnist", "mnist.yaml", "--helm", helm3)
    assert done.out.splitlines()[0] == "mnist: nothing restarts"
    assert "  changed    1 Service, without a restart: tensorboard-" in done.out
    assert "  because    tensorboard.serviceType: unset -> NodePort" in done.out


def test_rescaling_in_flight(typed: Typist, helm3: str) -> None:
    typed.job("analysis", text=MARS)
    typed("render", "analysis.yaml", "-o", "charts", "-q")
    typed.job("analysis", text=MARS.replace("replicas: 2", "replicas: 5"))
    done = typed("diff", "charts", "analysis.yaml", "--helm", helm3)
    assert "  rescaled   worker from 2 to 5 replicas; the other replicas keep running" in done.out
    assert "replaced" not in done.out


def test_a_given_runtime_id_with_other_pods_is_a_problem(mnist: Typist, helm3: str) -> None:
    change(mnist, "name: mnist", "name: mnist\nruntimeId: abcd")
    mnist("render", "mnist.yaml", "-o", "charts", "-q")
    change(mnist, "mnist:1.4", "mnist:1.5")
    done = mnist("render", "mnist.yaml", "-o", "charts", "--diff", "--helm", helm3)
    assert done.code == 1
    assert done.out.startswith("mnist: Kubernetes would refuse the upgrade\n  refused    6 Jobs")
    assert "mnist: Job/chief-abcd-0: spec.template: " in done.err
    assert "; 5 more Jobs have it too" in done.err
    assert done.err.count("hint: give another runtimeId, or none") == 1


def test_other_fields_of_jobs_that_cannot_be_changed_in_place(mnist: Typist, helm3: str) -> None:
    """With a given runtime id, exit codes would be refused, and a backoffLimit would not."""
    change(mnist, "name: mnist", "name: mnist\nruntimeId: abcd\nrestartPolicy: Never")
    mnist("render", "mnist.yaml", "-o", "charts", "-q")
    change(mnist, "restartPolicy: Never", "restartPolicy: Never\nexitCodes: tfjob")
    done = mnist("diff", "charts/mnist", "mnist.yaml", "--helm", helm3)
    said = "because spec.podFailurePolicy changes under a given runtimeId: chief-abcd-0, "
    assert f"  refused    6 Jobs, {said}" in done.out
    change(mnist, "exitCodes: tfjob", "backoffLimit: 9")
    done = mnist("diff", "charts/mnist", "mnist.yaml", "--helm", helm3)
    assert "mnist: nothing restarts\n  changed    6 Jobs, without a restart" in done.out


def test_added_and_gone(typed: Typist, helm3: str) -> None:
    for name in ("a", "b"):
        typed.job(name)
    typed("render", "a.yaml", "b.yaml", "-o", "old", "-q")
    typed("render", "b.yaml", "-o", "new", "-q")
    typed.job("c")
    typed("render", "c.yaml", "-o", "new", "-q")
    out = typed("diff", "old", "new", "--helm", helm3).out
    assert "a: everything is removed\n  gone " in out
    assert "b: nothing happens\n" in out
    assert "c: new\n  added " in out


def test_packages_and_revisions(mnist: Typist, helm3: str) -> None:
    mnist("package", "charts/mnist", "-o", "packages", "-q")
    git(mnist, "init", "-q")
    git(mnist, "add", "-A")
    git(mnist, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "first")
    change(mnist, "mnist:1.4", "mnist:1.5")
    mnist("render", "mnist.yaml", "-o", "charts", "-q")
    for old in ("packages/mnist-0.1.0.tgz", "HEAD:charts", "HEAD:charts/mnist"):
        out = mnist("diff", old, "charts/mnist", "--helm", helm3).out
        assert out.startswith("mnist: training starts over\n"), old
    assert mnist("diff", "nobody:charts", "charts", "--helm", helm3).code == 2
    assert mnist("diff", "nothing", "charts", "--helm", helm3).code == 2
    assert mnist("diff", "HEAD:nothing", "charts", "--helm", helm3).out.startswith("mnist: new\n")
    mnist.patch.chdir(mnist.folder / "packages")
    out = mnist("diff", "HEAD:charts", "../charts", "--helm", helm3).out
    assert out.startswith("mnist: training starts over\n"), "paths from the repository's top"


def git(typed: Typist, *words: str) -> None:
    subprocess.run(["git", *words], cwd=typed.folder, check=True, capture_output=True)


def test_manifests(mnist: Typist, helm3: str) -> None:
    words = ("render", "mnist.yaml", "--format", "manifests", "--helm", helm3, "-q", "-o")
    mnist(*words, "old")
    change(mnist, "mnist:1.4", "mnist:1.5")
    mnist(*words, "new")
    out = mnist("diff", "old", "new", "--helm", helm3).out
    assert out.startswith("mnist: training starts over\n  replaced   6 Jobs")
    assert (
        "  because    Job.spec.template.spec.containers.tensorflow.image: "
        "registry.example.com/mnist:1.4 -> registry.example.com/mnist:1.5\n"
    ) in out
    mnist(*words, "new", "--tests")
    told = mnist("diff", "old/mnist", "new/mnist", "--helm", helm3).out
    assert told == out, "the tests below it are something else"
    out = mnist("diff", "new", "charts", "--helm", helm3, "--text").out
    assert "--- mnist/Job/chief-" in out, "as objects, because only one side has manifests"
    done = mnist("diff", "new", "charts", "--helm", "no-such-helm")
    assert done.code == 3
    assert "a chart and manifests can only be compared with Helm" in done.err


@pytest.mark.parametrize("word", ["packages", "."])
def test_a_directory_without_charts_is_not_without_changes(
    mnist: Typist, helm3: str, word: str
) -> None:
    mnist("package", "charts/mnist", "-o", "packages", "-q")
    (mnist.folder / "mnist.yaml").unlink()
    done = mnist("diff", word, word, "--helm", helm3)
    assert (done.code, done.out) == (2, "")
    assert f"{word} has neither charts nor manifests" in done.err


def test_for_programs_and_pull_requests(mnist: Typist, helm3: str) -> None:
    change(mnist, "mnist:1.4", "mnist:1.5")
    words = ("diff", "charts/mnist", "mnist.yaml", "--helm", helm3, "--output")
    (row,) = json.loads(mnist(*words, "json").out)["changes"]
    assert row["restarts"] is True
    jobs = [pair for pair in row["replaced"] if pair["old"].startswith("Job/")]
    assert len(jobs) == 6 + 1  # the clean-up is replaced as well
    assert row["values"][0]["path"] == "image"
    text = mnist(*words, "markdown").out
    assert text.startswith("**mnist**: training starts over\n\n```text\nreplaced   6 Jobs")


RENDER = ("render", "mnist.yaml", "-o", "charts", "--diff")
DIFF = ("diff", "charts/mnist", "mnist.yaml")


@pytest.mark.parametrize("words", [RENDER, DIFF], ids=" ".join)
def test_without_helm_the_text_is_shown(mnist: Typist, words: tuple[str, ...]) -> None:
    change(mnist, "mnist:1.4", "mnist:1.5")
    done = mnist(*words, "--helm", "no-such-helm")
    assert done.code == 1
    assert '+image: "registry.example.com/mnist:1.5"\n' in done.out
    assert "only the differences of the files are shown, not what would happen: " in done.err
    done = mnist(*words, "--helm", "no-such-helm", "--output", "json")
    assert (done.code, done.out) == (3, ""), "programs do not read patches"


def test_without_helm_a_pull_request_is_told_why_there_are_no_words(mnist: Typist) -> None:
    change(mnist, "mnist:1.4", "mnist:1.5")
    done = mnist(*DIFF, "--helm", "no-such-helm", "--output", "markdown")
    assert done.out.startswith(
        "Saying what would happen needs Helm; only the differences of the files are shown.\n\n"
        "```diff\n"
    )


def test_without_helm_nothing_that_differs_is_fine(mnist: Typist) -> None:
    assert mnist(*DIFF, "--helm", "no-such-helm")[:2] == (0, "")
    done = mnist("diff", "release:mnist", "mnist.yaml", "--helm", "no-such-helm")
    assert done.code == 3
    assert "only Helm knows release:mnist" in done.err


@pytest.mark.parametrize("words", [RENDER, DIFF], ids=" ".join)
def test_the_text_follows_the_words_on_request(
    mnist: Typist, helm3: str, words: tuple[str, ...]
) -> None:
    change(mnist, "mnist:1.4", "mnist:1.5")
    words = (*words, "--helm", helm3, "--text")
    told, _, text = mnist(*words).out.partition("--- ")
    assert told.startswith("mnist: training starts over\n")
    assert told.endswith("(mnist.yaml:4:8)\n"), "both know the line of the job description"
    assert '+image: "registry.example.com/mnist:1.5"\n' in text
    done = mnist(*words, "--output", "markdown")
    assert done.out.count("```") == 4
    assert "\n```diff\n--- " in done.out
    done = mnist(*words, "--output", "json")
    assert (done.code, done.out) == (2, "")


def test_a_whole_project(typed: Typist, helm3: str) -> None:
    (typed.folder / "jobs").mkdir()
    typed.job(text=MNIST, file="jobs/mnist.yaml")
    typed.job("other", file="jobs/other.yaml")
    (typed.folder / "chartgen.yaml").write_text("{}\n")
    typed("render", "-q")
    typed.job(text=MNIST.replace("mnist:1.4", "mnist:1.5"), file="jobs/mnist.yaml")
    done = typed("render", "--diff", "--helm", helm3)
    assert done.code == 1
    assert done.out.startswith("mnist: training starts over\n")
    assert "(jobs/mnist.yaml:4:8)" in done.out
    assert "other" not in done.out


def test_a_job_of_a_project_is_compared_with_what_the_project_adds(
    typed: Typist, helm3: str
) -> None:
    """Its defaults, and its values in an environment, are not told as changes."""
    (typed.folder / "jobs").mkdir()
    (typed.folder / "environments/staging").mkdir(parents=True)
    typed.job(text=MNIST, file="jobs/mnist.yaml")
    (typed.folder / "environments/staging/mnist.yaml").write_text("env: {A: b}\n")
    project = "defaults: {commonLabels: {team: vision}}\nenvironments: {staging: {}}\n"
    (typed.folder / "chartgen.yaml").write_text(project)
    typed("render", "-q")
    words = ("diff", "charts/mnist", "jobs/mnist.yaml", "--helm", helm3)
    assert typed(*words) == (0, "mnist: nothing happens\n", "")
    assert typed(*words, "--environment", "staging") == (0, "mnist: nothing happens\n", "")


def test_a_job_that_is_new(typed: Typist, helm3: str) -> None:
    """All its values are new, too, and none of them is a cause."""
    (typed.folder / "jobs").mkdir()
    typed.job("kept", file="jobs/kept.yaml")
    (typed.folder / "chartgen.yaml").write_text("{}\n")
    typed("render", "-q")
    typed.job("late", file="jobs/late.yaml")
    done = typed("render", "--diff", "--helm", helm3)
    assert done.code == 1
    assert [line.split()[0] for line in done.out.splitlines()] == ["late:", "added"], done.out
    assert "kept" not in done.out


def test_a_job_that_is_gone(typed: Typist, helm3: str) -> None:
    """Its chart stays until --prune, and the words say what that would remove."""
    (typed.folder / "jobs").mkdir()
    for name in ("kept", "old"):
        typed.job(name, file=f"jobs/{name}.yaml")
    (typed.folder / "chartgen.yaml").write_text("{}\n")
    typed("render", "-q")
    (typed.folder / "jobs/old.yaml").unlink()
    done = typed("render", "--diff", "--helm", helm3)
    assert done.code == 1
    assert done.out.startswith("old (with --prune): everything is removed\n  gone ")
    assert "kept" not in done.out


def test_manifests_of_environments_are_told_apart(typed: Typist, helm3: str) -> None:
    (typed.folder / "jobs").mkdir()
    typed.job(text=MNIST, file="jobs/mnist.yaml")
    project = "format: manifests\nenvironments: {staging: {}, production: {}}\n"
    (typed.folder / "chartgen.yaml").write_text(project)
    typed("render", "-q", "--helm", helm3)
    typed.job(text=MNIST.replace("mnist:1.4", "mnist:1.5"), file="jobs/mnist.yaml")
    out = typed("render", "--diff", "--helm", helm3).out
    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert heads == [
        "mnist (production): training starts over",
        "mnist (staging): training starts over",
    ]
    assert out.count("containers.tensorflow.image: registry.example.com/mnist:1.4 -> ") == 2
    shutil.copytree(typed.folder / "charts", typed.folder / "before")
    typed("render", "-q", "--helm", helm3)
    out = typed("diff", "before", "charts", "--helm", helm3).out
    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert heads == [
        "production/mnist: training starts over",
        "staging/mnist: training starts over",
    ]


def test_environments_are_told_apart(typed: Typist, helm3: str) -> None:
    """A change of the values of one environment restarts nothing in the others."""
    (typed.folder / "jobs").mkdir()
    (typed.folder / "environments/production").mkdir(parents=True)
    typed.job(text=MNIST, file="jobs/mnist.yaml")
    (typed.folder / "chartgen.yaml").write_text(
        "environments: {dev: {}, staging: {}, production: {}}\n"
    )
    typed("render", "-q")
    values = typed.folder / "environments/production/mnist.yaml"
    values.write_text("image: registry.example.com/mnist:2\n")
    out = typed("render", "--diff", "--helm", helm3).out
    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert heads == [
        "mnist (dev, staging): nothing happens",
        "mnist (production): training starts over",
    ]
    assert "(environments/production/mnist.yaml:1:8)" in out
    shutil.copytree(typed.folder / "charts", typed.folder / "before")
    typed("render", "-q")
    words = ("diff", "before", "charts", "--helm", helm3)
    assert typed(*words) == (0, "mnist: nothing happens\n", "")
    done = typed(*words, "--environment", "production")
    assert done.code == 1
    assert done.out.endswith("  (environments/production/mnist.yaml:1:8)\n")
    job = typed.folder / "jobs/mnist.yaml"
    job.write_text(MNIST.replace("mnist:1.4", "mnist:1.5"), "utf-8")
    out = typed("render", "--diff", "--helm", helm3).out
    assert out.endswith("mnist (production): nothing happens\n"), "it has an image of its own"
    typed("render", "-q")
    assert typed(*words).out.endswith("mnist:1.5  (jobs/mnist.yaml:4:8)\n"), (
        "charts have lines, too"
    )
    done = typed("diff", "charts", "before", "--helm", helm3)
    assert done.out.endswith("-> registry.example.com/mnist:1.4\n"), "that is not what jobs say"
    values.unlink()
    out = typed("render", "--diff", "--helm", helm3).out
    assert "mnist (production): training starts over\n" in out
