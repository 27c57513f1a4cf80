"""The example repository: rendered, checked, changed, compared, pruned, packaged; and its page."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chartgen import resources
from tests.bench import project
from tests.support.command_line import Typist
from tests.support.paths import CORPUS, ROOT

pytestmark = pytest.mark.usefixtures("resident_helm")

PAGE = resources.text("pages/gitops.txt")
COMMANDS = re.findall(r"^  (chartgen .+?)(?: {2,}.*)?$", PAGE, flags=re.MULTILINE)


@pytest.fixture
def repository(typed: Typist) -> Typist:
    """A copy of the example, under Git."""
    shutil.copytree(CORPUS / "repository", typed.folder, dirs_exist_ok=True)
    git(typed.folder, "init", "-q")
    return typed


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def commit(typed: Typist) -> None:
    git(typed.folder, "add", "-A")
    git(typed.folder, "commit", "-qm", "a change")


def test_a_change_from_the_description_to_the_package(repository: Typist, helm: str) -> None:
    """In the order in which people do it."""
    typed, with_helm = repository, ("--helm", helm)
    assert typed("validate").code == 0
    assert typed("render").err.endswith("3 jobs: 3 written, 0 unchanged\n")
    assert typed("gitops", "-q").code == 0
    assert typed("package", "-o", "packages", "-q").code == 0
    commit(typed)

    job = typed.folder / "jobs/mnist.yaml"
    job.write_text(job.read_text("utf-8").replace("mnist:1.4", "mnist:1.5"), "utf-8")
    (typed.folder / "jobs/analysis.yaml").unlink()
    (typed.folder / "environments/production/analysis.yaml").unlink()
    said = typed("render", "--diff", *with_helm)
    for where in ("staging", "production"):
        assert f"mnist ({where}): training starts over\n  replaced   6 Jobs" in said.out
    assert "(jobs/mnist.yaml:4:8)" in said.out
    assert typed("render", "--check").code == 1
    assert typed("render", "--prune", "-q").code == 0
    assert typed("render", "--check") == (0, "", "2 up to date\n")

    said = typed("diff", "HEAD:charts", "charts", *with_helm)
    assert [line for line in said.out.splitlines() if not line.startswith(" ")] == [
        "analysis: everything is removed",
        "fit: nothing happens",
        "mnist: training starts over",
    ]
    assert typed("gitops", "--check").code == 1
    assert typed("gitops", "-q").code == 0
    assert typed("package", "-o", "packages", "-q").code == 0
    assert sorted(path.name for path in (typed.folder / "packages").iterdir()) == [
        *("analysis-0.1.0.tgz", "fit-0.1.0.tgz", "mnist-0.1.0.tgz", "mnist-0.1.1.tgz"),
    ]
    values = "charts/mnist/values-staging.yaml"
    command = [helm, "template", "mnist", "packages/mnist-0.1.1.tgz", "--values", values]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "zone: c" in done.stdout
    assert "registry.example.com/mnist:1.5" in done.stdout


def test_the_commands_of_the_manual_page(repository: Typist, helm3: str, tmp_path: Path) -> None:
    """Each does what the page says, in the example repository with its charts in it."""
    assert len(COMMANDS) >= 14
    repository("render", "-q")
    commit(repository)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "chartgen").write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m chartgen "$@"\n'
    )
    (folder / "chartgen").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}:{Path(helm3).parent}:/usr/bin:/bin",
        "CHARTGEN_HELM": helm3,
    }
    for command in COMMANDS:
        done = subprocess.run(
            ["bash", "-c", command], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.slow
def test_what_a_change_costs_a_reviewer(helm3: str) -> None:
    """The numbers on the page are those of today."""
    table = PAGE.partition("What a change costs a reviewer")[2].partition("\n\n")[0]
    rows = [re.split(r" {2,}", line.strip())[1:] for line in table.splitlines()[2:]]
    assert rows == [list(cost) for cost in project.costs().values()]
