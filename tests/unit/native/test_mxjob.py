"""MxJob: every field means what it meant to the operator, and the chart does the same."""

import json
from typing import Any

import pytest

from chartgen import native, pipeline
from chartgen.errors import InputError
from chartgen.native.draft import Adopted

Object = dict[str, Any]


def adopt(data: Object) -> Adopted:
    (document,) = pipeline.read(json.dumps(data, indent=1).encode(), "mxjob.json")
    return native.adopt(document)


def described(data: Object) -> Object:
    """The description an MxJob means; it may have warnings but no problems."""
    document, _, problems, _ = adopt(data)
    assert document is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    job: Object = document.data
    return job


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


def test_defaults_are_those_of_the_operator() -> None:
    """One worker, and the scheduler's port."""
    job = described(a_job("local", a_set()))
    assert job["roles"] == {"worker": {"restartPolicy": "OnFailure"}}
    assert (job["namePrefix"], job["image"]) == ("job-", "registry.example.com/train:1")
    dist = a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set())
    (document,) = pipeline.read(json.dumps(dist).encode(), "mxjob.json")
    checked = pipeline.check(document)
    assert {role.name: role.port for role in checked.plan.roles} == {
        "scheduler": 9091,
        "server": None,
        "worker": None,
    }
    assert [role.replicas for role in checked.job.roles.values()] == [1, 1, 1]


def test_the_image_of_the_workers_becomes_the_jobs_image() -> None:
    """So that `--set image=` changes the roles that use it; others keep theirs."""
    other = a_set("SERVER")
    other["template"]["spec"]["containers"][0]["image"] = "registry.example.com/server:1"
    job = described(a_job("dist", a_set("SCHEDULER"), other, a_set()))
    assert job["image"] == "registry.example.com/train:1"
    assert {name: role.get("image") for name, role in job["roles"].items()} == {
        "scheduler": None,
        "server": "registry.example.com/server:1",
        "worker": None,
    }


def test_an_image_with_an_entrypoint_keeps_it() -> None:
    job = described(a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set()))
    assert [job["roles"][role].get("command") for role in ("scheduler", "server", "worker")] == [
        [],
        [],
        None,
    ]


@pytest.mark.parametrize(("port", "warned"), [(9091, []), (9092, ["mxjob-port-unused"])])
def test_a_port_of_other_roles_than_the_scheduler_is_ignored_with_a_warning(
    port: int, warned: list[str]
) -> None:
    """The operator filled in 9091 for all, so there is no warning about that one."""
    job = a_job(
        "dist",
        a_set("SCHEDULER", PsRootPort=9000),
        a_set("SERVER"),
        a_set("WORKER", PsRootPort=port),
    )
    assert rules(job) == warned
    roles = described(job)["roles"]
    assert [roles[role].get("port") for role in ("scheduler", "server", "worker")] == [
        9000,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (a_job("dist", a_set()), ["role-missing", "role-missing"]),
        (a_job("dist", a_set("SCHEDULER"), a_set("SERVER")), ["role-missing"]),
        (
            a_job("dist", a_set("SCHEDULER", replicas=2), a_set("SERVER"), a_set()),
            ["role-one-replica"],
        ),
        (
            a_job("dist", a_set("SCHEDULER"), a_set("SERVER", replicas=0), a_set()),
            ["mxnet-no-server"],
        ),
        (
            a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set(replicas=0)),
            ["role-no-replicas"],
        ),
        (
            a_job("dist", a_set("SCHEDULER"), a_set("SERVER"), a_set(), a_set()),
            ["replica-type-duplicate"],
        ),
        (a_job("local", a_set("SCHEDULER"), a_set()), ["mxnet-local-mode"]),
        (a_job("local", a_set(replicas=2)), ["mxnet-local-mode"]),
        (a_job("local", a_set(replicas=0)), ["mxnet-local-mode"]),
        (a_job("local", a_set("SERVER")), ["mxnet-local-mode", "role-missing"]),
        (a_job("elsewhere", a_set()), ["value-not-listed"]),
        (a_job("", a_set()), ["mxjob-mode-missing"]),
        (a_job("local"), ["value-wrong-length"]),
        (a_job("local", {"mxReplicaType": "WORKER"}), ["key-missing"]),
    ],
)
def test_modes_have_their_rules(job: Object, expected: list[str]) -> None:
    assert sorted(rules(job)) == expected


@pytest.mark.parametrize("group", ["mxnet.mlkube.io", "mlkube.io"])
def test_both_groups_are_read(group: str) -> None:
    assert described(a_job("local", a_set()) | {"apiVersion": f"{group}/v1beta1"})["name"] == "job"


@pytest.mark.parametrize("version", ["v1alpha2", "v1beta1", "v1beta2", "v1"])
def test_later_apis_are_a_format_of_their_own(version: str) -> None:
    later = {"apiVersion": f"kubeflow.org/{version}", "kind": "MXJob", "spec": {}}
    (document,) = pipeline.read(json.dumps(later).encode(), "mxjob.json")
    assert document.form == "mxjob-v1"


def test_a_distributed_job_has_sets_of_all_types() -> None:
    sets = [
        a_set("SCHEDULER", PsRootPort=9000),
        a_set("SERVER", replicas=2),
        a_set("WORKER", replicas=2),
    ]
    assert rules(a_job("dist", *sets)) == []
