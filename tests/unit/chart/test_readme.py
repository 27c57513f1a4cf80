"""A chart's README: what it says about roles, values and groups."""

import re
from pathlib import Path

import pytest
import yaml

from chartgen import pipeline, resources
from chartgen.chart.readme import escape
from tests.support.charts import render

HEAD = "name: mnist\nframework: tensorflow\n"
JOBS = {
    "one image": "image: a:1\nroles: {chief: {}, worker: {}}\n",
    "images of their own": "roles: {chief: {image: a:1}, worker: {image: b:1}}\n",
    "some of their own": "image: a:1\nroles: {chief: {}, worker: {}, ps: {image: b:1}}\n",
    "a given id": "image: a:1\nruntimeId: 76no\nroles: {chief: {}, worker: {}}\n",
}


def test_the_readme_names_the_roles_that_keep_their_own_image(tmp_path: Path) -> None:
    text = (render(HEAD + JOBS["some of their own"], tmp_path) / "README.md").read_text(
        encoding="utf-8"
    )
    assert "`ps` has its own image, which `--set image=` does not change" in text
    text = (render(HEAD + JOBS["one image"], tmp_path) / "README.md").read_text(encoding="utf-8")
    assert "its own image" not in text


@pytest.mark.parametrize("group", ["tensorboard", "accelerator"])
def test_every_field_of_a_group_is_in_values_and_readme(group: str, tmp_path: Path) -> None:
    """Fields that are set with their values, and the others as examples, there or job-wide.

    The README leaves out what is job-wide, and says that a group has such fields.
    """
    more = "tensorboard: {logDir: /logs}\ncloud: gke\n"
    chart = render(f"{HEAD}{JOBS['one image']}{more}", tmp_path)
    fields = resources.data("schemas/job.schema.json")["definitions"][group]["properties"]
    readme = (chart / "README.md").read_text(encoding="utf-8")
    values = (chart / "values.yaml").read_text(encoding="utf-8")
    part = re.split(r"\n(?:# )?" + group + ":", values)[1].partition("\n\n")[0]
    for field in fields:
        if re.search(rf"^[# ]+{field}:", part, re.MULTILINE):
            assert re.search(rf"(^|`|  ){group}\.{field}\b", readme, re.MULTILINE), field
        else:
            assert "roles and TensorBoard have values of pods, too" in readme
            assert re.search(rf"^  # (\w+, )*{field}(,|$)", part, re.MULTILINE), field
            assert re.search(rf"^(# )?{field}:", values, re.MULTILINE), field


def test_an_empty_group_stays_a_mapping(tmp_path: Path) -> None:
    """An empty mapping must not become null, with which Helm would remove the default."""
    chart = render(f"{HEAD}{JOBS['one image']}rbac: {{}}\n", tmp_path)
    assert yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))["rbac"] == {}


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("See `chartgen list accelerators`.", "See `chartgen list accelerators`"),
        ("`a|b` or *c*", r"`a\|b` or \*c\*"),
        ("one ` alone", r"one \` alone"),
    ],
)
def test_code_in_a_description_is_code_in_the_readme(text: str, markdown: str) -> None:
    """Everything else that Markdown would obey is escaped."""
    assert escape(text) == markdown


def test_the_readme_repeats_no_secret_of_env() -> None:
    """A README is sent around more freely than values; a path is not a secret."""
    text = (
        "name: j\nframework: tensorflow\nimage: j:1\nenv: {DB_PASSWORD: swordfish, A_TOKEN: /t}\n"
        "roles: {worker: {command: [w], env: {API_KEY: k123}}}\n"
    )
    (document,) = pipeline.read(text.encode(), "job.yaml")
    files = pipeline.render(pipeline.check(document))
    assert "swordfish" not in files["README.md"]
    assert "k123" not in files["README.md"]
    assert '"A_TOKEN": "/t"' in files["README.md"]
    assert "swordfish" in files["values.yaml"]
