"""Every image can be set: by parts, for one role, for helpers, for a whole registry."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.support import charts
from tests.support.charts import Objects, pods, read_objects, refusal, template
from tests.support.paths import ROOT
from tests.support.plain_charts import JOB, RICH, render, values_file
from tests.unit.chart.test_framework_file import DESCRIPTIONS
from tests.unit.chart.test_golden import GOLDEN

DIGEST = f"sha256:{'0123456789abcdef' * 4}"


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(RICH, tmp_path_factory.mktemp("rich"))


def images(objects: Objects) -> set[str]:
    """Every image that a pod of the chart runs."""
    all_images = set()
    for manifest in objects:
        pod = (
            manifest["spec"]
            if manifest["kind"] == "Pod"
            else manifest.get("spec", {}).get("template", {}).get("spec")
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
    objects = read_objects(helm, render(job, tmp_path), "--set", setting)
    assert {pod["spec"]["containers"][0]["image"] for pod in pods(objects, "worker")} == {image}


def test_a_role_may_have_another_tag_of_the_same_repository(helm: str, tmp_path: Path) -> None:
    job = JOB.replace(
        "image: registry.example.com/mnist:1.4", 'image: {repository: a/b, tag: "1"}'
    ).replace("{replicas: 2}", "{replicas: 2, image: {tag: '2'}, overrides: {'1': {image: c:3}}}")
    objects = read_objects(helm, render(job, tmp_path))
    used = [pod["spec"]["containers"][0]["image"] for pod in pods(objects, "worker")]
    assert used == ["a/b:2", "c:3"]
    assert pods(objects, "chief")[0]["spec"]["containers"][0]["image"] == "a/b:1"


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


def helper_images(objects: Objects) -> dict[str, tuple[str, str]]:
    """The image of each container that helps the job, and how it is pulled."""
    used = {}
    for manifest in objects:
        pod = (
            manifest if manifest["kind"] == "Pod" else manifest.get("spec", {}).get("template", {})
        )
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
    objects = read_objects(helm, charts.render(HELPED, tmp_path), *options)
    own = ("registry.example.com/own:1", "Always")
    expected = {"test": test, "wait": wait, "cleanup": cleanup}
    assert helper_images(objects) == {
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
    before = images(read_objects(helm3, chart, "--set", settings))
    after = images(read_objects(helm3, chart, "--set", f"{settings},global.imageRegistry={MIRROR}"))
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
    objects = read_objects(helm, render(job, tmp_path), "--set", f"global.imageRegistry={MIRROR}/")
    used = images(objects)
    assert {f"{MIRROR}/s:1", f"{MIRROR}/i:1", f"{MIRROR}/busybox:1.37.0"} <= used
    assert all(image.startswith(f"{MIRROR}/") and image.count("proxy") == 1 for image in used)


def test_masters_are_told_images_of_the_registry(helm: str, tmp_path: Path) -> None:
    """Those that Angel's and ElasticDL's masters give to the pods they create."""
    setting = ("--set", f"global.imageRegistry={MIRROR}")
    angel = render((GOLDEN / "angel/job.yaml").read_text("utf-8"), tmp_path)
    (client,) = pods(read_objects(helm, angel, *setting), "client")
    words = " ".join(client["spec"]["containers"][0]["args"])
    told = re.search(r"angel\.kubernetes\.container\.image=(\S+)", words)
    assert told
    assert told[1] == client["spec"]["containers"][0]["image"]
    assert told[1].startswith(f"{MIRROR}/")
    elastic = render((GOLDEN / "elasticdl-native/job.yaml").read_text("utf-8"), tmp_path)
    (master,) = pods(read_objects(helm, elastic, *setting), "master")
    words = " ".join(master["spec"]["containers"][0]["args"])
    told = re.search(r"--worker_image=(\S+)", words)
    assert told
    assert told[1].startswith(f"{MIRROR}/")


def test_masters_are_told_images_in_parts_as_one_text(helm: str, tmp_path: Path) -> None:
    data = yaml.safe_load((GOLDEN / "angel/job.yaml").read_text("utf-8"))
    data["image"] = {"repository": "example.com/angel", "tag": "3.1.0"}
    (client,) = pods(read_objects(helm, render(json.dumps(data), tmp_path)), "client")
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
    objects = read_objects(helm, rich, "--set", "imagePullSecrets[0].name=mirror")
    for manifest in objects:
        pod = (
            manifest["spec"]
            if manifest["kind"] == "Pod"
            else manifest.get("spec", {}).get("template", {}).get("spec")
        )
        if pod:
            assert pod["imagePullSecrets"] == [{"name": "mirror"}], manifest["metadata"]["name"]
