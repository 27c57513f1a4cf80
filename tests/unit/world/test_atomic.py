"""Replacing a directory: whatever stops a run, and however many run, a whole chart is there."""

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
from chartgen.world import atomic
from chartgen.world.files import write
from tests.support.folders import names_in, texts_below
from tests.support.paths import ROOT
from tests.support.programs import shell

OLD = {"Chart.yaml": "name: mnist\n", "values.yaml": "a: 1\n", "templates/old/s.yaml": "y\n"}
NEW = {"Chart.yaml": "name: mnist\n", "values.yaml": "a: 2\n", "templates/jobs.yaml": "z\n"}


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """The directory of a chart that chartgen wrote."""
    write(f"{tmp_path}/out/mnist", OLD)
    return tmp_path / "out/mnist"


# Whatever stops a run

CHANGES = [(os, name) for name in ("mkdir", "rename", "link", "unlink", "rmdir")]
STEPS = [*CHANGES, (builtins, "open")]
STEPS += [(os, name) for name in ("scandir", "lstat", "open", "write")]


class Fault:
    """Raises once, before or after the n-th call of a run to the operating system."""

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


def faults(
    attempt: Callable[[Fault], None], error: type[BaseException], *, after: bool
) -> Iterator[int]:
    """Try with a fault at the first step, the second, and so on until no step is left."""
    for n in range(1, 1000):
        fault = Fault(n, error, after=after)
        attempt(fault)
        if fault.left > 0:
            return
        yield n
    raise AssertionError("a run that never ends")


@pytest.mark.parametrize(
    ("error", "after"), [(KeyboardInterrupt, False), (KeyboardInterrupt, True), (OSError, False)]
)
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
        left = texts_below(chart)
        assert left in ({} if fresh else OLD | mine, NEW | mine)
        outcomes.add("new" if left == NEW | mine else "old")
        assert names_in(chart.parent) in ([["mnist"], []] if fresh else [["mnist"]])
        assert write(str(chart), NEW) == [] or left != NEW | mine
        assert texts_below(chart) == NEW | mine

    assert len(list(faults(attempt, error, after=after))) >= 4
    assert outcomes == {"stopped", "old", "new"}


KILLED = """
import os, signal, sys
from chartgen.world.files import write
from chartgen.world import atomic
atomic._exchange = lambda *_: False  # as on a system that cannot exchange directories
rename = os.rename
def killed(*paths):
    rename(*paths)
    os.kill(os.getpid(), signal.SIGKILL)
os.rename = killed
write(sys.argv[1], {"Chart.yaml": "killed\\n"})
"""


def python(code: str, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *args], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )


def test_a_run_killed_in_the_middle_of_the_swap_is_repaired_by_the_next(chart: Path) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    assert python(KILLED, str(chart)).wait() == -signal.SIGKILL
    assert not chart.exists()
    assert write(str(chart), NEW) != []
    assert texts_below(chart) == NEW | {"mine.yaml": "mine\n"}
    assert names_in(chart.parent) == ["mnist"]


def test_what_a_killed_run_left_is_removed_even_when_nothing_changes(chart: Path) -> None:
    for left in (".mnist.chartgen-new", ".mnist.chartgen-old"):
        (chart.parent / left / "templates").mkdir(parents=True)
        (chart.parent / left / "templates/jobs.yaml").write_text("half\n")
        (chart.parent / left / ".chartgen").write_text("")
    assert write(str(chart), OLD) == []
    assert texts_below(chart) == OLD
    assert names_in(chart.parent) == ["mnist"]


@pytest.mark.parametrize("left", [".mnist.chartgen-new", ".mnist.chartgen-old"])
@pytest.mark.parametrize("kind", ["directory", "file", "link"])
def test_what_only_has_the_name_of_ours_is_not_removed(chart: Path, left: str, kind: str) -> None:
    """Our own temporary directories are empty, or have the list of their files."""
    place = chart.parent / left
    if kind == "directory":
        place.mkdir()
        (place / "notes.txt").write_text("mine\n")
    elif kind == "file":
        place.write_text("mine\n")
    else:
        place.symlink_to(chart.parent.parent)
    with pytest.raises(WorldError, match="is in the way, and chartgen did not create it; move it"):
        write(str(chart), NEW)
    assert texts_below(chart) == OLD
    assert place.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_a_chart_of_another_user_is_refused_before_anything_changes(tmp_path: Path) -> None:
    """Who may rename it but not remove what is in it would leave half of it behind."""
    out = tmp_path / "out"
    write(f"{out}/mnist", OLD)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/") and "pytest" in str(folder):
            folder.chmod(0o755)
    out.chmod(0o777)
    code = (
        "import binascii, hashlib, os, sys\n"
        "from chartgen.world import processes\n"
        "from chartgen.errors import WorldError\n"
        "from chartgen.world.files import write\n"
        "os.setuid(65534)\n"
        "try: write(sys.argv[1], {'Chart.yaml': 'x'})\n"
        "except WorldError as error: sys.exit('another user' in str(error) and 7)"
    )
    assert python(code, f"{out}/mnist").wait() == 7
    assert texts_below(out / "mnist") == OLD
    assert names_in(out) == ["mnist"]


def test_a_link_is_followed_only_to_a_chart_or_an_empty_directory(tmp_path: Path) -> None:
    """Not even --force writes through it into a directory of others."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/x").write_text("theirs\n")
    (tmp_path / "one").symlink_to("empty")
    (tmp_path / "two").symlink_to("theirs")
    write(f"{tmp_path}/one", OLD)
    write(f"{tmp_path}/one", NEW)
    assert texts_below(tmp_path / "empty") == NEW
    refusal = r"is a link to .*theirs, which chartgen did not create"
    for force in (False, True):
        with pytest.raises(WorldError, match=refusal):
            write(f"{tmp_path}/two", NEW, force=force)
    assert texts_below(tmp_path / "theirs") == {"x": "theirs\n"}


# A reader beside a writer, and a writer that is killed at every step

# It rests after some looks, or it would take as much of the machine as the writer; of two renames
# in place of the exchange it still notices hundreds.
READER = """
import sys, time
missed = looks = 0
while looks < 10 ** 9:
    looks += 1
    try:
        open(sys.argv[1]).close()
    except FileNotFoundError:
        missed += 1
    if looks % 10 == 0:
        time.sleep(0.001)
    if looks % 100 == 0:
        print(missed, looks, flush=True)
"""


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="nothing to exchange with")
def test_a_reader_finds_the_chart_at_every_moment_of_5000_rewrites(chart: Path) -> None:
    """Every path that both charts have opens: the directories are exchanged in one step."""
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(chart / "values.yaml")], stdout=subprocess.PIPE
    )
    try:
        for turn in range(2_500):
            write(str(chart), NEW | {"values.yaml": f"a: {turn}\n"})
            write(str(chart), OLD)
    finally:
        reader.terminate()
        said, _ = reader.communicate()
    *_, last = said.decode().rpartition("\n")[0].split("\n")
    missed, looks = map(int, last.split())
    assert looks > 5_000
    assert missed == 0


REWRITE = """
import sys
from chartgen.world.files import write
write(sys.argv[1], {"Chart.yaml": "name: mnist\\n", "values.yaml": "a: 2\\n"})
"""
CALLS = ("mkdir", "rename", "renameat2", "unlink", "rmdir", "link", "openat", "write", "chmod")


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_kill_at_any_system_call_leaves_a_whole_chart(chart: Path, call: str) -> None:
    """kill -9 at the first call of a kind, the second, and so on until the run is done."""
    shell("strace")
    new = {"Chart.yaml": "name: mnist\n", "values.yaml": "a: 2\n"}
    start = 1
    if call == "openat":  # nearly all of them are Python's own, which reads its modules
        start = max(1, _count_calls(chart, call) - 25)
        write(str(chart), OLD, force=True)
    for number in range(start, start + 60):
        done = _traced(chart, f"--inject={call}:signal=KILL:when={number}")
        assert texts_below(chart) in (OLD, new)
        if done == 0:
            assert number > start or call in ("rename", "chmod", "link")
            break
        write(str(chart), OLD)
        assert texts_below(chart) == OLD
        assert names_in(chart.parent) == ["mnist"]
    else:
        pytest.fail("a run that never ends")


def _count_calls(chart: Path, call: str) -> int:
    log = chart.parent.parent / "calls"
    assert _traced(chart, "-o", str(log)) == 0
    return log.read_text().count(f"{call}(")


def _traced(chart: Path, *options: str) -> int:
    return subprocess.run(
        ["strace", "-qq", *options, sys.executable, "-c", REWRITE, str(chart)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    ).returncode


# Two runs at once

RUNS = """
import sys
from chartgen.world.files import write
for turn in range(50):
    write(sys.argv[1], {f"{sys.argv[2]}/{n}.yaml": f"{turn % 3}\\n" for n in range(5)})
"""


def test_concurrent_runs_into_one_directory_wait_for_each_other(chart: Path) -> None:
    (chart / "mine.yaml").write_text("mine\n")
    runs = [python(RUNS, str(chart), run) for run in "abcd"]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    files = texts_below(chart)
    assert files.pop("mine.yaml") == "mine\n"
    assert len(files) == 5
    assert {path[0] for path in files} < set("abcd")
    assert len(set(files.values())) == 1
    assert names_in(chart.parent) == ["mnist"]


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
    assert texts_below(chart) == NEW


def test_a_run_does_not_wait_for_ever(
    chart: Path, busy: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "WAIT", 0.05)
    with pytest.raises(WorldError) as caught:
        write(str(chart), NEW)
    assert (
        str(caught.value)
        == f"cannot write {chart}: another run is writing there; try again when it is done"
    )
    assert texts_below(chart) == OLD


def test_charts_are_written_even_where_directories_cannot_be_locked(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS; the temporary directory of another run is left alone."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    (chart.parent / ".mnist.chartgen-new").mkdir()
    monkeypatch.setattr(fcntl, "flock", refuse)
    write(str(chart), NEW)
    assert texts_below(chart) == NEW
    assert names_in(chart.parent) == [".mnist.chartgen-new", "mnist"]


def test_charts_are_written_even_on_a_system_without_locks(
    chart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    write(str(chart), NEW)
    assert texts_below(chart) == NEW
    assert names_in(chart.parent) == ["mnist"]
