"""The data of clouds, accelerators and fabrics: valid, with sources, and the same in the chart as in values/."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import resources, schema
from chartgen.chart import values_schema as values
from chartgen.devices import catalog as clouds
from chartgen.document import Document
from chartgen.errors import Mark
from tests.support.charts import objects, pods, render

ROOT = Path(__file__).parents[3]
JOB: dict[str, Any] = resources.data("schemas/job.schema.json")
KINDS = [(kind, name) for kind in ("cloud", "accelerator", "fabric") for name in clouds.names(kind)]
ACCELERATORS = {name: clouds.data("accelerator", name) for name in clouds.names("accelerator")}
CLOUDS = {name: clouds.data("cloud", name) for name in clouds.names("cloud")}


def problems(data: Any, definition: str) -> list[str]:
    """What a definition of the job's schema says against some data."""
    rules = {"$ref": f"#/definitions/{definition}", "definitions": JOB["definitions"]}
    document = Document("x.yaml", data, lambda path, key: Mark("x.yaml"))
    return [problem.message for problem in schema.check(document, rules)]


def test_golden_schema_of_a_cloud_stands_alone(bless: bool) -> None:
    """schemas/cloud.schema.json is for editors, and says of a cloud what the job's schema says of `clouds`."""
    whole = {"$schema": JOB["$schema"], **JOB["definitions"]["cloudData"]}
    whole["definitions"] = {name: JOB["definitions"][name] for name in values._reachable(whole, JOB["definitions"])}
    text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    place = ROOT / "schemas" / "cloud.schema.json"
    if bless:
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_are_valid(name: str) -> None:
    assert problems(CLOUDS[name], "cloudData") == []
    assert CLOUDS[name]["description"]


@pytest.mark.parametrize("name", clouds.names("fabric"))
def test_fabrics_are_valid(name: str) -> None:
    assert problems(clouds.data("fabric", name), "fabricData") == []
    assert clouds.data("fabric", name)["description"]


def test_the_schema_can_refuse() -> None:
    assert problems({"device": {}}, "cloudData") == ["unknown key 'device'"]
    assert problems({"devices": {"nvidia.com/gpu": {"env": ["A"]}}}, "cloudData")


def test_accelerators_are_told_apart() -> None:
    """A type means one thing, and a resource is one accelerator's."""
    named = [name for name, one in ACCELERATORS.items() for name in (name, *one.get("types", ()))]
    assert sorted(set(named)) == sorted(named)
    resources_ = [one["resource"] for one in ACCELERATORS.values()]
    assert sorted(set(resources_)) == sorted(resources_)
    for one in ACCELERATORS.values():
        assert one.keys() <= {"description", "resource", "types", "slice", "profiles", "instead"}
        assert problems(one["resource"], "resourceName") == []
        assert one["description"]


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_speak_of_what_there_is(name: str) -> None:
    """Types, machines and fabrics name accelerators that are known, and devices that the cloud has."""
    cloud = CLOUDS[name]
    named = {name for name, one in ACCELERATORS.items() for name in (name, *one.get("types", ()))}
    models = {machine["type"] for machine in cloud.get("machines", {}).values() if "type" in machine}
    assert {*cloud.get("types", {}), *models} <= named
    for machine in cloud.get("machines", {}).values():
        if "type" in machine:
            _, kind = clouds.accelerator(machine["type"])
            assert kind["resource"] in machine["holds"]
            assert clouds.device(cloud, kind["resource"]) is not None
    for fabric, own in cloud.get("fabrics", {}).items():
        assert fabric in clouds.names("fabric") or own["description"]
        takes = own.get("takes") or clouds.data("fabric", fabric).get("takes", ())
        for resource in takes:
            assert any(resource in machine["holds"] for machine in cloud["machines"].values())
        assert own.get("types", {}).keys() <= models | cloud.get("types", {}).keys()


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_every_file_says_where_its_data_come_from(kind: str, name: str) -> None:
    """It opens with a comment; what is marked as general knowledge is explained there or in place."""
    text = clouds.text(kind, name)
    assert text.startswith("# ")
    if kind == "cloud" and "[K]" in text:
        assert "general knowledge" in text.replace("\n# ", " ")


def test_no_code_names_a_cloud() -> None:
    """A cloud is data: neither Python nor a template knows one by name."""
    names = "|".join(re.escape(name) for name in CLOUDS if name != "none")
    word = re.compile(rf"['\"]({names})['\"]")
    files = [*ROOT.glob("chartgen/**/*.py"), *ROOT.glob("charts/**/*.tpl"), *ROOT.glob("charts/**/*.yaml")]
    assert [file.name for file in files if word.search(file.read_text("utf-8"))] == []


def test_the_stream_says_what_the_files_say() -> None:
    """What travels with a chart is cut at lines of three dashes, so that none may stand inside a document."""
    parts = clouds.stream().split("---\n")
    documents = list(yaml.safe_load_all(clouds.stream()))
    assert len(parts) == len(documents) == len(KINDS)
    for (kind, name), part, document in zip(KINDS, parts, documents, strict=True):
        assert part.startswith(f"{kind}: {name}\n")
        assert "#" not in part
        assert yaml.safe_load(part) == document == {kind: name, **clouds.data(kind, name)}


def test_every_cloud_travels_with_every_chart(tmp_path: Path) -> None:
    chart = render("{name: j, framework: tensorflow, image: i, roles: {worker: {}}}", tmp_path)
    assert (chart / "files" / "clouds.yaml").read_text("utf-8") == clouds.stream()
    assert "nvidia-operator" not in (chart / "values.yaml").read_text("utf-8")


def test_adding_a_cloud_touches_one_file_of_yaml_and_no_python(helm3: str, tmp_path: Path) -> None:
    """In a copy of chartgen with one more file, the new cloud is listed, explained, checked and injected."""
    for folder in ("chartgen", "charts", "schemas", "values"):
        shutil.copytree(ROOT / folder, tmp_path / "copy" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    new = "# Made up.\ndescription: New\ndevices: {nvidia.com/gpu: {env: {NEW: here}}}\n"
    (tmp_path / "copy/values/clouds/new.yaml").write_text(new, "utf-8")
    job = "{name: j, framework: tensorflow, image: i, cloud: new, roles: {worker: {gpu: 1}}}"
    (tmp_path / "job.yaml").write_text(job, "utf-8")

    def typed(*words: str) -> str:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        command = [sys.executable, "-m", "chartgen", *words]
        environment = {**plain, "PYTHONPATH": str(tmp_path / "copy")}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert "new              New" in typed("list", "clouds")
    assert "NEW=here" in typed("explain", "cloud", "new")
    typed("render", "job.yaml", "-o", "out")
    for arguments in ((), ("--set", "cloud=new")):
        pod = pods(objects(helm3, tmp_path / "out/j", *arguments), "worker")[0]
        assert {"name": "NEW", "value": "here"} in pod["spec"]["containers"][0]["env"]
