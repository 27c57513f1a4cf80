"""Manifests: objects as Helm prints them become plain ones."""

import pytest
import yaml

from chartgen.outputs import manifests
from chartgen.outputs.base import Product

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
    config, job = manifests.read_objects(PRINTED)
    assert config["metadata"] == {
        "name": "notes",
        "labels": {"app.kubernetes.io/managed-by": "chartgen", "app.kubernetes.io/name": "mnist"},
    }
    assert job["spec"]["template"]["metadata"] == {"labels": {"team": "Helm"}}


def test_the_users_own_text_is_kept() -> None:
    config, job = manifests.read_objects(PRINTED)
    assert config["data"] == {"metadata": "helm.sh/chart: stays, it is the user's text"}
    assert job["spec"]["template"]["spec"]["containers"][0]["args"] == ["1e3", "on"]


def test_a_namespace_is_put_beside_the_name() -> None:
    assert [list(item["metadata"])[:2] for item in manifests.read_objects(PRINTED, "ml")] == [
        ["name", "namespace"]
    ] * 2
    assert {item["metadata"]["namespace"] for item in manifests.read_objects(PRINTED, "ml")} == {
        "ml"
    }


def test_files_are_named_after_kind_and_name_and_listed() -> None:
    files = manifests.name_files(manifests.read_objects(PRINTED))
    assert list(files) == ["configmap-notes.yaml", "job-worker-0.yaml", "kustomization.yaml"]
    assert yaml.safe_load(files["kustomization.yaml"]) == {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["configmap-notes.yaml", "job-worker-0.yaml"],
    }


def test_two_objects_of_one_kind_and_name_do_not_overwrite_each_other() -> None:
    with pytest.raises(ValueError, match="one kind and name"):
        manifests.name_files(manifests.read_objects(PRINTED + PRINTED))


def test_the_stream_holds_all_objects_in_helms_order() -> None:
    objects = manifests.read_objects(PRINTED)
    product = Product("mnist", manifests.name_files(objects), {}, "")
    assert list(yaml.safe_load_all(manifests.as_text(product))) == objects


def test_the_total_counts_containers_that_keep_running() -> None:
    """An init container that ends before the others start counts only if it requests more."""
    small = PRINTED.replace(b"cpu: 64", b"cpu: 1")
    assert manifests.totals(manifests.read_objects(small)) == {
        "pods": 3,
        "cpu": 7.5,
        "memory": 3 * 2**30,
    }
    assert manifests.totals(manifests.read_objects(PRINTED))["cpu"] == 3 * 64


OTHER = b"""\
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: token}
spec: {encryptedData: {token: AgBy}, template: {metadata: {name: token}}}
---
apiVersion: example.com/v1
kind: Report
metadata: {name: weekly}
spec: {template: "{{ .Title }}"}
"""


def test_a_template_of_something_else_is_no_pod() -> None:
    assert manifests.totals(manifests.read_objects(OTHER)) == {"pods": 0.0}


SCRIPT = b"""\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: script, annotations: {a: b}}
data: {run.sh: "echo ${RANK}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data: {run.sh: "echo $RANK"}
"""


def test_flux_does_not_replace_variables_of_scripts() -> None:
    """Only where there is something that its postBuild would replace."""
    files = manifests.name_files(manifests.read_objects(SCRIPT))
    script, other = (
        yaml.safe_load(files[f"configmap-{name}.yaml"]) for name in ("script", "other")
    )
    assert script["metadata"]["annotations"] == {
        "a": "b",
        "kustomize.toolkit.fluxcd.io/substitute": "disabled",
    }
    assert other["metadata"] == {"name": "other"}


def test_one_stream_has_all_objects() -> None:
    kept = manifests.read_objects(PRINTED)
    files = manifests.name_files(kept, stream=True)
    assert [*files] == ["manifests.yaml", "kustomization.yaml"]
    assert list(yaml.safe_load_all(files["manifests.yaml"])) == kept
    listed = yaml.safe_load(files["kustomization.yaml"])
    assert listed["resources"] == ["manifests.yaml"]
    product = Product("mnist", files, {}, "")
    assert list(yaml.safe_load_all(manifests.as_text(product))) == kept


def test_tests_become_jobs_that_run_once() -> None:
    (test,) = manifests.read_tests(PRINTED, "ml")
    assert (test["kind"], test["metadata"]["name"]) == ("Job", "test")
    assert test["metadata"]["namespace"] == "ml"
    assert "annotations" not in test["metadata"]
    assert test["spec"]["backoffLimit"] == 0
    assert test["spec"]["template"]["spec"] == {"restartPolicy": "Never", "containers": []}
