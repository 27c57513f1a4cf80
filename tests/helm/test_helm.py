"""The real Helms, as chartgen finds them and runs them."""

import os
from pathlib import Path

import pytest

from chartgen.world.helm import OLDEST, HelmError, find


def test_real_helm_is_found_by_its_path(helm: str) -> None:
    program = find(helm)
    assert program.path == helm
    assert program.version >= OLDEST


def test_a_failure_shows_the_command_and_what_helm_said(tmp_path: Path, helm: str) -> None:
    with pytest.raises(HelmError) as error:
        find(helm).run("template", "x", str(tmp_path / "no chart"))
    message = str(error.value)
    assert message.splitlines()[:2] == [
        f"$ {helm} template x '{tmp_path}/no chart'",
        "helm failed with exit code 1",
    ]
    assert "  Error: " in message
    assert error.value.code == 1
    assert error.value.exit_code == 3


def test_a_failed_lint_shows_its_findings(tmp_path: Path, helm: str) -> None:
    """Helm prints findings on stdout and only their number on stderr."""
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: one\n")
    with pytest.raises(HelmError, match=r"version 'one' is not (a )?valid") as error:
        find(helm).run("lint", "--strict", str(tmp_path))
    assert "Linting" in error.value.stdout
    assert "1 chart(s) failed" in error.value.stderr


@pytest.mark.parametrize("home", [None, "/proc", "/nowhere"])
def test_helm_runs_without_a_home_it_could_write_to(
    tmp_path: Path, helm: str, home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that runs as an unknown user with a read-only file system."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "HELM_"))] + ["HOME"]:
        monkeypatch.delenv(name, raising=False)
    if home:
        monkeypatch.setenv("HOME", home)
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 1.0.0\n")
    (tmp_path / "templates/a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    )
    ours = find(helm)
    assert "0 chart(s) failed" in ours.run("lint", str(tmp_path))
    assert "kind: ConfigMap" in ours.run("template", "x", str(tmp_path))
    assert "saved it to" in ours.run(
        "package", str(tmp_path), "--destination", str(tmp_path / "out")
    )
