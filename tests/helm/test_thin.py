"""The thin layout through Helm: the objects of the full one, alone and in an umbrella chart."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import pipeline
from chartgen.chart import ChartOptions, thin
from chartgen.chart.metadata import LIBRARY as LIBRARY_NAME
from tests.support.charts import Objects, named, read_objects, refusal, render, run, template, write
from tests.support.command_line import Typist
from tests.support.paths import ROOT
from tests.unit.chart.test_framework_file import DESCRIPTIONS

pytestmark = pytest.mark.usefixtures("resident_helm")

THIN = ChartOptions(layout="thin")
LIBRARY = thin.library()
# The one job that is too large to be compared document by document; its overrides stay.
LARGE = ("--set", "roles.worker.replicas=12,roles.ps.replicas=2")
MNIST = ROOT / "values/jobs/mnist.yaml"


def render_thin(description: str, folder: Path, file: str = "job.yaml") -> Path:
    """The thin chart of a job, with the library in it as `helm dependency build` puts it there."""
    (document, *_) = pipeline.read(description.encode(), file)
    checked = pipeline.check(document)
    chart = write(pipeline.render(checked, THIN), folder / checked.job.name)
    write(LIBRARY, chart / "charts" / LIBRARY_NAME)
    return chart


def without_sources(printed: str) -> str:
    return re.sub(r"(?m)^# Source: .*\n", "", printed)


def by_name(objects: Objects) -> dict[tuple[str, str], dict[str, Any]]:
    listed = {(manifest["kind"], manifest["metadata"]["name"]): manifest for manifest in objects}
    assert len(listed) == len(objects)
    return listed


@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_the_objects_are_those_of_the_full_layout(
    description: Path, helm3: str, tmp_path: Path
) -> None:
    """To the byte with Helm 3."""
    text = description.read_text("utf-8")
    full, small = render(text, tmp_path / "full"), render_thin(text, tmp_path / "thin")
    arguments = LARGE if description.stem == "large" else ()
    printed = template(helm3, small, *arguments)
    assert without_sources(printed) == without_sources(template(helm3, full, *arguments))


@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_the_objects_are_those_of_the_full_layout_with_helm_4(
    description: Path, helm4: str, tmp_path: Path
) -> None:
    """It leaves blank lines where a template of a library ends, which mean nothing."""
    text = description.read_text("utf-8")
    full, small = render(text, tmp_path / "full"), render_thin(text, tmp_path / "thin")
    arguments = LARGE if description.stem == "large" else ()
    assert read_objects(helm4, small, *arguments) == read_objects(helm4, full, *arguments)


@pytest.mark.parametrize(
    "settings",
    [
        "roles.worker.replicas=5,roles.ps.port=3333",
        "tensorflow.cluster=sparse,cleanup.enabled=true,podSecurity=restricted",
        "cloud=azure,roles.worker.gpu=2",
        "rbac.create=false,tensorboard=null,commonLabels.team=vision",
    ],
)
def test_values_at_install_mean_the_same(settings: str, helm: str, tmp_path: Path) -> None:
    """Devices too: a library has the data of all clouds, as a full chart has with --clouds all."""
    text = MNIST.read_text("utf-8")
    (document,) = pipeline.read(text.encode(), "job.yaml")
    files = pipeline.render(pipeline.check(document), ChartOptions(clouds="all"))
    full, small = write(files, tmp_path / "mnist"), render_thin(text, tmp_path / "thin")
    expected = read_objects(helm, full, "--set", settings)
    assert read_objects(helm, small, "--set", settings) == expected


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("roles.worker.overrides.9.image=x", "roles.worker has no replica 9"),
        ("cloud=azur", "no cloud is named azur"),
        ("image=null", "image or image must be set"),
        ("roles.worked.replicas=3", "worked"),
        ("chartgen-library.x=1,imagePolicy=Always", "imagePolicy"),
    ],
)
def test_wrong_values_are_refused_with_the_same_sentence(
    setting: str, sentence: str, helm: str, tmp_path: Path
) -> None:
    small = render_thin(MNIST.read_text("utf-8"), tmp_path)
    assert sentence in refusal(helm, small, "--set", setting)


def test_notes_are_those_of_the_full_layout_and_say_how_the_library_comes_in(
    helm4: str, tmp_path: Path
) -> None:
    text = MNIST.read_text("utf-8")
    shown = []
    for chart in (render(text, tmp_path / "full"), render_thin(text, tmp_path / "thin")):
        done = run(helm4, "install", "demo", chart, "--dry-run=client")
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout.partition("NOTES:\n")[2].strip())
    assert shown[0].startswith("mnist is installed as demo")
    before, _, after = shown[1].partition("Before an upgrade to a chart that was rendered again")
    own, _, rest = after.partition("\n\n")
    assert own.endswith("\n  helm dependency build CHARTS/mnist")
    assert before + rest == shown[0]


def test_the_charts_lint_once_the_library_is_there(helm: str, typed: Typist) -> None:
    """As people do it: render, build, lint; and to --check what Helm wrote is no difference."""
    words = ("render", str(MNIST), "-o", "out", "--layout", "thin")
    assert typed(*words).code == 0
    library, chart = (typed.folder / "out" / name for name in (LIBRARY_NAME, "mnist"))
    linted = run(helm, "lint", "--strict", library)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    built = run(helm, "dependency", "build", chart)
    assert built.returncode == 0, built.stderr
    assert (chart / "Chart.lock").exists()
    assert [path.suffix for path in (chart / "charts").iterdir()] == [".tgz"]
    linted = run(helm, "lint", "--strict", chart)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert typed(*words, "--check") == (0, "", "1 up to date\n")
    assert typed(*words).code == 0
    assert (chart / "Chart.lock").exists(), "what Helm wrote is kept"
    packed = run(helm, "package", chart, "-d", typed.folder)
    assert packed.returncode == 0, packed.stderr
    objects = read_objects(helm, typed.folder / "mnist-0.1.0.tgz")
    assert objects == read_objects(helm, render(MNIST.read_text("utf-8"), typed.folder / "full"))


def test_a_thin_chart_is_tested_without_being_changed(helm: str, typed: Typist) -> None:
    """`chartgen test` puts the library into a copy; the chart in Git stays as it is."""
    typed("render", str(MNIST), "-o", "out", "--layout", "thin")
    before = typed.tree("out")
    code, out, err = typed("test", "out/mnist", "--helm", helm, "--output", "json")
    assert code == 0, err
    (report,) = json.loads(out)["charts"]
    results = {stage["name"]: stage["result"] for stage in report["stages"]}
    assert {results[name] for name in ("chart", "lint", "render", "policy")} == {"passed"}
    assert typed.tree("out") == before
    library = typed("test", f"out/{LIBRARY_NAME}", "--helm", helm)
    assert library.code == 0, library.out
    assert "a library chart renders no objects" in library.out


OTHER = """
name: other
framework: mxnet
image: registry.example.com/other:1
roles: {scheduler: {}, server: {}, worker: {replicas: 2}}
"""
NAMED_CHARTGEN = """
name: chartgen
framework: tensorflow
image: registry.example.com/chartgen:1
roles: {worker: {replicas: 2}}
"""


def umbrella(folder: Path, *aliases: tuple[str, str]) -> Path:
    """A chart over those in its charts/, some under other names."""
    chart = folder / "umbrella"
    listed = []
    for name, alias in aliases:
        entry = {"name": name, "version": "0.1.0", "repository": ""}
        listed.append({**entry, "alias": alias} if alias else entry)
    metadata = {"apiVersion": "v2", "name": "umbrella", "version": "0.1.0", "dependencies": listed}
    write({"Chart.yaml": yaml.safe_dump(metadata), "values.yaml": "{}\n"}, chart)
    return chart


def test_charts_in_an_umbrella_keep_apart(helm: str, tmp_path: Path) -> None:
    """Several jobs, one named as our own templates, one there twice: each is as it is alone."""
    charts = umbrella(tmp_path, ("mnist", ""), ("mnist", "again"), ("other", ""), ("chartgen", ""))
    apart: Objects = []
    for text in (MNIST.read_text("utf-8"), OTHER, NAMED_CHARTGEN):
        apart += read_objects(helm, render_thin(text, charts / "charts"))
    together = by_name(read_objects(helm, charts))
    aliased = {key: manifest for key, manifest in together.items() if is_of(manifest, "again")}
    rest = {key: manifest for key, manifest in together.items() if key not in aliased}
    assert rest == by_name(apart)
    assert len(aliased) == len([manifest for manifest in apart if is_of(manifest, "mnist")])
    assert {kind for kind, _ in aliased} == {
        manifest["kind"] for manifest in apart if is_of(manifest, "mnist")
    }


def is_of(manifest: dict[str, Any], job: str) -> bool:
    return bool(manifest["metadata"]["labels"]["app.kubernetes.io/name"] == job)


def test_values_of_an_umbrella_reach_the_chart_they_name(helm: str, tmp_path: Path) -> None:
    charts = umbrella(tmp_path, ("mnist", ""), ("mnist", "again"))
    render_thin(MNIST.read_text("utf-8"), charts / "charts")
    settings = "again.roles.worker.replicas=1,global.imageRegistry=mirror.example.com"
    objects = read_objects(helm, charts, "--set", settings)
    counts = {
        name: sum(
            is_of(job, name) for job in named(objects, "Job") if "worker" in job["metadata"]["name"]
        )
        for name in ("mnist", "again")
    }
    assert counts == {"mnist": 3, "again": 1}
    images = {
        container["image"]
        for job in named(objects, "Job")
        for container in job["spec"]["template"]["spec"]["containers"]
    }
    assert images == {"mirror.example.com/mnist:1.4"}


def test_full_and_thin_charts_in_one_umbrella_keep_apart(helm: str, tmp_path: Path) -> None:
    charts = umbrella(tmp_path, ("mnist", ""), ("other", ""))
    apart = read_objects(helm, render(MNIST.read_text("utf-8"), charts / "charts"))
    apart += read_objects(helm, render_thin(OTHER, charts / "charts"))
    assert by_name(read_objects(helm, charts)) == by_name(apart)
