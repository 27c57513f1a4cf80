"""A repository of jobs, as people use it: render, check, change, prune, and what goes wrong."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from chartgen.gitops.changes import Changes, Field
from chartgen.project import model
from chartgen.project.places import place_values
from chartgen.world import workers
from tests.support.charts import template
from tests.support.command_line import JOB, Typist, command, environment
from tests.support.paths import ROOT

PROJECT = """\
sources: [jobs/**, native/*.yaml]
environments:
  staging: {namespace: ml-staging}
  production: {namespace: ml}
"""


@pytest.fixture
def repo(typed: Typist) -> Typist:
    """A repository with three jobs, one in a native format, and two environments."""
    for folder in ("jobs", "native", "environments/staging", "environments/production"):
        (typed.folder / folder).mkdir(parents=True)
    write(typed, "chartgen.yaml", PROJECT)
    write(typed, "jobs/mnist.yaml", JOB.format(name="mnist"))
    write(typed, "jobs/cifar.yaml", JOB.format(name="cifar"))
    shutil.copy(ROOT / "tests/e2e/native/tfjob.yaml", typed.folder / "native/fit.yaml")
    write(typed, "environments/staging/mnist.yaml", "roles: {worker: {replicas: 1}}\n")
    return typed


def write(typed: Typist, path: str, text: str) -> None:
    place = typed.folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def charts(typed: Typist) -> list[str]:
    return sorted(path.name for path in (typed.folder / "charts").iterdir())


# Rendering


def test_everything_is_rendered(repo: Typist) -> None:
    assert repo("validate") == (0, "", "3 files, 3 jobs: no problems\n")
    assert repo("render").code == 0
    assert charts(repo) == ["cifar", "fit", "mnist"]
    assert repo("render", "--check") == (0, "", "3 up to date\n")
    assert repo("render").err == "3 jobs: 0 written, 3 unchanged\n"


def test_a_chart_has_the_values_of_each_environment(repo: Typist) -> None:
    repo("render", "-q")
    chart = repo.folder / "charts/mnist"
    assert (
        (chart / "values-staging.yaml").read_text().endswith("roles:\n  worker:\n    replicas: 1\n")
    )
    assert not (chart / "values-production.yaml").exists()


def test_only_what_has_changed_is_made(repo: Typist) -> None:
    repo("render", "-q")
    before = {path: path.stat().st_mtime_ns for path in (repo.folder / "charts").rglob("*.yaml")}
    write(repo, "environments/production/mnist.yaml", "roles: {worker: {replicas: 5}}\n")
    assert repo("render", "--check").out.splitlines() == [
        "charts/mnist/Chart.yaml: differs",
        "charts/mnist/values-production.yaml: missing",
    ]
    done = repo("render")
    assert done.err.splitlines()[-1] == "3 jobs: 1 written, 2 unchanged"
    touched = {path for path, then in before.items() if path.stat().st_mtime_ns != then}
    assert {path.relative_to(repo.folder).as_posix() for path in touched} == {
        "charts/mnist/Chart.yaml"
    }


def test_a_changed_project_file_makes_every_chart_again(repo: Typist) -> None:
    repo("render", "-q")
    write(repo, "chartgen.yaml", f"{PROJECT}defaults: {{labels: {{team: vision}}}}\n")
    assert repo("render", "--check").code == 1
    assert repo("render").err.splitlines()[-1] == "3 jobs: 3 written, 0 unchanged"


def test_the_same_bytes_with_and_without_what_is_known(repo: Typist) -> None:
    repo("render", "-q")
    before = repo.tree("charts")
    shutil.rmtree(repo.folder / ".chartgen_cache")
    assert repo("render").err == "3 jobs: 0 written, 3 unchanged\n"
    shutil.rmtree(repo.folder / "charts")
    repo("render", "-q")
    assert repo.tree("charts") == before


def test_one_job_of_a_project(repo: Typist) -> None:
    assert repo("render", "jobs/mnist.yaml").code == 0
    assert charts(repo) == ["mnist"]
    assert (repo.folder / "charts/mnist/values-staging.yaml").exists()
    done = repo("render", "jobs/mnits.yaml")
    assert done.code == 2
    assert "did you mean 'jobs/mnist.yaml'?" in done.err


def test_a_project_elsewhere(repo: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.folder.parent)
    name = repo.folder.name
    assert repo("render", name).code == 0
    assert charts(repo) == ["cifar", "fit", "mnist"]
    assert repo("render", name, "--check").code == 0
    monkeypatch.chdir(repo.folder)
    assert repo("render", "--check") == (0, "", "3 up to date\n"), "the bytes are the same"
    monkeypatch.chdir(repo.folder.parent)
    write(repo, "jobs/bad.yaml", "name: bad\n")
    assert repo("validate", name).out.startswith(f"{name}/jobs/bad.yaml:1:1: ")


def test_a_directory_of_jobs_without_a_project_file(typed: Typist) -> None:
    write(typed, "jobs/a.yaml", JOB.format(name="a"))
    write(typed, "jobs/deep/b.yaml", JOB.format(name="b"))
    write(typed, "jobs/train.py", "print('a program, not a job')\n")
    assert typed("render", "jobs", "-o", "charts", "-q").code == 0
    assert charts(typed) == ["a", "b"]
    (typed.folder / "empty").mkdir()
    assert typed("render", "empty", "-o", "x").code == 2


@pytest.mark.parametrize("form", ["chart", "manifests"])
def test_charts_below_a_directory_of_jobs_are_not_jobs(
    typed: Typist, helm3: str, form: str
) -> None:
    """`render . -o charts` can be typed again."""
    write(typed, "a.yaml", JOB.format(name="a"))
    write(typed, "theirs/Chart.yaml", "apiVersion: v2\nname: theirs\nversion: 1.0.0\n")
    write(typed, "theirs/templates/job.yaml", "{{ .Values.job }}\n")
    words = ["render", ".", "-o", "out", "--format", form]
    if form == "manifests":
        words += ["--helm", helm3]
    assert typed(*words, "-q").code == 0
    assert typed(*words, "--check") == (0, "", "1 up to date\n")
    done = typed("validate", "out/a")
    assert done.code == 2
    assert "there is no job in out/a; expected " in done.err


def test_every_native_format_is_found_in_a_directory(typed: Typist) -> None:
    field = "<property><name>angel.job.name</name><value>lr</value></property>"
    write(typed, "jobs/angel-site.xml", f"<configuration>{field}</configuration>")
    write(typed, "jobs/pom.xml", "<project/>")
    assert "jobs/angel-site.xml:" in typed("validate", "jobs").out
    assert "pom.xml" not in typed("validate", "jobs").out


def test_defaults_lie_under_every_job(repo: Typist) -> None:
    extra = """\
registry: registry.example.com/team
defaults:
  commonLabels: {team: vision}
  env: {A: "1", B: "2"}
  mxnet: {mode: local}
  roles:
    worker: {resources: {limits: {cpu: 4}}}
    evaluator: {replicas: 1}
"""
    write(repo, "chartgen.yaml", PROJECT + extra)
    text = JOB.format(name="mnist").replace("registry.example.com/", "") + "env: {A: mine}\n"
    write(repo, "jobs/mnist.yaml", text)
    assert repo("render", "-q").code == 0
    values = (repo.folder / "charts/mnist/values.yaml").read_text("utf-8")
    assert 'image: "registry.example.com/team/mnist:1.4"' in values
    assert 'env:\n  A: mine\n  B: "2"\n' in values
    assert "commonLabels:\n  team: vision\n" in values
    assert "cpu: 4" in values
    assert "  evaluator:\n" not in values


def test_a_mistake_in_the_defaults_is_reported_where_it_is(repo: Typist) -> None:
    write(repo, "chartgen.yaml", PROJECT + "defaults:\n  clodu: gke\n")
    done = repo("validate")
    assert done.code == 1
    assert done.out.startswith("chartgen.yaml:6:3: unknown key 'clodu' (key-unknown)\n    6 | ")
    assert done.out.count("clodu'") == 1  # once, and not for each job


def test_a_cloud_of_the_defaults_may_be_a_file(repo: Typist) -> None:
    shutil.copy(ROOT / "values/clouds/gke.yaml", repo.folder / "ours.yaml")
    write(repo, "chartgen.yaml", PROJECT + "defaults: {cloud: ours.yaml}\n")
    assert repo("validate").code == 0
    write(repo, "chartgen.yaml", PROJECT + "defaults: {cloud: clouds/other.yaml}\n")
    assert "clouds/other.yaml: no such file (file-missing)" in repo("validate").out


def test_an_environment_that_requests_devices_brings_cloud_data(repo: Typist, helm3: str) -> None:
    """A chart without them would refuse the values that are part of it."""
    write(repo, "environments/production/mnist.yaml", "cloud: gke\nroles: {worker: {gpu: 1}}\n")
    assert repo("render").code == 0
    chart = repo.folder / "charts/mnist"
    pods = template(helm3, chart, "--values", str(chart / "values-production.yaml"))
    assert "nvidia.com/gpu: 1" in pods
    assert not (repo.folder / "charts/cifar/files/clouds.yaml").exists()
    (repo.folder / "environments/production/mnist.yaml").unlink()
    assert repo("render").code == 0
    assert not (chart / "files/clouds.yaml").exists()


def test_manifests_have_a_directory_for_each_environment(repo: Typist, helm3: str) -> None:
    write(repo, "chartgen.yaml", PROJECT + "format: manifests\noutput: deploy\n")
    assert repo("render", "-q", "--helm", helm3).code == 0
    tree = repo.tree("deploy")
    assert {path.rpartition("/")[0] for path in tree} == {
        f"{where}/{job}" for where in ("staging", "production") for job in ("mnist", "cifar", "fit")
    }
    staged = [path for path in tree if path.startswith("staging/mnist/job-worker-")]
    assert len(staged) == 1
    assert "namespace: ml-staging" in tree[staged[0]]
    assert len([path for path in tree if path.startswith("production/mnist/job-worker-")]) == 2
    assert repo("render", "--check", "--helm", helm3).code == 0


def test_the_thin_layout_has_one_library(repo: Typist) -> None:
    write(repo, "chartgen.yaml", PROJECT + "layout: thin\n")
    assert repo("render", "-q").code == 0
    assert charts(repo) == ["chartgen-library", "cifar", "fit", "mnist"]
    assert repo("render", "--check") == (0, "", "3 up to date\n")


# Checking and pruning


def test_check_finds_what_is_missing_edited_and_orphaned(repo: Typist) -> None:
    repo("render", "-q")
    shutil.rmtree(repo.folder / "charts/fit")
    with open(repo.folder / "charts/mnist/values.yaml", "a", encoding="utf-8") as file:
        file.write("# a remark\n")
    os.remove(repo.folder / "jobs/cifar.yaml")
    done = repo("render", "--check")
    assert done == (
        1,
        "charts/fit: missing\n"
        "charts/mnist/values.yaml: edited by hand\n"
        "charts/cifar: orphan: no job is rendered to this directory any more\n",
        "2 of 2 differ from their job descriptions, 1 orphan\n",
    )
    rows = json.loads(repo("render", "--check", "--output", "json").out)["problems"]
    assert [row["rule"] for row in rows] == ["output-orphan", "output-missing", "output-edited"]
    lines = repo("render", "--check", "--output", "github").out.splitlines()
    assert lines[1].startswith("::error file=charts/fit,line=1,col=1,title=output-missing::")
    table = repo("render", "--check", "--output", "markdown").out
    assert "| `charts/mnist/values.yaml` | edited by hand |\n" in table


def test_check_finds_stale_files_and_old_content(repo: Typist) -> None:
    repo("render", "-q")
    os.remove(repo.folder / "environments/staging/mnist.yaml")
    out = repo("render", "--check").out
    assert "charts/mnist/values-staging.yaml: no longer generated\n" in out
    rules = repo("render", "--check", "--output", "json").out
    assert "output-stale" in rules
    assert "output-outdated" in rules


def test_an_edit_is_never_overwritten_without_a_word(repo: Typist) -> None:
    repo("render", "-q")
    place = repo.folder / "charts/mnist/values.yaml"
    place.write_text(place.read_text("utf-8") + "# mine\n", "utf-8")
    write(repo, "jobs/cifar.yaml", JOB.format(name="cifar").replace("1.4", "1.5"))
    done = repo("render")
    assert done.code == 3
    assert "charts/mnist has files changed by hand that would be lost: values.yaml" in done.err
    assert place.read_text("utf-8").endswith("# mine\n")
    assert "mnist:1.5" in (repo.folder / "charts/cifar/values.yaml").read_text("utf-8")
    assert repo("render", "--force").code == 0
    assert repo("render", "--check").code == 0


def test_prune_removes_only_what_chartgen_wrote(repo: Typist) -> None:
    repo("render", "-q")
    write(repo, "charts/theirs/Chart.yaml", "name: theirs\n")
    write(repo, "charts/cifar/NOTICE", "ours\n")
    os.remove(repo.folder / "jobs/cifar.yaml")
    os.remove(repo.folder / "native/fit.yaml")
    orphan = "charts/fit: orphan: no job is rendered to this directory; --prune removes it"
    assert orphan in repo("render").err
    done = repo("render", "--prune")
    assert done.err.splitlines() == [
        "charts/cifar: removed, apart from files that chartgen did not write",
        "charts/fit: removed",
        "1 job: 0 written, 2 removed, 1 unchanged",
    ]
    assert charts(repo) == ["cifar", "mnist", "theirs"]
    assert [path.name for path in (repo.folder / "charts/cifar").iterdir()] == ["NOTICE"]
    assert repo("render", "--check").code == 0


def test_prune_refuses_to_lose_an_edit(repo: Typist) -> None:
    repo("render", "-q")
    with open(repo.folder / "charts/cifar/values.yaml", "a", encoding="utf-8") as file:
        file.write("# a remark\n")
    os.remove(repo.folder / "jobs/cifar.yaml")
    os.remove(repo.folder / "native/fit.yaml")
    done = repo("render", "--prune")
    assert done.code == 3
    assert "files changed by hand: values.yaml" in done.err
    assert (repo.folder / "charts/cifar/values.yaml").exists()
    assert "charts/fit: removed\n1 job: 0 written, 1 removed, 1 unchanged\n" in done.err
    assert repo("render", "--prune", "--force").code == 0
    assert charts(repo) == ["mnist"]


def test_prune_is_for_whole_projects(repo: Typist) -> None:
    assert repo("render", "jobs/mnist.yaml", "--prune").code == 2
    assert repo("render", "--prune", "--check").code == 2
    assert repo("render", "jobs/mnist.yaml", "-o", "x", "--prune").code == 2


# What goes wrong


def test_two_jobs_of_one_name(repo: Typist) -> None:
    repo("render", "-q")
    write(repo, "jobs/again.yaml", JOB.format(name="mnist"))
    done = repo("render")
    assert done.code == 1
    assert "jobs/mnist.yaml:1:7: another job is named 'mnist', at jobs/again.yaml:1:7;" in done.err
    assert "(job-duplicate)\n    1 | name: mnist\n" in done.err


@pytest.mark.parametrize(
    "text", ["output: jobs/charts\n", "sources: ['**/*.yaml']\n", "sources: [charts]\n"]
)
def test_an_output_inside_the_sources(repo: Typist, text: str) -> None:
    write(repo, "chartgen.yaml", text)
    done = repo("render")
    assert done.code == 1
    assert "(project-output-in-sources)" in done.err


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("output: environments\n", "the values of environments"),
        ("output: values/a\nenvironments: {a: {values: values/a}}\n", "the values of environments"),
        ("output: gitops/charts\n", "the objects of `chartgen gitops`"),
        ("output: flux\ngitops: {output: flux/}\n", "the objects of `chartgen gitops`"),
        ("output: .git/charts\n", "Git's own files"),
    ],
)
def test_an_output_among_other_files(repo: Typist, text: str, whose: str) -> None:
    """--prune would take those for charts."""
    write(repo, "chartgen.yaml", text)
    done = repo("render")
    assert done.code == 1
    assert f"is that of {whose} (project-output-shared)" in done.err


def test_a_half_merged_job(repo: Typist) -> None:
    repo("render", "-q")
    before = repo.tree("charts")
    text = JOB.format(name="mnist")
    write(repo, "jobs/mnist.yaml", f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")
    done = repo("render")
    assert done.code == 1
    assert "jobs/mnist.yaml:1:1: there is a merge conflict here ('<<<<<<<')" in done.err
    assert repo.tree("charts") == before


@pytest.mark.parametrize("cores", [1, 3])
def test_values_that_are_half_merged_have_no_differences_in_words(
    repo: Typist, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    """The problem is named with its chart, wherever it is found: here or in a worker."""
    for number in range(4):
        write(repo, f"jobs/job{number}.yaml", JOB.format(name=f"job{number}"))
    repo("render", "-q")
    values = repo.folder / "charts/job2/values.yaml"
    values.write_text(f"<<<<<<< ours\n{values.read_text('utf-8')}>>>>>>> theirs\n", "utf-8")
    (repo.folder / ".chartgen_cache/state.json").unlink()
    monkeypatch.setattr(workers, "PAYS", 2)
    monkeypatch.setattr(workers, "cores", lambda: cores)
    done = repo("render", "--diff")
    assert done.code == 1
    assert "charts/job2/values.yaml:1:1: there is a merge conflict here ('<<<<<<<')" in done.err


def test_charts_are_compared_even_if_values_are_broken(repo: Typist) -> None:
    """Then the lines that say what differs are left out."""
    change = Changes("mnist", values=[Field(("image",), "mnist:1.4", "mnist:1.5")])
    (placed,) = place_values([change], "charts", "staging")
    assert placed.values[0].place.startswith("jobs/mnist.yaml:")
    write(repo, "environments/staging/mnist.yaml", "roles: [\n")
    assert place_values([change], "charts", "staging") == [change]


def test_after_a_merge_check_asks_for_a_render(repo: Typist) -> None:
    """Both branches raised the version; what Git makes of it is neither of them."""
    repo("render", "-q")
    chart = repo.folder / "charts/mnist/Chart.yaml"
    write(repo, "jobs/mnist.yaml", JOB.format(name="mnist").replace("1.4", "1.5"))
    repo("render", "-q")
    assert 'version: "0.1.1"' in chart.read_text("utf-8")
    text = JOB.format(name="mnist").replace("1.4", "1.5") + "env: {FROM: theirs}\n"
    write(repo, "jobs/mnist.yaml", text)
    assert repo("render", "--check").code == 1
    repo("render", "-q")
    assert 'version: "0.1.2"' in chart.read_text("utf-8")


def test_a_merge_with_conflicts_in_the_charts(repo: Typist) -> None:
    """The descriptions merge by themselves; the charts are taken from one side, and rendered."""
    text = JOB.format(name="mnist") + "env:\n  A: '1'\n  B: '1'\n  C: '1'\n  D: '1'\n  E: '1'\n"
    write(repo, "jobs/mnist.yaml", text)
    repo("render", "-q")
    git(repo, "init", "-q", "-b", "main")
    commit(repo)
    git(repo, "checkout", "-qb", "theirs")
    write(repo, "jobs/mnist.yaml", text.replace("E: '1'", "E: '2'"))
    repo("render", "-q")
    commit(repo)
    git(repo, "checkout", "-q", "main")
    write(repo, "jobs/mnist.yaml", text.replace("mnist:1.4", "mnist:1.5"))
    repo("render", "-q")
    commit(repo)
    git(repo, "merge", "-q", "theirs", fails=True)
    chart = repo.folder / "charts/mnist/Chart.yaml"
    assert "<<<<<<<" in chart.read_text("utf-8")
    checked = repo("render", "--check")
    assert checked.code == 1
    assert "charts/mnist/Chart.yaml: half merged: Git left conflict markers in it\n" in checked.out
    refused = repo("render")  # it does not overwrite what is not as it was written
    assert refused.code == 3
    assert "there are conflict markers in .chartgen, Chart.yaml; use --force" in refused.err
    git(repo, "checkout", "--ours", "--", "charts/mnist/.chartgen")
    assert "there are conflict markers in Chart.yaml; use --force" in repo("render").err
    git(repo, "checkout", "--ours", "--", "charts")
    assert repo("render", "--check").code == 1
    assert repo("render", "-q").code == 0
    assert 'version: "0.1.2"' in chart.read_text("utf-8")
    assert repo("render", "--check").code == 0


def git(typed: Typist, *words: str, fails: bool = False) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(["git", *identity, *words], cwd=typed.folder, capture_output=True)
    assert bool(done.returncode) == fails, done.stderr


def commit(typed: Typist) -> None:
    git(typed, "add", "-A")
    git(typed, "commit", "-qm", "a change")


def test_a_renamed_job_file_changes_nothing(repo: Typist) -> None:
    repo("render", "-q")
    (repo.folder / "jobs/mnist.yaml").rename(repo.folder / "jobs/digits.yaml")
    assert repo("render", "--check") == (0, "", "3 up to date\n")
    assert repo("render").err == "3 jobs: 0 written, 3 unchanged\n"


def test_values_of_an_environment_that_nobody_has(repo: Typist) -> None:
    write(repo, "environments/stagin/mnist.yaml", "{}\n")
    done = repo("validate")
    assert done.code == 1
    assert done.out == (
        "environments/stagin: there is no environment 'stagin'; expected staging or production "
        "(environment-unknown)\n  hint: did you mean 'staging'?\n"
    )
    write(repo, "environments/staging/mnist.yaml", "imag: mnist:2\n")
    both = repo("validate").out
    assert "(environment-unknown)" in both
    assert "(key-unknown)" in both
    annotation = "::error file=environments/stagin,title=environment-unknown::there is"
    assert repo("validate", "--output", "github").out.startswith(annotation), "it has no lines"
    done = repo("diff", "charts", "charts", "--environment", "stagin")
    assert done.code == 2
    assert "this project has no environment 'stagin'; did you mean 'staging'?" in done.err


def test_values_for_a_whole_environment_are_not_left_out_silently(repo: Typist) -> None:
    write(repo, "environments/staging.yaml", "image: mnist:2\n")
    write(repo, "environments/README.md", "How we use them\n")
    assert repo("validate") == (
        1,
        "environments/staging.yaml:1:1: no job uses these values; "
        "expected environments/ENVIRONMENT/JOB.yaml (environment-unknown)\n",
        "1 problem in 1 file\n",
    )


def test_values_of_a_job_that_nobody_has(repo: Typist) -> None:
    write(repo, "environments/staging/mnits.yaml", "{}\n")
    write(repo, "environments/staging/cifar.yml", "{}\n")
    out = repo("validate").out
    assert "environments/staging/mnits.yaml:1:1: there is no job 'mnits'" in out
    assert "did you mean 'mnist'?" in out
    assert "environments/staging/cifar.yml:1:1: values are in cifar.yaml" in out
    assert "(environment-job-unknown)" in out
    write(repo, "environments/staging/mnist.yaml", "imag: mnist:2\n")
    both = repo("validate").out
    assert "(environment-job-unknown)" in both
    assert "(key-unknown)" in both
    write(repo, "jobs/cifar.yaml", "name: [\n")
    assert "(environment-job-unknown)" not in repo("validate").out, "it may be any job's"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("roles: {wroker: {replicas: 1}}\n", "1:9: unknown key 'wroker' in roles (key-unknown)"),
        ("roles:\n  worker: {replicas: two}\n", "2:22: roles.worker.replicas: expected "),
        ("name: other\n", "1:1: unknown key 'name' (key-unknown)"),
        ("a: 1\n---\nb: 2\n", "3:1: second document in a values file"),
        (
            "roles: {worker: {resources: {limits: {cpu: 1x, nvidia.com/gpu: 1.5}}}}\n",
            "1:44: '1x' is not a quantity; expected one such as 500m, 4, 1.5 or 16Gi",
        ),
        (
            "roles: {worker: {resources: {limits: {cpu: 1x, nvidia.com/gpu: 1.5}}}}\n",
            "1:64: 1.5 is not a whole number; nvidia.com/gpu is counted in whole devices",
        ),
        (
            "global: {imageRegistry: 'https://example.com'}\n",
            "1:25: global.imageRegistry: expected the host of a registry, such as registry.",
        ),
        ("clouds: {mine: {device: {}}}\n", "1:17: unknown key 'device' in clouds.mine"),
        ("tensorboard: {serviceType: NodePort}\n", "1:1: missing 'logDir' in tensorboard"),
        (
            "roles: {worker: {replicas: 1, overrides: {1: {env: {A: b}}}}}\n",
            "1:43: roles.worker has no replica 1; expected indices up to 0",
        ),
    ],
)
def test_values_are_checked_like_a_job(repo: Typist, values: str, message: str) -> None:
    write(repo, "environments/staging/mnist.yaml", values)
    done = repo("validate")
    assert done.code == 1
    assert f"environments/staging/mnist.yaml:{message}" in done.out


def test_values_that_only_together_with_the_job_are_wrong(repo: Typist) -> None:
    text = JOB.format(name="mnist").replace(
        "{replicas: 2}", "{replicas: 2, resources: {requests: {cpu: 3}}}"
    )
    write(repo, "jobs/mnist.yaml", text)
    values = "roles: {worker: {resources: {limits: {cpu: 2}}}}\n"
    write(repo, "environments/staging/mnist.yaml", values)
    done = repo("validate")
    assert done.code == 1
    assert "with environments/staging/mnist.yaml: 3 of cpu is requested" in done.out


def test_an_environment_may_have_fewer_replicas_than_the_job_has_overrides(repo: Typist) -> None:
    """Helm leaves them out as well."""
    text = JOB.format(name="mnist").replace(
        "{replicas: 2}", "{replicas: 2, overrides: {1: {env: {A: b}}}}"
    )
    write(repo, "jobs/mnist.yaml", text)
    assert repo("validate") == (0, "", "3 files, 3 jobs: no problems\n")


def test_an_environment_may_change_a_part_of_what_the_job_has(repo: Typist) -> None:
    text = JOB.format(name="mnist") + "tensorboard: {logDir: gs://bucket/mnist}\n"
    write(repo, "jobs/mnist.yaml", text)
    write(repo, "environments/staging/mnist.yaml", "tensorboard: {serviceType: NodePort}\n")
    assert repo("validate") == (0, "", "3 files, 3 jobs: no problems\n")


def test_values_without_content_are_none(repo: Typist) -> None:
    write(repo, "environments/staging/mnist.yaml", "# nothing yet\n")
    assert repo("render", "-q").code == 0
    assert not (repo.folder / "charts/mnist/values-staging.yaml").exists()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("requires: chartgen>=99\n", "project-requires"),
        ("layout: thin\nformat: manifests\n", "project-layout"),
        ("library: oci://example.com/charts\n", "project-layout"),
        ("sources: [nothing/*.yaml]\n", "project-empty"),
        ("{}\n---\n{}\n", "project-several"),
        ("soruces: [jobs]\n", "key-unknown"),
        ("output: ../charts\n", "value-malformed"),
        ("output: .\n", "value-malformed"),
        ("environments: {Staging: {}}\n", "value-malformed"),
    ],
)
def test_mistakes_in_the_project_file(repo: Typist, text: str, rule: str) -> None:
    write(repo, "chartgen.yaml", text)
    done = repo("validate")
    assert done.code == 1
    assert done.out.startswith("chartgen.yaml:")
    assert f"({rule})" in done.out
    assert "did you mean '.." not in done.out
    rendered = repo("render")
    assert (rendered.code, rendered.err) == (1, done.out)


def test_a_mistake_in_the_project_file_is_shown_like_one_in_a_job(repo: Typist) -> None:
    """With the line that is meant, and for programs."""
    write(repo, "chartgen.yaml", "sources: [jobs]\noutptu: charts\n")
    lines = [
        "chartgen.yaml:2:1: unknown key 'outptu' (key-unknown)",
        "    2 | outptu: charts",
        "      | ^",
        "  hint: did you mean 'output'?",
    ]
    assert repo("render").err.splitlines() == lines
    assert repo("validate", "-q").out.splitlines() == lines
    (problem,) = json.loads(repo("validate", "--output", "json", "-q").out)["problems"]
    assert (problem["file"], problem["line"]) == ("chartgen.yaml", 2)
    assert repo("validate", "--output", "github", "-q").out.startswith("::error file=chartgen.yaml")


def test_without_a_project_file_the_message_says_what_to_do(typed: Typist) -> None:
    done = typed("render")
    assert done.code == 2
    assert "name a job description, or write chartgen.yaml: `chartgen init --repo`" in done.err


def test_below_a_project_the_message_says_where_it_is(repo: Typist) -> None:
    repo.patch.chdir(repo.folder / "environments/staging")
    done = repo("render", "--check")
    assert done.code == 2
    assert "the project file is ../../chartgen.yaml; run chartgen there" in done.err


def test_options_that_the_project_file_says(repo: Typist) -> None:
    done = repo("render", "--set", "image=x")
    assert done.code == 2
    assert "--set needs -o DIR; a project sets it in chartgen.yaml" in done.err
    assert "--image needs -o DIR" in repo("render", "--image", "x").err


@pytest.mark.parametrize("command", ["validate", "gitops"])
@pytest.mark.parametrize(
    ("option", "word"),
    [("--from", "tfjob"), ("--define", "A=B"), ("--image", "x"), ("--set", "image=x")],
)
def test_no_option_about_jobs_is_ignored(
    repo: Typist, command: str, option: str, word: str
) -> None:
    done = repo(command, option, word)
    assert (done.code, done.out) == (2, "")
    assert f"{option} is for other jobs; those of a project say it in their files" in done.err


@pytest.mark.slow
def test_a_run_that_is_killed_loses_nothing(repo: Typist) -> None:
    """Whenever it is killed, every chart is whole, and the next run completes the rest."""
    for number in range(150):
        write(repo, f"jobs/job{number}.yaml", JOB.format(name=f"job{number}"))
    for delay in (0.3, 0.8, 1.5, 2.5):
        process = subprocess.Popen(
            command("render", "-q"), cwd=repo.folder, env=environment(), start_new_session=True
        )
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for chart in (repo.folder / "charts").glob("[!.]*"):
            assert (chart / ".chartgen").exists()
    assert repo("render", "-q").code == 0
    assert repo("render", "--check").code == 0
    assert len(charts(repo)) == 153


@pytest.mark.slow
def test_all_cores_give_the_same_bytes(repo: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        write(repo, f"jobs/job{number}.yaml", JOB.format(name=f"job{number}"))
    repo("render", "-q")
    alone = repo.tree("charts")
    shutil.rmtree(repo.folder / "charts")
    monkeypatch.setattr(workers, "PAYS", 2)
    monkeypatch.setattr(workers, "cores", lambda: 3)
    assert repo("render", "-q").code == 0
    assert repo.tree("charts") == alone
    write(repo, "jobs/job1.yaml", "name: job1\n")
    write(repo, "jobs/job4.yaml", "name: job4\n")
    shutil.rmtree(repo.folder / ".chartgen_cache")
    done = repo("render")
    assert done.code == 1
    assert "jobs/job1.yaml:1:1" in done.err
    assert "jobs/job4.yaml:1:1" in done.err
    assert repo.tree("charts") == alone


# Starting


def test_a_new_repository_renders(typed: Typist) -> None:
    done = typed("init", "--repo", "new")
    assert done.code == 0
    assert "new/chartgen.yaml: written" in done.err
    assert typed("init", "--repo", "new").err.count("exists, and was left alone") == 5
    assert typed("render", "new").code == 0
    assert typed("render", "new", "--check").code == 0
    assert Path("new/.pre-commit-config.yaml").exists()
    assert typed("init", "--repo", "x", "--role", "worker").code == 2
    assert typed("init").code == 2


def test_the_schema_of_project_files_is_whole(typed: Typist) -> None:
    schema = json.loads(typed("schema", "project").out)
    assert "cloud" in schema["properties"]["defaults"]["properties"]
    references = set()
    open_nodes = [schema]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, dict):
            references.add(str(node.get("$ref", "")).removeprefix("#/definitions/"))
            open_nodes += node.values()
        elif isinstance(node, list):
            open_nodes += node
    assert references - {""} <= schema["definitions"].keys()
    assert model.project_schema() == schema
