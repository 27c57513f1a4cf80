"""The policy: what it refuses, what it warns about, and what it leaves alone."""

import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen.errors import Problem
from chartgen.verify.policy import check, release_size, upgrades

Object = dict[str, Any]

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: worker-0, labels: {app: mnist}}
spec:
  template:
    metadata: {labels: {app: mnist}}
    spec:
      restartPolicy: Never
      volumes: [{name: data, emptyDir: {}}]
      containers:
        - name: main
          image: mnist:1
          env: [{name: STEPS, value: "10"}]
          ports: [{name: grpc, containerPort: 2222}]
          volumeMounts: [{name: data, mountPath: /data}]
          resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: worker-0}
spec: {selector: {app: mnist}, ports: [{port: 2222, targetPort: grpc}]}
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: board}
spec:
  selector: {matchLabels: {app: board}}
  template:
    metadata: {labels: {app: board}}
    spec: {containers: [{name: main, image: board:1, resources: {limits: {cpu: 1}}}]}
"""
CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: peers}, data: {hosts: a}}"
SECRET = "{apiVersion: v1, kind: Secret, metadata: {name: token}}"
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "system:test"}
rules: [{apiGroups: [batch], resources: [jobs], verbs: [get]}]
"""


def objects(*texts: str) -> list[Object]:
    return [yaml.safe_load(text) for text in texts]


def changed(text: str, *path: str | int, to: Any) -> Object:
    """An object with another value at a path, which is created if it is missing."""
    manifest: Object = yaml.safe_load(text)
    *steps, last = path
    place: Any = manifest
    for step in steps:
        place = place[step] if isinstance(step, int) else place.setdefault(step, {})
    place[last] = to
    return manifest


def in_pod(*path: str | int, to: Any) -> Object:
    return changed(JOB, "spec", "template", "spec", *path, to=to)


def in_container(*path: str | int, to: Any) -> Object:
    return in_pod("containers", 0, *path, to=to)


def rules(*manifests: Object) -> list[tuple[str, str]]:
    return [(problem.rule, problem.severity) for problem in check(manifests)]


def test_good_objects_have_no_problems() -> None:
    assert check(objects(JOB, SERVICE, DEPLOYMENT, CONFIG, ROLE)) == []


@pytest.mark.parametrize(
    ("manifest", "rule"),
    [
        (changed(SERVICE, "metadata", "name", to="w" * 64), "name-too-long"),
        (changed(JOB, "metadata", "name", to="w" * 64), "name-too-long"),
        (changed(SERVICE, "metadata", "name", to="0-worker"), "name-malformed"),
        (changed(JOB, "metadata", "name", to="Worker"), "name-malformed"),
        (changed(JOB, "metadata", "name", to="worker-"), "name-malformed"),
        (changed(ROLE, "metadata", "name", to="a/b"), "name-malformed"),
        (changed(JOB, "metadata", "labels", to={"app": "a" * 64}), "label-malformed"),
        (changed(JOB, "metadata", "labels", to={"app": "a b"}), "label-malformed"),
        (changed(JOB, "metadata", "labels", to={"a/b/c": "x"}), "label-malformed"),
        (changed(JOB, "metadata", "labels", to={"Example.com/a": "x"}), "label-malformed"),
        (changed(JOB, "spec", "template", "metadata", "labels", to={"-a": "x"}), "label-malformed"),
        (
            changed(DEPLOYMENT, "spec", "selector", "matchLabels", to={"app": "other"}),
            "workload-selector-mismatch",
        ),
        (in_pod("restartPolicy", to="Always"), "restart-policy-refused"),
        (changed(CONFIG, "data", to={"hosts": "x" * 2**20}), "data-too-large"),
        (in_pod("initContainers", to=[{"name": "main"}]), "container-duplicate"),
        (in_pod("volumes", to=[{"name": "data"}, {"name": "data"}]), "volume-duplicate"),
        (in_pod("volumes", to=[]), "volume-unknown"),
        (
            in_container("env", to=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
            "env-duplicate",
        ),
        (in_container("env", to=[{"name": "A", "value": "x" * 131_070}]), "env-too-long"),
        (in_container("args", to=["x" * 131_072]), "env-too-long"),
        (in_container("args", to=["é" * 65_536]), "env-too-long"),
        (
            in_container(
                "ports", to=[{"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}]
            ),
            "port-duplicate",
        ),
        (
            in_container(
                "volumeMounts",
                to=[{"name": "data", "mountPath": "/a"}, {"name": "data", "mountPath": "/a"}],
            ),
            "mount-duplicate",
        ),
        (in_container("resources", "limits", "memory", to="1GB"), "quantity-malformed"),
        (in_container("resources", "requests", "cpu", to=4), "resources-request-above-limit"),
        (in_container("resources", "requests", "nvidia.com/gpu", to=1), "device-without-limit"),
        (changed(JOB, "metadata", "annotations", to={"a b": "x"}), "label-malformed"),
        (in_container("name", to="Main_1"), "name-malformed"),
        (in_pod("volumes", to=[{"name": "Data"}]), "name-malformed"),
        (in_container("imagePullPolicy", to="Sometimes"), "object-word-refused"),
        (in_container("ports", 0, "containerPort", to=65536), "port-out-of-range"),
        (in_container("ports", 0, "name", to="parameter-server"), "name-malformed"),
        (in_container("ports", 0, "protocol", to="HTTP"), "object-word-refused"),
        (
            changed(DEPLOYMENT, "spec", "template", "spec", "restartPolicy", to="Never"),
            "restart-policy-refused",
        ),
        (changed(JOB, "spec", "template", "spec", to={"containers": []}), "restart-policy-refused"),
        (changed(SERVICE, "spec", "type", to="Clusterip"), "object-word-refused"),
        (changed(SERVICE, "spec", "ports", 0, "port", to=0), "port-out-of-range"),
        (
            changed(SERVICE, "spec", "ports", to=[{"port": 80}, {"port": 81}]),
            "service-port-unnamed",
        ),
        (changed(CONFIG, "data", to={"a/b": "x"}), "data-key-malformed"),
        (changed(SECRET, "data", to={"token": "plain text"}), "secret-not-base64"),
    ],
)
def test_what_a_cluster_would_refuse_is_a_problem(manifest: Object, rule: str) -> None:
    assert (rule, "error") in rules(manifest)


@pytest.mark.parametrize(
    "manifest",
    [
        changed(SERVICE, "metadata", "name", to="w" * 63),
        changed(CONFIG, "metadata", "name", to="a.b-c" * 50),
        changed(JOB, "metadata", "labels", to={"app": "", "example.com/a.b_c": "a" * 63}),
        changed(CONFIG, "data", to={"hosts": "x" * (2**20 - 5)}),
        in_container("env", to=[{"name": "A", "value": "x" * 131_069}]),
        in_container("ports", to=[{"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}]),
        in_container(
            "resources", "limits", to={"nvidia.com/gpu": 1, "memory": "1.5Gi", "cpu": "1500m"}
        ),
        in_container(
            "resources", to={"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 1}}
        ),
        in_container("ports", 0, "name", to="parameter-serve"),
        in_container("imagePullPolicy", to="IfNotPresent"),
        changed(DEPLOYMENT, "spec", "template", "spec", "restartPolicy", to="Always"),
        changed(
            JOB, "metadata", "annotations", to={"Example.com/a": "any text", "helm.sh/hook": "test"}
        ),
        changed(
            SERVICE,
            "spec",
            "ports",
            to=[{"port": 80, "name": "http"}, {"port": 65535, "name": "a-longer-port-name"}],
        ),
        changed(CONFIG, "data", to={"train.py": "x", "..data": "y"}),
        changed(SECRET, "data", to={"token": "dG9r\nZW4=\n", "none": ""}),
        changed(SECRET, "stringData", to={"token": "plain text"}),
    ],
)
def test_what_is_just_within_a_limit_is_not_a_problem(manifest: Object) -> None:
    assert [problem for problem in check([manifest]) if problem.severity == "error"] == []


@pytest.mark.parametrize(
    ("manifest", "rule"),
    [
        (in_pod("volumes", to=[{"name": "data", "hostPath": {"path": "/dev"}}]), "pod-host-path"),
        (in_pod("hostNetwork", to=True), "pod-host-namespace"),
        (in_pod("hostPID", to=True), "pod-host-namespace"),
        (in_container("securityContext", to={"privileged": True}), "container-privileged"),
        (
            in_container("securityContext", to={"allowPrivilegeEscalation": True}),
            "container-privilege-escalation",
        ),
        (
            in_container("securityContext", to={"capabilities": {"add": ["IPC_LOCK"]}}),
            "container-capabilities",
        ),
        (in_container("resources", to={}), "pod-no-resources"),
        (changed(JOB, "spec", "ttlSecondsAfterFinished", to=60), "job-removes-itself"),
        (changed(SERVICE, "spec", "selector", to={"app": "other"}), "service-selects-nothing"),
        (
            changed(ROLE, "rules", to=[{"apiGroups": [""], "resources": ["*"], "verbs": ["get"]}]),
            "rbac-wildcard",
        ),
        (changed(ROLE, "kind", to="ClusterRoleBinding"), "rbac-cluster-wide"),
        (
            changed(ROLE, "roleRef", to={"name": "cluster-admin"}) | {"kind": "RoleBinding"},
            "rbac-cluster-admin",
        ),
    ],
)
def test_what_may_be_intended_is_a_warning(manifest: Object, rule: str) -> None:
    assert rules(manifest) == [(rule, "warning")]


@pytest.mark.parametrize(
    "manifest",
    [
        in_container(
            "securityContext", to={"privileged": False, "capabilities": {"drop": ["ALL"]}}
        ),
        in_pod("hostNetwork", to=False),
        in_container("resources", to={})
        | {"metadata": {"name": "t", "annotations": {"helm.sh/hook": "test"}}},
    ],
)
def test_what_only_looks_like_a_problem_is_accepted(manifest: Object) -> None:
    assert rules(manifest) == []


def test_two_objects_of_one_name_are_reported_once() -> None:
    assert rules(*objects(JOB, JOB)) == [("object-duplicate", "error")]
    assert rules(*objects(JOB), changed(JOB, "metadata", "namespace", to="other")) == []


def test_hooks_of_one_name_may_follow_each_other() -> None:
    hook = changed(CONFIG, "metadata", "annotations", to={"helm.sh/hook": "test"})
    assert rules(hook, hook) == []


def test_a_named_port_must_belong_to_a_container() -> None:
    other = changed(SERVICE, "spec", "ports", to=[{"port": 1, "targetPort": "http"}])
    assert rules(*objects(JOB), other) == [("service-target-port-unknown", "warning")]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"name": "peers", "key": "hosts"}, []),
        ({"name": "peers", "key": "host"}, [("data-key-missing", "error")]),
        ({"name": "peers", "key": "host", "optional": True}, []),
        ({"name": "elsewhere", "key": "host"}, []),
    ],
)
def test_a_key_of_the_charts_own_config_must_exist(
    wanted: Object, expected: list[tuple[str, str]]
) -> None:
    """What comes from outside the chart cannot be judged."""
    manifest = in_container("env", to=[{"name": "A", "valueFrom": {"configMapKeyRef": wanted}}])
    assert rules(manifest, *objects(CONFIG)) == expected


def test_the_pods_of_a_cronjob_are_checked_too() -> None:
    job = in_pod("hostIPC", to=True)
    template = {"spec": job["spec"]}
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "c"},
        "spec": {"jobTemplate": template},
    }
    (problem,) = check([cron])
    assert problem.message.startswith("spec.jobTemplate.spec.template.spec.hostIPC: ")
    assert str(problem.mark) == "CronJob/c"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
PLACES: list[tuple[str, tuple[str | int, ...]]] = [
    (JOB, ("metadata", "labels")),
    (JOB, ("metadata", "annotations")),
    (JOB, ("metadata", "namespace")),
    (JOB, ("spec",)),
    (JOB, ("spec", "template")),
    *(
        (JOB, ("spec", "template", "spec", field))
        for field in ("volumes", "containers", "initContainers", "hostPID")
    ),
    *(
        (JOB, ("spec", "template", "spec", "containers", 0, field))
        for field in (
            "name",
            "env",
            "args",
            "ports",
            "resources",
            "volumeMounts",
            "securityContext",
        )
    ),
    (JOB, ("spec", "template", "spec", "containers", 0, "env", 0, "valueFrom")),
    (JOB, ("spec", "template", "spec", "containers", 0, "env", 0, "name")),
    (JOB, ("spec", "template", "spec", "containers", 0, "ports", 0, "name")),
    (JOB, ("spec", "template", "spec", "volumes", 0, "name")),
    (JOB, ("spec", "template", "spec", "volumes", 0, "hostPath")),
    (JOB, ("spec", "template", "spec", "containers", 0, "resources", "limits")),
    (SERVICE, ("spec", "selector")),
    (SERVICE, ("spec", "ports")),
    (DEPLOYMENT, ("spec", "selector")),
    (CONFIG, ("data",)),
    (ROLE, ("rules",)),
    (ROLE, ("rules", 0, "verbs")),
]


@given(place=st.sampled_from(PLACES), value=anything)
def test_no_malformed_object_breaks_the_policy(
    place: tuple[str, tuple[str | int, ...]], value: Any
) -> None:
    """Another stage reports malformed objects; the policy must not fail on them."""
    text, path = place
    malformed = changed(text, *path, to=value)
    others = objects(*{JOB, SERVICE, CONFIG, DEPLOYMENT, ROLE} - {text})
    check([malformed, *others])
    list(upgrades.new_version([malformed], objects(text)))
    list(upgrades.unstable([malformed], objects(text)))
    upgrades.other_images(value)


def test_an_upgrade_must_not_change_what_is_immutable() -> None:
    after = changed(JOB, "spec", "template", "metadata", "labels", to={"helm.sh/chart": "mnist-2"})
    (problem,) = upgrades.new_version(objects(JOB), [after])
    assert (str(problem.mark), problem.rule, problem.severity) == (
        "Job/worker-0",
        "upgrade-immutable-field",
        "error",
    )
    expected = (
        "spec.template: `helm upgrade` to the chart's next version would fail: "
        "this field of a Job cannot be changed"
    )
    assert problem.message == expected


def test_an_image_that_cannot_be_changed_is_only_a_warning() -> None:
    (problem,) = upgrades.new_image(objects(JOB), [in_container("image", to="mnist:2")])
    assert (problem.rule, problem.severity) == ("upgrade-immutable-field", "warning")


@pytest.mark.parametrize(
    "after",
    [
        yaml.safe_load(JOB),
        changed(JOB, "metadata", "labels", to={"app": "other"}),
        changed(JOB, "spec", "suspend", to=True),
        in_container("image", to="mnist:2") | {"metadata": {"name": "worker-1"}},
        in_container("image", to="mnist:2")
        | {"metadata": {"name": "worker-0", "annotations": {"helm.sh/hook": "test"}}},
    ],
)
def test_an_upgrade_may_change_the_rest_and_create_objects(after: Object) -> None:
    assert list(upgrades.new_version(objects(JOB), [after])) == []


def test_a_rendering_that_differs_each_time_is_reported() -> None:
    other = changed(CONFIG, "data", to={"hosts": "b"})
    (problem,) = upgrades.unstable(objects(CONFIG, JOB), [other, *objects(JOB)])
    assert (str(problem.mark), problem.rule, problem.severity) == (
        "ConfigMap/peers",
        "chart-unstable",
        "warning",
    )
    assert list(upgrades.unstable(objects(CONFIG, JOB), objects(JOB, CONFIG))) == []


def test_every_image_in_the_values_gets_another_tag() -> None:
    values = {
        "image": "example.com:5000/mnist",
        "roles": {"ps": {"image": "mnist:1.4", "replicas": 2}, "chief": {"image": ""}},
        "board": {"image": {"repository": "board", "tag": "2"}},
        "fixed": {"image": "mnist@sha256:0123"},
        "list": [{"image": "a"}],
    }
    assert upgrades.other_images(values) == {
        "image": "example.com:5000/mnist:next",
        "roles": {"ps": {"image": "mnist:1.4-next"}},
        "board": {"image": {"tag": "2-next"}},
    }


def test_a_release_too_large_for_a_secret_is_reported() -> None:
    """After compression: repetitive text takes little space."""
    noise = bytes(range(256)) * 8192
    noisy = random.Random(1).randbytes(1_000_000)
    assert list(release_size.check("x", {"a": noise}, "")) == []
    (problem,) = release_size.check("x", {"a": noisy}, "")
    assert problem.rule == "release-too-large"
    assert isinstance(problem, Problem)
