"""Every object can be reached: labels for all, raw fields, extra objects, TensorBoard."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import pipeline
from chartgen.checks.objects import own_names
from tests.support.charts import Objects, env, named, pods, read_objects, refusal, template
from tests.support.paths import CORPUS
from tests.support.plain_charts import JOB, RICH, render, values_file
from tests.unit.chart.test_framework_file import DESCRIPTIONS
from tests.unit.chart.test_golden import GOLDEN

COMMON = "commonLabels.team=vision,commonLabels.cost-center=1234,commonAnnotations.owner=me"


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(RICH, tmp_path_factory.mktemp("rich"))


def runtime_id(objects: Objects) -> str:
    (only,) = {job["metadata"]["labels"]["chartgen/runtime-id"] for job in named(objects, "Job")}
    return str(only)


def inner_metadata(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything of an object that is not its own metadata, with what selects: (path, mapping)."""
    if isinstance(node, list):
        for item in node:
            yield from inner_metadata(item, path)
    if isinstance(node, dict):
        for key, inner in node.items():
            if key in ("labels", "annotations", "selector", "matchLabels"):
                yield f"{path}.{key}", inner
            yield from inner_metadata(inner, f"{path}.{key}")


# Labels and annotations of all objects.


@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_common_labels_are_in_the_metadata_of_every_object_and_nowhere_else(
    description: Path, helm3: str, tmp_path: Path
) -> None:
    """Hooks and PriorityClasses too; pods, selectors and names stay, so that no Job is replaced."""
    chart = render(description.read_text("utf-8"), tmp_path)
    settings = "cleanup.enabled=true,tensorboard.logDir=/logs"
    if description.stem == "large":
        settings += ",roles.worker.replicas=2,roles.ps.replicas=1"
    plain = read_objects(helm3, chart, "--set", settings)
    labelled = read_objects(helm3, chart, "--set", f"{settings},{COMMON}")
    for manifest in labelled:
        labels, annotations = manifest["metadata"]["labels"], manifest["metadata"]["annotations"]
        assert labels.pop("team") == "vision"
        assert labels.pop("cost-center") == "1234"
        assert annotations.pop("owner") == "me"
        if not annotations:
            del manifest["metadata"]["annotations"]
    assert labelled == plain


def test_both_helms_label_the_same(helm3: str, helm4: str, rich: Path) -> None:
    assert read_objects(helm3, rich, "--set", COMMON) == read_objects(helm4, rich, "--set", COMMON)


def test_common_labels_reach_every_kind(helm: str, rich: Path) -> None:
    objects = read_objects(helm, rich, "--set", COMMON)
    kinds = {
        manifest["kind"]
        for manifest in objects
        if manifest["metadata"]["labels"]["cost-center"] == "1234"
    }
    assert kinds == {
        *("ConfigMap", "Deployment", "Job", "Pod", "PriorityClass", "Role", "RoleBinding"),
        *("Service", "ServiceAccount"),
    }
    hooks = [
        manifest for manifest in objects if "helm.sh/hook" in manifest["metadata"]["annotations"]
    ]
    assert {manifest["metadata"]["annotations"]["owner"] for manifest in hooks} == {"me"}
    for manifest in objects:
        for path, mapping in inner_metadata({**manifest, "metadata": {}}):
            assert not {"team", "cost-center", "owner"} & mapping.keys(), (manifest["kind"], path)


def test_the_nearest_label_wins(helm: str, tmp_path: Path) -> None:
    """The chart's own, then those of a Job, a Service or an extra object, then those of all."""
    job = RICH + (
        "commonLabels: {team: all, app: all, app.kubernetes.io/name: all, helm.sh/chart: all}\n"
        "commonAnnotations: {owner: all, helm.sh/resource-policy: keep}\n"
        "job: {labels: {team: jobs}, annotations: {owner: jobs}}\n"
        "service: {labels: {team: services}}\n"
    )
    objects = read_objects(helm, render(job, tmp_path))
    by_kind = {
        (manifest["kind"], manifest["metadata"]["name"].partition("-")[0]): manifest
        for manifest in objects
    }
    teams = {key: manifest["metadata"]["labels"]["team"] for key, manifest in by_kind.items()}
    assert teams["Job", "worker"] == "jobs"
    assert teams["Service", "worker"] == "services"
    assert teams["ConfigMap", "settings"] == "own"
    assert teams["Job", "cleanup"] == teams["PriorityClass", "urgent"] == "all"
    assert by_kind["Job", "worker"]["metadata"]["annotations"]["owner"] == "jobs"
    assert by_kind["Pod", "test"]["metadata"]["annotations"]["helm.sh/hook"] == "test"
    assert by_kind["Deployment", "tensorboard"]["metadata"]["labels"]["app"] == "tensorboard"
    own = [manifest for key, manifest in by_kind.items() if key != ("ConfigMap", "settings")]
    assert {manifest["metadata"]["labels"]["app.kubernetes.io/name"] for manifest in own} == {
        "mnist"
    }


def test_a_label_that_looks_like_something_else_stays_text(helm: str, tmp_path: Path) -> None:
    odd = ["on", "y", "012", "1e3", "0x1F", "1_000", "1.5", "2001-01-01", "null", "59e90732", ""]
    labels = {f"l{index}": text for index, text in enumerate(odd)}
    notes = {**labels, "a": "{{ .Values }}\nb: c", "b": 'it\'s "so"'}
    values = values_file(tmp_path, {"commonLabels": labels, "commonAnnotations": notes})
    for manifest in read_objects(helm, render(RICH, tmp_path), "-f", values):
        assert labels.items() <= manifest["metadata"]["labels"].items(), manifest["kind"]
        assert notes.items() <= manifest["metadata"]["annotations"].items(), manifest["kind"]


def test_keys_that_are_ours_or_none_are_refused(helm: str, chart: Path, tmp_path: Path) -> None:
    """A clean-up selects Jobs by chartgen/role: with it on every object it would select itself."""
    keys = ["chartgen/role", "chartgen/x", "-x", "a b"]
    values = values_file(tmp_path, {"commonLabels": dict.fromkeys(keys, "x")})
    said = refusal(helm, chart, "-f", values).replace("~1", "/")  # which a JSON pointer has for it
    for key in keys:
        assert re.search(f"commonLabels.*{re.escape(key)}", said), key


def test_nothing_becomes_a_hook_by_an_annotation_for_all(helm: str, chart: Path) -> None:
    said = refusal(helm, chart, "--set", "commonAnnotations.helm\\.sh/hook=pre-install")
    assert "commonAnnotations" in said


# Raw fields of Jobs and Services.

JOB_FIELDS = [
    *("completions", "parallelism", "completionMode", "template", "selector"),
    *("manualSelector", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes"),
    *("backoffLimit", "ttlSecondsAfterFinished", "suspend", "activeDeadlineSeconds"),
]
SERVICE_FIELDS = [
    *("clusterIP", "ports", "publishNotReadyAddresses", "selector", "type", "externalName")
]


def test_raw_job_fields_land_in_each_replicas_job(helm: str, tmp_path: Path) -> None:
    """Those of the role over those of the job, those of an override over both."""
    job = JOB + (
        "ttlSecondsAfterFinished: 0\n"
        "job: {podReplacementPolicy: Failed, "
        "annotations: {argocd.argoproj.io/sync-wave: 1, a: job}}\n"
    )
    job = job.replace(
        "worker: {replicas: 2}",
        "worker: {replicas: 2, suspend: true, job: {annotations: {a: role}}, "
        "overrides: {'1': {suspend: false, ttlSecondsAfterFinished: 60, "
        "job: {managedBy: example.com/mine, labels: {odd: 1}}}}}",
    )
    objects = read_objects(helm, render(job, tmp_path))
    chief, ps, first, second = (
        replica
        for prefix in ("chief", "ps", "worker")
        for replica in sorted(
            named(objects, "Job", prefix), key=lambda job: job["metadata"]["name"]
        )
    )
    for replica in (chief, ps, first, second):
        assert replica["spec"]["podReplacementPolicy"] == "Failed"
        assert replica["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] == "1"
    assert chief["metadata"]["annotations"]["a"] == ps["metadata"]["annotations"]["a"] == "job"
    assert first["metadata"]["annotations"]["a"] == second["metadata"]["annotations"]["a"] == "role"
    assert "suspend" not in chief["spec"]
    assert (first["spec"]["suspend"], second["spec"]["suspend"]) == (True, False)
    assert (
        first["spec"]["ttlSecondsAfterFinished"],
        second["spec"]["ttlSecondsAfterFinished"],
    ) == (0, 60)
    assert "managedBy" not in first["spec"]
    assert second["spec"]["managedBy"] == "example.com/mine"
    assert second["metadata"]["labels"]["odd"] == "1"
    for worker in (first, second):
        assert "annotations" not in worker["spec"]["template"]["metadata"]
        assert "odd" not in worker["spec"]["template"]["metadata"]["labels"]


def test_raw_service_fields_land_in_each_replicas_service(helm: str, chart: Path) -> None:
    settings = (
        "service.ipFamilyPolicy=PreferDualStack,service.annotations.a=1,"
        "roles.worker.service.labels.b=2,roles.worker.service.internalTrafficPolicy=Local"
    )
    objects = read_objects(helm, chart, "--set", settings)
    services = named(objects, "Service")
    assert {service["spec"]["ipFamilyPolicy"] for service in services} == {"PreferDualStack"}
    assert {service["metadata"]["annotations"]["a"] for service in services} == {"1"}
    assert {service["spec"]["clusterIP"] for service in services} == {"None"}
    for service in services:
        worker = service["metadata"]["name"].startswith("worker")
        assert (service["metadata"]["labels"].get("b") == "2") is worker
        assert ("internalTrafficPolicy" in service["spec"]) is worker
        assert "b" not in service["spec"]["selector"]


@pytest.mark.parametrize(
    ("values", "renames"),
    [
        ({"job": {"podFailurePolicy": {"rules": [{"action": "FailJob"}]}}}, True),
        ({"roles": {"worker": {"job": {"managedBy": "example.com/mine"}}}}, True),
        ({"roles": {"worker": {"overrides": {"1": {"job": {"managedBy": "x.y/z"}}}}}}, True),
        ({"job": {"podReplacementPolicy": "Failed"}}, False),
        ({"job": {"annotations": {"a": "b"}, "labels": {"c": "d"}}}, False),
        ({"service": {"annotations": {"a": "b"}, "ipFamilyPolicy": "SingleStack"}}, False),
        ({"ttlSecondsAfterFinished": 60, "suspend": True}, False),
        ({"commonLabels": {"a": "b"}, "commonAnnotations": {"c": "d"}}, False),
        ({"tensorboard": {"logDir": "/logs"}}, False),
        (
            {
                "extraObjects": [
                    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "settings"}}
                ]
            },
            False,
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else str(value),
)
def test_only_what_a_job_cannot_change_renames_it(
    values: dict[str, Any], renames: bool, helm: str, chart: Path, tmp_path: Path
) -> None:
    """As a pod does: Kubernetes keeps a Job's podFailurePolicy and managedBy as they are."""
    before = runtime_id(read_objects(helm, chart))
    after = runtime_id(read_objects(helm, chart, "-f", values_file(tmp_path, values)))
    assert (before != after) is renames


# The schema reports everything that it refuses, so that one run of Helm shows all of these.
@pytest.mark.parametrize(
    ("where", "fields"),
    [("job", JOB_FIELDS), ("roles.worker.job", JOB_FIELDS), ("service", SERVICE_FIELDS)],
)
def test_a_field_that_breaks_the_chart_is_refused(
    where: str, fields: list[str], helm: str, chart: Path
) -> None:
    settings = ",".join(f"{where}.{field}=1" for field in fields)
    said = refusal(helm, chart, "--set", settings)
    assert where.replace(".", "/") in said or where in said
    for field in fields:
        assert re.search(rf"\b{field}\b", said), field


# Extra objects.

ODD_OBJECTS: list[dict[str, Any]] = [
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "other"},
        "data": {
            "template": "{{ .Values.image }} {{ fail `x` }}",
            "number": "1e3",
            "id": "59e90732",
            "on": "off",
            "lines": "a\n  b: c\n\n--- \n# d\n",
            "quotes": 'it\'s "so" \\ é 日本 🚀',
        },
    },
    {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "123", "annotations": {"a": "true"}},
        "spec": {"podSelector": {}, "ingress": [{"ports": [{"port": 1000000}]}], "on": True},
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "1e3"},
        "rules": [],
    },
]


def extra(objects: Objects) -> Objects:
    return [
        manifest
        for manifest in objects
        if "chartgen/runtime-id" not in manifest["metadata"].get("labels", {})
    ]


def test_extra_objects_are_printed_as_data(helm: str, chart: Path, tmp_path: Path) -> None:
    """Never run as templates, and text stays text; from a values file as from the description."""
    at_install = read_objects(
        helm, chart, "-f", values_file(tmp_path, {"extraObjects": ODD_OBJECTS})
    )
    described = render(
        f"{JOB}extraObjects: {json.dumps(ODD_OBJECTS, ensure_ascii=False)}\n", tmp_path
    )
    by_name = {manifest["metadata"]["name"]: manifest for manifest in extra(at_install)}
    assert by_name == {manifest["metadata"]["name"]: manifest for manifest in ODD_OBJECTS}
    assert read_objects(helm, described) == at_install
    assert runtime_id(at_install) == runtime_id(read_objects(helm, chart)), "they rename no Job"


def test_text_of_extra_objects_is_text_to_other_readers(
    helm: str, chart: Path, tmp_path: Path
) -> None:
    printed = template(helm, chart, "-f", values_file(tmp_path, {"extraObjects": ODD_OBJECTS}))
    assert 'number: "1e3"' in printed
    assert 'name: "123"' in printed
    assert "port: 1000000" in printed


# What is wrong with an extra object, and the word that the message has for it.
WRONG_OBJECTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": None}, "kind"),
    ({"apiVersion": None}, "apiVersion"),
    ({"metadata": {}}, "name"),
    ({"metadata": {"name": "a/b"}}, "name"),
    ({"metadata": {"name": 7}}, "name"),
    ({"kind": "config map"}, "kind"),
    ({"metadata": {"name": "settings", "labels": ["a"]}}, "labels"),
]


def test_an_extra_object_that_is_none_is_refused(helm: str, chart: Path, tmp_path: Path) -> None:
    """Each of them, in one message."""
    good = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
    extra_objects = []
    for wrong, _ in WRONG_OBJECTS:
        manifest = {**good, **wrong}
        extra_objects.append({key: value for key, value in manifest.items() if value is not None})
    said = refusal(helm, chart, "-f", values_file(tmp_path, {"extraObjects": extra_objects}))
    for index, (wrong, word) in enumerate(WRONG_OBJECTS):
        assert re.search(rf"extraObjects[./]{index}\b.*{word}", said), wrong


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("worker-prod-0", True),
        ("worker-prod-99", True),
        ("peers-prod", True),
        ("tensorboard-prod", True),
        ("helpers-prod", True),
        ("cleanup-prod-0a1b2c3d", True),
        ("settings-prod", False),
        ("worker", False),
        ("worker-other-0", False),
        ("my-worker-prod-0", False),
    ],
)
def test_a_name_of_the_charts_own_is_refused(
    name: str, taken: bool, helm: str, chart: Path, tmp_path: Path
) -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    values = values_file(tmp_path, {"runtimeId": "prod", "extraObjects": [config_map]})
    if not taken:
        assert name in template(helm, chart, "-f", values)
        return
    said = refusal(helm, chart, "-f", values)
    assert f"extraObjects[0]: the chart has an object of its own named {name}" in said


@pytest.mark.parametrize("case", ["golden/mars-api", "native/elasticdl/c1-published-0.2"])
def test_every_name_with_the_id_is_one_of_the_charts_own(
    case: str, helm3: str, tmp_path: Path
) -> None:
    """To the check of descriptions and to the chart."""
    data = yaml.safe_load((CORPUS / case / "job.yaml").read_text("utf-8"))
    data |= {"runtimeId": "prod", "networkPolicy": {"create": True}}
    (document,) = pipeline.read(json.dumps(data).encode(), "job.json")
    own = own_names(pipeline.check(document).pods)
    chart = render(json.dumps(data), tmp_path)
    names = {manifest["metadata"]["name"] for manifest in read_objects(helm3, chart)}
    names = {name for name in names if re.search("-prod(-[0-9a-f]+)?$", name)}
    assert [name for name in sorted(names) if not own.fullmatch(name)] == []
    for name in {"helpers-prod", "test-prod", "access-prod", "watch-prod"} & names:
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        values = values_file(tmp_path, {"extraObjects": [config_map]})
        assert f"an object of its own named {name};" in refusal(helm3, chart, "-f", values)


def test_a_name_with_the_id_that_the_chart_will_have_is_refused(
    helm3: str, chart: Path, tmp_path: Path
) -> None:
    """At install the id is known, though the job does not say it."""
    name = f"worker-{runtime_id(read_objects(helm3, chart))}-0"
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
    assert name in refusal(helm3, chart, "-f", values_file(tmp_path, {"extraObjects": [secret]}))


# TensorBoard at install.


@pytest.mark.parametrize(
    "case", ["minimal", "mxnet", "elasticdl", "elasticdl-native", "angel", "mars"]
)
def test_tensorboard_can_be_turned_on_at_install(case: str, helm: str, tmp_path: Path) -> None:
    """As if the description had it, and the test looks at it."""
    text = (GOLDEN / case / "job.yaml").read_text("utf-8")
    data = yaml.safe_load(text)
    data.pop("tensorboard", None)
    plain = render(json.dumps(data), tmp_path / "plain")
    data["tensorboard"] = {"logDir": "/logs", "serviceType": "NodePort"}
    described = render(json.dumps(data), tmp_path / "described")
    settings = "tensorboard.logDir=/logs,tensorboard.serviceType=NodePort"
    objects = read_objects(helm, plain, "--set", settings)
    assert objects == read_objects(helm, described)
    assert len(named(objects, "Deployment")) == 1
    assert not named(read_objects(helm, plain), "Deployment")
    assert read_objects(helm, described, "--set", "tensorboard=null") == read_objects(helm, plain)


def test_tensorboard_needs_to_know_where_the_logs_are(helm: str, chart: Path) -> None:
    assert "logDir" in refusal(helm, chart, "--set", "tensorboard.serviceType=NodePort")


# The chart's own pods.


def test_our_own_pods_write_nothing_and_have_limits(helm: str, rich: Path) -> None:
    objects = read_objects(helm, rich)
    own = [named(objects, "Pod", "test-")[0]["spec"]]
    own.append(named(objects, "Job", "cleanup-")[0]["spec"]["template"]["spec"])
    for pod in own:
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            limits = {"cpu", "memory", "ephemeral-storage"}
            assert container["resources"]["requests"].keys() == limits
            assert container["resources"]["limits"].keys() == limits
        # A user that no account of a node has.
        assert pod["securityContext"]["runAsUser"] > 10_000
        assert pod["securityContext"]["runAsGroup"] > 10_000
    (board,) = named(objects, "Deployment", "tensorboard-")
    (container,) = board["spec"]["template"]["spec"]["containers"]
    assert {"readinessProbe", "livenessProbe"} <= container.keys()


def test_what_a_plain_chart_sets_depends_on_nothing_new(helm: str, chart: Path) -> None:
    """Where none of this is said, none of it is printed."""
    objects = read_objects(helm, chart)
    jobs = [job for job in named(objects, "Job") if "chartgen/role" in job["metadata"]["labels"]]
    assert jobs
    for job in jobs:
        assert job["spec"].keys() == {"template"}
        marks = {"chartgen/decides", "argocd.argoproj.io/ignore-healthcheck"}
        assert job["metadata"].get("annotations", {}).keys() <= marks
    assert "TF_CONFIG" in env(pods(objects, "worker")[0])
