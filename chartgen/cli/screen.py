"""Results go to stdout, all else to stderr; colour and progress only to a terminal."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from chartgen.errors import WorldError
from chartgen.startup.typing import NoReturn, TextIO

MANY = 20  # inputs that take long enough to show progress


def out(text: str) -> None:
    """Print a result, as UTF-8 in any locale: the same input gives the same bytes."""
    # Python holds file names that are not UTF-8 with surrogates.
    rest = memoryview(text.encode(errors="surrogateescape"))
    with _explain_errors():
        stream = _stdout().buffer
        while rest:
            written = stream.write(rest)  # with PYTHONUNBUFFERED perhaps only a part
            rest = rest[written:]


def flush() -> None:
    """Flush what was printed."""
    if sys.stdout is not None:
        with _explain_errors():
            sys.stdout.buffer.flush()


def say(text: str) -> None:
    """Print a message; a closed stderr is not an error."""
    if sys.stderr is not None:
        _draw(f"{text}\n")


def say_stopped(word: str) -> None:
    """Say that a signal stopped the command, on a line below the terminal's ^C."""
    say(f"\n{word}" if _terminal(sys.stderr) else word)


def abandon(stream: TextIO) -> None:
    """Give up a stream, so that Python does not fail at exit on what is still buffered."""
    with suppress(OSError, ValueError):  # a stream that is not a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def end(code: int) -> NoReturn:
    """End the process at once: to free each object first takes a twentieth of a cold start."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there is none, or nobody reads it
            stream.flush()
    os._exit(code)


def colour(choice: str, stream: TextIO | None) -> bool:
    """Whether to use colours on a stream: by --color, else on terminals that have them."""
    if choice != "auto":
        return choice == "always"
    return bool(
        _terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def width() -> int:
    """How many columns a result may have: those of the terminal, or of $COLUMNS."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns or 80)
    except (OSError, ValueError):  # no terminal: a file is as wide as its lines
        return 200


def redraw(text: str) -> None:
    """Show a result over the one before, on a terminal; elsewhere below it."""
    screen = sys.stdout is not None and _terminal(sys.stdout)
    out(f"\x1b[H\x1b[J{text}" if screen else text)
    flush()


@contextmanager
def progress(doing: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Yield a function to call after each step, with a line to print; a terminal shows a count."""
    shown = total >= MANY and not quiet and _terminal(sys.stderr)
    done = 0

    def step(line: str = "") -> None:
        nonlocal done
        done += 1
        if line:
            say(f"{_CLEAR}{line}" if shown else line)
        if shown:
            _draw(f"{_CLEAR}{doing} {done:,} of {total:,}")

    try:
        yield step
    finally:
        if shown:
            _draw(_CLEAR)


def show_progress(text: str) -> None:
    """Show what is going on, on a terminal, until the next message; an empty text clears it."""
    if _terminal(sys.stderr):
        _draw(f"{_CLEAR}{text[: _columns() - 1]}" if text else _CLEAR)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


_CLEAR = "\r\x1b[K"  # to the start of the line, and erase it


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
def _explain_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        raise WorldError(f"cannot write to standard output: {error.strerror}") from error
