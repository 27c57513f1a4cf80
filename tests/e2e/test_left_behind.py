"""A run that is stopped halfway leaves nothing on the machine."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import cgroups
from tests.e2e.cluster import CLUSTERS, ROOT
from tests.e2e.parts import cgroup
from tests.e2e.waiting import PATIENCE, until


def leftovers(folder: Path) -> list[str]:
    """What is left of a cluster on this machine: files, processes, mounts, control groups.

    A process belongs to the run by its arguments, or by its environment, which it inherited.
    """
    left_over = [str(folder)] if folder.exists() else []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words, own = (
                (process / "cmdline").read_text(),
                (process / "environ").read_text(errors="replace"),
            )
            left_over += [f"{process}: {words}"] * (str(folder) in words or folder.name in own)
        except OSError:
            continue  # it has ended
    left_over += [
        line
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if str(folder) in line
    ]
    return left_over + [str(group) for group in cgroups.groups(cgroup(folder))]


@pytest.fixture
def folder() -> Path:
    """The folder of a cluster for this test."""
    return CLUSTERS / f"stopped-{os.getpid()}"


@pytest.fixture
def child(folder: Path, tmp_path: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """A run whose cluster is just starting."""
    # A shell makes its background processes, and what they start, ignore Ctrl-C.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "tests.e2e", "run"]
    environment = {
        **os.environ,
        "CHARTGEN_E2E_NAME": folder.name,
        "CHARTGEN_E2E_LOGS": str(tmp_path / "logs"),
    }
    with (tmp_path / "log").open("w") as log:
        child = subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=log, start_new_session=True
        )
    progress = folder / "progress"
    try:
        until(
            lambda: progress.exists() and "containerd: ready" in progress.read_text(),
            "the cluster is starting",
        )
        yield child
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name
)
def test_nothing_is_left_of_a_run_that_is_stopped(
    number: signal.Signals, folder: Path, child: "subprocess.Popen[bytes]"
) -> None:
    """Stopped while its cluster starts, even if the run itself cannot clean up any more."""
    assert len(leftovers(folder)) > 4
    child.send_signal(number)
    assert child.wait(PATIENCE) == (-number if number == signal.SIGKILL else 130)
    if number == signal.SIGKILL:
        until(lambda: not leftovers(folder), "what a killed run left is removed")
    assert leftovers(folder) == []
