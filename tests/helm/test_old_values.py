"""Values files written for charts of the version before are accepted, and mean what they meant.

tests/corpus/values holds jobs with the values.yaml that chartgen wrote for them before charts were
compiled. People keep copies of such files, and shorter ones of their own, as those below.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.charts import Objects, read_objects, render
from tests.support.paths import CORPUS

WRITTEN = sorted(path for path in (CORPUS / "values").iterdir() if path.is_dir())

# What people turn, whatever the framework.
COMMON: dict[str, Any] = {
    "global": {"team": "vision"},
    "imagePullPolicy": "IfNotPresent",
    "imagePullSecrets": [{"name": "registry"}],
    "cloud": "gke",
    "runtimeId": "0042",
    "namePrefix": "team-a-",
    "labels": {"team": "vision"},
    "annotations": {"example.com/owner": "vision team"},
    "cleanup": {"enabled": True, "image": "registry.example.com/python:3.12"},
    "tests": {"image": "registry.example.com/busybox:1.36"},
    "rbac": {"create": True},
    "podSecurity": "restricted",
}
PODS: dict[str, Any] = {
    "nodeSelector": {"pool": "train"},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "activeDeadlineSeconds": 86400,
    "podSecurityContext": {"runAsUser": 1000700000},
}
SIDECAR = {"name": "logs", "image": "fluent/fluent-bit:3.1"}
SETUP = {"name": "fetch", "image": "busybox:1.36", "command": ["true"]}
OVERRIDE = {"nodeSelector": {"zone": "b"}, "image": "registry.example.com/next:2"}
BOARD = {"logDir": "/data/log", "image": "tensorflow/tensorflow:2.16.1", "serviceType": "NodePort"}

JOBS: dict[str, str] = {
    "tensorflow": """
        {name: mnist, framework: tensorflow, image: "registry.example.com/mnist:1.4",
         tensorboard: {logDir: /logs},
         roles: {chief: {}, worker: {replicas: 3}, ps: {replicas: 2}}}
        """,
    "mxnet": """
        {name: cifar10, framework: mxnet, image: "registry.example.com/cifar10:1.9",
         roles: {scheduler: {}, server: {}, worker: {replicas: 3}}}
        """,
    "elasticdl": """
        {name: hello, framework: elasticdl, image: "registry.example.com/hello:1",
         elasticdl: {params: {model_def: /m, training_data_dir: /d, minibatch_size: 10,
                              records_per_task: 100}},
         roles: {master: {activeDeadlineSeconds: 60}, worker: {replicas: 2}}}
        """,
    "angel": """
        {name: ctr, framework: angel, image: "registry.example.com/angel:3.1.0",
         angel: {properties: {angel.app.submit.class: com.example.Ctr, angel.train.data.path: /d,
                              angel.save.model.path: /m}},
         roles: {client: {}, master: {}, ps: {replicas: 2}, worker: {replicas: 2}}}
        """,
    "mars": """
        {name: analysis, framework: mars, image: "marsproject/mars:v0.6.0",
         mars: {timeout: 600},
         roles: {scheduler: {}, worker: {replicas: 2}, web: {},
                 driver: {command: [python, /app/a.py]}}}
        """,
}
VALUES: dict[str, dict[str, Any]] = {
    "tensorflow": {
        **PODS,
        "backoffLimit": 2,
        "image": "registry.example.com:5000/team/mnist:1.5",
        "env": {"STEPS": 1000000, "RATE": 0.1, "DEBUG": True},
        "tensorflow": {"cluster": "sparse"},
        "tensorboard": BOARD,
        "roles": {
            "worker": {"replicas": 5, "sidecars": [SIDECAR], "overrides": {"2-3": OVERRIDE}},
            "ps": {"port": 3333, "replicas": 1, "resources": {"limits": {"memory": "8Gi"}}},
        },
    },
    "mxnet": {
        **PODS,
        "image": f"registry.example.com/cifar10@sha256:{'0123456789abcdef' * 4}",
        "mxnet": {"bind": "name"},
        "roles": {
            "worker": {"replicas": 4, "initContainers": [SETUP], "args": ["--epochs", 10]},
            "server": {"replicas": 0},
        },
    },
    "elasticdl": {
        **PODS,
        "image": "registry.example.com/hello:2",
        "elasticdl": {"params": {"minibatch_size": 20, "log_level": "DEBUG"}},
        "wait": {"image": "registry.example.com/busybox:1.36"},
        "roles": {"worker": {"replicas": 3, "overrides": {"1": OVERRIDE}}},
    },
    "angel": {
        "image": "registry.example.com/angel:3.0.0",
        "angel": {"properties": {"ml.rate": "1e-5"}, "masterClassPath": "/opt/lib/*"},
        "roles": {
            "worker": {"replicas": 5, "resources": {"requests": {"cpu": 2, "memory": "4Gi"}}},
            "client": {"nodeSelector": {"pool": "small"}},
        },
    },
    "mars": {
        **PODS,
        "image": "marsproject/mars:v0.6.1",
        "mars": {"timeout": 60, "cacheMemory": "20%"},
        "wait": {"image": "registry.example.com/busybox:1.36"},
        "roles": {"worker": {"replicas": 4, "resources": {"limits": {"cpu": 4, "memory": "16Gi"}}}},
    },
}


def merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """As Helm lays values over values."""
    both = dict(under)
    for key, value in over.items():
        nested = isinstance(value, dict) and isinstance(under.get(key), dict)
        both[key] = merged(under[key], value) if nested else value
    return both


def without_chart(objects: Objects) -> Objects:
    """The same without the label that says which chart it was."""
    for manifest in objects:
        manifest["metadata"]["labels"].pop("helm.sh/chart", None)
    return objects


@pytest.mark.parametrize("case", WRITTEN, ids=lambda path: path.name)
def test_a_whole_values_file_of_the_version_before_changes_nothing(
    case: Path, helm: str, tmp_path: Path
) -> None:
    """Every key that chartgen wrote is still one, and none has another meaning.

    The defaults of the clean-up and the test are others now; such a file has those of before.
    """
    chart = render((case / "job.yaml").read_text("utf-8"), tmp_path)
    written = yaml.safe_load((case / "values.yaml").read_text("utf-8"))
    before = tmp_path / "before.yaml"
    before.write_text(json.dumps({name: written[name] for name in ("cleanup", "tests")}), "utf-8")
    expected = read_objects(helm, chart, "-f", str(before))
    assert read_objects(helm, chart, "-f", str(case / "values.yaml")) == expected
    cleans_up = any(manifest["metadata"]["name"].startswith("cleanup-") for manifest in expected)
    assert cleans_up <= written["cleanup"]["enabled"]


@pytest.mark.parametrize("framework", JOBS)
def test_values_as_people_wrote_them_mean_the_same_as_in_a_description(
    framework: str, helm: str, tmp_path: Path
) -> None:
    values = {**COMMON, **VALUES[framework]}
    file = tmp_path / "values.yaml"
    file.write_text(json.dumps(values), "utf-8")
    data = yaml.safe_load(JOBS[framework])
    chart = render(json.dumps(data), tmp_path / "chart")
    described = merged(data, {key: value for key, value in values.items() if key != "global"})
    expected = read_objects(helm, render(json.dumps(described), tmp_path / "described"))
    objects = read_objects(helm, chart, "-f", str(file))
    assert without_chart(objects) == without_chart(expected)
    names = {manifest["metadata"]["name"] for manifest in objects}
    assert all(name.startswith("team-a-") for name in names if "0042" in name)
    assert any("0042" in name for name in names)


@pytest.mark.parametrize("framework", JOBS)
def test_settings_on_the_command_line_are_accepted(
    framework: str, helm: str, tmp_path: Path
) -> None:
    """As the README of the version before showed them."""
    chart = render(json.dumps(yaml.safe_load(JOBS[framework])), tmp_path)
    settings = "image=registry.example.com/other:3.1.0,cloud=azure,runtimeId=1234,"
    settings += "roles.worker.replicas=4,cleanup.enabled=true,tests.image=busybox:1.36"
    assert read_objects(helm, chart, "--set", settings)
