"""What is printed to be copied into a shell: no text of an input can run there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import sources
from tests.support.command_line import Typist
from tests.support.paths import CORPUS

HOSTILE = "a;touch pwned"
# A command, and the hostile text behind it without a quote between them.
_RUNS = re.compile(
    rf"\b(?:kubectl|helm|docker|git|cd|chartgen (?:render|convert|test)) [^'\"]*{HOSTILE}"
)


def _objects() -> Iterator[Path]:
    """One object of every native format."""
    for folder in sorted((CORPUS / "native").iterdir()):
        if path := next(iter(sorted(folder.glob(f"*/{folder.name}.yaml"))), None):
            yield path


def _changed(data: Any) -> Iterator[Any]:
    """The data with the hostile text in place of each of its texts."""
    if isinstance(data, str):
        yield HOSTILE
    keys = [*data] if isinstance(data, dict) else range(len(data) if isinstance(data, list) else 0)
    for key in keys:
        for inner in _changed(data[key]):
            copy = data.copy()
            copy[key] = inner
            yield copy


@pytest.mark.unmeasured
@pytest.mark.parametrize("path", [*_objects()], ids=lambda path: path.stem)
def test_no_text_of_an_object_is_a_part_of_a_command(path: Path, tmp_path: Path) -> None:
    """Neither in a problem or its hint, nor in a note of the description."""
    documents = list(yaml.safe_load_all(path.read_text("utf-8")))
    file = tmp_path / "job.json"
    for number, document in enumerate(documents):
        for data in _changed(document):
            whole = [*documents[:number], data, *documents[number + 1 :]]
            file.write_text("\n---\n".join(map(json.dumps, whole)), "utf-8")
            gathered = sources.gather([str(file)], sources.SourceOptions())
            for problem in gathered.problems:
                assert not _RUNS.search(f"{problem.message}\n{problem.hint}"), problem
            for source in gathered.jobs:
                assert ";" not in source.checked.namespace


def _lines() -> list[Path]:
    """One command line of every format that has them."""
    folders = (CORPUS / "native" / "elasticdl", CORPUS / "native" / "angel-submit")
    return [path for folder in folders for path in sorted(folder.glob("*/*.sh"))]


@pytest.mark.unmeasured
@pytest.mark.parametrize("path", _lines(), ids=lambda path: path.parent.name)
def test_no_word_of_a_command_line_is_a_part_of_another(path: Path, tmp_path: Path) -> None:
    """The value of each flag in turn; braces in it are no holes of a message either."""
    text = path.read_text("utf-8")
    file = tmp_path / "job.sh"
    for flag in re.finditer(r"(--?[\w.]+=)\S+", text):
        without = text.replace("--image_name", "--docker_image_prefix")
        for base in {text, without}:
            file.write_text(base.replace(flag[0], f"{flag[1]}'{HOSTILE}{{x}}'"), "utf-8")
            for problem in sources.gather([str(file)], sources.SourceOptions()).problems:
                assert not _RUNS.search(f"{problem.message}\n{problem.hint}"), problem


def test_a_directory_is_quoted(typed: Typist) -> None:
    done = typed("init", "--repo", HOSTILE)
    assert f"and then: cd '{HOSTILE}' && chartgen render" in done.err


def test_the_command_that_gets_a_runtime_is_quoted(typed: Typist) -> None:
    text = (CORPUS / "native/trainjob/t1-torch/trainjob.yaml").read_text("utf-8")
    typed.job(text=text.replace("torch-distributed", f'"{HOSTILE}"'), file="job.yaml")
    done = typed("validate", "job.yaml")
    assert f"kubectl get clustertrainingruntime '{HOSTILE}' -o yaml" in done.out
