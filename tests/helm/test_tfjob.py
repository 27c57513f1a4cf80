"""The real Helm makes the objects of a TfJob as the operator did."""

import json
from pathlib import Path

from chartgen.native.operators.tfjob import TF_IMAGE
from chartgen.syntax.yaml import reader as yaml_reader
from tests.support.charts import env, expanded, named, pods, read_objects, render
from tests.support.tfjobs import HERE, case, described
from tests.unit.native.test_tfjob import notes, operator_view


def test_the_defaults_are_those_of_the_operator(helm3: str, tmp_path: Path) -> None:
    """The manual's short example, with the id and TensorBoard of its output, gives that output."""
    short = case("t01")
    short["spec"] |= {"RuntimeId": "76no", "tensorboard": {"logDir": "/tmp/tensorflow"}}
    assert operator_view(described(short)) == case("t14")["spec"]
    made, full = (
        read_objects(helm3, render(json.dumps(job), tmp_path)) for job in (short, case("t14"))
    )
    assert made == full


# --- objects of the chart


def test_names_labels_and_services_are_those_of_the_operator(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("t14")), tmp_path))
    expected = ["master-76no-0", "ps-76no-0", "ps-76no-1", "worker-76no-0"]
    jobs = [
        job for job in named(objects, "Job") if not job["metadata"]["name"].startswith("cleanup-")
    ]
    assert sorted(job["metadata"]["name"] for job in jobs) == expected
    services = {service["metadata"]["name"]: service for service in named(objects, "Service")}
    assert sorted(services) == sorted([*expected, "tensorboard-76no"])
    for job in jobs:
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
        assert (
            service["spec"]["selector"].items()
            <= job["spec"]["template"]["metadata"]["labels"].items()
        )


def test_tf_config_is_exactly_that_of_the_operator(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("t14")), tmp_path))
    assert expanded(objects, pods(objects, "ps")[1], "TF_CONFIG") == (
        '{"cluster":{"master":["master-76no-0:2222"],"ps":["ps-76no-0:2222","ps-76no-1:2222"],'
        '"worker":["worker-76no-0:2222"]},"task":{"type":"ps","index":1},"environment":"cloud"}'
    )


def test_given_ports_and_ids_are_in_every_address(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("t10")), tmp_path))
    assert json.loads(expanded(objects, pods(objects, "worker")[2], "TF_CONFIG")) == {
        "cluster": {
            "ps": ["ps-runtime-0:22", "ps-runtime-1:22"],
            "master": ["master-runtime-0:42"],
            "worker": ["worker-runtime-0:40", "worker-runtime-1:40", "worker-runtime-2:40"],
        },
        "task": {"type": "worker", "index": 2},
        "environment": "cloud",
    }


def test_the_default_parameter_server_has_its_script_and_its_arguments(
    helm3: str, tmp_path: Path
) -> None:
    objects = read_objects(helm3, render(json.dumps(case("t14")), tmp_path))
    (script,) = named(objects, "ConfigMap", "cm-ps-76no")
    assert "grpc_tensorflow_server.py" in script["data"]
    assert script["data"]["cluster-spec"] == (
        "master|master-76no-0:2222,ps|ps-76no-0:2222;ps-76no-1:2222,worker|worker-76no-0:2222"
    )
    (container,) = pods(objects, "ps")[1]["spec"]["containers"]
    assert container["image"] == TF_IMAGE
    assert container["command"][:3] == [
        "python",
        "/ps-server/grpc_tensorflow_server.py",
        "--cluster_spec",
    ]
    assert container["command"][4:] == ["--job_name", "ps", "--task_id", "1"]
    assert {"mountPath": "/ps-server", "name": "ps-config-volume"} in container["volumeMounts"]


def test_a_parameter_server_with_a_template_runs_its_image(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("t10")), tmp_path))
    assert not named(objects, "ConfigMap", "cm-ps")
    for pod in pods(objects, "ps"):
        assert not pod["spec"]["containers"][0].keys() & {"command", "args"}


def test_tensorboard_is_that_of_the_operator(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(
        helm3, render(json.dumps({**case("t04")}), tmp_path), "--set", "runtimeId=76no"
    )
    (service,) = named(objects, "Service", "tensorboard-76no")
    (deployment,) = named(objects, "Deployment", "tensorboard-76no")
    labels = {
        "tensorflow.org": "",
        "app": "tensorboard",
        "runtime_id": "76no",
        "tf_job_name": "azure-board",
    }
    pod = deployment["spec"]["template"]
    for metadata in (service["metadata"], deployment["metadata"], pod["metadata"]):
        assert metadata["labels"].items() >= labels.items()
    assert service["spec"]["type"] == "LoadBalancer"
    assert service["spec"]["ports"] == [{"name": "tb-port", "port": 80, "targetPort": "tb-port"}]
    (container,) = pod["spec"]["containers"]
    assert container["ports"] == [{"name": "tb-port", "containerPort": 6006}]
    assert container["command"][:5] == [
        "tensorboard",
        "--logdir",
        "/tmp/tensorflow",
        "--host",
        "0.0.0.0",
    ]
    assert container["image"] == TF_IMAGE
    own = case("t04")["spec"]["tensorboard"]["volumeMounts"]
    assert container["volumeMounts"] == [*own, {"name": "chartgen-tmp", "mountPath": "/tmp"}]
    volumes = case("t04")["spec"]["tensorboard"]["volumes"]
    assert pod["spec"]["volumes"] == [*volumes, {"name": "chartgen-tmp", "emptyDir": {}}]


def test_the_users_env_comes_first_and_tf_config_last(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(json.dumps(case("t04")), tmp_path))
    names = list(env(pods(objects, "master")[0]))
    assert names[0] == "LC_ALL"
    assert names[-1] == "TF_CONFIG"


def test_other_containers_are_left_alone(helm3: str, tmp_path: Path) -> None:
    data = yaml_reader.read((HERE / "todays-pods/tfjob.yaml").read_bytes(), "x")[0].data
    objects = read_objects(helm3, render(json.dumps(data), tmp_path))
    pod = pods(objects, "worker")[0]["spec"]
    assert (
        pod["containers"][1] == data["spec"]["replicaSpecs"][1]["template"]["spec"]["containers"][0]
    )
    assert [container["name"] for container in pod["containers"]] == ["tensorflow", "shipper"]
    assert "initContainers" not in pod


def test_fields_newer_than_the_operator_are_kept(helm3: str, tmp_path: Path) -> None:
    data = yaml_reader.read((HERE / "todays-pods/tfjob.yaml").read_bytes(), "x")[0].data
    pod = pods(read_objects(helm3, render(json.dumps(data), tmp_path)), "master")[0]
    assert pod["spec"]["priorityClassName"] == "batch-low"
    assert pod["spec"]["shareProcessNamespace"] is True
    assert pod["spec"]["containers"][0]["startupProbe"] == {"tcpSocket": {"port": 2222}}
    assert pod["metadata"]["labels"]["team"] == "vision"


def test_the_chart_contains_no_namespace(helm3: str, tmp_path: Path) -> None:
    """It is chosen at install, and convert says so."""
    objects = read_objects(helm3, render(json.dumps(case("t08")), tmp_path))
    assert not [manifest for manifest in objects if "namespace" in manifest["metadata"]]
    assert any("helm install -n kubeflow-test" in note for note in notes(case("t08")))
