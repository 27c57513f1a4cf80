"""MxJob: every field means what it meant to the operator; what came out of it comes out of the chart."""

import json
from pathlib import Path
from typing import Any

import pytest

from chartgen import native, pipeline
from chartgen.errors import InputError
from chartgen.native.draft import Adopted
from chartgen.syntax import yaml_reader as yaml
from tests.support.charts import env, named, objects, pods, render

HERE = Path(__file__).parents[2] / "corpus/native/mxjob"
Object = dict[str, Any]
DMLC = ["PS_ROOT_PORT", "PS_ROOT_URI", "NUM_SERVER", "NUM_WORKER", "ROLE", "USE_KUBERNETES"]


def case(name: str) -> Object:
    """The object of a case, to be changed."""
    (path,) = HERE.glob(f"{name}-*/mxjob.*")
    data: Object = yaml.read(path.read_bytes(), "x")[0].data
    return data


def adopt(data: Object) -> Adopted:
    (document,) = pipeline.read(json.dumps(data, indent=1).encode(), "mxjob.json")
    return native.adopt(document)


def described(data: Object) -> Object:
    """The description an MxJob means; it has no problems, but maybe warnings."""
    document, _, problems, _ = adopt(data)
    assert document is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    found: Object = document.data
    return found


def a_set(kind: str = "", **more: Any) -> Object:
    trains = {"name": "mxnet", "image": "registry.example.com/train:1"}
    template = {"spec": {"containers": [trains], "restartPolicy": "OnFailure"}}
    return {**({"mxReplicaType": kind} if kind else {}), "template": template, **more}


def a_job(mode: str, *sets: Object) -> Object:
    head = {"apiVersion": "mxnet.mlkube.io/v1beta1", "kind": "MxJob", "metadata": {"name": "job"}}
    return {**head, "spec": {"jobMode": mode, "replicaSpecs": list(sets)}}


def rules(data: Object) -> list[str]:
    (document,) = pipeline.read(json.dumps(data).encode(), "mxjob.json")
    try:
        return [problem.rule for problem in pipeline.check(document).warnings]
    except InputError as error:
        return [problem.rule for problem in error.problems]


def test_names_and_labels_are_the_operators(helm3: str, tmp_path: Path) -> None:
    """Those of the manual's `kubectl get job`, to the letter."""
    found = objects(helm3, render(json.dumps(case("m2")), tmp_path))
    assert {one["metadata"]["name"] for one in named(found, "Job")} == {
        "example-dist-job-scheduler-1kkf-0",
        "example-dist-job-server-1kkf-0",
        "example-dist-job-server-1kkf-1",
        "example-dist-job-worker-1kkf-0",
        "example-dist-job-worker-1kkf-1",
        "example-dist-job-worker-1kkf-2",
    }
    for one in (*named(found, "Job"), *named(found, "Service")):
        _, role, runtime_id, index = one["metadata"]["name"].rsplit("-", 3)
        labels = {"mxnet.mlkube.io": "", "job_type": role.upper(), "runtime_id": runtime_id, "task_index": index}
        assert labels.items() <= one["metadata"]["labels"].items()
        if one["kind"] == "Job":
            assert labels.items() <= one["spec"]["template"]["metadata"]["labels"].items()


def test_the_scheduler_alone_has_a_service(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("m1")), tmp_path))
    (service,) = named(found, "Service")
    assert service["metadata"]["name"].startswith("example-dist-job-scheduler-")
    assert service["spec"]["ports"] == [{"name": "ps-root-port", "port": 9091}]
    assert len(named(found, "Job")) == 6
    assert {env(pod)["DMLC_PS_ROOT_URI"] for pod in pods(found, "worker")} == {service["metadata"]["name"]}


def test_a_local_job_is_one_job_without_variables(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("m3")), tmp_path))
    (job,) = [one for one in found if "helm.sh/hook" not in one["metadata"].get("annotations", {})]
    assert job["kind"] == "Job"
    assert job["metadata"]["name"].startswith("example-local-job-worker-")
    assert "env" not in job["spec"]["template"]["spec"]["containers"][0]


def test_tolerations_come_through(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("m4")), tmp_path))
    tolerated = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert [pod["spec"].get("tolerations") for pod in pods(found, "worker")] == [tolerated] * 3
    assert "tolerations" not in pods(found, "server")[0]["spec"]


def test_variables_of_ones_own_are_kept_whatever_their_number(helm3: str, tmp_path: Path) -> None:
    """The operator crashed on one to four of them, and overwrote the first five of more."""
    found = objects(helm3, render(json.dumps(case("m7")), tmp_path))
    ours = [f"DMLC_{name}" for name in DMLC]
    (scheduler,) = pods(found, "scheduler")
    assert [*env(scheduler)] == ["PS_VERBOSE", *ours]
    assert env(scheduler)["PS_VERBOSE"] == "2"
    for pod in pods(found, "worker"):
        assert [*env(pod)] == ["A", "B", "C", "D", "E", "F", *ours]
        assert env(pod)["DMLC_PS_ROOT_PORT"] == "9000"
        assert env(pod)["E"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    assert pods(found, "server")[0]["spec"]["restartPolicy"] == "OnFailure"
    assert rules(case("m7")) == ["restart-policy"]


def test_defaults_are_the_operators() -> None:
    """One worker if nothing else is said, and the scheduler's port."""
    job = described(a_job("local", a_set()))
    assert job["roles"] == {"worker": {"restartPolicy": "OnFailure"}}
    assert (job["namePrefix"], job["image"]) == ("job-", "registry.example.com/train:1")
    dist = a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set())
    (document,) = pipeline.read(json.dumps(dist).encode(), "mxjob.json")
    checked = pipeline.check(document)
    assert {role.name: role.port for role in checked.plan.roles} == {"scheduler": 9091, "server": None, "worker": None}
    assert [role.replicas for role in checked.job.roles.values()] == [1, 1, 1]


def test_the_image_of_the_workers_is_the_jobs() -> None:
    """So that `--set image=` changes those that have it; others keep theirs."""
    other = a_set("SERVER")
    other["template"]["spec"]["containers"][0]["image"] = "registry.example.com/server:1"
    job = described(a_job("dist", a_set("SCHEDULER"), other, a_set()))
    assert job["image"] == "registry.example.com/train:1"
    assert {name: role.get("image") for name, role in job["roles"].items()} == {
        "scheduler": None,
        "server": "registry.example.com/server:1",
        "worker": None,
    }


def test_an_entrypoint_of_the_image_stays_the_start() -> None:
    job = described(a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set()))
    assert [job["roles"][role].get("command") for role in ("scheduler", "server", "worker")] == [[], [], None]


@pytest.mark.parametrize(("port", "warned"), [(9091, []), (9092, ["no-port"])])
def test_a_port_of_others_than_the_scheduler_means_nothing(port: int, warned: list[str]) -> None:
    """The operator filled in 9091 for all, so that one is no news."""
    job = a_job("dist", a_set("SCHEDULER", PsRootPort=9000), a_set("SERVER"), a_set("WORKER", PsRootPort=port))
    assert rules(job) == warned
    roles = described(job)["roles"]
    assert [roles[role].get("port") for role in ("scheduler", "server", "worker")] == [9000, None, None]


@pytest.mark.parametrize(
    ("job", "found"),
    [
        (a_job("dist", a_set()), ["missing-role", "missing-role"]),
        (a_job("dist", a_set("SCHEDULER"), a_set("SERVER")), ["missing-role"]),
        (a_job("dist", a_set("SCHEDULER", replicas=2), a_set("SERVER"), a_set()), ["one-scheduler"]),
        (a_job("dist", a_set("SCHEDULER"), a_set("SERVER", replicas=0), a_set()), ["no-server"]),
        (a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set(replicas=0)), ["no-worker"]),
        (a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set(), a_set()), ["duplicate-type"]),
        (a_job("local", a_set("SCHEDULER"), a_set()), ["local-mode"]),
        (a_job("local", a_set(replicas=2)), ["local-mode"]),
        (a_job("local", a_set(replicas=0)), ["local-mode"]),
        (a_job("local", a_set("SERVER")), ["local-mode", "missing-role"]),
        (a_job("elsewhere", a_set()), ["enum"]),
        (a_job("", a_set()), ["required"]),
        (a_job("local"), ["length"]),
        (a_job("local", {"mxReplicaType": "WORKER"}), ["required"]),
    ],
)
def test_modes_have_their_rules(job: Object, found: list[str]) -> None:
    assert sorted(rules(job)) == found


@pytest.mark.parametrize("group", ["mxnet.mlkube.io", "mlkube.io"])
def test_both_groups_are_read(group: str) -> None:
    assert described(a_job("local", a_set()) | {"apiVersion": f"{group}/v1beta1"})["name"] == "job"


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1", "v1"])
def test_kubeflows_own_kinds_are_named_with_a_way_out(version: str) -> None:
    job = a_job("dist", a_set()) | {"apiVersion": f"kubeflow.org/{version}", "kind": "MXJob"}
    document, _, (problem,), _ = adopt(job)
    assert document is None
    assert problem.rule == "api-version"
    assert f"kubeflow.org/{version}" in problem.message
    assert ("jobMode: dist" in problem.hint) == (version == "v1alpha1")


def test_a_first_kubeflow_job_is_read_once_the_hint_is_followed() -> None:
    sets = [a_set("SCHEDULER", PsRootPort=9000), a_set("SERVER", replicas=2), a_set("WORKER", replicas=2)]
    assert rules(a_job("dist", *sets)) == []
