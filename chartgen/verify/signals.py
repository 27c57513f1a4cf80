"""A shield for work that has to be undone: a signal stops it once, and no other disturbs the undoing."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from chartgen.cli import screen

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Shield:
    """Takes the signals that end a program; the first one stops the work, if it is still going on."""

    def __init__(self, before: Mapping[int, Any]) -> None:
        self.before = before
        self.open = True
        self.late: int = 0
        self.undoing = ""

    def close(self) -> None:
        """From here on signals wait."""
        self.open = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.open:
            self.open = False
            self.stop(number, frame)
        else:
            self.late = self.late or number
            screen.say(f"{self.undoing or 'finishing'}, please wait")

    def stop(self, number: int, frame: FrameType | None = None) -> None:
        """What would have happened without a shield; a terminal that is closed is like SIGTERM."""
        handler = self.before[number]
        if handler is signal.SIG_DFL:
            number = signal.SIGTERM
            handler = self.before[number]
        if callable(handler):
            handler(number, frame)


@contextmanager
def shield() -> Iterator[Shield]:
    """Hold the shield; a signal that came too late to stop the work has its effect in the end."""
    try:
        before: dict[int, Any] = {int(one): signal.getsignal(one) for one in _ENDS}
        held = Shield(before)
        taken = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
        for number in taken:
            signal.signal(number, held)
    except ValueError:  # not the main thread: signals are somebody else's
        yield Shield({})
        return
    try:
        yield held
    finally:
        held.close()
        for number in taken:
            signal.signal(number, before[number])
    if held.late:
        held.stop(held.late)
