"""What killed runs leave in the temporary directory and beside charts is found and removed."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chartgen.errors import WorldError
from chartgen.world import atomic, files, processes
from chartgen.world.files.temporary import make_directory, temporary_directory

KILLED = """\
import os, signal
from chartgen.world.files.temporary import temporary_directory

with temporary_directory() as folder:
    open(os.path.join(folder, "Chart.yaml"), "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def ended_process() -> str:
    """The name of a process that has ended."""
    code = "from chartgen.world import processes; print(processes.own_name())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_next_run_removes_the_directory_of_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    killed = subprocess.run([sys.executable, "-c", KILLED], check=False, env=environment)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    with temporary_directory() as folder:
        assert [path.name for path in tmp_path.iterdir()] == [os.path.basename(folder)]
    assert not left.exists()
    assert not [*tmp_path.iterdir()]


def test_a_disk_that_takes_no_more_is_an_error_of_the_world(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^cannot make .*: No such file or directory; see TMPDIR"):
        make_directory(f"{tmp_path}/missing/work")


def test_what_may_be_in_use_or_is_not_ours_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that goes on, a directory that somebody named so, a link, and what Helm was given."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = ended_process()
    for name in (f"chartgen-{processes.own_name()}-a", "chartgen-notes", f"chartgen-{ended}-used"):
        (tmp_path / name).mkdir()
    (tmp_path / f"chartgen-{ended}-link").symlink_to(tmp_path / "chartgen-notes")
    before = {path.name for path in tmp_path.iterdir()}
    used = str(tmp_path / f"chartgen-{ended}-used" / "mnist")
    wait = "print('started', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", wait, used], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as helm:
        assert helm.stdout is not None
        helm.stdout.readline()  # until its program runs, the system may not tell its arguments
        try:
            with temporary_directory():
                pass
        finally:
            helm.communicate(b"\n")
    assert {path.name for path in tmp_path.iterdir()} == before


def test_without_locks_the_next_run_finds_what_a_killed_one_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are no locks, runs may not share a name; each has that of its process."""

    @contextmanager
    def no_lock(_folder: str) -> Iterator[bool]:
        yield False

    monkeypatch.setattr(atomic, "_lock", no_lock)
    left = tmp_path / f".mnist.chartgen-new-{ended_process()}"
    left.mkdir()
    (left / atomic.MANIFEST).touch()
    (tmp_path / ".mnist.chartgen-new-0123456789ab.1.1").mkdir()  # of another machine
    files.write(str(tmp_path / "mnist"), {"Chart.yaml": "name: mnist\n"})
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".mnist.chartgen-new-0123456789ab.1.1",
        "mnist",
    ]
