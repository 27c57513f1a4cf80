"""What a person sees: results on stdout, all else on stderr; colour and progress only on a terminal."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from chartgen.errors import WorldError

MANY = 20  # inputs from which on a person may wonder whether anything happens


def out(text: str) -> None:
    """Print a result, as UTF-8 whatever the locale says: the same input gives the same bytes."""
    rest = memoryview(text.encode(errors="surrogateescape"))  # as file names that are not UTF-8 are held
    with _explained():
        stream = _stdout().buffer
        while rest:
            rest = rest[stream.write(rest) :]  # under PYTHONUNBUFFERED a part may be all that is taken


def flush() -> None:
    """Make sure that what was printed has arrived."""
    if sys.stdout is not None:
        with _explained():
            sys.stdout.buffer.flush()


def say(text: str) -> None:
    """Tell a person something; where nobody listens, that is no failure."""
    if sys.stderr is not None:
        _draw(f"{text}\n")


def stopped(word: str) -> None:
    """Say that a signal stopped us, below the ^C that a terminal shows."""
    say(f"\n{word}" if _terminal(sys.stderr) else word)


def abandon(stream: TextIO) -> None:
    """Give up a stream, so that Python does not complain about what it still holds when it ends."""
    with suppress(OSError, ValueError):  # a stream that is no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def colour(choice: str, stream: TextIO | None) -> bool:
    """Whether to use colours on a stream: as asked by --color, else on a terminal that no one wants plain."""
    if choice != "auto":
        return choice == "always"
    return bool(_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


@contextmanager
def progress(doing: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Call what this gives after each of many things, with what to tell of it; on a terminal they are counted."""
    shown = total >= MANY and not quiet and _terminal(sys.stderr)
    done = 0

    def step(told: str = "") -> None:
        nonlocal done
        done += 1
        if told:
            say(f"{_CLEAR}{told}" if shown else told)
        if shown:
            _draw(f"{_CLEAR}{doing} {done:,} of {total:,}")

    try:
        yield step
    finally:
        if shown:
            _draw(_CLEAR)


def doing(text: str) -> None:
    """Show what is going on, on a terminal, until something else is shown; nothing clears it."""
    if _terminal(sys.stderr):
        _draw(f"{_CLEAR}{text[: _columns() - 1]}" if text else _CLEAR)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


_CLEAR = "\r\x1b[K"  # back to the start of the line, which is empty then


def _draw(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


def _terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _stdout() -> TextIO:
    if sys.stdout is None:  # `>&-`
        raise WorldError("cannot write to standard output: it is closed")
    return sys.stdout


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        raise WorldError(f"cannot write to standard output: {error.strerror}") from error
