"""The README's commands, run as a new user would type them, word by word."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chartgen import frameworks, resources
from chartgen.cli.commands import COMMANDS
from chartgen.native import FORMATS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(<!-- needs a cluster -->\n)?```console\n(.*?)```", re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every command of the README that needs no cluster, with the output that stands below it."""
    found = []
    for cluster, block in BLOCK.findall(README):
        if not cluster:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, helm3: str) -> Path:
    """A folder on PATH with chartgen and Helm in it, as an installation gives them."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "chartgen").write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m chartgen "$@"\n')
    (folder / "chartgen").chmod(0o755)
    (folder / "helm").symlink_to(helm3)
    return folder


def test_readme_commands(beside: Path, tmp_path: Path) -> None:
    """In their order, in one empty directory; what the README shows below a command is what it prints."""
    assert len(commands()) >= 8
    for command, output in commands():
        environment = {"PATH": f"{beside}:/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        if output:
            assert done.stdout == output, f"{command}\n{done.stderr}"
        else:
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_readme_names_every_command() -> None:
    """A command that is not in the README's table does not exist for its readers."""
    table = README.partition("## The commands")[2].partition("\n## ")[0]
    assert [name for name in COMMANDS if f"chartgen {name}" not in table] == []


def test_readme_names_every_field() -> None:
    """So does a field of a role, or of the job."""
    schema = resources.data("schemas/job.schema.json")
    text = README.partition("## The job description")[2].partition("\n## The commands")[0]
    fields = {*schema["properties"], *schema["definitions"]["role"]["properties"]} - set(
        schema["definitions"]["framework"]["enum"]
    )
    assert sorted(field for field in fields if f"`{field}`" not in text) == []


def test_make_targets_of_the_readme_exist() -> None:
    """The two commands at the top are the Makefile's own."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make ([a-z0-9]+)$|`make ([a-z0-9]+)", README, flags=re.MULTILINE)
    assert len(targets) >= 4
    for target in map("".join, targets):
        assert f"\n{target}:" in makefile


def _rows(chapter: str, head: str) -> list[list[str]]:
    """The rows of the table in a chapter that starts with this cell, each cell without the marks of code."""
    text = README.partition(f"## {chapter}\n")[2].partition("\n## ")[0]
    table = text.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.replace("`", "").strip() for cell in row.strip("|").split(" | ")] for row in table]


def test_readme_s_table_the_registry_the_formats_and_the_native_schemas_agree() -> None:
    """Each framework has its roles, its formats, and a chapter for those who come from the old system."""
    rows = _rows("Frameworks and examples", "framework")
    told = {name: (roles.split(", "), re.findall(r"(?:^|; )([a-z-]+):", taken)) for name, roles, taken in rows}
    assert told == {
        name: (
            [*frameworks.framework(name).ROLES],
            [form for form, one in FORMATS.items() if one.framework == name],
        )
        for name in frameworks.MODULES
    }
    schemas = {name.removesuffix(".schema.json") for name in resources.names("schemas/native")}
    assert schemas == {one.schema or form for form, one in FORMATS.items()}
    assert all(formats for _, formats in told.values())
    for system in ("TfJob", "MxJob", "ElasticDL", "Angel", "Mars"):
        assert f"\n## Coming from {system}\n" in README


def test_readme_s_list_of_examples_is_that_of_chartgen_list() -> None:
    """With what each of them says of itself in its first line; and every framework has one."""
    done = subprocess.run(
        [sys.executable, "-m", "chartgen", "list", "examples", "--output=json"], cwd=ROOT, capture_output=True
    )
    listed = [[*row.values()] for row in json.loads(done.stdout)]
    assert _rows("Frameworks and examples", "example") == listed
    assert {framework for _, framework, _ in listed} == frameworks.MODULES.keys()
