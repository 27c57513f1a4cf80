"""Schemas, charts and values are found by name, wherever chartgen is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chartgen import resources
from tests.support.paths import ROOT


def test_text_is_the_file_as_it_is_in_the_repository() -> None:
    assert resources.text("schemas/job.schema.json") == (
        ROOT / "schemas/job.schema.json"
    ).read_text("utf-8")


def test_data_reads_json_once_for_all_callers() -> None:
    schema = resources.data("schemas/job.schema.json")
    assert schema["$schema"].startswith("http://json-schema.org/draft-07/")
    assert resources.data("schemas/job.schema.json") is schema


def test_data_reads_yaml() -> None:
    assert resources.data("values/jobs/mnist.yaml")["framework"] == "tensorflow"


def test_names_are_sorted_relative_to_the_folder_and_include_hidden_files() -> None:
    names = resources.names("charts/job")
    assert ".helmignore" in names
    assert "templates/lib/_pod.tpl" in names
    assert names == sorted(names)


def test_every_name_can_be_read() -> None:
    for folder in ("schemas", "charts", "values"):
        names = resources.names(folder)
        assert names, folder
        for name in names:
            assert resources.text(f"{folder}/{name}")


def test_a_missing_folder_has_no_names() -> None:
    """A new kind of data starts without a folder."""
    assert resources.names("values/nothing-here") == []


@pytest.mark.parametrize(
    "name",
    [
        "charts/nope.yaml",
        "chartgen/cli.py",
        "/etc/hostname",
        "charts/../pyproject.toml",
        "",
        "values/../../x",
    ],
)
def test_an_unknown_name_is_not_found(name: str) -> None:
    with pytest.raises(FileNotFoundError):
        resources.text(name)


def _in_copy(tmp_path: Path, code: str) -> str:
    """What the code prints with a copy of the module that has resources inside the package."""
    package = tmp_path / "chartgen"
    (package / "_data/values").mkdir(parents=True)
    shutil.copy(ROOT / "chartgen/resources.py", package)
    shutil.copytree(ROOT / "chartgen/startup", package / "startup")
    (package / "__init__.py").touch()
    (package / "_data/values/a.yaml").write_text("größe: [1, yes]\n", "utf-8")
    (package / "_data/values/a.json").write_text('{"größe": 1}\n', "utf-8")
    command = [sys.executable, "-c", f"from chartgen import resources\n{code}"]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    return subprocess.run(
        command, cwd=tmp_path, env=plain, check=True, capture_output=True, text=True
    ).stdout


def test_data_inside_the_package_wins_as_in_a_wheel(tmp_path: Path) -> None:
    assert _in_copy(tmp_path, "print(resources.names('values'))") == "['a.json', 'a.yaml']\n"


def test_data_reads_yaml_and_json_as_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    code = "print(ascii(resources.data('values/a.yaml')), ascii(resources.data('values/a.json')))"
    assert _in_copy(tmp_path, code) == "{'gr\\xf6\\xdfe': [1, True]} {'gr\\xf6\\xdfe': 1}\n"


def test_importing_resources_reads_no_yaml_or_json_library(tmp_path: Path) -> None:
    """A cold start pays only for what it uses."""
    assert (
        _in_copy(tmp_path, "import sys; print(sorted({'json', 'yaml'} & sys.modules.keys()))")
        == "[]\n"
    )
