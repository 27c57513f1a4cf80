"""The command line: the only package that prints, exits or handles signals."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chartgen import __version__, errors
from chartgen.cli import dispatch, hidden, screen

TERMINATED = 143  # as a shell reports what SIGTERM ended
BROKEN_PIPE = 141  # and what SIGPIPE ended


class Terminated(BaseException):
    """SIGTERM: stop and clean up, as for Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. Raises nothing."""
    words = sys.argv[1:] if argv is None else list(argv)
    hidden.remember(words)
    with _terminable():
        try:
            code = dispatch.run(words)
            screen.flush()
        except SystemExit as stop:  # --help and --version
            code = errors.OK if stop.code is None else int(stop.code)
        except BaseException as error:  # noqa: BLE001  the one place that catches everything
            code = _failure(error, words)
    return code


def _failure(error: BaseException, words: list[str]) -> int:
    """Print what went wrong; the exit code for it."""
    if isinstance(error, BrokenPipeError):  # the reader of our output has closed it, as in `| head`
        screen.abandon(sys.stdout)
        return BROKEN_PIPE
    if os.environ.get("CHARTGEN_DEBUG") or "--debug" in words:
        _show_where(error)
    if isinstance(error, KeyboardInterrupt):
        screen.say_stopped("interrupted")
        return errors.INTERRUPTED
    if isinstance(error, Terminated):
        screen.say_stopped("terminated")
        return TERMINATED
    if isinstance(error, errors.ChartgenError):
        _explain(error)
        return error.exit_code
    return _bug(error)


def _show_where(error: BaseException) -> None:
    import traceback  # only needed to look for a bug

    screen.say(hidden.conceal("".join(traceback.format_exception(error)).rstrip()))


def _explain(error: errors.ChartgenError) -> None:
    if isinstance(error, errors.InputError):
        from chartgen.report import problems  # a run without problems does without it
        from chartgen.sources import Sources

        texts = Sources([], [], {**error.texts}, [], {})
        shown = hidden.conceal_problems(error.problems, error.texts)
        screen.say(problems.report(shown, "text", excerpts=texts.excerpt).rstrip())
    else:
        screen.say(hidden.conceal(f"chartgen: {error}"))


def _bug(error: BaseException) -> int:
    what = hidden.conceal(f"{type(error).__name__}: {error}".rstrip(": "))
    screen.say(f"chartgen: this is a bug in chartgen {__version__}: {what}")
    screen.say("Please report it, with the command and its input. CHARTGEN_DEBUG=1 shows where.")
    return errors.BUG


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM stop the command as Ctrl-C does, where signals can be handled."""
    import signal

    def stop(*_: object) -> None:
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: another program runs us
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
