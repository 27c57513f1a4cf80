"""What one input must not do: crash, hang, take the memory, or point outside of itself."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from chartgen import pipeline
from chartgen.chart.files import Files
from chartgen.errors import InputError, Problem
from chartgen.native import describe
from chartgen.report.problems import shorten

SECONDS = 5  # of CPU time: other programs may be busy too
MEGABYTES = 1024


class Verdict(NamedTuple):
    """What is wrong with an input ("" if nothing), and the charts of what was accepted."""

    kind: str
    why: str = ""
    charts: tuple[tuple[str, Files], ...] = ()


class HangError(BaseException):
    """Time is over."""


@contextmanager
def hurry(seconds: int, waiting: int = 60) -> Iterator[list[str]]:
    """Raise a HangError after some seconds of CPU time, or of waiting; gives what has rung.

    Whoever catches everything, as the command line does, finds it there.
    """
    rung: list[str] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        used = f"{seconds} s" if number == signal.SIGPROF else f"{waiting} s, mostly waiting"
        rung.append(f"more than {used}")
        raise HangError

    before = signal.signal(signal.SIGPROF, stop), signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, waiting)
    try:
        yield rung
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])


def judge(data: bytes, name: str, defines: dict[str, str] | None = None) -> Verdict:
    """Read, check, convert and render an input as the commands do."""
    before = _megabytes()
    try:
        with hurry(SECONDS):
            verdict = _run(data, name, defines)
    except HangError:
        return Verdict("hang", f"more than {SECONDS} s")
    except Exception as error:  # noqa: BLE001  anything that is not an InputError is a bug
        return Verdict("crash", f"{type(error).__name__}: {error}")
    if _megabytes() - before > MEGABYTES:
        return Verdict("memory", f"more than {MEGABYTES} MB")
    return verdict


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _run(data: bytes, name: str, defines: dict[str, str] | None) -> Verdict:
    charts = []
    try:
        documents = pipeline.read(data, name, "", defines)
    except InputError as error:
        return _places(data, error.problems)
    text = data.decode().removeprefix("\ufeff")
    comments = (
        describe.comments(text, documents) if any(document.form for document in documents) else []
    )
    for number, document in enumerate(documents):
        try:
            checked = pipeline.check(document)
        except InputError as error:
            verdict = _places(data, error.problems)
        else:
            verdict = _places(data, checked.warnings)
            charts.append((checked.job.name, pipeline.render(checked)))
            if document.form:
                described, notes = describe.adopt(document)
                describe.description(described, notes, document, comments[number])
        if verdict.kind:
            return verdict
    return Verdict("", charts=tuple(charts))


def _places(data: bytes, problems: tuple[Problem, ...]) -> Verdict:
    """Every mark is a line of the text, and a column of that line or the one after it."""
    text = data.decode(errors="replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for mark, message, *_ in map(shorten, problems):  # as people see them
        if (
            not 1 <= mark.line <= len(lines)
            or not 1 <= mark.column <= len(lines[mark.line - 1]) + 1
        ):
            return Verdict("place", f"{mark}: {message[:200]}")
        if len(message) > 2_000:
            return Verdict("message", f"{len(message):,} characters: {message[:200]}")
    return Verdict("")
