"""The command line: the only part of chartgen that prints, exits, or listens to signals."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chartgen import __version__, errors
from chartgen.cli import dispatch, screen

TERMINATED = 143  # as a shell reports what SIGTERM ended
BROKEN_PIPE = 141  # and what SIGPIPE ended


class Terminated(BaseException):
    """SIGTERM came: stop like Ctrl-C does, with everything put in order."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; no exception leaves this."""
    words = sys.argv[1:] if argv is None else list(argv)
    with _terminable():
        try:
            code = dispatch.run(words)
            screen.flush()
        except SystemExit as stop:  # --help and --version
            code = errors.OK if stop.code is None else int(stop.code)
        except BaseException as error:  # noqa: BLE001  the one place where everything ends
            code = _failure(error, words)
    return code


def _failure(error: BaseException, words: list[str]) -> int:
    """Say what went wrong, as short as it can be said, and give the exit code for it."""
    if isinstance(error, BrokenPipeError):  # whoever read our output has seen enough, as in `| head`
        screen.abandon(sys.stdout)
        return BROKEN_PIPE
    if os.environ.get("CHARTGEN_DEBUG") or "--debug" in words:
        _show_where(error)
    if isinstance(error, KeyboardInterrupt):
        screen.stopped("interrupted")
        return errors.INTERRUPTED
    if isinstance(error, Terminated):
        screen.stopped("terminated")
        return TERMINATED
    if isinstance(error, errors.ChartgenError):
        _explain(error)
        return error.exit_code
    return _bug(error)


def _show_where(error: BaseException) -> None:
    import traceback  # only who looks for a bug needs it

    screen.say("".join(traceback.format_exception(error)).rstrip())


def _explain(error: errors.ChartgenError) -> None:
    if isinstance(error, errors.InputError):
        from chartgen.report import problems as report  # a run without problems does without it

        screen.say(report.report(error.problems, "text").rstrip())
    else:
        screen.say(f"chartgen: {error}")


def _bug(error: BaseException) -> int:
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    screen.say(f"chartgen: this is a bug in chartgen {__version__}: {what}")
    screen.say("Please report it, with the command and its input; CHARTGEN_DEBUG=1 shows where it happened.")
    return errors.BUG


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM stop us as Ctrl-C does, where this is ours to say."""
    import signal

    def stop(*_: object) -> None:
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: somebody runs us inside a program of their own
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
