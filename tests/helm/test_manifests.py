"""Plain manifests are what the real Helm prints, with the same total as the chart."""

from pathlib import Path

from chartgen import pipeline
from chartgen.outputs import manifests
from tests.support.charts import render, template
from tests.support.command_line import Typist
from tests.support.go_expression import ask

JOB = """\
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {resources: {requests: {cpu: 250m, memory: 1.5Gi}}}
  worker:
    replicas: 3
    resources: {limits: {nvidia.com/gpu: 2}, requests: {cpu: 2}}
    sidecars: [{name: logs, image: fluent:1, resources: {requests: {cpu: 1}}}]
    overrides: {"1-2": {resources: {limits: {nvidia.com/gpu: 4}}}}
    args: ["1e3", "012", "on", "{{ .Values }}", "2024-01-01", "~", "=", "0x1F", "1_000",
           "é\\t\\"", "a\\nb\\n", "1:30"]
tensorboard: {logDir: /logs, resources: {requests: {cpu: 100m}}}
"""


def test_the_chart_and_its_manifests_have_the_same_total(tmp_path: Path, helm: str) -> None:
    """The total that `render` prints is the sum of the objects."""
    (document,) = pipeline.read(JOB.encode(), "job.yaml")
    checked = pipeline.check(document)
    printed = template(helm, render(JOB, tmp_path))
    assert manifests.totals(manifests.read_objects(printed.encode())) == pipeline.totals(checked)


def test_what_helm_prints_is_what_the_files_say(tmp_path: Path, helm: str) -> None:
    """Reading and printing again changes no value for Go, however odd the text."""
    printed = template(helm, render(JOB, tmp_path))
    files = manifests.name_files(manifests.read_objects(printed.encode()))
    name = next(name for name in files if name.startswith("job-worker"))
    before = next(
        document
        for document in printed.split("\n---\n")
        if f"\n  name: {name[4:-5]}\n" in document and "kind: Job" in document
    )
    spec = ask(helm, tmp_path, files[name])["spec"]
    assert spec == ask(helm, tmp_path, before)["spec"]
    args = spec["template"]["spec"]["containers"][0]["args"]
    assert args == [
        "1e3",
        "012",
        "on",
        "{{ .Values }}",
        "2024-01-01",
        "~",
        "=",
        "0x1F",
        "1_000",
        'é\t"',
        "a\nb\n",
        "1:30",
    ]


def test_tests_are_in_a_directory_of_their_own(typed: Typist, helm3: str) -> None:
    typed.job(text=JOB, file="mnist.yaml")
    words = ("render", "mnist.yaml", "-o", "out", "--format", "manifests", "--helm", helm3)
    assert typed(*words, "--tests", "-q").code == 0
    tree = typed.tree("out/mnist")
    tests = [path for path in tree if path.startswith("tests/")]
    assert "tests/kustomization.yaml" in tests
    assert [path for path in tests if path.startswith("tests/job-test-")]
    assert "tests" not in tree["kustomization.yaml"]
    assert "helm.sh/hook" not in "".join(tree[path] for path in tests)
    plain = typed("render", "mnist.yaml", "-o", "charts", "--tests")
    assert plain.code == 2
    assert "--tests needs --format manifests" in plain.err


def test_a_chart_that_becomes_manifests_has_no_values_that_differ(
    typed: Typist, helm3: str
) -> None:
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "out", "-q").code == 0
    words = ("--format", "manifests", "--helm", helm3)
    done = typed("render", "mnist.yaml", "-o", "out", "--diff", *words)
    assert done.code == 1
    assert done.out.startswith("mnist: ")
    assert " -> unset" not in done.out
