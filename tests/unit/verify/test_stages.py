"""The list of stages: what each must have, and who reads it."""

import ast
from pathlib import Path

import pytest

import chartgen.verify
from chartgen.cli.commands import test as command
from chartgen.verify import STAGES, StageEntry

FOLDER = Path(chartgen.verify.__file__).parent


def test_every_module_of_the_folder_is_a_stage_once() -> None:
    modules = sorted(path.stem for path in FOLDER.glob("stages/*.py") if path.stem != "__init__")
    assert sorted(stage.name for stage in STAGES) == modules


def test_mypy_checks_every_stage_against_the_protocol() -> None:
    """The tuple of modules that only mypy sees has as many as STAGES."""
    tree = ast.parse((FOLDER / "__init__.py").read_text("utf-8"))
    checked = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_CHECKED":
            checked += [name.id for name in ast.walk(node) if isinstance(name, ast.Name)]
    words = {name.removesuffix("_stage") for name in checked}
    assert {stage.name for stage in STAGES} <= words


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_has_a_line_in_the_help_and_a_manual_page(stage: StageEntry) -> None:
    assert f"  {stage.name}" in command.ABOUT
    assert stage.about in command.ABOUT
    first, _, rest = stage.manual.partition("\n")
    assert first.endswith(".")
    assert rest.startswith("\n")


def test_stages_on_a_cluster_come_last_and_the_cleanup_at_the_end() -> None:
    needs = [stage.needs_cluster for stage in STAGES]
    assert needs == sorted(needs)
    assert [stage.name for stage in STAGES if stage.cleanup] == [STAGES[-1].name]
