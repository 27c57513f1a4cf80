"""Writing files: all or nothing, and nobody's work is lost."""

import errno
import os
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartgen.world.files import MANIFEST, compare, edited, write
from tests.support.examples import examples
from tests.support.folders import NEW, OLD, fail, names_in, snapshot, texts_below


def test_a_new_chart_is_written_as_given_with_the_directories_it_needs(tmp_path: Path) -> None:
    target = f"{tmp_path}/a/b/mnist"
    assert write(target, NEW) == [f"{target}/{path}" for path in sorted(NEW)]
    assert texts_below(Path(target)) == NEW
    assert names_in(tmp_path / "a/b") == ["mnist"]


def test_files_have_the_modes_that_other_programs_give(out: Path) -> None:
    mask = os.umask(0o027)
    try:
        write(f"{out}/mnist", NEW)
    finally:
        os.umask(mask)
    modes = {
        path: (out / "mnist" / path).stat().st_mode & 0o777
        for path in (".", "templates", "Chart.yaml", MANIFEST)
    }
    assert modes == {".": 0o750, "templates": 0o750, "Chart.yaml": 0o640, MANIFEST: 0o640}


def test_the_manifest_lists_what_chartgen_wrote_and_depends_on_nothing_else(out: Path) -> None:
    write(f"{out}/one", NEW)
    write(f"{out}/two", dict(reversed(NEW.items())))
    assert (out / "one" / MANIFEST).read_text().splitlines()[1:] == [
        f"{zlib.crc32(NEW[path].encode()):08x} {path}" for path in sorted(NEW)
    ]
    assert (out / "one" / MANIFEST).read_bytes() == (out / "two" / MANIFEST).read_bytes()


def test_the_manifest_of_an_earlier_version_is_read(chart: Path) -> None:
    """It also had the size of each file."""
    header, *rows = (chart / MANIFEST).read_text().splitlines()
    with_sizes = [header.replace("CRC-32", "CRC-32, bytes")]
    for row in rows:
        crc, path = row.split(" ", 1)
        with_sizes.append(f"{crc} {(chart / path).stat().st_size} {path}")
    (chart / MANIFEST).write_text("\n".join([*with_sizes, ""]))
    assert edited(str(chart)) == []
    (chart / "values.yaml").write_text("mine\n")
    assert edited(str(chart)) == ["values.yaml"]
    (chart / "values.yaml").write_text(OLD["values.yaml"])
    assert write(str(chart), OLD) == [f"{chart}/{MANIFEST}"]
    assert (chart / MANIFEST).read_text().splitlines() == [header, *rows]


def test_writing_the_same_content_touches_nothing(chart: Path) -> None:
    before = snapshot(chart.parent)
    assert write(str(chart), OLD) == []
    assert snapshot(chart.parent) == before


def test_changed_files_are_reported_and_the_rest_keep_their_times(chart: Path) -> None:
    kept = (chart / "Chart.yaml").lstat()
    changed = write(str(chart), NEW)
    assert changed == [
        f"{chart}/{name}"
        for name in ("README.md", "templates/jobs.yaml", "templates/old/s.yaml", "values.yaml")
    ]
    after = (chart / "Chart.yaml").lstat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (kept.st_ino, kept.st_mtime_ns, 1)


def test_files_no_longer_generated_are_removed_with_their_directories(chart: Path) -> None:
    write(str(chart), NEW)
    assert texts_below(chart) == NEW
    assert names_in(chart / "templates") == ["jobs.yaml"]
    assert names_in(chart.parent) == ["mnist"]


def test_files_of_others_are_not_touched(chart: Path) -> None:
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
    mine_now = {
        "ci/mine.yaml": "mine\n",
        "templates/old/mine.yaml": "mine too\n",
        "near": NEW["Chart.yaml"],
    }
    assert texts_below(chart) == NEW | mine_now
    after = (chart / "ci/mine.yaml").stat()
    assert (after.st_mtime_ns, after.st_mode, after.st_nlink) == (mine.st_mtime_ns, mine.st_mode, 1)
    assert (chart / "ci").stat().st_mode & 0o777 == 0o700
    assert (chart / ".git/refs/tags").is_dir()
    assert [os.readlink(chart / link) for link in ("link", "away", "near")] == [
        "../elsewhere",
        "ci",
        "Chart.yaml",
    ]


def test_a_directory_its_owner_cannot_write_is_made_writable_for_the_owner_only(
    chart: Path,
) -> None:
    (chart / "ci").mkdir()
    (chart / "ci/mine.yaml").write_text("mine\n")
    (chart / "ci").chmod(0o500)
    write(str(chart), NEW)
    assert texts_below(chart) == NEW | {"ci/mine.yaml": "mine\n"}
    assert (chart / "ci").stat().st_mode & 0o777 == 0o700


def test_an_emptied_directory_that_is_no_longer_generated_is_removed(chart: Path) -> None:
    (chart / "templates/old/s.yaml").unlink()
    write(str(chart), NEW)
    assert names_in(chart / "templates") == ["jobs.yaml"]


def test_files_of_others_are_copied_where_links_do_not_work(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    (chart / "link").symlink_to("../elsewhere")
    before = (chart / "mine.yaml").stat().st_mtime_ns
    monkeypatch.setattr(os, "link", lambda *_, **__: fail(errno.EPERM))
    write(str(chart), NEW)
    assert texts_below(chart) == NEW | {"mine.yaml": "mine\n"}
    assert (chart / "mine.yaml").stat().st_mtime_ns == before
    assert os.readlink(chart / "link") == "../elsewhere"


paths = st.lists(st.sampled_from(["a", "b", "c.yaml"]), min_size=1, max_size=3).map("/".join)
trees = st.dictionaries(paths, st.sampled_from(["", "1\n", "2\n"]), max_size=5).filter(
    lambda tree: not any(other.startswith(f"{path}/") for path in tree for other in tree)
)


@settings(max_examples=examples(60))
@given(trees, trees, trees)
def test_after_any_run_the_chart_and_the_files_of_others_are_there(
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
        fits = {
            path for path in added if not any(f"{new_}/".startswith(f"{path}/") for new_ in new)
        }
        fits = {path for path in fits if not any(path.startswith(f"{new_}/") for new_ in new)}
        assert texts_below(chart) == {path: added[path] for path in fits} | new
        assert (changed == []) == (old == new)
        assert compare(str(chart), new) == []
        assert write(str(chart), new) == []
        assert names_in(Path(folder)) == ["mnist"]
