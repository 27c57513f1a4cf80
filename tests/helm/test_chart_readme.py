"""A chart's own README and notes: what they tell people to type works for that very chart."""

import re
from pathlib import Path

import pytest
import yaml

from chartgen import resources
from tests.support.charts import named, objects, render, run

HEAD = "name: mnist\nframework: tensorflow\n"
JOBS = {
    "one image": "image: a:1\nroles: {chief: {}, worker: {}}\n",
    "images of their own": "roles: {chief: {image: a:1}, worker: {image: b:1}}\n",
    "some of their own": "image: a:1\nroles: {chief: {}, worker: {}, ps: {image: b:1}}\n",
    "a given id": "image: a:1\nruntimeId: 76no\nroles: {chief: {}, worker: {}}\n",
}


def tune(chart: Path) -> list[str]:
    """The settings of the command under Tune."""
    part = (chart / "README.md").read_text(encoding="utf-8").partition("## Tune")[2]
    (command,) = [line for line in part.splitlines() if line.startswith("helm upgrade")]
    return command.split("./mnist ", 1)[1].split()


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS.keys())
def test_what_the_readme_tells_to_type_changes_the_image_and_every_name(job: str, helm3: str, tmp_path: Path) -> None:
    """No Job keeps its name while its pod changes, which Kubernetes would refuse."""
    chart = render(HEAD + job, tmp_path)
    before = named(objects(helm3, chart), "Job")
    after = named(objects(helm3, chart, *tune(chart)), "Job")
    assert "registry.example.com/other:2" in str(after)
    assert {one["metadata"]["name"] for one in before}.isdisjoint(one["metadata"]["name"] for one in after)


def test_the_readme_names_roles_that_keep_their_image(tmp_path: Path) -> None:
    text = (render(HEAD + JOBS["some of their own"], tmp_path) / "README.md").read_text(encoding="utf-8")
    assert "`ps` has an image of its own, which `--set image=` does not change" in text
    text = (render(HEAD + JOBS["one image"], tmp_path) / "README.md").read_text(encoding="utf-8")
    assert "image of its own" not in text


def test_a_given_runtime_id_is_no_hash_and_readme_and_notes_say_what_that_means(helm4: str, tmp_path: Path) -> None:
    chart = render(HEAD + JOBS["a given id"], tmp_path)
    text = (chart / "README.md").read_text(encoding="utf-8")
    assert "hash" not in text.partition("## Tune")[2].partition("## Values")[0]
    assert "runtime id `76no`, which was given" in text
    said = "The runtime id 76no was given"
    dry = ("install", "demo", chart, "--dry-run=client")
    assert said in run(helm4, *dry).stdout
    assert "was given" not in run(helm4, *dry, "--set", "runtimeId=").stdout


@pytest.mark.parametrize("group", ["tensorboard", "accelerator"])
def test_every_field_of_a_group_is_told_in_values_and_readme(group: str, tmp_path: Path) -> None:
    """Set ones with their values, and the others as examples."""
    chart = render(f"{HEAD}{JOBS['one image']}tensorboard: {{logDir: /logs}}\n", tmp_path)
    fields = resources.data("schemas/job.schema.json")["definitions"][group]["properties"]
    readme = (chart / "README.md").read_text(encoding="utf-8")
    values = (chart / "values.yaml").read_text(encoding="utf-8")
    part = re.split(r"\n(?:# )?" + group + ":", values)[1].partition("\n\n")[0]
    assert [field for field in fields if f"| `{group}.{field}` |" not in readme] == []
    assert [field for field in fields if not re.search(rf"^[# ]+{field}:", part, re.MULTILINE)] == []


def test_a_group_with_nothing_in_it_stays_one(tmp_path: Path) -> None:
    """An empty mapping is no null, which Helm would take for a wish to remove the default."""
    chart = render(f"{HEAD}{JOBS['one image']}rbac: {{}}\n", tmp_path)
    assert yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))["rbac"] == {}
