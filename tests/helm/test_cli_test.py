"""`chartgen test` without a cluster: what it accepts, finds, and cannot judge."""

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chartgen.k8s import schemas
from chartgen.verify import yamllint
from tests.support.command_line import Done, Typist, command, environment
from tests.support.paths import CORPUS, ROOT

pytestmark = pytest.mark.usefixtures("resident_helm")

CHART = """\
apiVersion: v2
name: own
version: 1.2.3
icon: https://example.com/icon.png
"""
VALUES = """\
image: mnist:1
extra: ""
"""
TEMPLATE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-{{ .Values.image | sha256sum | trunc 6 }}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: {{ .Values.image }}
          resources: {limits: {cpu: 1}}
"""


@pytest.fixture
def own(typed: Typist) -> Path:
    """A chart that was written by hand."""
    folder = typed.folder / "own"
    (folder / "templates").mkdir(parents=True)
    (folder / "ci").mkdir()
    (folder / "Chart.yaml").write_text(CHART)
    (folder / "values.yaml").write_text(VALUES)
    (folder / "templates/job.yaml").write_text(TEMPLATE)
    return folder


def stages(done: Done) -> dict[str, Any]:
    """The stages of the one chart in a JSON report, by name."""
    (chart,) = json.loads(done.out)["charts"]
    return {stage["name"]: stage for stage in chart["stages"]}


def results(done: Done) -> list[str]:
    return [f"{name} {stage['result']}" for name, stage in stages(done).items()]


TFJOB = ROOT / "tests/e2e/native/tfjob.yaml"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def rules(stage: Any) -> list[str]:
    return [f"{problem['place']} {problem['rule']}" for problem in stage["problems"]]


ALL_PASSED = ["chart passed", "lint passed", "render passed", "schemas passed", "policy passed"]


def test_a_job_is_rendered_and_nothing_is_left(typed: Typist, helm: str, tmp_path: Path) -> None:
    """Each stage has a line with its result and its time, and what was not checked is named."""
    typed.job()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    typed.patch.setattr("tempfile.tempdir", str(scratch))
    code, out, err = typed("test", "mnist.yaml", "--helm", helm)
    assert code == 0, out
    lines = out.splitlines()
    assert lines[0] == "mnist.yaml"
    results = [
        line.split(maxsplit=4)
        for line in lines
        if line.startswith("  ") and not line.startswith("   ")
    ]
    assert [words[:2] for words in results] == [line.split() for line in ALL_PASSED]
    assert all(float(words[2]) >= 0 and words[3] == "s" for words in results)
    assert results[0][4] == "mnist 0.1.0 rendered from mnist.yaml"
    newest = schemas.versions()[-1]
    assert results[2][4].endswith(f"objects (defaults), for Kubernetes 1.29 and {newest}")
    assert lines[-1].startswith("not checked: whether a cluster accepts and runs it")
    assert err == "5 passed\n"
    assert list(scratch.iterdir()) == []
    assert [path.name for path in typed.folder.iterdir() if path != scratch] == ["mnist.yaml"]


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "job", sorted((ROOT / "values/jobs").glob("*.yaml")), ids=lambda path: path.stem
)
def test_our_own_examples_pass(typed: Typist, helm3: str, job: Path) -> None:
    # Ten thousand replicas take a minute.
    large = ("--set", "roles.worker.replicas=20,roles.ps.replicas=2")
    few = large if job.stem == "large" else ()
    done = typed("test", str(job), "--helm", helm3, *few)
    assert (done.code, " failed " in done.out) == (0, False), done.out


def test_a_job_in_a_native_format_and_from_standard_input(typed: Typist, helm3: str) -> None:
    done = typed("test", "-", "--helm", helm3, "--output", "json", stdin=TFJOB.read_text())
    assert (done.code, results(done)) == (0, ALL_PASSED)
    assert stages(done)["chart"]["about"].endswith("rendered from <stdin>")


def test_the_variables_of_a_command_line_are_filled_in(typed: Typist, helm3: str) -> None:
    line = (
        "elasticdl train --job_name=lr --model_def=zoo/lr --records_per_task=100"
        " --minibatch_size=64 --num_workers=2 --training_data_dir=${DATA} --num_epochs=1"
        " --grads_to_wait=2 --image_name=a:1"
    )
    (typed.folder / "train.sh").write_text(line)
    assert "--define DATA=VALUE" in typed("test", "train.sh", "--helm", helm3).out
    done = typed("test", "train.sh", "--helm", helm3, "--output", "json", "--define", "DATA=/data")
    assert (done.code, results(done)) == (0, ALL_PASSED)


@pytest.mark.unmeasured
def test_a_package_is_tested_as_its_directory_is(typed: Typist, own: Path, helm: str) -> None:
    (own / "ci/more-values.yaml").write_text("image: mnist:2\n")
    subprocess.run([helm, "package", own, "-d", typed.folder], check=True, capture_output=True)
    runs = [
        typed("test", path, "--helm", helm, "--output", "json") for path in ("own", "own-1.2.3.tgz")
    ]
    assert [done.code for done in runs] == [0, 0]
    assert [results(done) for done in runs] == [ALL_PASSED, ALL_PASSED]
    assert "ci/more-values.yaml" in stages(runs[1])["render"]["about"]
    assert stages(runs[1])["chart"]["about"] == "own 1.2.3 from own-1.2.3.tgz"


@pytest.mark.unmeasured
def test_several_jobs_in_a_file_are_several_charts(typed: Typist, helm3: str) -> None:
    text = "".join(typed.job(name).read_text() + "---\n" for name in ("one", "two"))
    typed.job(text=text, file="both.yaml")
    done = typed("test", "both.yaml", "--helm", helm3, "--output", "json")
    charts = json.loads(done.out)["charts"]
    assert done.code == 0
    assert [chart["chart"] for chart in charts] == [
        "both.yaml",
        "both.yaml (one)",
        "both.yaml (two)",
    ]


def test_two_jobs_of_one_name_are_a_problem(typed: Typist, helm3: str) -> None:
    text = typed.job().read_text()
    typed.job(text=f"{text}---\n{text}", file="both.yaml")
    done = typed("test", "both.yaml", "--helm", helm3, "--output", "json")
    assert (done.code, [rule.split()[-1] for rule in rules(stages(done)["chart"])]) == (
        1,
        ["job-duplicate"],
    )


def test_a_chart_without_values_and_one_with_comments_only(
    typed: Typist, own: Path, helm3: str
) -> None:
    edit(own / "templates/job.yaml", "{{ .Values.image }}", "mnist:1")
    edit(own / "templates/job.yaml", "-{{ .Values.image | sha256sum | trunc 6 }}", "")
    (own / "values.yaml").write_text("# nothing\n")
    assert typed("test", "own", "--helm", helm3).code == 0
    (own / "values.yaml").unlink()
    assert typed("test", "own", "--helm", helm3).code == 0


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda folder: None, "file-missing"),
        (lambda folder: (folder / "x").mkdir(), "chart-missing"),
        (lambda folder: (folder / "x").write_text("name: 7\n"), "key-missing"),
        (lambda folder: (folder / "x").write_bytes(b"\x1f\x8bnothing"), "chart-package-invalid"),
    ],
)
def test_what_is_not_a_chart_fails_with_its_problem(
    typed: Typist, helm3: str, make: Any, rule: str
) -> None:
    make(typed.folder)
    done = typed("test", "x", "--helm", helm3, "--output", "json")
    assert (done.code, results(done)) == (1, ["chart failed"])
    assert rule in [problem.split()[-1] for problem in rules(stages(done)["chart"])]


@pytest.mark.parametrize(
    ("line", "field"), [("name: own\n", "name"), ("version: 1.2.3\n", "version")]
)
def test_a_chart_has_a_name_and_a_version(
    typed: Typist, own: Path, helm3: str, line: str, field: str
) -> None:
    edit(own / "Chart.yaml", line, "")
    done = typed("test", "own", "--helm", helm3, "--output", "json")
    assert (done.code, results(done)) == (1, ["chart failed"])
    (problem,) = stages(done)["chart"]["problems"]
    assert (problem["rule"], problem["message"]) == (
        "chart-field-missing",
        f"it has no {field!r}; expected the chart's {field}",
    )


def test_a_chart_that_renders_nothing_is_a_warning(typed: Typist, own: Path, helm: str) -> None:
    (own / "templates/job.yaml").write_text("{{ if .Values.extra }}" + TEMPLATE + "{{ end }}")
    done = typed("test", "own", "--helm", helm, "--output", "json")
    assert (done.code, results(done)) == (
        0,
        ["chart passed", "lint passed", "render passed", "schemas skipped", "policy skipped"],
    )
    (problem,) = stages(done)["render"]["problems"]
    assert (problem["rule"], problem["severity"]) == ("chart-empty", "warning")


def test_a_package_with_paths_outside_the_chart_is_refused(typed: Typist, helm3: str) -> None:
    with tarfile.open(typed.folder / "evil.tgz", "w:gz") as archive:
        for name in ("own/Chart.yaml", "own/../../outside"):
            member = tarfile.TarInfo(name)
            member.size = len(CHART)
            archive.addfile(member, io.BytesIO(CHART.encode()))
    done = typed("test", "evil.tgz", "--helm", helm3, "--output", "json")
    assert (done.code, rules(stages(done)["chart"])) == (1, ["evil.tgz chart-package-invalid"])


def test_lint_finds_what_helm_and_yamllint_find(typed: Typist, own: Path, helm: str) -> None:
    edit(own / "Chart.yaml", "version: 1.2.3\n", "version: 1.2.3\nengine: 7 \n")
    edit(own / "templates/job.yaml", "name: {{ .Release.Name }}-", "name: Own-")
    edit(
        own / "templates/job.yaml",
        "          image:",
        "          imagePullPolicy: on\n          image:",
    )
    done = typed("test", "own", "--helm", helm, "--output", "json")
    problems = rules(stages(done)["lint"])
    assert done.code == 1
    assert "own/templates/job.yaml helm-lint" in problems
    assert "own/Chart.yaml:4:10 yamllint-trailing-spaces" in problems
    assert any(
        rule.startswith("helm template:") and rule.endswith(" yamllint-truthy") for rule in problems
    )


def test_a_message_of_helm_lint_in_several_lines_is_shown_in_full(
    typed: Typist, own: Path, helm: str
) -> None:
    edit(own / "templates/job.yaml", "{{ .Values.image }}", "{{ .Values.some.where }}")
    done = typed("test", "own", "--helm", helm, "--output", "json")
    (problem,) = stages(done)["lint"]["problems"]
    assert "own/templates/job.yaml:" in problem["message"]
    assert "nil pointer evaluating interface {}.where" in problem["message"]
    (problem,) = stages(done)["render"]["problems"]
    assert "at <.Values.some.where>: nil pointer" in problem["message"]


def test_a_users_yamllint_configuration_is_used(typed: Typist, own: Path, helm3: str) -> None:
    (typed.folder / ".yamllint").write_text("rules: {document-start: enable}\n")
    assert "own/values.yaml:1:1 yamllint-document-start" in rules(
        stages(typed("test", "own", "--helm", helm3, "--output", "json"))["lint"]
    )
    (typed.folder / ".yamllint").write_text("rules: {nope: enable}\n")
    done = typed("test", "own", "--helm", helm3, "--output", "json")
    assert (done.code, stages(done)["lint"]["result"]) == (3, "not judged")


def test_every_values_file_of_ci_is_rendered_and_judged(
    typed: Typist, own: Path, helm: str
) -> None:
    """A problem that only one of them shows names it; other files in ci/ are not values."""
    edit(
        own / "templates/job.yaml",
        "          image:",
        "          {{ .Values.extra }}\n          image:",
    )
    (own / "ci/good-values.yaml").write_text("image: mnist:2\n")
    (own / "ci/bad-values.yaml").write_text("extra: 'nope: 1'\n")
    (own / "ci/broken-values.yaml").write_text("extra: '[}'\n")
    (own / "ci/notes.yaml").write_text("a: 1\n")
    done = typed("test", "own", "--helm", helm, "--output", "json")
    by_stage = stages(done)
    assert done.code == 1
    assert rules(by_stage["render"]) == [
        "helm template --values ci/broken-values.yaml helm-template"
    ]
    (problem,) = by_stage["schemas"]["problems"]
    expected = "unknown key 'nope' in spec.template.spec.containers[0] [ci/bad-values.yaml]"
    assert (problem["rule"], problem["message"]) == ("key-unknown", expected)
    assert "good" in by_stage["render"]["about"]
    assert "notes" not in by_stage["render"]["about"]


def test_values_given_on_the_command_line_are_used(typed: Typist, own: Path, helm3: str) -> None:
    edit(
        own / "templates/job.yaml",
        "          image:",
        "          {{ .Values.extra }}\n          image:",
    )
    done = typed("test", "own", "--helm", helm3, "--output", "json", "--set", "extra=nope: 1")
    assert [rule.split()[-1] for rule in rules(stages(done)["schemas"])] == ["key-unknown"]


def test_schemas_are_those_of_each_given_version(typed: Typist, own: Path, helm3: str) -> None:
    edit(
        own / "templates/job.yaml",
        "spec:\n  template:",
        "spec:\n  managedBy: example.com/x\n  template:",
    )
    words = ("test", "own", "--helm", helm3, "--output", "json")
    both = typed(*words, "--kube-version", "1.29", "--kube-version", "v1.33.2")
    assert both.code == 1
    (problem,) = stages(both)["schemas"]["problems"]
    assert problem["message"] == "unknown key 'managedBy' in spec [Kubernetes 1.29]"
    assert typed(*words, "--kube-version", "1.33").code == 0


def test_a_version_without_schemas_is_not_judged(typed: Typist, own: Path, helm3: str) -> None:
    done = typed("test", "own", "--helm", helm3, "--output", "json", "--kube-version", "1.99")
    assert (done.code, stages(done)["schemas"]["result"]) == (3, "not judged")
    assert "there are no schemas of Kubernetes 1.99" in stages(done)["schemas"]["reasons"][0]


def test_a_chart_is_checked_for_the_oldest_version_that_it_accepts(
    typed: Typist, own: Path, helm: str
) -> None:
    edit(own / "Chart.yaml", "version: 1.2.3\n", 'version: 1.2.3\nkubeVersion: ">=1.31.0-0"\n')
    done = typed("test", "own", "--helm", helm, "--output", "json")
    assert (done.code, results(done)) == (0, ALL_PASSED)
    assert "for Kubernetes 1.31 and " in stages(done)["render"]["about"]
    refused = typed("test", "own", "--helm", helm, "--output", "json", "--kube-version", "1.29")
    assert (refused.code, stages(refused)["render"]["result"]) == (1, "failed")


def test_a_custom_kind_is_not_judged_unless_it_is_left_out(
    typed: Typist, own: Path, helm3: str
) -> None:
    (own / "templates/widget.yaml").write_text(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\n"
    )
    words = ("test", "own", "--helm", helm3, "--output", "json")
    done = typed(*words)
    assert (done.code, stages(done)["schemas"]["result"]) == (3, "not judged")
    assert stages(done)["schemas"]["reasons"] == [
        "Widget (example.com/v1) is not a kind of Kubernetes itself"
        " (--skip-kind Widget leaves it out)"
    ]
    assert typed(*words, "--skip-kind", "Widget").code == 0


def test_a_library_is_only_linted(typed: Typist, own: Path, helm: str) -> None:
    edit(own / "Chart.yaml", "version: 1.2.3\n", "version: 1.2.3\ntype: library\n")
    (own / "templates/job.yaml").rename(own / "templates/_job.tpl")
    done = typed("test", "own", "--helm", helm, "--output", "json")
    skipped = ["render skipped", "schemas skipped", "policy skipped"]
    assert (done.code, results(done)) == (0, ["chart passed", "lint passed", *skipped])
    assert stages(done)["render"]["reasons"] == [
        "a library chart renders no objects; test a chart that uses it"
    ]


def test_a_helm_that_takes_too_long_judges_no_chart(typed: Typist, own: Path, helm3: str) -> None:
    """Every chart is still processed, and what was not rendered is not judged."""
    slow = typed.folder / "slow"
    slow.write_text(f'#!/bin/sh\n[ "$1" = version ] || exec sleep 60\nexec {helm3} "$@"\n')
    slow.chmod(0o755)
    done = typed(
        "test", "own", "own", "--helm", str(slow), "--timeout", "200ms", "--output", "json"
    )
    charts = json.loads(done.out)["charts"]
    expected = ["passed", "not judged", "not judged", "skipped", "skipped"]
    assert [[stage["result"] for stage in chart["stages"]] for chart in charts] == [
        expected,
        expected,
    ]
    assert "did not finish within 0.2 seconds" in charts[0]["stages"][2]["reasons"][0]
    assert charts[0]["stages"][-1]["reasons"] == ["render was not judged"]
    assert done.code == 3


def test_a_package_without_a_dependency_is_named_without_its_temporary_directory(
    typed: Typist, own: Path, helm: str
) -> None:
    with (own / "Chart.yaml").open("a") as file:
        file.write(
            "dependencies: [{name: other, version: 1.0.0, repository: 'https://example.com'}]\n"
        )
    with tarfile.open(typed.folder / "own.tgz", "w:gz") as archive:
        archive.add(own, "own")
    done = typed("test", "own.tgz", "--helm", helm, "--output", "json")
    assert "own.tgz:own helm-lint" in rules(stages(done)["lint"])
    assert "chartgen-" not in done.out


def test_a_native_command_line_is_tested_with_the_values_of_its_variables(
    typed: Typist, helm3: str
) -> None:
    line = (CORPUS / "native/elasticdl/b1-hello-world/elasticdl.sh").read_text()
    words = ("test", "-", "--helm", helm3, "--output", "json")
    text = line.replace("hello-world", "${JOB}")
    assert text != line
    assert typed(*words, stdin=text).code == 1
    assert typed(*words, "--define", "JOB=hello", stdin=text).code == 0


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("old", "new", "change", "code"),
    [
        ("-{{ .Values.image | sha256sum | trunc 6 }}", "", "another image", 0),
        (
            "    spec:\n",
            '    metadata: {labels: {v: "{{ .Chart.Version }}"}}\n    spec:\n',
            "the chart's next version",
            1,
        ),
    ],
)
def test_an_upgrade_that_would_fail_is_foreseen(
    typed: Typist, own: Path, helm: str, old: str, new: str, change: str, code: int
) -> None:
    """To a version without other changes, which fails; to another image, which is a warning."""
    edit(own / "templates/job.yaml", old, new)
    done = typed("test", "own", "--helm", helm, "--output", "json")
    (problem,) = stages(done)["policy"]["problems"]
    assert (done.code, problem["rule"]) == (code, "upgrade-immutable-field")
    assert f"to {change} would fail" in problem["message"]


def test_warnings_fail_only_with_strict(typed: Typist, own: Path, helm3: str) -> None:
    edit(
        own / "templates/job.yaml",
        "      restartPolicy",
        "      hostNetwork: true\n      restartPolicy",
    )
    words = ("test", "own", "--helm", helm3)
    assert typed(*words).code == 0
    assert "warning: spec.template.spec.hostNetwork" in typed(*words).out
    assert typed(*words, "--strict").code == 1


def test_a_problem_of_an_object_names_the_template_that_makes_it(
    typed: Typist, own: Path, helm: str
) -> None:
    """In the chart itself or in a dependency; not for a job, whose author wrote no template."""
    sub = own / "charts/sub/templates"
    sub.mkdir(parents=True)
    (sub.parent / "Chart.yaml").write_text(CHART.replace("own", "sub"))
    (sub / "map.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: below\ndata:\n  a: 1\n"
    )
    edit(
        own / "templates/job.yaml",
        "      restartPolicy",
        "      hostNetwork: true\n      restartPolicy",
    )
    by_stage = stages(typed("test", "own", "--helm", helm, "--output", "json"))
    assert rules(by_stage["schemas"]) == [
        "own/charts/sub/templates/map.yaml: ConfigMap/below value-wrong-type"
    ]
    (place,) = rules(by_stage["policy"])
    assert place.startswith("own/templates/job.yaml: Job/own-")
    typed.job()
    (place, *_) = rules(
        stages(typed("test", "mnist.yaml", "--helm", helm, "--output", "json"))["policy"]
    )
    assert place.startswith("Job/")


def test_a_rendering_that_differs_each_time_is_reported(
    typed: Typist, own: Path, helm3: str
) -> None:
    edit(
        own / "templates/job.yaml",
        "spec:\n  template",
        "  annotations: {a: {{ randAlpha 5 }}}\nspec:\n  template",
    )
    done = typed("test", "own", "--helm", helm3, "--output", "json")
    assert (done.code, [rule.split()[-1] for rule in rules(stages(done)["policy"])]) == (
        0,
        ["chart-unstable"],
    )


def test_without_schemas_or_yamllint_the_rest_is_checked(
    typed: Typist, own: Path, helm3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how to get them."""
    monkeypatch.setattr(schemas, "versions", list)
    monkeypatch.setattr(yamllint, "installed", lambda: False)
    done = typed("test", "own", "--helm", helm3, "--output", "json")
    assert done.code == 3
    assert results(done) == [
        "chart passed",
        "lint not judged",
        "render passed",
        "schemas not judged",
        "policy passed",
    ]
    assert stages(done)["schemas"]["reasons"] == [
        "Kubernetes' schemas are missing: pip install 'chartgen[schemas]'"
    ]
    assert stages(done)["lint"]["reasons"] == ["yamllint is missing: pip install 'chartgen[lint]'"]


def test_what_failed_counts_more_than_what_could_not_be_judged(
    typed: Typist, own: Path, helm3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yamllint, "installed", lambda: False)
    edit(own / "templates/job.yaml", "restartPolicy: Never", "restartPolicy: Always")
    assert typed("test", "own", "--helm", helm3).code == 1


def test_junit_goes_to_stdout_and_the_stages_to_stderr(
    typed: Typist, own: Path, helm3: str
) -> None:
    done = typed("test", "own", "--helm", helm3, "--output", "junit")
    root = ElementTree.fromstring(done.out)
    assert [case.attrib["name"] for case in root.iter("testcase")] == [
        "chart",
        "lint",
        "render",
        "schemas",
        "policy",
    ]
    assert root.attrib["failures"] == root.attrib["errors"] == "0"
    assert done.err.startswith("own\n  chart      passed")
    assert "  policy     passed" in done.err
    assert typed("test", "own", "--helm", helm3, "--output", "junit", "-q").err == ""


def test_an_interrupt_leaves_no_directory_and_a_whole_report(
    typed: Typist, own: Path, helm3: str
) -> None:
    """Ctrl-C while Helm runs: 130, a report of what was done, no traceback, no temporary files."""
    scratch = typed.folder / "scratch"
    scratch.mkdir()
    slow, began = typed.folder / "slow", typed.folder / "began"
    slow.write_text(
        f'#!/bin/sh\n[ "$1" = version ] && exec {helm3} "$@"\ntouch {began}\nexec sleep 60\n'
    )
    slow.chmod(0o755)
    words = command("test", typed.job().name, "--helm", str(slow), "--output", "json")
    process = subprocess.Popen(
        words,
        cwd=typed.folder,
        env=environment(TMPDIR=str(scratch)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not began.exists() and process.poll() is None:
        pass
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(out)["charts"][0]["stages"][-1]["result"] == "interrupted"
    assert "Traceback" not in err.decode()
    assert list(scratch.iterdir()) == []


def test_the_client_is_needed_only_with_a_cluster(typed: Typist, own: Path, helm3: str) -> None:
    """Without a cluster the kubernetes client is not needed."""
    typed.patch.setitem(sys.modules, "kubernetes", None)
    assert typed("test", "own", "--helm", helm3).code == 0


def test_without_helm_nothing_is_judged_and_the_four_ways_are_named(
    typed: Typist, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHARTGEN_HELM", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(typed.folder / "python"))
    done = typed("test", "own", "--output", "json")
    assert done.code == 3
    assert results(done) == [
        "chart passed",
        "lint not judged",
        "render not judged",
        "schemas skipped",
        "policy skipped",
    ]
    assert "pip install 'chartgen[helm]'" in stages(done)["render"]["reasons"][0]
