"""What `make lint-charts` makes of what the linters of other projects find."""

import importlib
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def lint() -> ModuleType:
    """The script, which is not part of any package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / ".ci")
        return importlib.import_module("lint_charts")


def test_a_finding_is_accepted_by_tool_check_and_component(lint: ModuleType) -> None:
    entry = lint.Accepted("kube-linter", ["ttl"], ["roles"], "because")
    finding = lint.Finding("kube-linter", "ttl", "roles", "mnist: Job worker", "no TTL")
    assert lint.judge([finding], [entry]) == []
    for other in (
        finding._replace(tool="kube-score"),
        finding._replace(check="latest-tag"),
        finding._replace(component="test"),
    ):
        (wrong,) = lint.judge([finding, other], [entry])
        assert other.where in wrong
        assert f"({other.tool} {other.check}, {other.component})" in wrong


def test_an_entry_that_nothing_needs_is_wrong(lint: ModuleType) -> None:
    """Otherwise it would hide what a later change brings."""
    entry = lint.Accepted("polaris", ["a", "b"], ["roles"], "because")
    finding = lint.Finding("polaris", "a", "roles", "mnist: Job worker", "is root")
    assert lint.judge([finding], [entry]) == ["lint.yaml: polaris finds no b on roles"]


def test_what_is_accepted_on_our_own_pods_is_little(lint: ModuleType) -> None:
    """Only the TTL that GitOps forbids, and what is for the cluster to say."""
    own = set()
    for entry in lint.read_accepted():
        assert entry.tool in lint.lint_tools.TOOLS
        assert entry.why.endswith((".", ")"))
        if {"test", "cleanup", "strays"} & set(entry.objects):
            own.update(entry.checks)
    assert own == {
        "container-image-pull-policy",
        "job-ttl-seconds-after-finished",
        "pod-networkpolicy",
    }


def test_on_guarded_pods_nothing_is_accepted_but_the_missing_ttl(lint: ModuleType) -> None:
    """A job can say what it takes: networkPolicy, and which images are pulled again."""
    guarded = set()
    for entry in lint.read_accepted():
        if any(component.startswith("guarded ") for component in entry.objects):
            guarded.update(entry.checks)
    assert guarded == {"job-ttl-seconds-after-finished"}
    for example in lint.JOBS:
        said = yaml.safe_load(example.read_text("utf-8")).keys()
        assert not said & yaml.safe_load(lint.GUARDED).keys(), "which would be said twice"


def test_what_a_chart_can_know_must_be_in_it(
    lint: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A logo is for the job to say; a description is not."""
    told = """\
✓ Name: mnist
! Description: *** NOT PROVIDED ***
! Logo URL: *** NOT PROVIDED ***
✗ other 0.1.0 (charts/other)
  * invalid category
"""
    done = subprocess.CompletedProcess((), 1, told, "")
    monkeypatch.setattr(lint, "ask", lambda *words: done)
    messages = [finding.message for finding in lint.ah(Path("ah"), Path("charts"))]
    assert messages == [
        "! Description: *** NOT PROVIDED ***",
        "✗ other 0.1.0 (charts/other)",
        "  * invalid category",
    ]


def test_tools_are_pinned(lint: ModuleType) -> None:
    for tool in lint.lint_tools.TOOLS.values():
        assert re.fullmatch(r"v\d+\.\d+\.\d+(-\d{14}-[0-9a-f]{12})?", tool.version)
        assert re.fullmatch(r"h1:[A-Za-z0-9+/]{43}=", tool.checksum)
