"""Wait for things that take a cluster an unknown time."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
PATIENCE = (
    240  # seconds; a healthy cluster needs a few, but two cores may be busy with real training
)


def until(look: Callable[[], Found], what: str, patience: float = PATIENCE) -> Found:
    """The first answer that is not empty; if none comes in time, the test fails with `what`."""
    start = time.monotonic()
    while True:
        answer = look()
        if answer:
            return answer
        waited = time.monotonic() - start
        assert waited < patience, f"waited {patience:.0f} s for this: {what}"
        time.sleep(min(max(0.3, waited / 10), 3))  # each look takes CPU time from others


def stays(look: Callable[[], object], what: str, seconds: float) -> None:
    """Check that nothing changes for some seconds."""
    first = look()
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        assert look() == first, f"changed within {seconds:.0f} s: {what}"
        time.sleep(1)
