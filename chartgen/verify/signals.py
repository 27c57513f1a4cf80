"""Signals during work that needs a cleanup: the first stops the work, none the cleanup."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

from chartgen.startup.typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Shield:
    """The handler of the signals that end a program; the first one stops the work."""

    def __init__(self, say: Callable[[str], None], before: Mapping[int, Any]) -> None:
        self.undoing = ""  # what is being done when signals have to wait
        self.late: int = 0  # the first signal that had to wait
        self._say, self._before = say, before
        self._open = True

    def close(self) -> None:
        """From here on, signals wait."""
        self._open = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._open:
            self._open = False
            self.stop(number, frame)
        else:
            self.late = self.late or number
            self._say(f"{self.undoing or 'finishing'}, please wait")

    def stop(self, number: int, frame: FrameType | None = None) -> None:
        """What would have happened without a shield; closing a terminal is like SIGTERM."""
        handler = self._before[number]
        if handler is signal.SIG_DFL:
            number = signal.SIGTERM
            handler = self._before[number]
        if callable(handler):
            handler(number, frame)


@contextmanager
def shield(say: Callable[[str], None]) -> Iterator[Shield]:
    """Handle signals until the end of the `with`; a late signal takes effect there."""
    before: dict[int, Any] = {int(number): signal.getsignal(number) for number in _ENDING}
    held, handled = Shield(say, before), []
    try:
        for number, handler in before.items():
            if handler not in (signal.SIG_IGN, None):
                signal.signal(number, held)
                handled.append(number)
    except ValueError:  # not the main thread: signals are not ours to handle
        yield Shield(say, {})
        return
    try:
        yield held
    finally:
        held.close()
        for number in handled:
            signal.signal(number, before[number])
    if held.late:
        held.stop(held.late)
