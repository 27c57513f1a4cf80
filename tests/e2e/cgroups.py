"""The control group of a cluster's pods: the only thing that outlives all its processes."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tests.e2e.process import Failure

ROOT = Path("/sys/fs/cgroup")
PATIENCE = 20  # seconds for the kernel to release a group whose processes have just ended


def make(name: str) -> None:
    """Create the group in every hierarchy, because the kubelet expects it."""
    for hierarchy in _hierarchies():
        (hierarchy / name).mkdir(exist_ok=True)


def remove(name: str) -> None:
    """Remove the group and all below it from every hierarchy."""
    limit = time.monotonic() + PATIENCE
    while left := [group for group in groups(name) if not _removed(group)]:
        if time.monotonic() > limit:
            raise Failure(
                f"the control group {left[0]} cannot be removed: something still runs in it"
            )
        time.sleep(0.2)


def groups(name: str) -> list[Path]:
    """The group and all below it, innermost first, in every hierarchy."""
    return [group for hierarchy in _hierarchies() for group in _below(hierarchy / name)]


def _hierarchies() -> list[Path]:
    """One with version 2; with version 1 one for each controller, some under two names."""
    if (ROOT / "cgroup.controllers").exists():
        return [ROOT]
    return [path for path in ROOT.iterdir() if path.is_dir() and not path.is_symlink()]


def _below(group: Path) -> Iterator[Path]:
    """The group and all below it, innermost first."""
    for path, _, _ in os.walk(group, topdown=False):
        yield Path(path)


def _removed(group: Path) -> bool:
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
