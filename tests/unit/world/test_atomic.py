"""One directory replaced by another: whatever stops a run, and however many run at once, a whole chart is there."""

import builtins
import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chartgen.errors import WorldError
from chartgen.world import atomic as swap
from chartgen.world.files import MANIFEST, write

ROOT = Path(__file__).parents[3]
OLD = {"Chart.yaml": "name: mnist\n", "values.yaml": "a: 1\n", "templates/old/s.yaml": "y\n"}
NEW = {"Chart.yaml": "name: mnist\n", "values.yaml": "a: 2\n", "templates/jobs.yaml": "z\n"}


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """The directory of a chart that chartgen wrote."""
    write(f"{tmp_path}/out/mnist", OLD)
    return tmp_path / "out/mnist"


def held(folder: Path) -> dict[str, str]:
    """The text of all files below a directory, but for the manifest."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in files.items() if name != MANIFEST}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# Whatever stops a run

CHANGES = [(os, name) for name in ("mkdir", "rename", "link", "unlink", "rmdir")]
STEPS = [*CHANGES, (os, "scandir"), (os, "lstat"), (os, "open"), (builtins, "open")]


class Fault:
    """Raises once, before or after the n-th step that a run asks of the operating system."""

    def __init__(self, n: int, error: type[BaseException], *, after: bool) -> None:
        self.left, self.error, self.after = n, error, after

    def wrap(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                raise self.error(errno.EIO, "injected")
            result = step(*args, **kwargs)
            if self.left == 0:
                raise self.error(errno.EIO, "injected")
            return result

        return stepped

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for module, name in CHANGES if self.after else STEPS:
            patch.setattr(module, name, self.wrap(getattr(module, name)))


def faults(attempt: Callable[[Fault], None], error: type[BaseException], *, after: bool) -> Iterator[int]:
    """Try with a fault at the first step, the second, and so on until there is none left to fail at."""
    for n in range(1, 1000):
        fault = Fault(n, error, after=after)
        attempt(fault)
        if fault.left > 0:
            return
        yield n
    raise AssertionError("a run that never ends")


@pytest.mark.parametrize(("error", "after"), [(KeyboardInterrupt, False), (KeyboardInterrupt, True), (OSError, False)])
@pytest.mark.parametrize("fresh", [True, False], ids=["fresh", "again"])
def test_a_run_stopped_at_any_step_leaves_a_whole_chart_and_nothing_else(
    tmp_path: Path, error: type[BaseException], after: bool, fresh: bool
) -> None:
    mine = {} if fresh else {"ci/mine.yaml": "mine\n"}
    outcomes = set()

    def attempt(fault: Fault) -> None:
        chart = tmp_path / str(fault.left) / "mnist"
        chart.parent.mkdir()
        if not fresh:
            write(str(chart), OLD)
            (chart / "ci").mkdir()
            (chart / "ci/mine.yaml").write_text("mine\n")
        with pytest.MonkeyPatch.context() as patch:
            fault.install(patch)
            try:
                write(str(chart), NEW)
            except (KeyboardInterrupt, WorldError):
                outcomes.add("stopped")
        there = held(chart)
        assert there in ({} if fresh else OLD | mine, NEW | mine)
        outcomes.add("new" if there == NEW | mine else "old")
        assert names(chart.parent) in ([["mnist"], []] if fresh else [["mnist"]])
        assert write(str(chart), NEW) == [] or there != NEW | mine
        assert held(chart) == NEW | mine

    assert len(list(faults(attempt, error, after=after))) >= 4
    assert outcomes == {"stopped", "old", "new"}


KILLED = """
import os, signal, sys
from chartgen.world.files import write
rename = os.rename
def killed(*paths):
    rename(*paths)
    os.kill(os.getpid(), signal.SIGKILL)
os.rename = killed
write(sys.argv[1], {"Chart.yaml": "killed\\n"})
"""


def python(code: str, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, *args], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})


def test_a_run_killed_in_the_middle_of_the_swap_is_mended_by_the_next(chart: Path) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    assert python(KILLED, str(chart)).wait() == -signal.SIGKILL
    assert not chart.exists()
    assert write(str(chart), NEW) != []
    assert held(chart) == NEW | {"mine.yaml": "mine\n"}
    assert names(chart.parent) == ["mnist"]


def test_what_a_killed_run_left_is_cleared_even_when_nothing_changes(chart: Path) -> None:
    for left in (".mnist.chartgen-new", ".mnist.chartgen-old"):
        (chart.parent / left / "templates").mkdir(parents=True)
        (chart.parent / left / "templates/jobs.yaml").write_text("half\n")
    assert write(str(chart), OLD) == []
    assert held(chart) == OLD
    assert names(chart.parent) == ["mnist"]


# Two runs at once

RUNS = """
import sys
from chartgen.world.files import write
for turn in range(50):
    write(sys.argv[1], {f"{sys.argv[2]}/{n}.yaml": f"{turn % 3}\\n" for n in range(5)})
"""


def test_runs_into_one_directory_at_once_wait_for_each_other(chart: Path) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    runs = [python(RUNS, str(chart), run) for run in "abcd"]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    files = held(chart)
    assert files.pop("mine.yaml") == "mine\n"
    assert len(files) == 5
    assert {path[0] for path in files} < set("abcd")
    assert len(set(files.values())) == 1
    assert names(chart.parent) == ["mnist"]


@pytest.fixture
def busy(chart: Path) -> Iterator[int]:
    """Another run holds the directory."""
    handle = os.open(chart.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    yield handle
    os.close(handle)


def test_a_run_waits_for_another_to_finish(chart: Path, busy: int) -> None:
    started = time.monotonic()
    threading.Timer(0.2, fcntl.flock, [busy, fcntl.LOCK_UN]).start()
    write(str(chart), NEW)
    assert time.monotonic() - started > 0.1
    assert held(chart) == NEW


def test_a_run_does_not_wait_for_ever(chart: Path, busy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap, "WAIT", 0.05)
    with pytest.raises(WorldError) as caught:
        write(str(chart), NEW)
    assert str(caught.value) == f"cannot write {chart}: another run is writing there; try again when it is done"
    assert held(chart) == OLD


def test_where_directories_cannot_be_locked_charts_are_written_all_the_same(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS; what another run is building there is left to it."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    (chart.parent / ".mnist.chartgen-new").mkdir()
    monkeypatch.setattr(fcntl, "flock", refuse)
    write(str(chart), NEW)
    assert held(chart) == NEW
    assert names(chart.parent) == [".mnist.chartgen-new", "mnist"]


def test_where_there_are_no_locks_at_all_charts_are_written_all_the_same(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    write(str(chart), NEW)
    assert held(chart) == NEW
    assert names(chart.parent) == ["mnist"]
