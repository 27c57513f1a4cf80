"""Progress for the person who waits: what is being done, and how long it took."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_START = time.monotonic()


def say(text: str) -> None:
    """One line, with the seconds since the start before it."""
    sys.stderr.write(f"[{time.monotonic() - _START:4.0f} s] {text}\n")
    sys.stderr.flush()


@contextmanager
def step(text: str) -> Iterator[None]:
    """Say what begins, and at its end how long it took."""
    say(f"{text} ...")
    start = time.monotonic()
    yield
    say(f"{text}: done in {time.monotonic() - start:.0f} s")
