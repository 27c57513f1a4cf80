"""What a plain chart is without, and what it says of itself."""

from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from chartgen import pipeline
from chartgen.chart import ChartOptions, thin
from tests.support.charts import named, pods, read_objects, refusal, run, write
from tests.support.paths import ROOT
from tests.support.plain_charts import JOB, render, values_file

DIGEST = f"sha256:{'0123456789abcdef' * 4}"


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("plain"))


# Cloud data.


@pytest.mark.parametrize("cloud", ["gke", "aws", "azure", "none"])
def test_a_chart_without_cloud_data_takes_the_name_of_a_cloud(
    cloud: str, helm: str, chart: Path
) -> None:
    """There is nothing to inject where no device is requested."""
    assert read_objects(helm, chart, "--set", f"cloud={cloud}") == read_objects(helm, chart)


def test_a_chart_without_cloud_data_takes_a_cloud_of_ones_own(
    helm: str, chart: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("description: ours\ndevices: {nvidia.com/gpu: {tolerations: []}}\n")
    plain = read_objects(helm, chart)
    assert (
        read_objects(helm, chart, "--set", "cloud=mine", "--set-file", f"clouds.mine={file}")
        == plain
    )
    values = values_file(tmp_path, {"cloud": "mine", "clouds": {"mine": {"description": "x"}}})
    assert read_objects(helm, chart, "-f", values) == plain
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
    assert len(pods(read_objects(helm, chart, "--set", settings), "worker")) == 2


def test_with_all_cloud_data_a_device_may_come_at_install(helm: str, tmp_path: Path) -> None:
    (document,) = pipeline.read(JOB.encode(), "job.yaml")
    files = pipeline.render(pipeline.check(document), ChartOptions(clouds="all"))
    write(files, tmp_path / "mnist")
    objects = read_objects(helm, tmp_path / "mnist", "--set", "cloud=azure,roles.worker.gpu=2")
    described = JOB.replace("{replicas: 2}", "{replicas: 2, gpu: 2}") + "cloud: azure\n"
    assert objects == read_objects(helm, render(described, tmp_path / "described"))
    (worker, _) = pods(objects, "worker")
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
    assert sum(len(text.encode()) for text in texts) <= 118_100
    assert sum(text.count("\n") for text in texts) <= 3_500
    assert (chart / "values.schema.json").stat().st_size <= 45_000


@pytest.mark.parametrize("layout", ["full", "thin"])
def test_no_template_is_too_long_to_read(layout: Literal["full", "thin"]) -> None:
    """In the chart of every example, and in the library of the thin layout."""
    made = {"library": thin.library()}
    for path in sorted((ROOT / "values/jobs").glob("*.yaml")):
        for document in pipeline.read(path.read_bytes(), path.name):
            checked = pipeline.check(document)
            made[checked.job.name] = pipeline.render(checked, ChartOptions(layout=layout))
    for name, files in made.items():
        for file, text in files.items():
            if file.startswith("templates/"):
                assert len(text.splitlines()) <= 150, f"{name}: {file}"


# TensorBoard's pod.


def tensorboard(helm: str, folder: Path, more: str, *words: str) -> tuple[Any, Any]:
    """The spec of TensorBoard's pod, and its container."""
    objects = read_objects(helm, render(JOB + more, folder), *words)
    (deployment,) = named(objects, "Deployment")
    spec = deployment["spec"]["template"]["spec"]
    return spec, spec["containers"][0]


def test_tensorboard_is_an_ordinary_user_that_changes_nothing(helm: str, tmp_path: Path) -> None:
    """It has what linters ask for, whoever turns it on."""
    spec, container = tensorboard(helm, tmp_path, "", "--set", "tensorboard.logDir=/logs")
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert spec["volumes"] == [{"name": "chartgen-tmp", "emptyDir": {}}]
    assert container["volumeMounts"] == [{"name": "chartgen-tmp", "mountPath": "/tmp"}]
    kinds = ("cpu", "ephemeral-storage", "memory")
    assert sorted(container["resources"]["limits"]) == [*kinds]
    assert sorted(container["resources"]["requests"]) == [*kinds]
    assert {"readinessProbe", "livenessProbe"} <= container.keys()


def test_what_the_job_says_of_tensorboard_wins(helm: str, tmp_path: Path) -> None:
    """Logs may belong to another user, even to root, and /tmp may be a volume."""
    more = """
podSecurityContext: {fsGroup: 7}
tensorboard:
  logDir: /tmp/logs
  podSecurityContext: {runAsUser: 0}
  securityContext: {readOnlyRootFilesystem: false}
  resources: {requests: {memory: 8Gi}}
  volumes: [{name: own, emptyDir: {}}]
  volumeMounts: [{name: own, mountPath: /tmp/}]
"""
    spec, container = tensorboard(helm, tmp_path, more)
    assert spec["securityContext"] == {
        "fsGroup": 7,
        "runAsUser": 0,
        "runAsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"]["readOnlyRootFilesystem"] is False
    assert [volume["name"] for volume in spec["volumes"]] == ["own"]
    assert [mount["name"] for mount in container["volumeMounts"]] == ["own"]
    assert container["resources"]["requests"]["memory"] == "8Gi"
    assert "memory" not in container["resources"]["limits"]


def test_tensorboard_of_a_restricted_job_is_the_user_of_its_replicas(
    helm: str, tmp_path: Path
) -> None:
    """It can read what they write."""
    more = "podSecurity: restricted\ntensorboard: {logDir: /logs}\n"
    spec, container = tensorboard(helm, tmp_path, more)
    assert spec["securityContext"]["runAsUser"] == 1000
    assert spec["securityContext"]["fsGroup"] == 1000
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


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
