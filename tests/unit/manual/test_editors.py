"""The schema for editors flags what they can know, and takes every description that is right."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from chartgen import frameworks, resources
from tests.support.command_line import Typist
from tests.support.paths import ROOT

EXAMPLES = sorted((ROOT / "values/jobs").glob("*.yaml"))


@pytest.fixture
def checker(typed: Typist) -> jsonschema.Draft7Validator:
    """What an editor does with the schema that `chartgen schema` prints."""
    code, out, err = typed("schema", "job")
    assert (code, err) == (0, "")
    return _checker(out)


@cache
def _checker(printed: str) -> jsonschema.Draft7Validator:
    schema = json.loads(printed)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def messages(checker: jsonschema.Draft7Validator, job: Any) -> list[str]:
    as_json = json.loads(json.dumps(job))  # in which the index of an override is a text
    return [error.message for error in checker.iter_errors(as_json)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_right(checker: jsonschema.Draft7Validator, path: Path) -> None:
    for job in yaml.safe_load_all(path.read_text("utf-8")):
        assert messages(checker, job) == []


@pytest.mark.parametrize("name", frameworks.MODULES)
def test_a_role_that_the_framework_lacks_is_flagged(
    checker: jsonschema.Draft7Validator, name: str
) -> None:
    """Unless the job names its own."""
    framework = frameworks.framework(name)
    options = resources.data("schemas/job.schema.json")["definitions"][name]
    required = {
        key: options["properties"][key]["examples"][0] for key in options.get("required", ())
    }
    job = {"name": "n", "framework": name, name: required, "roles": {}}
    job["roles"] = {role: {} for role in framework.ROLES or ("any",)}
    assert messages(checker, job) == []
    job["roles"] = {"wroker": {}}
    errors = messages(checker, job)
    assert [("'wroker' was unexpected" in message) for message in errors] == (
        [True] if framework.ROLES else []
    )


def test_clouds_accelerators_and_fabrics_are_completed(checker: jsonschema.Draft7Validator) -> None:
    schema: Any = checker.schema
    definitions = schema["definitions"]
    assert {"none", "gke"} <= {*definitions["cloud"]["anyOf"][0]["enum"]}
    assert {"none", "efa"} <= {*definitions["fabric"]["anyOf"][0]["enum"]}
    types = definitions["accelerator"]["properties"]["type"]["anyOf"][0]["enum"]
    assert {"nvidia-gpu", "h100", "tpu"} <= {*types}
    own = {"cloud": "ours", "fabric": "ours", "accelerator": {"type": "ours"}}
    job = {"name": "n", "framework": "jax", "roles": {"worker": {}}, **own}
    assert messages(checker, job) == []
