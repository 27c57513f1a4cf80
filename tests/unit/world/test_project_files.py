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
