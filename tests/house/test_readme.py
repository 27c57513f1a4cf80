"""The README: its commands work as a new user types them, and its tables are generated."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from chartgen import frameworks, resources
from chartgen.manual import examples
from chartgen.native import FORMATS
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(<!-- needs a cluster -->\n)?```console\n(.*?)```", re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every command of the README that needs no cluster, with the output that is shown below it."""
    typed = []
    for cluster, block in BLOCK.findall(README):
        if not cluster:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                typed.append((command, output))
    return typed


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, helm3: str) -> Path:
    """A folder on PATH with chartgen and Helm in it, as an installation gives them."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "chartgen").write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m chartgen "$@"\n'
    )
    (folder / "chartgen").chmod(0o755)
    (folder / "helm").symlink_to(helm3)
    return folder


def test_readme_commands(beside: Path, tmp_path: Path) -> None:
    """As in one shell, in their order; what is shown below a command is what it prints."""
    assert len(commands()) >= 8
    folder, place = tmp_path / "work", tmp_path / "folder"
    folder.mkdir()
    for command, output in commands():
        environment = {"PATH": f"{beside}:/usr/bin:/bin", "HOME": str(tmp_path)}
        script = f"trap 'pwd > {place}' EXIT\n{command}"  # a `cd` holds for the commands after it
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True
        )
        folder = Path(place.read_text("utf-8").strip())
        if output:
            assert done.stdout == output, f"{command}\n{done.stderr}"
        else:
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_the_readme_is_short() -> None:
    """What has no room in it is a page of the manual."""
    assert len(README.encode()) <= 12_000
    prose = re.sub(r"(?ms)^```.*?^```|^\|.*?$", "", README)
    assert [line for line in prose.splitlines() if len(line) > 100] == []


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make ([a-z0-9]+)$|`make ([a-z0-9]+)", README, flags=re.MULTILINE)
    assert len(targets) >= 4
    for target in map("".join, targets):
        assert f"\n{target}:" in makefile


def test_files_that_the_readme_links_to_exist() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_native_schemas_are_those_of_the_formats() -> None:
    """A format belongs to a framework that there is; a framework may have none."""
    schemas = {name.removesuffix(".schema.json") for name in resources.names("schemas/native")}
    assert schemas == {form.schema or name for name, form in FORMATS.items()}
    assert {form.framework for form in FORMATS.values()} <= frameworks.MODULES.keys()


def test_every_framework_has_an_example() -> None:
    assert {row["framework"] for row in examples.rows()} == frameworks.MODULES.keys()


# What `make generate` writes


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The script, which is not part of any package."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / ".ci" / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_parts_are_up_to_date(generate: ModuleType) -> None:
    assert generate.main(ROOT, check=True) == 0


def test_every_table_is_in_the_readme(generate: ModuleType) -> None:
    assert [block[1] for block in generate.BLOCK.findall(README)] == [*generate.TABLES]


def test_a_difference_is_named_and_mended(
    generate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in generate.FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    place = tmp_path / "README.md"
    place.write_text(README.replace("| `mars` |", "| `venus` |"), "utf-8")
    for name in ("cloud", "kubernetes"):
        (tmp_path / f"schemas/{name}.schema.json").unlink()
    assert generate.main(tmp_path, check=True) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{name} is not up to date: run `make generate`" for name in generate.FILES
    ]
    assert generate.main(tmp_path, check=False) == 0
    assert place.read_text("utf-8") == README
    assert generate.main(tmp_path, check=True) == 0
