"""What cannot or must not be written: every refusal says why and touches nothing."""

import builtins
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chartgen.errors import WorldError
from chartgen.world.files import MANIFEST, compare, write
from tests.support.folders import NEW, OLD, fail, names_in, snapshot, texts_below


def refusal(chart: Path, files: dict[str, str]) -> str:
    """The message with which `write` refuses; it must not have touched anything."""
    before = snapshot(chart.parent)
    with pytest.raises(WorldError) as caught:
        write(str(chart), files)
    assert snapshot(chart.parent) == before
    return str(caught.value)


def test_a_directory_that_chartgen_did_not_write_is_refused(out: Path) -> None:
    (out / "mnist").mkdir()
    (out / "mnist/thesis.tex").write_text("years of work\n")
    message = refusal(out / "mnist", NEW)
    assert message.startswith(f"{out}/mnist exists, but chartgen did not create it")
    assert "--force" in message


def test_a_directory_with_only_directories_in_it_is_refused_too(out: Path) -> None:
    (out / "mnist/empty").mkdir(parents=True)
    assert "chartgen did not create it" in refusal(out / "mnist", NEW)


def test_force_writes_into_such_a_directory_and_keeps_its_other_files(out: Path) -> None:
    (out / "mnist/src").mkdir(parents=True)
    (out / "mnist/src/thesis.tex").write_text("years of work\n")
    (out / "mnist/values.yaml").write_text("theirs\n")
    write(f"{out}/mnist", NEW, force=True)
    assert texts_below(out / "mnist") == NEW | {"src/thesis.tex": "years of work\n"}
    assert write(f"{out}/mnist", NEW) == []


def test_an_empty_directory_may_be_written_to(out: Path) -> None:
    (out / "mnist").mkdir(mode=0o700)
    write(f"{out}/mnist", NEW)
    assert texts_below(out / "mnist") == NEW
    assert (out / "mnist").stat().st_mode & 0o777 == 0o700


def test_a_half_merged_chart_is_known_as_such(chart: Path) -> None:
    """It is written anew once the description is merged; until then nothing is lost."""
    manifest = chart / MANIFEST
    text = manifest.read_bytes()
    manifest.write_bytes(text.replace(b"\n", b"\n<<<<<<< HEAD\n", 1))
    message = refusal(chart, NEW)
    assert message == (
        f"{chart} is half merged: there are conflict markers in {MANIFEST}; use --force to write "
        "all its files again from the job description"
    )
    write(str(chart), NEW, force=True)
    assert texts_below(chart) == NEW


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"\xff" + text,
        lambda text: text.rstrip(b"\n"),
        lambda text: b"# someone else's\n",
        lambda text: b"",
    ],
)
def test_a_manifest_that_is_damaged_protects_all_files(
    chart: Path, damage: Callable[[bytes], bytes]
) -> None:
    manifest = chart / MANIFEST
    manifest.write_bytes(damage(manifest.read_bytes()))
    assert f"no readable {MANIFEST}" in refusal(chart, NEW)
    write(str(chart), NEW, force=True)
    assert texts_below(chart) == NEW | {"templates/old/s.yaml": "y\n"}


@pytest.mark.parametrize("path", ["values.yaml", "templates/old/s.yaml"])
def test_hand_edits_are_refused_by_name_and_overwritten_by_force(chart: Path, path: str) -> None:
    """Whether the file would be changed or removed."""
    (chart / path).write_text("by hand\n")
    message = refusal(chart, NEW)
    assert message.startswith(f"{chart} has files changed by hand that would be lost: {path}; ")
    assert "--force" in message
    write(str(chart), NEW, force=True)
    assert texts_below(chart) == NEW


def test_all_hand_edits_are_named(chart: Path) -> None:
    for path in ("values.yaml", "Chart.yaml"):
        (chart / path).write_text("by hand\n")
    assert "would be lost: Chart.yaml, values.yaml;" in refusal(chart, OLD)


def test_a_hand_edit_that_equals_what_would_be_written_is_accepted(chart: Path) -> None:
    (chart / "values.yaml").write_text(NEW["values.yaml"])
    write(str(chart), NEW)
    assert texts_below(chart) == NEW


def test_a_deleted_file_is_written_again(chart: Path) -> None:
    (chart / "values.yaml").unlink()
    assert write(str(chart), OLD) == [f"{chart}/values.yaml"]
    assert texts_below(chart) == OLD


def test_a_chart_of_which_everything_was_deleted_is_written_again(chart: Path) -> None:
    for path in (*OLD, MANIFEST, "templates/old", "templates"):
        (chart / path).rmdir() if (chart / path).is_dir() else (chart / path).unlink()
    write(str(chart), OLD)
    assert texts_below(chart) == OLD


def test_a_file_of_others_with_the_name_of_a_new_file_is_refused(chart: Path) -> None:
    (chart / "README.md").write_text("theirs\n")
    assert "would be lost: README.md;" in refusal(chart, NEW)
    (chart / "README.md").write_text(NEW["README.md"])
    write(str(chart), NEW)
    assert texts_below(chart) == NEW


@pytest.mark.parametrize(
    ("theirs", "files"),
    [
        ("README.md/notes.txt", NEW),
        ("docs", NEW | {"docs/a.md": "a\n"}),
        ("docs/deep", NEW | {"docs/deep/er/a.md": "a\n"}),
    ],
)
def test_a_file_in_place_of_a_directory_or_the_reverse_is_refused_and_replaced_by_force(
    chart: Path, theirs: str, files: dict[str, str]
) -> None:
    (chart / theirs).parent.mkdir(exist_ok=True)
    (chart / theirs).write_text("theirs\n")
    assert f"would be lost: {theirs};" in refusal(chart, files)
    write(str(chart), files, force=True)
    assert texts_below(chart) == files


def test_an_empty_directory_in_the_way_is_replaced(chart: Path) -> None:
    (chart / "README.md/deep").mkdir(parents=True)
    write(str(chart), NEW)
    assert texts_below(chart) == NEW


def test_a_symbolic_link_in_place_of_a_file_is_a_hand_edit_and_its_target_is_safe(
    chart: Path,
) -> None:
    shared = chart.parent / "shared.yaml"
    shared.write_text(OLD["values.yaml"])
    (chart / "values.yaml").unlink()
    (chart / "values.yaml").symlink_to(shared)
    assert "would be lost: values.yaml;" in refusal(chart, OLD)
    write(str(chart), NEW, force=True)
    assert not (chart / "values.yaml").is_symlink()
    assert shared.read_text() == OLD["values.yaml"]


def test_a_manifest_cannot_name_files_outside_the_chart(chart: Path) -> None:
    (chart.parent / "outside.txt").write_text("safe\n")
    with (chart / MANIFEST).open("a") as manifest:
        manifest.write("00000000 5 ../outside.txt\n")
    write(str(chart), NEW)
    assert (chart.parent / "outside.txt").read_text() == "safe\n"


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../x", "a//b", "./a", "a/", "a\nb", "a\\b", MANIFEST]
)
def test_a_path_that_leaves_the_chart_is_a_bug(out: Path, path: str) -> None:
    for call in (write, compare):
        with pytest.raises(ValueError, match="not a path inside a chart"):
            call(f"{out}/mnist", {path: ""})
    assert names_in(out) == []


def test_one_name_for_a_file_and_a_directory_is_a_bug(out: Path) -> None:
    with pytest.raises(ValueError, match="both a file and a directory: a/b"):
        write(f"{out}/mnist", {"a/b": "", "a/b/c": ""})


# Unusual file systems


def test_a_symbolic_link_to_a_chart_stays_and_its_target_is_written(
    chart: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(chart)
    assert write(str(link), NEW)[0] == f"{link}/README.md"
    assert link.is_symlink()
    assert texts_below(chart) == NEW
    assert names_in(tmp_path) == ["link", "out"]


def test_the_missing_target_of_a_link_is_created(out: Path) -> None:
    (out / "link").symlink_to("later/mnist")
    write(f"{out}/link", NEW)
    assert texts_below(out / "later/mnist") == NEW


def test_a_link_to_itself_is_explained(out: Path) -> None:
    (out / "mnist").symlink_to("mnist")
    assert (
        refusal(out / "mnist", NEW)
        == f"cannot write {out}/mnist: Too many levels of symbolic links"
    )


@pytest.mark.parametrize("below", ["", "/mnist", "/deep/er/mnist"])
def test_a_file_in_place_of_a_directory_is_named(out: Path, below: str) -> None:
    (out / "file").write_text("precious\n")
    with pytest.raises(WorldError) as caught:
        write(f"{out}/file{below}", NEW)
    assert str(caught.value) == (
        f"cannot write {out}/file{below}: '{out}/file' is not a directory; move it away,"
        " or name another directory"
    )
    assert (out / "file").read_text() == "precious\n"


def test_a_name_too_long_is_explained(out: Path) -> None:
    message = refusal(out / ("x" * 300), NEW)
    assert message.endswith(": File name too long; choose a shorter name or directory")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_directory_that_cannot_be_written_is_explained(
    chart: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The errors are injected, because permissions do not stop root."""
    monkeypatch.setattr(os, "mkdir", lambda *_: fail(number))
    message = refusal(chart, NEW)
    assert message.startswith(f"cannot write {chart}: {os.strerror(number)}; ")
    assert texts_below(chart) == OLD
    assert names_in(chart.parent) == ["mnist"]


def test_a_read_only_directory_is_fine_when_there_is_nothing_to_write(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mkdir", "rename", "link", "unlink", "rmdir", "utime", "chmod"):
        monkeypatch.setattr(os, name, lambda *_, **__: fail(errno.EROFS))
    assert write(str(chart), OLD) == []


def test_a_full_disk_is_explained_and_leaves_what_was_there(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel itself says that the disk is full, as /dev/full does for every write."""
    real = os.open

    def open_full(path: str, flags: int, *mode: int) -> int:
        return real("/dev/full", os.O_WRONLY) if flags & os.O_CREAT else real(path, flags, *mode)

    monkeypatch.setattr(os, "open", open_full)
    with pytest.raises(WorldError) as caught:
        write(str(chart), NEW)
    monkeypatch.undo()
    assert str(caught.value) == (
        f"cannot write {chart}: No space left on device; free some space there,"
        " or name another directory"
    )
    assert texts_below(chart) == OLD
    assert names_in(chart.parent) == ["mnist"]


def test_a_file_that_cannot_be_read_is_named(chart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, mode: str) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(
        WorldError,
        match=f"^cannot read {chart}/.*: Permission denied; change the permissions there",
    ):
        compare(str(chart), NEW)
