"""The hooks for pre-commit: on which files they run, and what they find."""

import re

import pytest
import yaml

from tests.support.command_line import JOB, Typist
from tests.support.paths import ROOT

HOOKS = {
    hook["id"]: hook
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
}
TFJOB = (ROOT / "tests/e2e/native/tfjob.yaml").read_text("utf-8")


@pytest.fixture
def repo(typed: Typist) -> Typist:
    """A repository without a project file."""
    (typed.folder / "jobs").mkdir()
    typed.job(text=JOB.format(name="mnist"), file="jobs/mnist.yaml")
    typed.job(text=TFJOB, file="jobs/fit.yaml")
    typed("render", "jobs", "-o", "charts", "-q")
    return typed


def commit(typed: Typist, hook: str, *paths: str) -> int | None:
    """The exit code of a hook for a commit of these files, as pre-commit runs it; None if not."""
    said = HOOKS[hook]
    chosen = [path for path in paths if re.search(said.get("files", ""), path)]
    if not chosen:
        return None
    program, *words = str(said["entry"]).split()
    assert program == "chartgen"
    words += said.get("args", ())
    return typed(*words, *(chosen if said.get("pass_filenames", True) else ())).code


def test_jobs_and_native_files_are_validated(repo: Typist) -> None:
    assert commit(repo, "chartgen-validate", "jobs/mnist.yaml", "jobs/fit.yaml") == 0
    repo.job(text=TFJOB.replace("replicaSpecs", "replicaSpec"), file="jobs/fit.yaml")
    assert commit(repo, "chartgen-validate", "jobs/fit.yaml") == 1
    assert commit(repo, "chartgen-validate", "jobs/train.py", "README.md") is None


@pytest.mark.parametrize("hook", ["chartgen-check", "chartgen-project"])
@pytest.mark.parametrize("path", ["charts/mnist/values.yaml", "jobs/mnist.yaml", "jobs/fit.yaml"])
def test_charts_are_checked_whichever_side_changes(repo: Typist, hook: str, path: str) -> None:
    if hook == "chartgen-project":
        (repo.folder / "chartgen.yaml").write_text("{}\n")
        assert repo("render", "-q").code == 0
    assert commit(repo, hook, path) == 0
    place = repo.folder / path
    place.write_text(place.read_text("utf-8").replace("image: ", "image: new-", 1), "utf-8")
    assert commit(repo, hook, path) == 1
