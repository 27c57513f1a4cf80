"""The data of clouds, accelerators and fabrics: valid, with sources, the same in every chart."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import resources, schema
from chartgen.chart import ChartOptions
from chartgen.devices import catalog
from chartgen.document import Document
from chartgen.errors import Mark
from tests.support.charts import render
from tests.support.paths import ROOT

JOB: dict[str, Any] = resources.data("schemas/job.schema.json")
KINDS = [
    (kind, name) for kind in ("cloud", "accelerator", "fabric") for name in catalog.names(kind)
]
ACCELERATORS = {name: catalog.data("accelerator", name) for name in catalog.names("accelerator")}
CLOUDS = {name: catalog.data("cloud", name) for name in catalog.names("cloud")}


def problems(data: Any, definition: str) -> list[str]:
    """The problems of some data according to a definition of the job's schema."""
    rules = {"$ref": f"#/definitions/{definition}", "definitions": JOB["definitions"]}
    document = Document("x.yaml", data, lambda path, key: Mark("x.yaml"))
    return [problem.message for problem in schema.check(document, rules)]


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_are_valid(name: str) -> None:
    assert problems(CLOUDS[name], "cloudData") == []
    assert CLOUDS[name]["description"]


@pytest.mark.parametrize("name", catalog.names("fabric"))
def test_fabrics_are_valid(name: str) -> None:
    assert problems(catalog.data("fabric", name), "fabricData") == []
    assert catalog.data("fabric", name)["description"]


def test_the_schema_refuses_what_is_wrong() -> None:
    assert problems({"device": {}}, "cloudData") == ["unknown key 'device'"]
    assert problems({"devices": {"nvidia.com/gpu": {"env": ["A"]}}}, "cloudData")


def test_accelerators_can_be_distinguished() -> None:
    """A type means one thing, and a resource is one accelerator's."""
    named = [
        name
        for name, accelerator in ACCELERATORS.items()
        for name in (name, *accelerator.get("types", ()))
    ]
    assert sorted(set(named)) == sorted(named)
    resources_ = [accelerator["resource"] for accelerator in ACCELERATORS.values()]
    assert sorted(set(resources_)) == sorted(resources_)
    for accelerator in ACCELERATORS.values():
        assert accelerator.keys() <= {
            "description",
            "resource",
            "types",
            "slice",
            "profiles",
            "instead",
        }
        assert problems(accelerator["resource"], "resourceName") == []
        assert accelerator["description"]


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_refer_only_to_what_exists(name: str) -> None:
    """Types, machines and fabrics name known accelerators, and devices that the cloud has."""
    cloud = CLOUDS[name]
    named = {
        name
        for name, accelerator in ACCELERATORS.items()
        for name in (name, *accelerator.get("types", ()))
    }
    models = {
        machine["type"] for machine in cloud.get("machines", {}).values() if "type" in machine
    }
    assert {*cloud.get("types", {}), *models} <= named
    for machine in cloud.get("machines", {}).values():
        if "type" in machine:
            _, kind = catalog.find_accelerator(machine["type"])
            assert kind["resource"] in machine["holds"]
            assert catalog.find_device(cloud, kind["resource"]) is not None
    for fabric, own in cloud.get("fabrics", {}).items():
        assert fabric in catalog.names("fabric") or own["description"]
        takes = own.get("takes") or catalog.data("fabric", fabric).get("takes", ())
        for resource in takes:
            assert any(resource in machine["holds"] for machine in cloud["machines"].values())
        assert own.get("types", {}).keys() <= models | cloud.get("types", {}).keys()


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_every_file_names_the_source_of_its_data(kind: str, name: str) -> None:
    """It opens with a comment; general knowledge is marked and explained there or in place."""
    text = catalog.text(kind, name)
    assert text.startswith("# ")
    if kind == "cloud" and "[K]" in text:
        assert "general knowledge" in text.replace("\n# ", " ")


def test_no_code_names_a_cloud() -> None:
    """A cloud is data: neither Python nor a template mentions one by name."""
    names = "|".join(re.escape(name) for name in CLOUDS if name != "none")
    word = re.compile(rf"['\"]({names})['\"]")
    files = [
        *ROOT.glob("chartgen/**/*.py"),
        *ROOT.glob("charts/**/*.tpl"),
        *ROOT.glob("charts/**/*.yaml"),
    ]
    assert [file.name for file in files if word.search(file.read_text("utf-8"))] == []


@pytest.mark.unmeasured
def test_the_stream_equals_the_files() -> None:
    """The chart splits it at lines of three dashes, so no document may contain such a line."""
    parts = catalog.stream().split("---\n")
    documents = list(yaml.safe_load_all(catalog.stream()))
    assert len(parts) == len(documents) == len(KINDS)
    for (kind, name), part, document in zip(KINDS, parts, documents, strict=True):
        assert part.startswith(f"{kind}: {name}\n")
        assert "#" not in part
        assert yaml.safe_load(part) == document == {kind: name, **catalog.data(kind, name)}


@pytest.mark.parametrize(
    "more", ["cloud: gke", "clouds: {ours: {}}", "gpu: 1", "resources: {limits: {a.com/b: 1}}"]
)
def test_a_chart_carries_every_cloud_if_its_job_can_use_one(tmp_path: Path, more: str) -> None:
    job = "{name: j, framework: tensorflow, image: 'i:1', roles: {worker: {}}, %s}"
    chart = render(job % more, tmp_path, options=ChartOptions())
    assert (chart / "files" / "clouds.yaml").read_text("utf-8") == catalog.stream()


def test_other_charts_carry_only_the_names_of_clouds(tmp_path: Path) -> None:
    job = "{name: j, framework: tensorflow, image: 'i:1', roles: {worker: {}}}"
    chart = render(job, tmp_path, options=ChartOptions())
    assert not (chart / "files" / "clouds.yaml").exists()
    assert (chart / "files" / "clouds.txt").read_text("utf-8").split() == catalog.names("cloud")
    assert "nvidia-operator" not in (chart / "values.yaml").read_text("utf-8")
