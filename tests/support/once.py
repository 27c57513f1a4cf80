"""What is made once in a run of the tests, by the process that needs it first."""

import fcntl
from collections.abc import Callable
from pathlib import Path

_shared: list[Path] = []


def share(folder: Path) -> None:
    """Set the folder that all processes of this run share."""
    folder.mkdir(exist_ok=True)
    _shared.append(folder)


def once(name: str, make: Callable[[Path], object]) -> Path:
    """The file or folder of a name; `make` writes it to the given path unless it exists."""
    place = _shared[-1] / name
    done = place.with_name(f"{name}.done")
    if not done.exists():
        with place.with_name(f"{name}.lock").open("w") as lock:
            # The file is closed, and so unlocked, whatever happens.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                make(place)
                done.touch()
    return place
