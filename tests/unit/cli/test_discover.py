"""The commands `list`, `explain` and `schema`, as typed."""

import json
import re

import pytest

from chartgen import frameworks, resources
from chartgen.cli.commands import COMMANDS
from chartgen.manual import fields
from chartgen.native import FORMATS
from tests.support.command_line import Typist


def test_frameworks_are_listed_in_aligned_columns(typed: Typist) -> None:
    code, out, err = typed("list", "frameworks")
    assert (code, err) == (0, "")
    head, *rows = out.splitlines()
    assert head.split() == ["NAME", "ROLES", "ABOUT"]
    assert [row.split()[0] for row in rows] == [*frameworks.MODULES]
    starts = [head.index(name) for name in ("ROLES", "ABOUT")]
    assert all(row[start - 1] == " " and row[start] != " " for row in rows for start in starts)
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_roles_are_listed_for_all_frameworks_or_for_one(typed: Typist) -> None:
    _, out, _ = typed("list", "roles", "tensorflow", "--output", "json")
    assert {row["role"]: row["about"] for row in json.loads(out)} == frameworks.framework(
        "tensorflow"
    ).ROLES
    everything = json.loads(typed("list", "roles", "--output=json").out)
    assert {row["framework"] for row in everything} == frameworks.MODULES.keys()


def test_clouds_examples_and_commands_are_listed(typed: Typist) -> None:
    clouds = json.loads(typed("list", "clouds", "--output=json").out)
    assert {
        "name": "none",
        "about": "Nothing is added; pods stay as the job describes them.",
    } in clouds
    examples = json.loads(typed("list", "examples", "--output=json").out)
    assert [row["framework"] for row in examples if row["name"] == "mnist"] == ["tensorflow"]
    assert all(row["about"].endswith(".") for row in examples), (
        "an example's first line says what it is"
    )
    listed = json.loads(typed("list", "commands", "--output=json").out)
    assert {row["name"]: row["about"] for row in listed} == COMMANDS


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list",), "the following arguments are required: WHAT"),
        (("list", "cloud"), "argument WHAT: invalid choice: 'cloud' (choose from "),
        (
            ("list", "roles", "tensorflw"),
            "there is no framework 'tensorflw'; did you mean 'tensorflow'?",
        ),
        (("list", "clouds", "tensorflow"), "only 'roles' takes a framework, not 'clouds'"),
        (("schema", "jb"), "there is no schema 'jb'; did you mean 'job'?"),
        (
            ("explain", "job.rolls"),
            "there is nothing named 'job.rolls' to explain; did you mean 'job.roles'",
        ),
        (
            ("explain", "roles.worker.replica"),
            "job.roles.worker has no field 'replica'; did you mean 'replicas'?",
        ),
        (("explain", "volumes.x.y"), "job.volumes has no field 'x'; known: name, "),
        (
            ("explain", "name.x"),
            "job.name has no fields that chartgen knows: it is passed on as it is",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    typed: Typist, words: tuple[str, ...], message: str
) -> None:
    code, out, err = typed(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"chartgen: {message}")


@pytest.mark.parametrize("name", frameworks.MODULES)
def test_a_framework_is_explained_by_its_modules_docstring(typed: Typist, name: str) -> None:
    code, out, err = typed("explain", name)
    assert (code, err) == (0, "")
    page, _, also = out.partition("\nSee also\n")
    assert page == (frameworks.framework(name).__doc__ or "").rstrip() + "\n"
    assert f"  chartgen explain field {name}\n" in also


def test_an_example_is_printed_as_it_is_and_is_valid(typed: Typist) -> None:
    """The help recommends starting with `chartgen explain mnist > job.yaml`."""
    code, out, err = typed("explain", "mnist")
    assert (code, err) == (0, "")
    assert out == resources.text("values/jobs/mnist.yaml")
    assert typed("validate", "-", stdin=out).code == 0


def test_a_field_is_explained_with_type_limits_default_and_example(typed: Typist) -> None:
    assert typed("explain", "roles.worker.replicas").out == (
        "job.roles.worker.replicas: whole number\n"
        "\n"
        "Replicas. Number of replicas.\n"
        "Expected: 0 to 1,000,000.\n"
        "Default: 1\n"
        "\n"
        "Example:\n"
        "  replicas: 3\n"
    )


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("job", "job: object"),
        ("roles", "job.roles: map of objects"),
        ("job.roles.worker", "job.roles.worker: object"),
        ("roles.*.env", "job.roles.*.env: map of text, or list of objects"),
        ("roles.env", "job.roles.env: map of text, or list of objects"),
        ("job.env.LC_ALL", "job.env.LC_ALL: text, or object"),
        ("overrides", "job.roles.*.overrides: map of objects"),
        (
            "roles.worker.overrides.0-3.image",
            "job.roles.worker.overrides.0-3.image: text, or object",
        ),
        ("args", "job.args: list of text"),
        ("volumes", "job.volumes: list of objects"),
        ("volumes.name", "job.volumes.name: text"),
        ("volumes.0.name", "job.volumes.0.name: text"),
        ("imagePullPolicy", "job.imagePullPolicy: one of Always, IfNotPresent, Never"),
        ("job.tensorflow", "job.tensorflow: object"),
        ("nodeSelector.zone", "job.nodeSelector.zone: text"),
        ("cleanup.enabled", "job.cleanup.enabled: true or false"),
        ("affinity.nodeAffinity", "job.affinity.nodeAffinity: map"),
        ("accelerator", "job.accelerator: object"),
    ],
)
def test_a_path_leads_through_maps_and_lists(typed: Typist, path: str, head: str) -> None:
    code, out, err = typed("explain", path)
    assert (code, err) == (0, "")
    assert out.partition("\n")[0] == head


def test_the_page_about_the_job_lists_every_field_and_which_are_required(typed: Typist) -> None:
    out = typed("explain", "job").out
    schema = resources.data("schemas/job.schema.json")
    assert "Required: name, framework, roles.\n" in out
    for name in schema["properties"]:
        assert f"\n  {name} " in out


def test_every_field_can_be_explained(typed: Typist) -> None:
    for name in fields.names()[1:]:
        code, out, err = typed("explain", f"job.{name}")
        assert (code, err) == (0, ""), name
        assert re.match(rf"job\.(roles\.\*\.)?{name}: \w+", out), f"{name} has a kind"
        assert "Example:" in out, f"{name} has an example"


def test_a_native_schema_is_printed_self_contained(typed: Typist) -> None:
    code, out, err = typed("schema", "tfjob")
    assert (code, err) == (0, "")
    assert json.loads(out)["title"] == "TfJob"
    assert "job.schema.json" not in out


def test_every_format_has_a_schema_under_its_own_name(typed: Typist) -> None:
    printed = {name: typed("schema", name) for name in FORMATS}
    assert {done.code for done in printed.values()} == {0}
    assert printed["angel-properties"].out == printed["angel-submit"].out


def test_the_schema_of_jobs_is_printed_unless_another_is_named(typed: Typist) -> None:
    shipped = resources.data("schemas/job.schema.json")
    code, out, err = typed("schema")
    assert (code, json.loads(out)["properties"], err) == (0, shipped["properties"], "")
    assert typed("schema", "job").out == out
    assert typed("schema", "cloud") == (0, resources.text("schemas/cloud.schema.json"), "")
