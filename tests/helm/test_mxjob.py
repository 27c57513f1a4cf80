"""The real Helm makes the objects of an MxJob as the operator did."""

import json
from pathlib import Path

from chartgen.syntax.yaml import reader as yaml_reader
from tests.support.charts import env, named, pods, read_objects, render
from tests.support.paths import CORPUS
from tests.unit.native.test_mxjob import Object, rules

HERE = CORPUS / "native/mxjob"
DMLC = ["PS_ROOT_PORT", "PS_ROOT_URI", "NUM_SERVER", "NUM_WORKER", "ROLE", "USE_KUBERNETES"]


def case(name: str) -> Object:
    """A fresh copy of a case's object."""
    (path,) = HERE.glob(f"{name}-*/mxjob.*")
    data: Object = yaml_reader.read(path.read_bytes(), "x")[0].data
    return data


def test_names_and_labels_are_those_of_the_operator(helm3: str, tmp_path: Path) -> None:
    """Exactly those of `kubectl get job` in the manual."""
    objects = read_objects(helm3, render(json.dumps(case("m2")), tmp_path))
    jobs = [job for job in named(objects, "Job") if "chartgen/role" in job["metadata"]["labels"]]
    assert {job["metadata"]["name"] for job in jobs} == {
        "example-dist-job-scheduler-1kkf-0",
        "example-dist-job-server-1kkf-0",
        "example-dist-job-server-1kkf-1",
        "example-dist-job-worker-1kkf-0",
        "example-dist-job-worker-1kkf-1",
        "example-dist-job-worker-1kkf-2",
    }
    for manifest in (*jobs, *named(objects, "Service")):
        _, role, runtime_id, index = manifest["metadata"]["name"].rsplit("-", 3)
        labels = {
            "mxnet.mlkube.io": "",
            "job_type": role.upper(),
            "runtime_id": runtime_id,
            "task_index": index,
        }
        assert labels.items() <= manifest["metadata"]["labels"].items()
        if manifest["kind"] == "Job":
            assert labels.items() <= manifest["spec"]["template"]["metadata"]["labels"].items()


def test_the_scheduler_alone_has_a_service(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("m1")), tmp_path))
    (service,) = named(objects, "Service")
    assert service["metadata"]["name"].startswith("example-dist-job-scheduler-")
    assert service["spec"]["ports"] == [{"name": "ps-root-port", "port": 9091}]
    assert len(named(objects, "Job", "example-dist-job-cleanup-")) == 1
    assert len(named(objects, "Job")) == 6 + 1
    assert {env(pod)["DMLC_PS_ROOT_URI"] for pod in pods(objects, "worker")} == {
        service["metadata"]["name"]
    }


def test_a_local_job_is_one_job_without_variables(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("m3")), tmp_path))
    (job,) = [
        manifest
        for manifest in objects
        if "helm.sh/hook" not in manifest["metadata"].get("annotations", {})
    ]
    assert job["kind"] == "Job"
    assert job["metadata"]["name"].startswith("example-local-job-worker-")
    assert "env" not in job["spec"]["template"]["spec"]["containers"][0]


def test_tolerations_are_kept(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("m4")), tmp_path))
    tolerated = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert [pod["spec"].get("tolerations") for pod in pods(objects, "worker")] == [tolerated] * 3
    assert "tolerations" not in pods(objects, "server")[0]["spec"]


def test_any_number_of_the_jobs_variables_is_kept(helm3: str, tmp_path: Path) -> None:
    """The operator crashed on one to four of them, and overwrote the first five of five or more."""
    objects = read_objects(helm3, render(json.dumps(case("m7")), tmp_path))
    ours = [f"DMLC_{name}" for name in DMLC]
    (scheduler,) = pods(objects, "scheduler")
    assert [*env(scheduler)] == ["PS_VERBOSE", *ours]
    assert env(scheduler)["PS_VERBOSE"] == "2"
    for pod in pods(objects, "worker"):
        assert [*env(pod)] == ["A", "B", "C", "D", "E", "F", *ours]
        assert env(pod)["DMLC_PS_ROOT_PORT"] == "9000"
        assert env(pod)["E"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    assert pods(objects, "server")[0]["spec"]["restartPolicy"] == "OnFailure"
    assert rules(case("m7")) == ["restart-policy-missing"]
