"""Manifests: objects as Helm prints them become plain ones."""

from pathlib import Path

import pytest
import yaml

from chartgen import chart, pipeline
from chartgen.outputs import manifests
from tests.support.charts import render, template
from tests.support.go_expression import ask

PRINTED = b"""\
---
# Source: mnist/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: notes
  labels:
    helm.sh/chart: mnist-0.1.0
    app.kubernetes.io/managed-by: Helm
    app.kubernetes.io/name: mnist
  annotations:
    helm.sh/resource-policy: keep
data:
  metadata: "helm.sh/chart: stays, it is the user's text"
---
# Source: mnist/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: worker-0}
spec:
  parallelism: 3
  template:
    metadata:
      labels: {helm.sh/chart: mnist-0.1.0, team: Helm}
    spec:
      initContainers:
        - {name: once, resources: {requests: {cpu: 64}}}
        - {name: proxy, restartPolicy: Always, resources: {requests: {cpu: 500m}}}
      containers:
        - {name: main, args: ["1e3", "on"], resources: {limits: {cpu: 2, memory: 1Gi}}}
---
# Source: mnist/templates/tests/peers.yaml
apiVersion: v1
kind: Pod
metadata:
  name: test
  annotations: {helm.sh/hook: test}
spec: {containers: []}
"""


def test_hooks_are_left_out_and_so_are_helms_labels() -> None:
    config, job = manifests.objects(PRINTED)
    assert config["metadata"] == {
        "name": "notes",
        "labels": {"app.kubernetes.io/managed-by": "chartgen", "app.kubernetes.io/name": "mnist"},
    }
    assert job["spec"]["template"]["metadata"] == {"labels": {"team": "Helm"}}


def test_the_users_own_text_is_kept() -> None:
    config, job = manifests.objects(PRINTED)
    assert config["data"] == {"metadata": "helm.sh/chart: stays, it is the user's text"}
    assert job["spec"]["template"]["spec"]["containers"][0]["args"] == ["1e3", "on"]


def test_a_namespace_stands_beside_the_name() -> None:
    assert [list(one["metadata"])[:2] for one in manifests.objects(PRINTED, "ml")] == [["name", "namespace"]] * 2
    assert {one["metadata"]["namespace"] for one in manifests.objects(PRINTED, "ml")} == {"ml"}


def test_files_are_named_for_kind_and_name_and_listed() -> None:
    files = manifests.files(manifests.objects(PRINTED))
    assert list(files) == ["configmap-notes.yaml", "job-worker-0.yaml", "kustomization.yaml"]
    assert yaml.safe_load(files["kustomization.yaml"]) == {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["configmap-notes.yaml", "job-worker-0.yaml"],
    }


def test_two_objects_of_one_kind_and_name_are_not_written_over_each_other() -> None:
    with pytest.raises(ValueError, match="one kind and name"):
        manifests.files(manifests.objects(PRINTED + PRINTED))


def test_the_stream_holds_all_objects_in_helms_order() -> None:
    found = manifests.objects(PRINTED)
    assert list(yaml.safe_load_all(manifests.stream(manifests.files(found)))) == found


def test_what_is_asked_for_counts_containers_that_last() -> None:
    """An init container that ends before the others start counts only if it asks for more than they do."""
    small = PRINTED.replace(b"cpu: 64", b"cpu: 1")
    assert manifests.asks(manifests.objects(small)) == {"pods": 3, "cpu": 7.5, "memory": 3 * 2**30}
    assert manifests.asks(manifests.objects(PRINTED))["cpu"] == 3 * 64


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
    args: ["1e3", "012", "on", "{{ .Values }}", "2024-01-01", "~", "=", "0x1F", "1_000", "é\\t\\"", "a\\nb\\n", "1:30"]
tensorboard: {logDir: /logs, resources: {requests: {cpu: 100m}}}
"""


def test_the_chart_and_its_manifests_ask_for_the_same(tmp_path: Path, helm: str) -> None:
    """What `render` tells of a job is what its objects add up to."""
    (document,) = pipeline.read(JOB.encode(), "job.yaml")
    checked = pipeline.check(document)
    printed = template(helm, render(JOB, tmp_path))
    assert manifests.asks(manifests.objects(printed.encode())) == chart.asks(checked.job, checked.plan)


def test_what_helm_prints_is_what_the_files_say(tmp_path: Path, helm: str) -> None:
    """Reading and printing again changes no value, however odd the text, if Go is asked."""
    printed = template(helm, render(JOB, tmp_path))
    files = manifests.files(manifests.objects(printed.encode()))
    name = next(name for name in files if name.startswith("job-worker"))
    before = next(one for one in printed.split("\n---\n") if f"\n  name: {name[4:-5]}\n" in one and "kind: Job" in one)
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
