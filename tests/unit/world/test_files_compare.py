"""Comparing a directory with what would be written to it."""

from pathlib import Path

import pytest

from chartgen.errors import WorldError
from chartgen.world.files import MANIFEST, Difference, compare, diff
from tests.support.folders import NEW, OLD, names_in, snapshot


def test_an_unchanged_chart_does_not_differ_whatever_others_added(chart: Path) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    assert compare(str(chart), OLD) == []


def test_missing_changed_and_stale_files_differ_and_nothing_is_touched(chart: Path) -> None:
    before = snapshot(chart.parent)
    assert compare(str(chart), NEW) == [
        Difference(f"{chart}/README.md", "missing", "", "héllo\n"),
        Difference(f"{chart}/templates/jobs.yaml", "changed", "x\n", "z\n"),
        Difference(f"{chart}/templates/old/s.yaml", "stale", "y\n", ""),
        Difference(f"{chart}/values.yaml", "changed", "a: 1\n", "a: 2\n"),
    ]
    assert snapshot(chart.parent) == before


def test_of_a_missing_chart_every_file_is_missing_and_none_is_created(out: Path) -> None:
    assert [
        (item.path, item.kind) for item in compare(f"{out}/a/mnist", {"Chart.yaml": "x\n"})
    ] == [(f"{out}/a/mnist/Chart.yaml", "missing")]
    assert names_in(out) == []


def test_a_wrong_manifest_alone_makes_a_chart_differ(chart: Path) -> None:
    """So that a check reports what a run would do."""
    (chart / MANIFEST).write_text("wrong\n")
    assert [(item.path, item.kind) for item in compare(str(chart), OLD)] == [
        (f"{chart}/{MANIFEST}", "changed")
    ]


def test_binary_files_and_directories_in_place_of_files_differ_too(chart: Path) -> None:
    (chart / "values.yaml").write_bytes(b"\xff\n")
    (chart / "Chart.yaml").unlink()
    (chart / "Chart.yaml").symlink_to("values.yaml")
    assert compare(str(chart), OLD) == [
        Difference(f"{chart}/Chart.yaml", "changed", "", "name: mnist\n"),
        Difference(f"{chart}/values.yaml", "changed", "\ufffd\n", "a: 1\n"),
    ]


def test_a_link_in_place_of_a_stale_file_is_stale(chart: Path) -> None:
    (chart / "templates/old/s.yaml").unlink()
    (chart / "templates/old/s.yaml").symlink_to("nowhere")
    files = {path: text for path, text in OLD.items() if path != "templates/old/s.yaml"}
    assert [(item.path, item.kind) for item in compare(str(chart), files)] == [
        (f"{chart}/templates/old/s.yaml", "stale")
    ]


def test_comparing_with_a_file_is_explained(out: Path) -> None:
    (out / "mnist").write_text("")
    with pytest.raises(
        WorldError, match=f"cannot read {out}/mnist: '{out}/mnist' is not a directory"
    ):
        compare(f"{out}/mnist", NEW)


def test_a_diff_goes_from_the_disk_to_what_would_be_written() -> None:
    differences = [
        Difference("out/m/a", "missing", "", "new\n"),
        Difference("out/m/b", "changed", "1\n\f2\nthree", "1\n\f2\nthree\n"),
        Difference("out/m/c", "stale", "old\n", ""),
    ]
    assert diff(differences) == (
        "--- /dev/null\n+++ out/m/a\n@@ -0,0 +1 @@\n+new\n"
        "--- out/m/b\n+++ out/m/b\n@@ -1,3 +1,3 @@\n"
        " 1\n \f2\n-three\n\\ No newline at end of file\n+three\n"
        "--- out/m/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
    )
    assert diff([]) == ""
