"""Files on disk: all or nothing, whatever stands in the way, and nobody's work lost."""

import builtins
import errno
import io
import os
import tempfile
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartgen.errors import InputError, Problem, WorldError
from chartgen.world.files import MANIFEST, STDIN, Difference, compare, diff, read, write

ROOT = Path(__file__).parents[3]
OLD = {
    "Chart.yaml": "name: mnist\n",
    "values.yaml": "a: 1\n",
    "templates/jobs.yaml": "x\n",
    "templates/old/s.yaml": "y\n",
}
NEW = {"Chart.yaml": "name: mnist\n", "values.yaml": "a: 2\n", "templates/jobs.yaml": "z\n", "README.md": "héllo\n"}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A directory to render into, with nothing in it."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def chart(out: Path) -> Path:
    """The directory of a chart that chartgen wrote."""
    write(f"{out}/mnist", OLD)
    return out / "mnist"


def held(folder: Path) -> dict[str, str]:
    """The text of all files below a directory, but for the manifest."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes().decode() for name, path in files.items() if name != MANIFEST}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def state(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """What any change to a directory would change."""
    stats = {path: path.lstat() for path in [folder, *folder.rglob("*")]}
    return {path: (stat.st_ino, stat.st_mtime_ns, stat.st_mode) for path, stat in stats.items()}


def refusal(chart: Path, files: dict[str, str]) -> str:
    """What `write` says when it refuses; it must have touched nothing."""
    before = state(chart.parent)
    with pytest.raises(WorldError) as caught:
        write(str(chart), files)
    assert state(chart.parent) == before
    return str(caught.value)


# Writing


def test_a_new_chart_is_written_as_given_with_the_directories_it_needs(tmp_path: Path) -> None:
    target = f"{tmp_path}/a/b/mnist"
    assert write(target, NEW) == [f"{target}/{path}" for path in sorted(NEW)]
    assert held(Path(target)) == NEW
    assert names(tmp_path / "a/b") == ["mnist"]


def test_files_have_the_modes_that_any_program_gives(out: Path) -> None:
    mask = os.umask(0o027)
    try:
        write(f"{out}/mnist", NEW)
    finally:
        os.umask(mask)
    modes = {path: (out / "mnist" / path).stat().st_mode & 0o777 for path in (".", "templates", "Chart.yaml", MANIFEST)}
    assert modes == {".": 0o750, "templates": 0o750, "Chart.yaml": 0o640, MANIFEST: 0o640}


def test_the_manifest_says_what_we_wrote_and_depends_on_nothing_else(out: Path) -> None:
    write(f"{out}/one", NEW)
    write(f"{out}/two", dict(reversed(NEW.items())))
    assert (out / "one" / MANIFEST).read_text().splitlines()[1:] == [
        f"{zlib.crc32(NEW[path].encode()):08x} {len(NEW[path].encode())} {path}" for path in sorted(NEW)
    ]
    assert (out / "one" / MANIFEST).read_bytes() == (out / "two" / MANIFEST).read_bytes()


def test_writing_what_is_there_touches_nothing(chart: Path) -> None:
    before = state(chart.parent)
    assert write(str(chart), OLD) == []
    assert state(chart.parent) == before


def test_what_changed_is_told_and_the_rest_keeps_its_times(chart: Path) -> None:
    kept = (chart / "Chart.yaml").lstat()
    changed = write(str(chart), NEW)
    assert changed == [
        f"{chart}/{name}" for name in ("README.md", "templates/jobs.yaml", "templates/old/s.yaml", "values.yaml")
    ]
    after = (chart / "Chart.yaml").lstat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (kept.st_ino, kept.st_mtime_ns, 1)


def test_files_of_ours_that_are_no_longer_made_are_removed_with_their_directories(chart: Path) -> None:
    write(str(chart), NEW)
    assert held(chart) == NEW
    assert names(chart / "templates") == ["jobs.yaml"]
    assert names(chart.parent) == ["mnist"]


def test_files_of_others_stay_as_they_are(chart: Path) -> None:
    (chart / "ci").mkdir(mode=0o700)
    (chart / "ci/mine.yaml").write_text("mine\n")
    (chart / "ci/mine.yaml").chmod(0o600)
    (chart / "templates/old/mine.yaml").write_text("mine too\n")
    (chart / ".git/refs/tags").mkdir(parents=True)
    (chart / "link").symlink_to("../elsewhere")
    (chart / "away").symlink_to("ci", target_is_directory=True)
    (chart / "near").symlink_to("Chart.yaml")
    mine = (chart / "ci/mine.yaml").stat()
    write(str(chart), NEW)
    mine_now = {"ci/mine.yaml": "mine\n", "templates/old/mine.yaml": "mine too\n", "near": NEW["Chart.yaml"]}
    assert held(chart) == NEW | mine_now
    after = (chart / "ci/mine.yaml").stat()
    assert (after.st_mtime_ns, after.st_mode, after.st_nlink) == (mine.st_mtime_ns, mine.st_mode, 1)
    assert (chart / "ci").stat().st_mode & 0o777 == 0o700
    assert (chart / ".git/refs/tags").is_dir()
    assert [os.readlink(chart / link) for link in ("link", "away", "near")] == ["../elsewhere", "ci", "Chart.yaml"]


def test_a_directory_that_its_owner_cannot_write_is_opened_to_its_owner_alone(chart: Path) -> None:
    (chart / "ci").mkdir()
    (chart / "ci/mine.yaml").write_text("mine\n")
    (chart / "ci").chmod(0o500)
    write(str(chart), NEW)
    assert held(chart) == NEW | {"ci/mine.yaml": "mine\n"}
    assert (chart / "ci").stat().st_mode & 0o777 == 0o700


def test_a_directory_of_ours_that_someone_emptied_is_removed_when_it_is_no_longer_made(chart: Path) -> None:
    (chart / "templates/old/s.yaml").unlink()
    write(str(chart), NEW)
    assert names(chart / "templates") == ["jobs.yaml"]


def test_files_of_others_are_copied_where_links_do_not_work(chart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    (chart / "link").symlink_to("../elsewhere")
    before = (chart / "mine.yaml").stat().st_mtime_ns
    monkeypatch.setattr(os, "link", lambda *_, **__: fail(errno.EPERM))
    write(str(chart), NEW)
    assert held(chart) == NEW | {"mine.yaml": "mine\n"}
    assert (chart / "mine.yaml").stat().st_mtime_ns == before
    assert os.readlink(chart / "link") == "../elsewhere"


# Refusing


def test_a_directory_that_chartgen_did_not_make_is_refused(out: Path) -> None:
    (out / "mnist").mkdir()
    (out / "mnist/thesis.tex").write_text("years of work\n")
    message = refusal(out / "mnist", NEW)
    assert message.startswith(f"{out}/mnist exists and chartgen did not make it")
    assert "--force" in message


def test_a_directory_with_only_directories_in_it_is_not_ours_either(out: Path) -> None:
    (out / "mnist/empty").mkdir(parents=True)
    assert "chartgen did not make it" in refusal(out / "mnist", NEW)


def test_force_writes_into_such_a_directory_and_keeps_what_has_other_names(out: Path) -> None:
    (out / "mnist/src").mkdir(parents=True)
    (out / "mnist/src/thesis.tex").write_text("years of work\n")
    (out / "mnist/values.yaml").write_text("theirs\n")
    write(f"{out}/mnist", NEW, force=True)
    assert held(out / "mnist") == NEW | {"src/thesis.tex": "years of work\n"}
    assert write(f"{out}/mnist", NEW) == []


def test_an_empty_directory_may_be_filled(out: Path) -> None:
    (out / "mnist").mkdir(mode=0o700)
    write(f"{out}/mnist", NEW)
    assert held(out / "mnist") == NEW
    assert (out / "mnist").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(b"\n", b"\n<<<<<<< HEAD\n", 1),
        lambda text: b"\xff" + text,
        lambda text: text.rstrip(b"\n"),
        lambda text: b"# someone else's\n",
        lambda text: b"",
    ],
)
def test_a_manifest_that_is_damaged_protects_all_files(chart: Path, damage: Callable[[bytes], bytes]) -> None:
    manifest = chart / MANIFEST
    manifest.write_bytes(damage(manifest.read_bytes()))
    assert f"no {MANIFEST} that chartgen can read" in refusal(chart, NEW)
    write(str(chart), NEW, force=True)
    assert held(chart) == NEW | {"templates/old/s.yaml": "y\n"}


@pytest.mark.parametrize("path", ["values.yaml", "templates/old/s.yaml"])
def test_hand_edits_are_refused_by_name_and_overwritten_by_force(chart: Path, path: str) -> None:
    """Whether the file would be changed or removed."""
    (chart / path).write_text("by hand\n")
    message = refusal(chart, NEW)
    assert message.startswith(f"{chart} holds files changed by hand that would be lost: {path}; ")
    assert "--force" in message
    write(str(chart), NEW, force=True)
    assert held(chart) == NEW


def test_all_hand_edits_are_named(chart: Path) -> None:
    for path in ("values.yaml", "Chart.yaml"):
        (chart / path).write_text("by hand\n")
    assert "would be lost: Chart.yaml, values.yaml;" in refusal(chart, OLD)


def test_a_hand_edit_that_equals_what_would_be_written_is_no_loss(chart: Path) -> None:
    (chart / "values.yaml").write_text(NEW["values.yaml"])
    write(str(chart), NEW)
    assert held(chart) == NEW


def test_what_someone_deleted_is_written_again(chart: Path) -> None:
    (chart / "values.yaml").unlink()
    assert write(str(chart), OLD) == [f"{chart}/values.yaml"]
    assert held(chart) == OLD


def test_a_deleted_manifest_with_nothing_else_is_an_empty_directory(chart: Path) -> None:
    for path in (*OLD, MANIFEST, "templates/old", "templates"):
        (chart / path).rmdir() if (chart / path).is_dir() else (chart / path).unlink()
    write(str(chart), OLD)
    assert held(chart) == OLD


def test_a_file_of_others_where_a_new_file_of_ours_goes_is_refused(chart: Path) -> None:
    (chart / "README.md").write_text("theirs\n")
    assert "would be lost: README.md;" in refusal(chart, NEW)
    (chart / "README.md").write_text(NEW["README.md"])
    write(str(chart), NEW)
    assert held(chart) == NEW


@pytest.mark.parametrize(
    ("theirs", "files"),
    [
        ("README.md/notes.txt", NEW),
        ("docs", NEW | {"docs/a.md": "a\n"}),
        ("docs/deep", NEW | {"docs/deep/er/a.md": "a\n"}),
    ],
)
def test_a_file_and_a_directory_of_one_name_are_refused_and_ours_wins_by_force(
    chart: Path, theirs: str, files: dict[str, str]
) -> None:
    (chart / theirs).parent.mkdir(exist_ok=True)
    (chart / theirs).write_text("theirs\n")
    assert f"would be lost: {theirs};" in refusal(chart, files)
    write(str(chart), files, force=True)
    assert held(chart) == files


def test_an_empty_directory_in_the_way_is_no_loss(chart: Path) -> None:
    (chart / "README.md/deep").mkdir(parents=True)
    write(str(chart), NEW)
    assert held(chart) == NEW


def test_a_symbolic_link_in_place_of_our_file_is_a_hand_edit_and_what_it_points_to_is_safe(chart: Path) -> None:
    shared = chart.parent / "shared.yaml"
    shared.write_text(OLD["values.yaml"])
    (chart / "values.yaml").unlink()
    (chart / "values.yaml").symlink_to(shared)
    assert "would be lost: values.yaml;" in refusal(chart, OLD)
    write(str(chart), NEW, force=True)
    assert not (chart / "values.yaml").is_symlink()
    assert shared.read_text() == OLD["values.yaml"]


def test_a_manifest_cannot_name_files_outside(chart: Path) -> None:
    (chart.parent / "outside.txt").write_text("safe\n")
    with (chart / MANIFEST).open("a") as manifest:
        manifest.write("00000000 5 ../outside.txt\n")
    write(str(chart), NEW)
    assert (chart.parent / "outside.txt").read_text() == "safe\n"


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../x", "a//b", "./a", "a/", "a\nb", "a\\b", MANIFEST])
def test_a_path_that_leaves_the_chart_is_a_bug(out: Path, path: str) -> None:
    for call in (write, compare):
        with pytest.raises(ValueError, match="not a path inside a chart"):
            call(f"{out}/mnist", {path: ""})
    assert names(out) == []


def test_one_name_for_a_file_and_a_directory_is_a_bug(out: Path) -> None:
    with pytest.raises(ValueError, match="both a file and a directory: a/b"):
        write(f"{out}/mnist", {"a/b": "", "a/b/c": ""})


# What the world may be like


def test_a_symbolic_link_to_a_chart_stays_and_the_chart_is_written_where_it_points(chart: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(chart)
    assert write(str(link), NEW)[0] == f"{link}/README.md"
    assert link.is_symlink()
    assert held(chart) == NEW
    assert names(tmp_path) == ["link", "out"]


def test_a_link_that_points_nowhere_yet_gets_its_chart(out: Path) -> None:
    (out / "link").symlink_to("later/mnist")
    write(f"{out}/link", NEW)
    assert held(out / "later/mnist") == NEW


def test_a_link_to_itself_is_explained(out: Path) -> None:
    (out / "mnist").symlink_to("mnist")
    assert refusal(out / "mnist", NEW) == f"cannot write {out}/mnist: Too many levels of symbolic links"


@pytest.mark.parametrize("below", ["", "/mnist", "/deep/er/mnist"])
def test_a_file_in_place_of_a_directory_is_named(out: Path, below: str) -> None:
    (out / "file").write_text("precious\n")
    with pytest.raises(WorldError) as caught:
        write(f"{out}/file{below}", NEW)
    assert str(caught.value) == (
        f"cannot write {out}/file{below}: '{out}/file' is not a directory; move it away, or name another directory"
    )
    assert (out / "file").read_text() == "precious\n"


def test_a_name_too_long_is_explained(out: Path) -> None:
    message = refusal(out / ("x" * 300), NEW)
    assert message.endswith(": File name too long; choose a shorter name or directory")


def fail(number: int) -> Any:
    raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_directory_that_cannot_be_written_is_explained(
    chart: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The errors are injected, since permissions do not stop an administrator."""
    monkeypatch.setattr(os, "mkdir", lambda *_: fail(number))
    message = refusal(chart, NEW)
    assert message.startswith(f"cannot write {chart}: {os.strerror(number)}; ")
    assert held(chart) == OLD
    assert names(chart.parent) == ["mnist"]


def test_a_read_only_directory_is_fine_when_there_is_nothing_to_write(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mkdir", "rename", "link", "unlink", "rmdir", "utime", "chmod"):
        monkeypatch.setattr(os, name, lambda *_, **__: fail(errno.EROFS))
    assert write(str(chart), OLD) == []


def test_a_full_disk_is_explained_and_leaves_what_was_there(chart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel itself says that the disk is full, as /dev/full does for whatever is written to it."""
    real = builtins.open
    monkeypatch.setattr(
        builtins, "open", lambda path, mode: real("/dev/full", "wb") if mode == "xb" else real(path, mode)
    )
    with pytest.raises(WorldError) as caught:
        write(str(chart), NEW)
    monkeypatch.undo()
    assert str(caught.value) == (
        f"cannot write {chart}: No space left on device; free some space there, or name another directory"
    )
    assert held(chart) == OLD
    assert names(chart.parent) == ["mnist"]


def test_a_file_that_cannot_be_read_is_named(chart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, mode: str) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(WorldError, match=f"^cannot read {chart}/.*: Permission denied; change the permissions there"):
        compare(str(chart), NEW)


# Comparing


def test_what_is_as_it_would_be_written_does_not_differ_whatever_others_added(chart: Path) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    assert compare(str(chart), OLD) == []


def test_missing_changed_and_stale_files_differ_and_nothing_is_touched(chart: Path) -> None:
    before = state(chart.parent)
    assert compare(str(chart), NEW) == [
        Difference(f"{chart}/README.md", "missing", "", "héllo\n"),
        Difference(f"{chart}/templates/jobs.yaml", "changed", "x\n", "z\n"),
        Difference(f"{chart}/templates/old/s.yaml", "stale", "y\n", ""),
        Difference(f"{chart}/values.yaml", "changed", "a: 1\n", "a: 2\n"),
    ]
    assert state(chart.parent) == before


def test_a_chart_that_is_not_there_is_missing_whole_and_is_not_made(out: Path) -> None:
    assert [(item.path, item.kind) for item in compare(f"{out}/a/mnist", {"Chart.yaml": "x\n"})] == [
        (f"{out}/a/mnist/Chart.yaml", "missing")
    ]
    assert names(out) == []


def test_a_manifest_that_alone_is_wrong_differs(chart: Path) -> None:
    """So that a check says what a run would do."""
    (chart / MANIFEST).write_text("wrong\n")
    assert [(item.path, item.kind) for item in compare(str(chart), OLD)] == [(f"{chart}/{MANIFEST}", "changed")]


def test_files_that_are_no_text_or_no_files_differ_too(chart: Path) -> None:
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
    with pytest.raises(WorldError, match=f"cannot read {out}/mnist: '{out}/mnist' is not a directory"):
        compare(f"{out}/mnist", NEW)


def test_a_diff_goes_from_the_disk_to_what_would_be_written() -> None:
    differences = [
        Difference("out/m/a", "missing", "", "new\n"),
        Difference("out/m/b", "changed", "1\n\f2\nthree", "1\n\f2\nthree\n"),
        Difference("out/m/c", "stale", "old\n", ""),
    ]
    assert diff(differences) == (
        "--- /dev/null\n+++ out/m/a\n@@ -0,0 +1 @@\n+new\n"
        "--- out/m/b\n+++ out/m/b\n@@ -1,3 +1,3 @@\n 1\n \f2\n-three\n\\ No newline at end of file\n+three\n"
        "--- out/m/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
    )
    assert diff([]) == ""


paths = st.lists(st.sampled_from(["a", "b", "c.yaml"]), min_size=1, max_size=3).map("/".join)
trees = st.dictionaries(paths, st.sampled_from(["", "1\n", "2\n"]), max_size=5).filter(
    lambda tree: not any(other.startswith(f"{path}/") for path in tree for other in tree)
)


@settings(max_examples=60)
@given(trees, trees, trees)
def test_after_any_run_the_chart_is_there_and_the_files_of_others_beside_it(
    old: dict[str, str], new: dict[str, str], mine: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder, "mnist")
        write(str(chart), old)
        added = {}
        for path, text in mine.items():
            place = chart / path
            if not place.exists() and not any(parent.is_file() for parent in place.parents):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
                added[path] = text
        changed = write(str(chart), new, force=True)
        fits = {path for path in added if not any(f"{new_}/".startswith(f"{path}/") for new_ in new)}
        fits = {path for path in fits if not any(path.startswith(f"{new_}/") for new_ in new)}
        assert held(chart) == {path: added[path] for path in fits} | new
        assert (changed == []) == (old == new)
        assert compare(str(chart), new) == []
        assert write(str(chart), new) == []
        assert names(Path(folder)) == ["mnist"]


# Reading


def problem(path: object, limit: int = 100, stdin: BinaryIO | None = None) -> Problem:
    """The one problem of reading an input, which stands at its beginning."""
    with pytest.raises(InputError) as caught:
        read(str(path), limit, stdin)
    (found,) = caught.value.problems
    assert (found.mark.line, found.mark.column) == (1, 1)
    return found


def test_a_file_is_read_as_it_is_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes(b"\xff\r\n")
    assert read(f"{tmp_path}/job.yaml", 3) == b"\xff\r\n"


def test_a_dash_is_the_given_stream_and_else_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("-", 100, io.BytesIO(b"name: x\n")) == b"name: x\n"
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a file\n")
    assert read("-", 100) == b"a file\n"


def test_a_missing_file_suggests_the_nearest_name_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist.yaml").write_text("")
    found = problem(f"{tmp_path}/minst.yml")
    assert (found.mark.file, found.message, found.rule) == (
        f"{tmp_path}/minst.yml",
        "there is no such file",
        "no-such-file",
    )
    assert found.hint == f"did you mean '{tmp_path}/mnist.yaml'?"
    monkeypatch.chdir(tmp_path)
    assert problem("mnist").hint == "did you mean 'mnist.yaml'?"
    assert problem("resnet").hint == ""


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (f"{tmp_path}/jobs", f"{tmp_path}/file"):
        found = problem(f"{folder}/mnist.yaml")
        assert (found.rule, found.hint) == ("no-such-file", f"there is no directory '{folder}'")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    found = problem(tmp_path)
    assert (found.rule, found.message, found.hint) == (
        "not-a-file",
        "this is a directory, not a file",
        "name the files in it",
    )


def test_a_stream_that_cannot_be_read_is_named_as_the_stream() -> None:
    with io.FileIO(os.open(os.devnull, os.O_WRONLY), "r") as closed:
        found = problem("-", stdin=io.BufferedReader(closed))
    assert (found.mark.file, found.rule) == (STDIN, "unreadable")
    assert found.message == "the file cannot be read: Bad file descriptor"


def test_a_file_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    found = problem(tmp_path / "loop")
    assert (found.rule, found.message) == ("unreadable", "the file cannot be read: Too many levels of symbolic links")


def test_a_large_file_is_refused_by_its_size_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "huge.yaml").open("wb") as stream:
        stream.truncate(1 << 40)
    found = problem(tmp_path / "huge.yaml", 10 << 20)
    assert found.rule == "too-large"
    assert found.message == ("the file has 1,099,511,627,776 bytes, more than the limit of 10,485,760 bytes (10 MiB)")


def test_streams_are_limited_too(tmp_path: Path) -> None:
    expected = "the input goes on beyond the limit of 524,288 bytes (0.5 MiB)"
    assert problem("/dev/zero", 1 << 19)[1:3] == (expected, "too-large")
    found = problem("-", 1 << 19, io.BytesIO(bytes((1 << 19) + 1)))
    assert (found.mark.file, found.message, found.rule) == (STDIN, expected, "too-large")


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[b"x" * 100_000])
    writer.start()
    assert read(str(pipe), 100_000) == b"x" * 100_000
    writer.join()
