"""TfJob: every field means what it meant to the operator; what came out of it comes out of the chart."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.native.draft import Adopted
from chartgen.native.operators.tfjob import TF_IMAGE
from chartgen.syntax import yaml_reader as yaml
from tests.support.charts import env, expanded, named, objects, pods, render

HERE = Path(__file__).parents[2] / "corpus/native/tfjob"
CASES = sorted(HERE.glob("*/tfjob.*"))
Object = dict[str, Any]


def case(name: str) -> Object:
    """The object of a case, to be changed."""
    (path,) = HERE.glob(f"{name}-*/tfjob.*")
    data: Object = yaml.read(path.read_bytes(), "x")[0].data
    return data


def read(data: Object) -> Document:
    (document,) = pipeline.read(json.dumps(data, indent=1).encode(), "tfjob.json")
    return document


def adopt(data: Object) -> Adopted:
    return native.adopt(read(data))


def described(data: Object) -> Object:
    """The description a TfJob means; it has no problems, but maybe warnings."""
    document, _, problems, _ = adopt(data)
    assert document is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    found: Object = document.data
    return found


def a_set(kind: str, **container: Any) -> Object:
    trains = {"name": "tensorflow", "image": "registry.example.com/train:1", **container}
    return {"tfReplicaType": kind, "template": {"spec": {"containers": [trains], "restartPolicy": "OnFailure"}}}


def a_job(*sets: Object, **spec: Any) -> Object:
    head = {"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob", "metadata": {"name": "job"}}
    return {**head, "spec": {"replicaSpecs": list(sets), **spec}}


def notes(data: Object) -> list[str]:
    return [note.text for note in adopt(data).notes]


# --- the defaults the operator filled in, as its manual shows them


def operator_view(job: Object) -> Object:
    """A description in the operator's words, as it would print it after its defaults."""
    sets = []
    for name, role in job["roles"].items():
        default = name == "ps" and "command" not in role
        container: Object = {"image": role.get("image", job.get("image")), "name": "tensorflow", "resources": {}}
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
        "tensorboard": {"logDir": board["logDir"], "serviceType": "", "volumeMounts": None, "volumes": None},
        "tfImage": board["image"],
    }


def test_the_spec_of_the_manual_is_read_field_by_field() -> None:
    """Nothing of the fully defaulted spec is lost or changed on the way; status and the like are no part of it."""
    manual = case("t14")
    job = described(manual)
    assert operator_view(job) == manual["spec"]
    assert job["name"] == manual["metadata"]["name"]
    assert job.keys() == {"name", "framework", "image", "runtimeId", "roles", "tensorboard"}
    assert job["roles"]["ps"]["image"] == manual["spec"]["tfImage"] == TF_IMAGE
    (left,) = [note for note in notes(manual) if "written by the cluster" in note]
    for key in ("clusterName", "creationTimestamp", "generation", "resourceVersion", "selfLink", "uid"):
        assert f"metadata.{key}" in left
    assert "status" in left


def test_the_defaults_are_the_operators(helm3: str, tmp_path: Path) -> None:
    """The short example, with the id and the TensorBoard of the manual's output, is the same job as that output."""
    short = case("t01")
    short["spec"] |= {"RuntimeId": "76no", "tensorboard": {"logDir": "/tmp/tensorflow"}}
    assert operator_view(described(short)) == case("t14")["spec"]
    made, full = (objects(helm3, render(json.dumps(job), tmp_path)) for job in (short, case("t14")))
    assert made == full


# --- what comes out of the chart


def test_names_labels_and_services_are_the_operators(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("t14")), tmp_path))
    expected = ["master-76no-0", "ps-76no-0", "ps-76no-1", "worker-76no-0"]
    assert sorted(job["metadata"]["name"] for job in named(found, "Job")) == expected
    services = {one["metadata"]["name"]: one for one in named(found, "Service")}
    assert sorted(services) == sorted([*expected, "tensorboard-76no"])
    for job in named(found, "Job"):
        kind, runtime_id, index = job["metadata"]["name"].split("-")
        five = {
            "tensorflow.org": "",
            "job_type": kind.upper(),
            "runtime_id": runtime_id,
            "tf_job_name": "example-job",
            "task_index": index,
        }
        service = services[job["metadata"]["name"]]
        for labels in (job["metadata"], job["spec"]["template"]["metadata"], service["metadata"]):
            assert labels["labels"].items() >= five.items()
        assert service["spec"]["ports"] == [{"name": "tf-port", "port": 2222}]
        assert service["spec"]["selector"].items() <= job["spec"]["template"]["metadata"]["labels"].items()


def test_tf_config_is_the_operators_to_the_letter(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("t14")), tmp_path))
    assert expanded(found, pods(found, "ps")[1], "TF_CONFIG") == (
        '{"cluster":{"master":["master-76no-0:2222"],"ps":["ps-76no-0:2222","ps-76no-1:2222"],'
        '"worker":["worker-76no-0:2222"]},"task":{"type":"ps","index":1},"environment":"cloud"}'
    )


def test_ports_and_ids_of_ones_own_are_in_every_address(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("t10")), tmp_path))
    assert json.loads(expanded(found, pods(found, "worker")[2], "TF_CONFIG")) == {
        "cluster": {
            "ps": ["ps-runtime-0:22", "ps-runtime-1:22"],
            "master": ["master-runtime-0:42"],
            "worker": ["worker-runtime-0:40", "worker-runtime-1:40", "worker-runtime-2:40"],
        },
        "task": {"type": "worker", "index": 2},
        "environment": "cloud",
    }


def test_the_default_parameter_server_has_its_script_and_its_arguments(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("t14")), tmp_path))
    (script,) = named(found, "ConfigMap", "cm-ps-76no")
    assert "grpc_tensorflow_server.py" in script["data"]
    assert script["data"]["cluster-spec"] == (
        "master|master-76no-0:2222,ps|ps-76no-0:2222;ps-76no-1:2222,worker|worker-76no-0:2222"
    )
    (container,) = pods(found, "ps")[1]["spec"]["containers"]
    assert container["image"] == TF_IMAGE
    assert container["command"][:3] == ["python", "/ps-server/grpc_tensorflow_server.py", "--cluster_spec"]
    assert container["command"][4:] == ["--job_name", "ps", "--task_id", "1"]
    assert {"mountPath": "/ps-server", "name": "ps-config-volume"} in container["volumeMounts"]


def test_a_parameter_server_with_a_template_runs_its_image(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("t10")), tmp_path))
    assert not named(found, "ConfigMap", "cm-ps")
    for pod in pods(found, "ps"):
        assert not pod["spec"]["containers"][0].keys() & {"command", "args"}


def test_tensorboard_is_the_operators(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps({**case("t04")}), tmp_path), "--set", "runtimeId=76no")
    (service,) = named(found, "Service", "tensorboard-76no")
    (deployment,) = named(found, "Deployment", "tensorboard-76no")
    labels = {"tensorflow.org": "", "app": "tensorboard", "runtime_id": "76no", "tf_job_name": "azure-board"}
    pod = deployment["spec"]["template"]
    for metadata in (service["metadata"], deployment["metadata"], pod["metadata"]):
        assert metadata["labels"].items() >= labels.items()
    assert service["spec"]["type"] == "LoadBalancer"
    assert service["spec"]["ports"] == [{"name": "tb-port", "port": 80, "targetPort": "tb-port"}]
    (container,) = pod["spec"]["containers"]
    assert container["ports"] == [{"name": "tb-port", "containerPort": 6006}]
    assert container["command"][:5] == ["tensorboard", "--logdir", "/tmp/tensorflow", "--host", "0.0.0.0"]
    assert container["image"] == TF_IMAGE
    assert container["volumeMounts"] == case("t04")["spec"]["tensorboard"]["volumeMounts"]
    assert pod["spec"]["volumes"] == case("t04")["spec"]["tensorboard"]["volumes"]


def test_the_users_env_comes_first_and_tf_config_last(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, render(json.dumps(case("t04")), tmp_path))
    names = list(env(pods(found, "master")[0]))
    assert names[0] == "LC_ALL"
    assert names[-1] == "TF_CONFIG"


def test_other_containers_are_left_alone(helm3: str, tmp_path: Path) -> None:
    data = yaml.read((HERE / "todays-pods/tfjob.yaml").read_bytes(), "x")[0].data
    found = objects(helm3, render(json.dumps(data), tmp_path))
    pod = pods(found, "worker")[0]["spec"]
    assert pod["containers"][1] == data["spec"]["replicaSpecs"][1]["template"]["spec"]["containers"][0]
    assert [one["name"] for one in pod["containers"]] == ["tensorflow", "shipper"]
    assert "initContainers" not in pod


def test_fields_that_kubernetes_got_later_are_kept(helm3: str, tmp_path: Path) -> None:
    data = yaml.read((HERE / "todays-pods/tfjob.yaml").read_bytes(), "x")[0].data
    pod = pods(objects(helm3, render(json.dumps(data), tmp_path)), "master")[0]
    assert pod["spec"]["priorityClassName"] == "batch-low"
    assert pod["spec"]["shareProcessNamespace"] is True
    assert pod["spec"]["containers"][0]["startupProbe"] == {"tcpSocket": {"port": 2222}}
    assert pod["metadata"]["labels"]["team"] == "vision"


def test_no_namespace_is_baked_in(helm3: str, tmp_path: Path) -> None:
    """It is given at install, and convert says so."""
    found = objects(helm3, render(json.dumps(case("t08")), tmp_path))
    assert not [one for one in found if "namespace" in one["metadata"]]
    assert any("helm install -n kubeflow-test" in note for note in notes(case("t08")))


# --- field by field


@pytest.mark.parametrize(
    ("api", "kind"),
    [("tensorflow.org/v1alpha1", "TfJob"), ("mlkube.io/v1beta1", "TfJob"), ("kubeflow.org/v1alpha1", "TFJob")],
)
def test_every_name_the_api_had_is_known(api: str, kind: str) -> None:
    assert described({**a_job(a_set("MASTER")), "apiVersion": api, "kind": kind})["name"] == "job"


@pytest.mark.parametrize("version", ["v1alpha2", "v1beta1", "v1beta2", "v1"])
def test_later_apis_are_named_and_refused_with_what_to_do(version: str) -> None:
    later = {"apiVersion": f"kubeflow.org/{version}", "kind": "TFJob", "spec": {"tfReplicaSpecs": {}}}
    document, _, (problem,), _ = adopt(later)
    assert document is None
    assert f"a TFJob of kubeflow.org/{version} is of a later API" in problem.message
    assert "write a job description" in problem.hint


def test_the_image_of_servers_and_tensorboard_is_tf_image() -> None:
    job = described(a_job(a_set("MASTER"), {"tfReplicaType": "PS"}, tfImage="tf:2", tensorboard={"logDir": "/logs"}))
    assert job["roles"]["ps"] == {"image": "tf:2"}
    assert job["tensorboard"] == {"logDir": "/logs", "image": "tf:2"}


def test_a_tf_image_that_nothing_uses_is_said_to_be_dropped() -> None:
    unused = a_job(a_set("MASTER"), a_set("PS"), tfImage="tf:2")
    assert "tf:2" not in json.dumps(described(unused))
    assert any(note.startswith("spec.tfImage is for ") for note in notes(unused))


def test_empty_text_is_absent_as_in_go() -> None:
    """RuntimeId, tfReplicaType, tfImage and serviceType had a meaning when empty: none."""
    board: Object = {"logDir": "/logs", "serviceType": "", "volumes": [], "volumeMounts": None}
    empty = a_job({**a_set("MASTER"), "tfReplicaType": ""}, RuntimeId="", tfImage="", tensorboard=board)
    assert described(empty) == described(a_job(a_set("MASTER"), tensorboard={"logDir": "/logs"}))


def test_labels_of_the_tfjob_are_not_those_of_its_pods() -> None:
    labelled = a_job(a_set("MASTER"))
    labelled["metadata"] |= {"labels": {"team": "vision"}, "annotations": {"a": "b"}}
    assert described(labelled) == described(a_job(a_set("MASTER")))
    assert len([note for note in notes(labelled) if "never had them" in note]) == 2


def test_one_image_of_all_that_train_is_the_jobs() -> None:
    """So that --set image= changes all of them; the servers have one of their own."""
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


def test_one_image_is_the_jobs_also_where_other_containers_are_beside() -> None:
    """The image of the container that trains counts, and the others keep theirs."""
    two = a_set("MASTER")
    two["template"]["spec"]["containers"].insert(0, {"name": "log", "image": "log:1"})
    job = described(a_job(two, a_set("WORKER"), a_set("PS", image="server:1")))
    assert job["image"] == "registry.example.com/train:1"
    containers = job["roles"]["master"]["template"]["spec"]["containers"]
    assert [one.get("image") for one in containers] == ["log:1", None]
    assert "image" in two["template"]["spec"]["containers"][1], "what was read stays as it is"


@pytest.mark.parametrize("start", [{"command": ["serve"]}, {"args": ["--serve"]}])
def test_a_parameter_server_that_says_what_it_runs_runs_that(start: Object) -> None:
    role = described(a_job(a_set("MASTER"), a_set("PS", **start)))["roles"]["ps"]
    assert {key: role[key] for key in ("command", "args") if key in role} == start


@pytest.mark.parametrize("nothing", [{}, {"command": []}, {"command": None, "args": []}])
def test_a_parameter_server_that_does_not_runs_its_image(nothing: Object) -> None:
    assert described(a_job(a_set("MASTER"), a_set("PS", **nothing)))["roles"]["ps"]["command"] == []


def test_a_default_server_keeps_what_is_not_the_operators() -> None:
    """IsDefaultPS with a template of one's own: the operator's mount, volume and command make way for the chart's."""
    one = a_set("PS", command=["x"], resources={"limits": {"cpu": 1}})
    spec = one["template"]["spec"]
    spec["volumes"] = [{"name": "ps-config-volume", "configMap": {"name": "cm-ps-76no"}}, {"name": "tmp"}]
    spec["containers"][0]["volumeMounts"] = [
        {"name": "ps-config-volume", "mountPath": "/ps-server"},
        {"name": "tmp", "mountPath": "/tmp"},
    ]
    spec["containers"].append({"name": "other", "image": "other:1", "command": ["y"]})
    for containers in (2, 1):
        del spec["containers"][containers:]
        job = a_job(a_set("MASTER"), {**one, "IsDefaultPS": True})
        role = described(job)["roles"]["ps"]
        whole = role.get("template", {}).get("spec", role)
        assert whole["volumes"] == [{"name": "tmp"}]
        assert "command" not in role
        assert [problem.rule for problem in adopt(job).problems] == ["default-ps"]
        assert "ps-config-volume" not in json.dumps(role)


def test_the_name_of_a_pod_template_is_said_to_be_dropped() -> None:
    job = a_job(a_set("MASTER"))
    job["spec"]["replicaSpecs"][0]["template"]["metadata"] = {"name": "x", "labels": {"a": "b"}}
    assert described(job)["roles"]["master"]["labels"] == {"a": "b"}
    assert any(note.startswith("template.metadata.name") for note in notes(job))


def test_env_is_a_map_unless_it_names_a_variable_twice() -> None:
    entries = [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
    role = described(a_job(a_set("MASTER", env=[*entries, {"name": "C"}])))["roles"]["master"]
    assert role["env"] == {"A": "1", "B": {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}, "C": ""}
    twice = [*entries, {"name": "A", "value": "2"}]
    assert described(a_job(a_set("MASTER", env=twice)))["roles"]["master"]["env"] == twice


# --- places and spellings


def _scalars(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in _scalars(inner, (*path, key))]
    if isinstance(value, list):
        return [found for index, inner in enumerate(value) for found in _scalars(inner, (*path, index))]
    return [(path, value)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_every_value_leads_back_to_where_it_was_written(path: Path) -> None:
    (document,) = pipeline.read(path.read_bytes(), path.name)
    found = native.adopt(document).document
    assert found is not None
    lines = path.read_text("utf-8").splitlines()
    seen = 0
    for at, value in _scalars(found.data):
        # What was added stands nowhere; a variable is found by its entry, whose name may come first.
        if at != ("framework",) and value != TF_IMAGE and at[-1] != "restartPolicy" and "env" not in at:
            mark = found.mark(at)
            assert json.dumps(value).strip('"') in lines[mark.line - 1][mark.column - 1 :], at
            seen += 1
    assert seen


def _respelt(value: Any, draw: Any, inside: str = "") -> Any:
    """The same object with the case of the operator's own keys changed here and there."""
    if isinstance(value, list):
        return [_respelt(item, draw, inside) for item in value]
    if not isinstance(value, dict):
        return value
    theirs = inside in ("limits", "requests", "labels", "azureFile", "persistentVolumeClaim", "metadata")
    changes = (str, str.lower, str.upper, str.swapcase)
    return {
        key if theirs else draw(st.sampled_from(changes))(key): _respelt(item, draw, key) for key, item in value.items()
    }


@settings(max_examples=30)
@given(name=st.sampled_from(["t01", "t04", "t09", "t11", "t14"]), data=st.data())
def test_keys_in_any_case_mean_the_same_with_a_warning_each(name: str, data: st.DataObject) -> None:
    job = case(name)
    spelt = {**job, "spec": _respelt(job["spec"], data.draw, "spec")}
    assert described(spelt) == described(job)
    changed = [*_keys(spelt["spec"])]
    expected = sum(one != other for one, other in zip(_keys(job["spec"]), changed, strict=True))
    assert len([problem for problem in adopt(spelt).problems if problem.rule == "spelling"]) == expected


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [key for name, inner in value.items() for key in (name, *_keys(inner))]
    return [key for item in value for key in _keys(item)] if isinstance(value, list) else []


def test_reading_changes_nothing_of_what_was_read() -> None:
    document = read(case("t14"))
    before = copy.deepcopy(document.data)
    native.adopt(document)
    assert document.data == before


# --- whatever is wrong

JUNK = [None, "", 0, -1, 1.5, True, [], {}, "x", [None], {"a": 1}, {"name": None}, "tensorflow", "ps-config-volume"]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for step, inner in steps for place in _places(inner, (*path, step)))]


@settings(max_examples=60)
@given(name=st.sampled_from(["t01", "t04", "t10", "t11", "t14"]), data=st.data())
def test_whatever_is_wrong_is_answered_with_problems_and_places(name: str, data: st.DataObject) -> None:
    """No TfJob, however odd, makes chartgen stumble."""
    job = case(name)
    for _ in range(data.draw(st.integers(1, 3))):
        *around, last = data.draw(st.sampled_from(_places(job)[1:]))
        node: Any = job
        for step in around:
            node = node[step]
        node[last] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
    text = json.dumps(job, indent=1)
    for problem in _refusals(text):
        assert 1 <= problem.mark.line <= len(text.splitlines())


def _refusals(text: str) -> tuple[Problem, ...]:
    try:
        for document in pipeline.read(text.encode(), "x"):
            pipeline.check(document)
    except InputError as error:
        return error.problems
    return ()
