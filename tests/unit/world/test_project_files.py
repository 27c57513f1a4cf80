"""The files of a project, found by patterns."""

from pathlib import Path

import pytest

from chartgen.errors import WorldError
from chartgen.world import files, project_files


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


@pytest.mark.parametrize("force", [False, True])
def test_nothing_outside_a_directory_is_removed_with_it(tmp_path: Path, force: bool) -> None:
    """Whoever may commit a chart may write its list of files, and CI may run with --prune."""
    chart, outside = tmp_path / "charts/old", tmp_path / "outside"
    files.write(str(chart), {"a/b": "1", "c": "2"})
    outside.mkdir()
    (chart / "link").symlink_to(outside)
    victims = [tmp_path / "victim", outside / "victim"]
    for victim in victims:
        victim.touch()
    with (chart / files.MANIFEST).open("a") as manifest:
        for path in ("../../victim", "link/victim", files.MANIFEST):
            manifest.write(f"00000000 {path}\n")
        manifest.write(f"00000000 {victims[0]}\n")
    project_files.remove(str(chart), force=force)
    assert all(victim.exists() for victim in victims)
    assert [path.name for path in chart.iterdir()] == ["link"]


def test_a_directory_whose_files_are_gone_is_removed(tmp_path: Path) -> None:
    chart = tmp_path / "old"
    files.write(str(chart), {"a": "1"})
    (chart / "a").unlink()
    project_files.remove(str(chart))
    assert not chart.exists()
