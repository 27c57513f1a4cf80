"""The real Helm prints a pod template as it was given."""

from pathlib import Path
from typing import Any

from tests.support.charts import pods, read_objects, render
from tests.unit.job.test_pod_template import read

# Three pods that together use most fields of Kubernetes; Helm must print each as it was given.
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
        topologySpreadConstraints:
          - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
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


def part(given: Any, made: Any, path: str = "") -> None:
    """Assert that the result has everything given; maps and lists of named things may have more."""
    if isinstance(given, dict):
        for key, value in given.items():
            assert key in made, f"{path}.{key} is lost"
            part(value, made[key], f"{path}.{key}")
    elif isinstance(given, list) and all(
        isinstance(item, dict) and "name" in item for item in given
    ):
        there = {item["name"]: item for item in made}
        for item in given:
            assert item["name"] in there, f"{path}: {item['name']} is lost"
            part(item, there[item["name"]], f"{path}.{item['name']}")
    else:
        assert given == made, path


def test_helm_prints_the_pod_of_a_template_as_it_was_given(helm: str, tmp_path: Path) -> None:
    roles = read(JOB).data["roles"]
    objects = read_objects(helm, render(JOB, tmp_path))
    roles["worker"]["template"]["spec"]["containers"][0]["name"] = "tensorflow"
    del roles["evaluator"]["template"]["metadata"]["creationTimestamp"]
    del roles["evaluator"]["template"]["spec"]["containers"][0]["resources"]
    del roles["worker"]["template"]["spec"]["serviceAccount"]
    roles["worker"]["template"]["spec"]["serviceAccountName"] = "old-name"
    for role, count in (("chief", 1), ("worker", 2), ("evaluator", 1)):
        assert len(pods(objects, role)) == count
        for pod in pods(objects, role):
            part(roles[role]["template"], pod)


def test_containers_keep_their_kind(helm3: str, tmp_path: Path) -> None:
    """Init containers stay init containers, and other containers still run beside the main one."""
    (pod,) = pods(read_objects(helm3, render(JOB, tmp_path)), "chief")
    assert [container["name"] for container in pod["spec"]["initContainers"]] == ["fetch", "proxy"]
    assert [container["name"] for container in pod["spec"]["containers"]] == [
        "tensorflow",
        "log",
        "metrics",
    ]
