"""template: a pod template taken apart, with nothing lost and every place kept."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import resources
from chartgen.document import Document
from chartgen.job.pod_template import take_apart
from chartgen.job.shorthands import desugar
from chartgen.syntax import yaml_reader as yaml
from tests.support.charts import objects, pods, render

DEFINITIONS = resources.data("schemas/job.schema.json")["definitions"]
TEMPLATE = DEFINITIONS["template"]["properties"]

# Three pods that use between them most of what Kubernetes offers; each is to come out of Helm as it went in.
JOB = """\
name: apart
framework: tensorflow
roles:
  chief:
    template:
      metadata:
        labels: {team: vision, example.com/tier: "1"}
        annotations: {example.com/note: "{{ not a template }}"}
      spec:
        restartPolicy: Never
        activeDeadlineSeconds: 3600
        terminationGracePeriodSeconds: 0
        hostNetwork: true
        dnsPolicy: ClusterFirstWithHostNet
        schedulerName: volcano
        runtimeClassName: nvidia
        priorityClassName: high
        shareProcessNamespace: true
        serviceAccountName: trainer
        imagePullSecrets: [{name: registry}]
        nodeSelector: {zone: b}
        tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]
        affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
        securityContext: {runAsUser: 1000, fsGroup: 2000, supplementalGroups: [1, 2]}
        topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]
        volumes:
          - {name: data, persistentVolumeClaim: {claimName: mnist}}
          - {name: scratch, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
        initContainers:
          - name: fetch
            image: fetch:1
            command: [sh, -c, "echo $HOME"]
            volumeMounts: [{name: data, mountPath: /data}]
          - {name: proxy, image: "proxy:1", restartPolicy: Always}
        containers:
          - name: log
            image: log:1
            args: ["--level", "1e3"]
            env: [{name: LEVEL, value: "on"}]
          - name: tensorflow
            image: train:1
            imagePullPolicy: Always
            command: [python, /app/train.py]
            args: ["--steps", "1000", ""]
            workingDir: /app
            env:
              - {name: ZEBRA, value: "1"}
              - {name: APPLE, value: "on"}
              - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
            envFrom: [{prefix: P_, secretRef: {name: keys, optional: true}}]
            ports: [{name: metrics, containerPort: 9090}]
            resources: {limits: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 1}, requests: {cpu: 500m}}
            volumeMounts: [{name: data, mountPath: /data, subPath: mnist, readOnly: true}]
            securityContext: {capabilities: {add: [IPC_LOCK]}, runAsNonRoot: true}
            terminationMessagePolicy: FallbackToLogsOnError
            livenessProbe: {exec: {command: [alive]}, periodSeconds: 5}
            lifecycle: {preStop: {exec: {command: [sh, -c, sync]}}}
            tty: true
          - {name: metrics, image: "metrics:1"}
  worker:
    replicas: 2
    template:
      spec:
        serviceAccount: old-name
        containers: [{name: any-name, image: "train:2", command: [python, "train.py"]}]
  evaluator:
    template:
      metadata: {creationTimestamp: null, labels: {}}
      spec:
        automountServiceAccountToken: true
        hostAliases: [{ip: 127.0.0.1, hostnames: [here]}]
        containers: [{name: tensorflow, image: "train:1", resources: {}, args: [evaluate]}]
"""


def read(text: str) -> Document:
    (document,) = yaml.read(text.encode(), "job.yaml")
    return document


def part(given: Any, made: Any, path: str = "") -> None:
    """Assert that all that is given is in what was made: maps may have grown, lists of named things too."""
    if isinstance(given, dict):
        for key, value in given.items():
            assert key in made, f"{path}.{key} is lost"
            part(value, made[key], f"{path}.{key}")
    elif isinstance(given, list) and all(isinstance(item, dict) and "name" in item for item in given):
        there = {item["name"]: item for item in made}
        for item in given:
            assert item["name"] in there, f"{path}: {item['name']} is lost"
            part(item, there[item["name"]], f"{path}.{item['name']}")
    else:
        assert given == made, path


def test_the_pod_of_a_template_comes_out_of_helm_as_it_went_in(helm: str, tmp_path: Path) -> None:
    roles = read(JOB).data["roles"]
    found = objects(helm, render(JOB, tmp_path))
    roles["worker"]["template"]["spec"]["containers"][0]["name"] = "tensorflow"
    del roles["evaluator"]["template"]["metadata"]["creationTimestamp"]
    del roles["evaluator"]["template"]["spec"]["containers"][0]["resources"]
    del roles["worker"]["template"]["spec"]["serviceAccount"]
    roles["worker"]["template"]["spec"]["serviceAccountName"] = "old-name"
    for role, count in (("chief", 1), ("worker", 2), ("evaluator", 1)):
        assert len(pods(found, role)) == count
        for pod in pods(found, role):
            part(roles[role]["template"], pod)


def test_containers_keep_their_kind(helm3: str, tmp_path: Path) -> None:
    """What was an init container stays one, and what ran beside still runs beside."""
    (pod,) = pods(objects(helm3, render(JOB, tmp_path)), "chief")
    assert [one["name"] for one in pod["spec"]["initContainers"]] == ["fetch", "proxy"]
    assert [one["name"] for one in pod["spec"]["containers"]] == ["tensorflow", "log", "metrics"]


def test_every_field_of_a_template_has_a_place() -> None:
    """Each field of the schema, with a value of its own, comes out under a name that the schema knows."""
    spec = {name: f"spec.{name}" for name in TEMPLATE["spec"]["properties"] if name != "containers"}
    main = {name: f"main.{name}" for name in DEFINITIONS["kubernetesContainer"]["properties"]}
    metadata = {name: f"metadata.{name}" for name in ("labels", "annotations")}
    other = {"name": "other"}
    template = {"metadata": metadata, "spec": {**spec, "containers": [other, {**main, "name": "main"}]}}
    fields, _, problems = take_apart(read("{}"), ("roles", "worker"), template, "main")
    assert problems == []
    assert fields.keys() <= DEFINITIONS["role"]["properties"].keys()
    assert fields["pod"].keys() <= DEFINITIONS["pod"]["properties"].keys()
    assert fields["container"].keys() <= DEFINITIONS["container"]["properties"].keys()
    assert fields["sidecars"] == [{**other, "restartPolicy": ""}]
    taken = {*fields["pod"].values(), *fields["container"].values()}
    taken |= {value for value in fields.values() if isinstance(value, str)}
    # serviceAccount is the old name of serviceAccountName, which is there as well.
    expected = {*spec.values(), *main.values(), *metadata.values()} - {"main.name", "spec.serviceAccount"}
    assert taken == expected


def test_what_stands_beside_a_template_wins_and_maps_merge() -> None:
    document, problems = desugar(
        read(
            """\
roles:
  worker:
    image: mine:1
    labels: {a: mine}
    args: [mine]
    env: [{name: B, value: mine}]
    resources: {limits: {cpu: 1}}
    template:
      metadata: {labels: {a: theirs, b: theirs}}
      spec:
        containers:
          - name: tensorflow
            image: theirs:1
            args: [theirs, theirs]
            env: [{name: A, value: theirs}, {name: B, value: theirs}]
            resources: {limits: {cpu: 2, memory: 1Gi}}
"""
        ),
        "tensorflow",
    )
    assert problems == []
    assert document.data == {
        "image": "mine:1",
        "roles": {
            "worker": {
                "labels": {"a": "mine", "b": "theirs"},
                "args": ["mine"],
                "env": {"A": "theirs", "B": "mine"},
                "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
            }
        },
    }

    def line(*path: str | int) -> int:
        return document.mark(("roles", "worker", *path)).line

    assert (line("labels", "a"), line("labels", "b"), line("args", 0)) == (4, 9, 5)
    assert (line("env", "A"), line("env", "B")) == (15, 6)
    assert (line("resources", "limits", "cpu"), line("resources", "limits", "memory")) == (7, 16)


def test_a_list_beside_a_template_replaces_its_list_and_its_places() -> None:
    document, _ = desugar(
        read(
            """\
roles:
  worker:
    sidecars:
      - {name: mine, image: a}
    template:
      spec:
        containers: [{name: tensorflow}, {name: theirs, image: a}]
"""
        ),
        "tensorflow",
    )
    assert document.data["roles"]["worker"]["sidecars"] == [{"name": "mine", "image": "a", "restartPolicy": "Always"}]
    assert document.mark(("roles", "worker", "sidecars", 0, "name")).line == 4


@pytest.mark.parametrize(
    ("names", "main"),
    [(["only"], "only"), (["a", "tensorflow"], "tensorflow"), (["tensorflow", "a", "tensorflow"], "tensorflow")],
)
def test_the_main_container_is_the_one_so_named_or_the_only_one(names: list[str], main: str) -> None:
    containers = [{"name": name, "image": str(index)} for index, name in enumerate(names)]
    fields, _, _ = take_apart(read("{}"), ("roles", "worker"), {"spec": {"containers": containers}}, "tensorflow")
    assert fields["image"] == str(names.index(main))
    assert len(fields.get("sidecars", ())) == len(names) - 1


def test_without_a_main_container_nothing_is_taken() -> None:
    template = {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}
    fields, origins, (problem,) = take_apart(read("{}"), ("roles", "worker"), template, "tensorflow")
    assert (fields, origins, problem.rule) == ({}, {}, "main-container")
    assert "'a', 'b'" in problem.message
