"""Wait for what a cluster does in its own time."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
PATIENCE = 240  # seconds; a healthy cluster needs a few, but two cores may be busy with real training


def until(look: Callable[[], Found], what: str, patience: float = PATIENCE) -> Found:
    """The first answer that is not empty; a failed test that says what did not come about."""
    start = time.monotonic()
    while True:
        found = look()
        if found:
            return found
        waited = time.monotonic() - start
        assert waited < patience, f"waited {patience:.0f} s for this: {what}"
        time.sleep(min(max(0.3, waited / 10), 3))  # looking costs what others need


def stays(look: Callable[[], object], what: str, seconds: float) -> None:
    """Nothing changes for so long."""
    first = look()
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        assert look() == first, f"changed within {seconds:.0f} s: {what}"
        time.sleep(1)
