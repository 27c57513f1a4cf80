"""What an upgrade does, by the objects before and after it."""

from typing import Any

import pytest

from chartgen.gitops.changes import (
    Changes,
    Field,
    changed_values,
    compare,
    differing,
    object_fields,
)
from chartgen.syntax.yaml import reader as yaml_reader

Object = dict[str, Any]


def job(role: str, index: int, runtime_id: str = "aaaa", image: str = "mnist:1") -> Object:
    """The Job of a replica, as charts make it."""
    labels = {"chartgen/role": role, "chartgen/runtime-id": runtime_id}
    template = {"spec": {"containers": [{"image": image}]}}
    return object_("Job", f"{role}-{runtime_id}-{index}", labels, {"template": template})


def cleanup(runtime_id: str, digest: str) -> Object:
    labels = {"chartgen/runtime-id": runtime_id}
    return object_("Job", f"cleanup-{runtime_id}-{digest}", labels, {"template": {}})


def object_(kind: str, name: str, labels: Any = None, spec: Any = None) -> Object:
    return {"kind": kind, "metadata": {"name": name, "labels": labels or {}}, "spec": spec or {}}


def names(objects: Any) -> list[str]:
    return [manifest["metadata"]["name"] for manifest in objects]


def happens(old: list[Object], new: list[Object]) -> Changes:
    return compare("mnist", old, new)


def test_nothing() -> None:
    changes = happens([job("chief", 0)], [job("chief", 0)])
    assert (changes.any, changes.restarts, changes.unchanged) == (False, False, 1)


def test_the_version_of_the_chart_changes_nothing_that_runs() -> None:
    old, new = object_("Service", "chief"), object_("Service", "chief")
    old["metadata"]["labels"] = {"helm.sh/chart": "mnist-0.1.0", "app.kubernetes.io/version": "1"}
    new["metadata"]["labels"] = {"helm.sh/chart": "mnist-0.1.1", "app.kubernetes.io/version": "2"}
    assert happens([old], [new]).unchanged == 1


def test_hooks_are_not_part_of_an_upgrade() -> None:
    hook = object_("Pod", "test")
    hook["metadata"]["annotations"] = {"helm.sh/hook": "test"}
    assert not happens([], [hook]).any


def test_jobs_of_another_runtime_id_replace_those_of_the_same_replicas() -> None:
    old = [job("chief", 0), job("worker", 0)]
    changes = happens(old, [job("worker", 0, "bbbb"), job("chief", 0, "bbbb")])
    assert [(names([old])[0], names([new])[0]) for old, new in changes.replaced] == [
        ("chief-aaaa-0", "chief-bbbb-0"),
        ("worker-aaaa-0", "worker-bbbb-0"),
    ]
    assert changes.restarts
    assert [*changes.added, *changes.gone, *changes.changed] == []


def test_the_job_that_cleans_up_is_renamed_and_trains_nothing() -> None:
    changes = happens([cleanup("aaaa", "1111")], [cleanup("bbbb", "2222")])
    assert len(changes.replaced) == 1
    assert not changes.restarts


def test_pods_that_change_under_the_same_name_are_refused_for_jobs_only() -> None:
    spec = {"template": {"spec": {"containers": [{"image": "board:2"}]}}}
    changes = happens(
        [job("chief", 0), object_("Deployment", "board")],
        [job("chief", 0, image="mnist:2"), object_("Deployment", "board", spec=spec)],
    )
    assert names(pair.new for pair in changes.refused) == ["chief-aaaa-0"]
    assert names(pair.new for pair in changes.changed) == ["board", "chief-aaaa-0"]


def test_a_role_is_rescaled_while_the_others_go_on() -> None:
    old = [job("chief", 0), job("worker", 0)]
    changes = happens(old, [*old, job("worker", 1), job("worker", 2)])
    assert changes.rescaled == ["worker from 1 to 3 replicas"]
    assert [*changes.added, *changes.gone] == []
    assert happens([*old, job("worker", 1)], old).rescaled == ["worker from 2 to 1 replicas"]


def test_a_role_that_appears_is_added() -> None:
    changes = happens([job("chief", 0)], [job("chief", 0), job("ps", 0)])
    assert (changes.rescaled, names(changes.added)) == ([], ["ps-aaaa-0"])


def test_objects_of_two_namespaces_are_two() -> None:
    old, new = object_("Service", "chief"), object_("Service", "chief")
    old["metadata"]["namespace"], new["metadata"]["namespace"] = "a", "b"
    assert happens([old], [new]).changed == []


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [Field(("a", "b"), 1, 2)]),
        ({"a": {"b": 1}}, {}, [Field(("a",), {"b": 1}, None)]),
        ({"a": [1]}, {"a": [1, 2]}, [Field(("a",), [1], [1, 2])]),
    ],
)
def test_the_values_that_differ(old: Any, new: Any, fields: list[Field]) -> None:
    assert [*differing(old, new)] == fields


def test_a_value_is_told_with_the_line_that_says_it() -> None:
    (job,) = yaml_reader.read(b"name: mnist\nroles:\n  worker: {replicas: 3}\n", "job.yaml")
    texts = ("roles: {worker: {replicas: 2}}\n", "roles: {worker: {replicas: 3}}\n")
    (field,) = changed_values(*texts, job)
    assert field == Field(("roles", "worker", "replicas"), 2, 3, "job.yaml:3:22")


def test_fields_of_objects_that_differ_are_named_once() -> None:
    """Names of containers and variables stand for their numbers; the runtime id is left out."""

    def replica(index: int, runtime_id: str, *variables: tuple[str, str]) -> Object:
        worker = job("worker", index, runtime_id)
        env = [{"name": name, "value": value} for name, value in variables]
        containers = [{"name": "main", "args": [f"cm-{runtime_id}", "a"], "env": env}]
        worker["spec"]["template"]["spec"]["containers"] = containers
        return worker

    old = [replica(index, "aaaa", ("STEPS", "1"), ("LAST", "x")) for index in (0, 1)]
    new = [
        replica(index, "bbbb", ("FIRST", "y"), ("STEPS", "2"), ("LAST", "x")) for index in (0, 1)
    ]
    env = ("Job", "spec", "template", "spec", "containers", "main", "env")
    assert object_fields(happens(old, new)) == [
        Field((*env, "STEPS", "value"), "1", "2"),
        Field((*env, "FIRST"), None, {"name": "FIRST", "value": "y"}),
    ]
