"""Every object can be reached: labels for all, raw fields, extra objects, images and registries."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import pipeline
from chartgen.chart import ChartOptions
from tests.support import charts
from tests.support.charts import Objects, env, named, objects, pods, refusal, run, template
from tests.support.paths import ROOT
from tests.unit.chart.test_framework_file import DESCRIPTIONS
from tests.unit.chart.test_golden import GOLDEN

JOB = """
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {}
  worker: {replicas: 2}
  ps: {}
"""
# Everything that a chart can have beside its replicas.
RICH = (
    JOB
    + """
priorityClasses: {urgent: 1000}
tensorboard: {logDir: /logs}
cleanup: {enabled: true}
extraObjects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {team: own}}, data: {a: b}}
"""
)
COMMON = "commonLabels.team=vision,commonLabels.cost-center=1234,commonAnnotations.owner=me"
DIGEST = f"sha256:{'0123456789abcdef' * 4}"


def render(description: str, folder: Path) -> Path:
    """The chart of a job as people get it: without cloud data that the job cannot use."""
    return charts.render(description, folder, options=ChartOptions())


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(RICH, tmp_path_factory.mktemp("rich"))


def values_file(folder: Path, values: Any) -> str:
    file = folder / "values-of-the-test.yaml"
    file.write_text(json.dumps(values, ensure_ascii=False), "utf-8")
    return str(file)


def runtime_id(found: Objects) -> str:
    (only,) = {one["metadata"]["labels"]["chartgen/runtime-id"] for one in named(found, "Job")}
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
    plain = objects(helm3, chart, "--set", settings)
    labelled = objects(helm3, chart, "--set", f"{settings},{COMMON}")
    for one in labelled:
        labels, annotations = one["metadata"]["labels"], one["metadata"]["annotations"]
        assert labels.pop("team") == "vision"
        assert labels.pop("cost-center") == "1234"
        assert annotations.pop("owner") == "me"
        if not annotations:
            del one["metadata"]["annotations"]
    assert labelled == plain


def test_both_helms_label_the_same(helm3: str, helm4: str, rich: Path) -> None:
    assert objects(helm3, rich, "--set", COMMON) == objects(helm4, rich, "--set", COMMON)


def test_common_labels_reach_every_kind(helm: str, rich: Path) -> None:
    found = objects(helm, rich, "--set", COMMON)
    kinds = {one["kind"] for one in found if one["metadata"]["labels"]["cost-center"] == "1234"}
    assert kinds == {
        *("ConfigMap", "Deployment", "Job", "Pod", "PriorityClass", "Role", "RoleBinding"),
        *("Service", "ServiceAccount"),
    }
    hooks = [one for one in found if "helm.sh/hook" in one["metadata"]["annotations"]]
    assert {one["metadata"]["annotations"]["owner"] for one in hooks} == {"me"}
    for one in found:
        for path, mapping in inner_metadata({**one, "metadata": {}}):
            assert not {"team", "cost-center", "owner"} & mapping.keys(), (one["kind"], path)


def test_the_nearest_label_wins(helm: str, tmp_path: Path) -> None:
    """The chart's own, then those of a Job, a Service or an extra object, then those of all."""
    job = RICH + (
        "commonLabels: {team: all, app: all, app.kubernetes.io/name: all, helm.sh/chart: all}\n"
        "commonAnnotations: {owner: all, helm.sh/resource-policy: keep}\n"
        "job: {labels: {team: jobs}, annotations: {owner: jobs}}\n"
        "service: {labels: {team: services}}\n"
    )
    found = objects(helm, render(job, tmp_path))
    by_kind = {(one["kind"], one["metadata"]["name"].partition("-")[0]): one for one in found}
    teams = {key: one["metadata"]["labels"]["team"] for key, one in by_kind.items()}
    assert teams["Job", "worker"] == "jobs"
    assert teams["Service", "worker"] == "services"
    assert teams["ConfigMap", "settings"] == "own"
    assert teams["Job", "cleanup"] == teams["PriorityClass", "urgent"] == "all"
    assert by_kind["Job", "worker"]["metadata"]["annotations"]["owner"] == "jobs"
    assert by_kind["Pod", "test"]["metadata"]["annotations"]["helm.sh/hook"] == "test"
    assert by_kind["Deployment", "tensorboard"]["metadata"]["labels"]["app"] == "tensorboard"
    own = [one for key, one in by_kind.items() if key != ("ConfigMap", "settings")]
    assert {one["metadata"]["labels"]["app.kubernetes.io/name"] for one in own} == {"mnist"}


def test_a_label_that_looks_like_something_else_stays_text(helm: str, tmp_path: Path) -> None:
    odd = ["on", "y", "012", "1e3", "0x1F", "1_000", "1.5", "2001-01-01", "null", "59e90732", ""]
    labels = {f"l{index}": text for index, text in enumerate(odd)}
    notes = {**labels, "a": "{{ .Values }}\nb: c", "b": 'it\'s "so"'}
    values = values_file(tmp_path, {"commonLabels": labels, "commonAnnotations": notes})
    for one in objects(helm, render(RICH, tmp_path), "-f", values):
        assert labels.items() <= one["metadata"]["labels"].items(), one["kind"]
        assert notes.items() <= one["metadata"]["annotations"].items(), one["kind"]


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
    *("clusterIP", "ports", "publishNotReadyAddresses", "selector", "type", "externalName"),
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
    found = objects(helm, render(job, tmp_path))
    chief, ps, first, second = (
        one
        for prefix in ("chief", "ps", "worker")
        for one in sorted(named(found, "Job", prefix), key=lambda job: job["metadata"]["name"])
    )
    for one in (chief, ps, first, second):
        assert one["spec"]["podReplacementPolicy"] == "Failed"
        assert one["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] == "1"
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
    for one in (first, second):
        assert "annotations" not in one["spec"]["template"]["metadata"]
        assert "odd" not in one["spec"]["template"]["metadata"]["labels"]


def test_raw_service_fields_land_in_each_replicas_service(helm: str, chart: Path) -> None:
    settings = (
        "service.ipFamilyPolicy=PreferDualStack,service.annotations.a=1,"
        "roles.worker.service.labels.b=2,roles.worker.service.internalTrafficPolicy=Local"
    )
    found = objects(helm, chart, "--set", settings)
    services = named(found, "Service")
    assert {one["spec"]["ipFamilyPolicy"] for one in services} == {"PreferDualStack"}
    assert {one["metadata"]["annotations"]["a"] for one in services} == {"1"}
    assert {one["spec"]["clusterIP"] for one in services} == {"None"}
    for one in services:
        worker = one["metadata"]["name"].startswith("worker")
        assert (one["metadata"]["labels"].get("b") == "2") is worker
        assert ("internalTrafficPolicy" in one["spec"]) is worker
        assert "b" not in one["spec"]["selector"]


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
    before = runtime_id(objects(helm, chart))
    after = runtime_id(objects(helm, chart, "-f", values_file(tmp_path, values)))
    assert (before != after) is renames


# The schema reports everything that it refuses, so that one run of Helm shows all of these.
@pytest.mark.parametrize(
    ("where", "fields"),
    [
        ("job", JOB_FIELDS),
        ("roles.worker.job", JOB_FIELDS),
        ("service", SERVICE_FIELDS),
    ],
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


def extra(found: Objects) -> Objects:
    return [one for one in found if "chartgen/runtime-id" not in one["metadata"].get("labels", {})]


def test_extra_objects_are_printed_as_data(helm: str, chart: Path, tmp_path: Path) -> None:
    """Never run as templates, and text stays text; from a values file as from the description."""
    at_install = objects(helm, chart, "-f", values_file(tmp_path, {"extraObjects": ODD_OBJECTS}))
    described = render(
        f"{JOB}extraObjects: {json.dumps(ODD_OBJECTS, ensure_ascii=False)}\n", tmp_path
    )
    by_name = {one["metadata"]["name"]: one for one in extra(at_install)}
    assert by_name == {one["metadata"]["name"]: one for one in ODD_OBJECTS}
    assert objects(helm, described) == at_install
    assert runtime_id(at_install) == runtime_id(objects(helm, chart)), "they rename no Job"


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
        one = {**good, **wrong}
        extra_objects.append({key: value for key, value in one.items() if value is not None})
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
    one = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    values = values_file(tmp_path, {"runtimeId": "prod", "extraObjects": [one]})
    if not taken:
        assert name in template(helm, chart, "-f", values)
        return
    said = refusal(helm, chart, "-f", values)
    assert f"extraObjects[0]: the chart has an object of its own named {name}" in said


def test_a_name_with_the_id_that_the_chart_will_have_is_refused(
    helm3: str, chart: Path, tmp_path: Path
) -> None:
    """At install the id is known, though the job does not say it."""
    name = f"worker-{runtime_id(objects(helm3, chart))}-0"
    one = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
    assert name in refusal(helm3, chart, "-f", values_file(tmp_path, {"extraObjects": [one]}))


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
    found = objects(helm, plain, "--set", settings)
    assert found == objects(helm, described)
    assert len(named(found, "Deployment")) == 1
    assert not named(objects(helm, plain), "Deployment")
    assert objects(helm, described, "--set", "tensorboard=null") == objects(helm, plain)


def test_tensorboard_needs_to_know_where_the_logs_are(helm: str, chart: Path) -> None:
    assert "logDir" in refusal(helm, chart, "--set", "tensorboard.serviceType=NodePort")


# Images.


def images(found: Objects) -> set[str]:
    """Every image that a pod of the chart runs."""
    all_images = set()
    for one in found:
        pod = (
            one["spec"]
            if one["kind"] == "Pod"
            else one.get("spec", {}).get("template", {}).get("spec")
        )
        for container in (*pod["containers"], *pod.get("initContainers", ())) if pod else ():
            all_images.add(container["image"])
    return all_images


def test_an_image_in_parts_is_the_image_as_one_text(helm: str, tmp_path: Path) -> None:
    """To the byte, so that a job that changes the form keeps its Jobs."""
    text = render(JOB, tmp_path / "text")
    parts = JOB.replace(
        "image: registry.example.com/mnist:1.4",
        'image: {repository: registry.example.com/mnist, tag: "1.4"}',
    )
    assert template(helm, render(parts, tmp_path / "parts")) == template(helm, text)


@pytest.mark.parametrize(
    ("setting", "image"),
    [
        ("image.tag=2", "example.com/mnist:2"),
        ("image.tag=0", "example.com/mnist:0"),
        ("image.tag=1.10", "example.com/mnist:1.10"),
        ("image.repository=other/mnist", "other/mnist:1.4"),
        (f"image.digest={DIGEST}", f"example.com/mnist:1.4@{DIGEST}"),
        (f"image.tag=null,image.digest={DIGEST}", f"example.com/mnist@{DIGEST}"),
        ("image=whole/mnist:3", "whole/mnist:3"),
    ],
)
def test_parts_of_an_image_are_set_at_install(
    setting: str, image: str, helm: str, tmp_path: Path
) -> None:
    job = JOB.replace(
        "image: registry.example.com/mnist:1.4",
        'image: {repository: example.com/mnist, tag: "1.4"}',
    )
    found = objects(helm, render(job, tmp_path), "--set", setting)
    assert {pod["spec"]["containers"][0]["image"] for pod in pods(found, "worker")} == {image}


def test_a_role_may_have_another_tag_of_the_same_repository(helm: str, tmp_path: Path) -> None:
    job = JOB.replace(
        "image: registry.example.com/mnist:1.4", 'image: {repository: a/b, tag: "1"}'
    ).replace("{replicas: 2}", "{replicas: 2, image: {tag: '2'}, overrides: {'1': {image: c:3}}}")
    found = objects(helm, render(job, tmp_path))
    used = [pod["spec"]["containers"][0]["image"] for pod in pods(found, "worker")]
    assert used == ["a/b:2", "c:3"]
    assert pods(found, "chief")[0]["spec"]["containers"][0]["image"] == "a/b:1"


@pytest.mark.parametrize(
    ("setting", "where"),
    [
        ("image.tag=2", "image"),
        ("roles.worker.image.tag=2", "roles.worker.image"),
        ("roles.worker.overrides.1.image.tag=2", "roles.worker.overrides.1.image"),
        ("tests.image.tag=2", "tests.image"),
        ("cleanup.enabled=true,cleanup.image.tag=2", "cleanup.image"),
        ("helperImage.tag=2", "helperImage"),
        ("tensorboard.logDir=/l,tensorboard.image.tag=2", "tensorboard.image"),
    ],
)
def test_a_tag_for_an_image_that_is_one_text_is_refused_with_a_sentence(
    setting: str, where: str, helm: str, chart: Path
) -> None:
    """It would be an image without a name; the sentence names the value that was set."""
    sentence = (
        f" {where}.repository must be set beside tag or digest; an image that is one text is set "
        f"as a whole: {where}=REPOSITORY:TAG"
    )
    assert sentence in refusal(helm, chart, "--set", setting)


HELPED = """
name: helped
framework: mars
image: registry.example.com/own:1
imagePullPolicy: Always
roles: {scheduler: {}, worker: {}, web: {}, driver: {command: [compute]}}
"""
BY_DIGEST = f"registry.example.com/helper@sha256:{'0af1' * 16}"


def helper_images(found: Objects) -> dict[str, tuple[str, str]]:
    """The image of each container that helps the job, and how it is pulled."""
    used = {}
    for one in found:
        pod = one if one["kind"] == "Pod" else one.get("spec", {}).get("template", {})
        spec = pod.get("spec", {})
        for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
            name = container["name"]
            if name in ("test", "cleanup") or name.startswith("wait"):
                policy = container.get("imagePullPolicy", "")
                used[name.partition("-")[0]] = (container["image"], policy)
    return used


@pytest.mark.parametrize(
    ("settings", "test", "wait", "cleanup"),
    [
        ("", "python:3.13-alpine", "busybox:1.37.0", "OWN"),
        ("helperImage=a/b:1", "a/b:1", "a/b:1", "a/b:1"),
        (f"helperImage={BY_DIGEST}", BY_DIGEST, BY_DIGEST, BY_DIGEST),
        ("helperImage.repository=a/b,helperImage.tag=3", "a/b:3", "a/b:3", "a/b:3"),
        ("helperImage=none", "OWN", "OWN", "OWN"),
        ("helperImage=a/b:1,tests.image=t:1", "t:1", "a/b:1", "a/b:1"),
        ("helperImage=a/b:1,wait.image=w:1", "a/b:1", "w:1", "a/b:1"),
        ("helperImage=a/b:1,cleanup.image=c:1", "a/b:1", "a/b:1", "c:1"),
        ("helperImage=none,wait.image=w:1", "OWN", "w:1", "OWN"),
        ("helperImage=a/b:1,tests.image=none", "OWN", "a/b:1", "a/b:1"),
        ("global.imageRegistry=m:5000,helperImage=a/b:1", *["m:5000/a/b:1"] * 3),
    ],
)
def test_helpers_have_one_image_or_each_its_own(
    settings: str, test: str, wait: str, cleanup: str, helm: str, tmp_path: Path
) -> None:
    """`none` is the job's own image, which is pulled as the job says."""
    options = ("--set", settings) if settings else ()
    found = objects(helm, charts.render(HELPED, tmp_path), *options)
    own = ("registry.example.com/own:1", "Always")
    expected = {"test": test, "wait": wait, "cleanup": cleanup}
    assert helper_images(found) == {
        name: own if image == "OWN" else (image, "") for name, image in expected.items()
    }


def test_a_tag_for_the_image_that_waits_names_it(helm: str, tmp_path: Path) -> None:
    text = (ROOT / "values/jobs/analysis.yaml").read_text("utf-8")
    said = refusal(helm, render(text, tmp_path), "--set", "wait.image.tag=2")
    assert " wait.image.repository must be set" in said


@pytest.mark.parametrize(
    "image", ["Repo/X:1", "<IMAGE>", "$(image)", "repo/x:{{tag}}", "m:%TAG%", "a b", "http://a/b:1"]
)
def test_an_image_that_no_registry_could_have_is_refused(
    image: str, helm: str, chart: Path, tmp_path: Path
) -> None:
    """Also in side-cars, whose images no template looks at."""
    sidecar = {"name": "x", "image": image}
    values = {"image": image, "tests": {"image": image}, "sidecars": [sidecar]}
    said = refusal(helm, chart, "-f", values_file(tmp_path, values))
    for place in ("image", "tests.image", "sidecars.0.image"):
        assert f"- {place}: " in said or f"'/{place.replace('.', '/')}'" in said, (place, said)


MIRROR = "mirror.example.com:5000/proxy"


@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_a_registry_for_all_images_reaches_every_image(
    description: Path, helm3: str, tmp_path: Path
) -> None:
    """Side-cars, init containers, tests, clean-up, waits, TensorBoard, and what a cloud injects."""
    settings = "cleanup.enabled=true,tensorboard.logDir=/logs"
    if description.stem == "large":
        settings += ",roles.worker.replicas=2,roles.ps.replicas=1"
    chart = render(description.read_text("utf-8"), tmp_path)
    before = images(objects(helm3, chart, "--set", settings))
    after = images(objects(helm3, chart, "--set", f"{settings},global.imageRegistry={MIRROR}"))
    assert after == {mirrored(image) for image in before}


def mirrored(image: str) -> str:
    host, slash, rest = image.partition("/")
    is_host = slash and re.search(r"[.:A-Z]|^localhost$", host)
    return f"{MIRROR}/{rest if is_host else image}"


def test_side_cars_waits_and_init_containers_come_from_the_registry_once(
    helm: str, tmp_path: Path
) -> None:
    text = (ROOT / "values/jobs/analysis.yaml").read_text("utf-8")
    job = f"{text}\nsidecars: [{{name: s, image: 'localhost/s:1'}}]\n"
    job += "initContainers: [{name: i, image: 'i:1'}]\n"
    found = objects(helm, render(job, tmp_path), "--set", f"global.imageRegistry={MIRROR}/")
    used = images(found)
    assert {f"{MIRROR}/s:1", f"{MIRROR}/i:1", f"{MIRROR}/busybox:1.37.0"} <= used
    assert all(image.startswith(f"{MIRROR}/") and image.count("proxy") == 1 for image in used)


def test_masters_are_told_images_of_the_registry(helm: str, tmp_path: Path) -> None:
    """Those that Angel's and ElasticDL's masters give to the pods they create."""
    setting = ("--set", f"global.imageRegistry={MIRROR}")
    angel = render((GOLDEN / "angel/job.yaml").read_text("utf-8"), tmp_path)
    (client,) = pods(objects(helm, angel, *setting), "client")
    words = " ".join(client["spec"]["containers"][0]["args"])
    told = re.search(r"angel\.kubernetes\.container\.image=(\S+)", words)
    assert told
    assert told[1] == client["spec"]["containers"][0]["image"]
    assert told[1].startswith(f"{MIRROR}/")
    elastic = render((GOLDEN / "elasticdl-native/job.yaml").read_text("utf-8"), tmp_path)
    (master,) = pods(objects(helm, elastic, *setting), "master")
    words = " ".join(master["spec"]["containers"][0]["args"])
    told = re.search(r"--worker_image=(\S+)", words)
    assert told
    assert told[1].startswith(f"{MIRROR}/")


def test_masters_are_told_images_in_parts_as_one_text(helm: str, tmp_path: Path) -> None:
    data = yaml.safe_load((GOLDEN / "angel/job.yaml").read_text("utf-8"))
    data["image"] = {"repository": "example.com/angel", "tag": "3.1.0"}
    (client,) = pods(objects(helm, render(json.dumps(data), tmp_path)), "client")
    words = client["spec"]["containers"][0]["args"]
    assert "-Dangel.kubernetes.container.image=example.com/angel:3.1.0" in words


@pytest.mark.parametrize("registry", ["https://mirror.example.com", "mirror example", "-x"])
def test_a_registry_that_is_none_is_refused(
    registry: str, helm: str, chart: Path, tmp_path: Path
) -> None:
    values = values_file(tmp_path, {"global": {"imageRegistry": registry}})
    assert "imageRegistry" in refusal(helm, chart, "-f", values)


def test_pull_secrets_are_for_every_pod(helm: str, rich: Path) -> None:
    """The chart's own pods pull from the same mirror."""
    found = objects(helm, rich, "--set", "imagePullSecrets[0].name=mirror")
    for one in found:
        pod = (
            one["spec"]
            if one["kind"] == "Pod"
            else one.get("spec", {}).get("template", {}).get("spec")
        )
        if pod:
            assert pod["imagePullSecrets"] == [{"name": "mirror"}], one["metadata"]["name"]


# Cloud data.


@pytest.mark.parametrize("cloud", ["gke", "aws", "azure", "none"])
def test_a_chart_without_cloud_data_takes_the_name_of_a_cloud(
    cloud: str, helm: str, chart: Path
) -> None:
    """There is nothing to inject where no device is requested."""
    assert objects(helm, chart, "--set", f"cloud={cloud}") == objects(helm, chart)


def test_a_chart_without_cloud_data_takes_a_cloud_of_ones_own(
    helm: str, chart: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("description: ours\ndevices: {nvidia.com/gpu: {tolerations: []}}\n")
    plain = objects(helm, chart)
    assert objects(helm, chart, "--set", "cloud=mine", "--set-file", f"clouds.mine={file}") == plain
    values = values_file(tmp_path, {"cloud": "mine", "clouds": {"mine": {"description": "x"}}})
    assert objects(helm, chart, "-f", values) == plain
    said = refusal(helm, chart, "--set", "cloud=azur")
    assert "no cloud is named azur" in said
    assert "azure" in said


DEVICES = [
    ("roles.worker.gpu=1", "roles.worker requests gpu"),
    ("gpu=1", "requests gpu"),
    ("roles.worker.accelerator.type=h100", "roles.worker requests accelerator"),
    ("roles.worker.fabric=efa", "roles.worker requests fabric"),
    ("roles.worker.resources.limits.nvidia\\.com/gpu=1", "roles.worker requests nvidia.com/gpu"),
    ("roles.worker.overrides.1.gpu=1", "roles.worker requests gpu"),
    (
        "sidecars[0].name=s,sidecars[0].image=s:1,sidecars[0].resources.limits.nvidia\\.com/gpu=1",
        "requests nvidia.com/gpu",
    ),
]


@pytest.mark.parametrize(("setting", "words"), DEVICES)
def test_a_device_at_install_needs_cloud_data(
    setting: str, words: str, helm: str, chart: Path
) -> None:
    said = refusal(helm, chart, "--set", setting)
    assert words in said
    assert (
        "this chart carries no cloud data for devices: render it again with the device in the "
        "job description, or with --clouds all"
    ) in said


def test_no_device_is_none(helm: str, chart: Path) -> None:
    """Zeros ask for nothing, whatever they are said of."""
    settings = "gpu=0,fabric=none,accelerator.type=h100,accelerator.count=0,"
    settings += "resources.limits.nvidia\\.com/gpu=0"
    assert len(pods(objects(helm, chart, "--set", settings), "worker")) == 2


def test_with_all_cloud_data_a_device_may_come_at_install(helm: str, tmp_path: Path) -> None:
    (document,) = pipeline.read(JOB.encode(), "job.yaml")
    files = pipeline.render(pipeline.check(document), ChartOptions(clouds="all"))
    for path, text in files.items():
        place = tmp_path / "mnist" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    found = objects(helm, tmp_path / "mnist", "--set", "cloud=azure,roles.worker.gpu=2")
    described = JOB.replace("{replicas: 2}", "{replicas: 2, gpu: 2}") + "cloud: azure\n"
    assert found == objects(helm, render(described, tmp_path / "described"))
    (worker, _) = pods(found, "worker")
    assert worker["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 2}


def test_charts_of_jobs_that_use_devices_carry_the_data(tmp_path: Path) -> None:
    """And no other: what a job cannot use is not in its chart."""
    said = {
        "": False,
        "cloud: gke\n": True,
        "cloud: none\n": False,
        "gpu: 1\n": True,
        "resources: {limits: {nvidia.com/gpu: 1}}\n": True,
        "sidecars: [{name: s, image: 's:1', resources: {limits: {nvidia.com/gpu: 1}}}]\n": True,
        "resources: {limits: {cpu: 1}}\n": False,
    }
    for number, (more, carried) in enumerate(said.items()):
        chart = render(JOB + more, tmp_path / str(number))
        assert (chart / "files/clouds.yaml").exists() is carried, more
        assert (chart / "templates/lib/_no_devices.tpl").exists() is not carried, more


# Sizes, and what the chart says of itself.


def test_a_plain_chart_is_one_to_review(tmp_path: Path) -> None:
    """Helm keeps all of it in its record of a release, and a reviewer opens any of it."""
    chart = render((ROOT / "values/jobs/mnist.yaml").read_text("utf-8"), tmp_path)
    texts = [path.read_text("utf-8") for path in chart.rglob("*") if path.is_file()]
    assert sum(len(text.encode()) for text in texts) <= 127_000
    assert sum(text.count("\n") for text in texts) <= 3_500
    assert (chart / "values.schema.json").stat().st_size <= 45_000
    for path in chart.glob("templates/**/*"):
        if path.is_file():
            assert len(path.read_text("utf-8").splitlines()) <= 150, path.name


METADATA = """
chart:
  appVersion: "2026.1"
  home: https://example.com/mnist
  sources: [https://example.com/mnist.git]
  icon: https://example.com/mnist.svg
  license: Apache-2.0
  keywords: [vision]
  maintainers: [{name: Vision team, email: vision@example.com, url: "https://example.com"}]
"""


def test_chart_yaml_says_what_the_job_says(helm: str, tmp_path: Path) -> None:
    chart = render(JOB + METADATA, tmp_path)
    metadata = yaml.safe_load((chart / "Chart.yaml").read_text("utf-8"))
    said = yaml.safe_load(METADATA)["chart"]
    license_ = said.pop("license")
    assert metadata["annotations"]["artifacthub.io/license"] == license_
    assert metadata["keywords"][-1:] == said.pop("keywords")
    assert said.items() <= metadata.items()
    done = run(helm, "show", "chart", chart)
    assert yaml.safe_load(done.stdout)["maintainers"] == metadata["maintainers"]
    linted = run(helm, "lint", "--strict", chart)
    assert linted.returncode == 0, linted.stdout
    assert "icon is recommended" not in linted.stdout


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.example.com/mnist:1.4", "1.4"),
        ("registry.example.com:5000/mnist", None),
        (f"registry.example.com/mnist@{DIGEST}", None),
        (f"registry.example.com/mnist:2@{DIGEST}", "2"),
        ("{repository: example.com/mnist, tag: '3'}", "3"),
    ],
)
def test_the_app_version_is_the_tag_of_the_image(
    image: str, version: str | None, helm3: str, tmp_path: Path
) -> None:
    """Text, as Helm wants it, and nothing that the job does not say."""
    chart = render(JOB.replace("registry.example.com/mnist:1.4", image), tmp_path)
    metadata = yaml.safe_load((chart / "Chart.yaml").read_text("utf-8"))
    assert metadata.get("appVersion") == version
    assert not {"home", "sources", "icon", "maintainers"} & metadata.keys()
    assert run(helm3, "lint", "--strict", chart).returncode == 0


# The chart's own pods.


def test_our_own_pods_write_nothing_and_have_limits(helm: str, rich: Path) -> None:
    found = objects(helm, rich)
    own = [named(found, "Pod", "test-")[0]["spec"]]
    own.append(named(found, "Job", "cleanup-")[0]["spec"]["template"]["spec"])
    for pod in own:
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            limits = {"cpu", "memory", "ephemeral-storage"}
            assert container["resources"]["requests"].keys() == limits
            assert container["resources"]["limits"].keys() == limits
        # A user that no account of a node has.
        assert pod["securityContext"]["runAsUser"] > 10_000
        assert pod["securityContext"]["runAsGroup"] > 10_000
    (board,) = named(found, "Deployment", "tensorboard-")
    (container,) = board["spec"]["template"]["spec"]["containers"]
    assert {"readinessProbe", "livenessProbe"} <= container.keys()


def test_what_a_plain_chart_sets_depends_on_nothing_new(helm: str, chart: Path) -> None:
    """Where none of this is said, none of it is printed."""
    found = objects(helm, chart)
    jobs = [job for job in named(found, "Job") if "chartgen/role" in job["metadata"]["labels"]]
    assert jobs
    for job in jobs:
        assert job["spec"].keys() == {"template"}
        marks = {"chartgen/decides", "argocd.argoproj.io/ignore-healthcheck"}
        assert job["metadata"].get("annotations", {}).keys() <= marks
    assert "TF_CONFIG" in env(pods(found, "worker")[0])
