"""TfJob: every field means what it meant to the operator, and the chart does the same."""

import json
from typing import Any

import pytest

from chartgen.native.operators.tfjob import TF_IMAGE
from tests.support.tfjobs import Object, adopt, case, described, read


def a_set(kind: str, **container: Any) -> Object:
    trains = {"name": "tensorflow", "image": "registry.example.com/train:1", **container}
    return {
        "tfReplicaType": kind,
        "template": {"spec": {"containers": [trains], "restartPolicy": "OnFailure"}},
    }


def a_job(*sets: Object, **spec: Any) -> Object:
    head = {"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob", "metadata": {"name": "job"}}
    return {**head, "spec": {"replicaSpecs": list(sets), **spec}}


def notes(data: Object) -> list[str]:
    return [note.text for note in adopt(data).notes]


# --- the operator's defaults, as its manual shows them


def operator_view(job: Object) -> Object:
    """A description as the spec that the operator would print after filling in its defaults."""
    sets = []
    for name, role in job["roles"].items():
        default = name == "ps" and "command" not in role
        container: Object = {
            "image": role.get("image", job.get("image")),
            "name": "tensorflow",
            "resources": {},
        }
        if default:
            container["volumeMounts"] = [{"mountPath": "/ps-server", "name": "ps-config-volume"}]
        spec = {"containers": [container], "restartPolicy": role.get("restartPolicy", "OnFailure")}
        sets.append(
            {
                "IsDefaultPS": default,
                "replicas": role.get("replicas", 1),
                "template": {"metadata": {"creationTimestamp": None}, "spec": spec},
                "tfPort": role.get("port", 2222),
                "tfReplicaType": name.upper(),
            }
        )
    board = job["tensorboard"]
    return {
        "RuntimeId": job["runtimeId"],
        "replicaSpecs": sets,
        "tensorboard": {
            "logDir": board["logDir"],
            "serviceType": "",
            "volumeMounts": None,
            "volumes": None,
        },
        "tfImage": board["image"],
    }


def test_the_spec_of_the_manual_is_read_field_by_field() -> None:
    """Nothing of the fully defaulted spec is lost or changed; status and the like are not part."""
    manual = case("t14")
    job = described(manual)
    assert operator_view(job) == manual["spec"]
    assert job["name"] == manual["metadata"]["name"]
    assert job.keys() == {"name", "framework", "image", "runtimeId", "roles", "tensorboard"}
    assert job["roles"]["ps"]["image"] == manual["spec"]["tfImage"] == TF_IMAGE
    (left,) = [note for note in notes(manual) if "set by the cluster" in note]
    for key in (
        "clusterName",
        "creationTimestamp",
        "generation",
        "resourceVersion",
        "selfLink",
        "uid",
    ):
        assert f"metadata.{key}" in left
    assert "status" in left


# --- field by field


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("tensorflow.org/v1alpha1", "TfJob"),
        ("mlkube.io/v1beta1", "TfJob"),
        ("kubeflow.org/v1alpha1", "TFJob"),
    ],
)
def test_every_name_the_api_ever_had_is_known(api: str, kind: str) -> None:
    assert described({**a_job(a_set("MASTER")), "apiVersion": api, "kind": kind})["name"] == "job"


@pytest.mark.parametrize("version", ["v1alpha2", "v1beta1", "v1beta2", "v1"])
def test_later_apis_are_a_format_of_their_own(version: str) -> None:
    """The key of the sets decides, and where there is none the version."""
    later = {"apiVersion": f"kubeflow.org/{version}", "kind": "TFJob", "spec": {}}
    assert read(later).form == "tfjob-v1"
    assert read({**later, "spec": {"tfreplicaspecs": {}}}).form == "tfjob-v1"
    assert read({**later, "spec": {"replicaSpecs": []}}).form == "tfjob"


def test_the_image_of_servers_and_tensorboard_is_tf_image() -> None:
    job = described(
        a_job(
            a_set("MASTER"),
            {"tfReplicaType": "PS"},
            tfImage="tf:2",
            tensorboard={"logDir": "/logs"},
        )
    )
    assert job["roles"]["ps"] == {"image": "tf:2"}
    assert job["tensorboard"] == {"logDir": "/logs", "image": "tf:2"}


def test_an_unused_tf_image_is_reported_as_dropped() -> None:
    unused = a_job(a_set("MASTER"), a_set("PS"), tfImage="tf:2")
    assert "tf:2" not in json.dumps(described(unused))
    assert any(note.startswith("spec.tfImage is for ") for note in notes(unused))


def test_empty_text_is_absent_as_in_go() -> None:
    """Empty RuntimeId, tfReplicaType, tfImage and serviceType meant absent."""
    board: Object = {"logDir": "/logs", "serviceType": "", "volumes": [], "volumeMounts": None}
    empty = a_job(
        {**a_set("MASTER"), "tfReplicaType": ""}, RuntimeId="", tfImage="", tensorboard=board
    )
    assert described(empty) == described(a_job(a_set("MASTER"), tensorboard={"logDir": "/logs"}))


def test_labels_of_the_tfjob_are_not_those_of_its_pods() -> None:
    labelled = a_job(a_set("MASTER"))
    labelled["metadata"] |= {"labels": {"team": "vision"}, "annotations": {"a": "b"}}
    assert described(labelled) == described(a_job(a_set("MASTER")))
    assert len([note for note in notes(labelled) if "never had them" in note]) == 2


def test_one_image_for_all_that_train_becomes_the_jobs_image() -> None:
    """So that --set image= changes all of them; the servers have their own."""
    job = described(a_job(a_set("MASTER"), a_set("WORKER"), a_set("PS", image="server:1")))
    assert job["image"] == "registry.example.com/train:1"
    assert {name: role.get("image") for name, role in job["roles"].items()} == {
        "master": None,
        "worker": None,
        "ps": "server:1",
    }
    two = described(a_job(a_set("MASTER"), a_set("WORKER", image="other:1")))
    assert "image" not in two
    assert two["roles"]["worker"]["image"] == "other:1"


def test_other_containers_do_not_keep_an_image_from_becoming_the_jobs() -> None:
    """Only the container that trains counts, and the others keep their images."""
    two = a_set("MASTER")
    two["template"]["spec"]["containers"].insert(0, {"name": "log", "image": "log:1"})
    job = described(a_job(two, a_set("WORKER"), a_set("PS", image="server:1")))
    assert job["image"] == "registry.example.com/train:1"
    containers = job["roles"]["master"]["template"]["spec"]["containers"]
    assert [container.get("image") for container in containers] == ["log:1", None]
    assert "image" in two["template"]["spec"]["containers"][1], "what was read stays as it is"


@pytest.mark.parametrize("start", [{"command": ["serve"]}, {"args": ["--serve"]}])
def test_a_parameter_server_with_a_command_runs_it(start: Object) -> None:
    role = described(a_job(a_set("MASTER"), a_set("PS", **start)))["roles"]["ps"]
    assert {key: role[key] for key in ("command", "args") if key in role} == start


@pytest.mark.parametrize("nothing", [{}, {"command": []}, {"command": None, "args": []}])
def test_a_parameter_server_without_a_command_runs_its_image(nothing: Object) -> None:
    assert described(a_job(a_set("MASTER"), a_set("PS", **nothing)))["roles"]["ps"]["command"] == []


def test_a_default_server_keeps_what_the_operator_did_not_add() -> None:
    """IsDefaultPS with a template: the chart replaces the operator's mount, volume and command."""
    server = a_set("PS", command=["x"], resources={"limits": {"cpu": 1}})
    spec = server["template"]["spec"]
    spec["volumes"] = [
        {"name": "ps-config-volume", "configMap": {"name": "cm-ps-76no"}},
        {"name": "tmp"},
    ]
    spec["containers"][0]["volumeMounts"] = [
        {"name": "ps-config-volume", "mountPath": "/ps-server"},
        {"name": "tmp", "mountPath": "/tmp"},
    ]
    spec["containers"].append({"name": "other", "image": "other:1", "command": ["y"]})
    for containers in (2, 1):
        del spec["containers"][containers:]
        job = a_job(a_set("MASTER"), {**server, "IsDefaultPS": True})
        role = described(job)["roles"]["ps"]
        whole = role.get("template", {}).get("spec", role)
        assert whole["volumes"] == [{"name": "tmp"}]
        assert "command" not in role
        assert [problem.rule for problem in adopt(job).problems] == ["tfjob-default-ps"]
        assert "ps-config-volume" not in json.dumps(role)


def test_the_name_of_a_pod_template_is_reported_as_dropped() -> None:
    job = a_job(a_set("MASTER"))
    job["spec"]["replicaSpecs"][0]["template"]["metadata"] = {"name": "x", "labels": {"a": "b"}}
    assert described(job)["roles"]["master"]["labels"] == {"a": "b"}
    assert any(note.startswith("template.metadata.name") for note in notes(job))


def test_env_becomes_a_map_unless_it_names_a_variable_twice() -> None:
    entries = [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    ]
    role = described(a_job(a_set("MASTER", env=[*entries, {"name": "C"}])))["roles"]["master"]
    assert role["env"] == {
        "A": "1",
        "B": {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        "C": "",
    }
    twice = [*entries, {"name": "A", "value": "2"}]
    assert described(a_job(a_set("MASTER", env=twice)))["roles"]["master"]["env"] == twice
