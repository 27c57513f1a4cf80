"""The files of a project, found by patterns."""

from pathlib import Path

import pytest

from chartgen.errors import WorldError
from chartgen.world import project_files


def test_a_directory_with_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody means a whole disk, and looking through it would take minutes."""
    for number in range(3):
        (tmp_path / f"{number}.yaml").touch()
    assert project_files.matching(str(tmp_path), "**") == ["0.yaml", "1.yaml", "2.yaml"]
    monkeypatch.setattr(project_files, "MOST_FILES", 2)
    with pytest.raises(WorldError, match="more than 2 files; expected a smaller directory"):
        project_files.matching(str(tmp_path), "**")


def test_links_are_followed_once_and_never_in_a_circle(tmp_path: Path) -> None:
    """Jobs in a linked directory count; hidden files and links to nowhere do not."""
    (tmp_path / "project" / "jobs").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "a.yaml").touch()
    (tmp_path / "shared" / "up").symlink_to(tmp_path / "project")
    project = tmp_path / "project"
    (project / "jobs" / "shared").symlink_to(tmp_path / "shared")
    (project / "jobs" / "nowhere.yaml").symlink_to(tmp_path / "missing")
    (project / "jobs" / ".hidden.yaml").touch()
    assert project_files.matching(str(project), "jobs") == ["jobs/shared/a.yaml"]
