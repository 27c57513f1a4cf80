"""The report of a test, as people and programs read it: text, JSON, JUnit XML."""

from collections.abc import Callable, Iterator, Sequence

from chartgen.errors import Problem
from chartgen.report.problems import problem_lines, safe
from chartgen.verify import STAGES
from chartgen.verify.result import (
    FAILED,
    INTERRUPTED,
    PASSED,
    SKIPPED,
    UNJUDGED,
    ChartResult,
    StageResult,
)

_COLOURS = {PASSED: "32", FAILED: "31", UNJUDGED: "33", SKIPPED: "2", INTERRUPTED: "31"}
_VERDICT_WIDTH = max(map(len, _COLOURS))
_NAME_WIDTH = max(len(stage.name) for stage in STAGES)
_INDENT = " " * 4


def report(results: Sequence[ChartResult], form: str) -> str:
    """What is printed at the end; as text, each stage has been shown by `line` before."""
    return FORMS[form](results)


def line(stage: StageResult, *, colour: bool = False) -> str:
    """A stage in a line, with what it found below."""
    word = f"{stage.verdict:{_VERDICT_WIDTH}}"
    if colour:
        word = f"\x1b[{_COLOURS[stage.verdict]}m{word}\x1b[0m"
    head = f"  {stage.name:{_NAME_WIDTH}}  {word}  {stage.seconds:6.1f} s  {safe(stage.about)}"
    lines = [head.rstrip()]
    lines += (f"{_INDENT}{text}" for text in _details(stage, colour))
    return "\n".join(lines)


def _details(stage: StageResult, colour: bool) -> Iterator[str]:
    for problem in sort_problems(stage):
        yield from problem_lines(problem, colour)
    for reason in stage.reasons:
        first, *more = reason.splitlines()
        yield f"{stage.verdict if stage.verdict != FAILED else UNJUDGED}: {safe(first)}"
        yield from map(safe, more)
    for text in stage.log.splitlines():
        yield f"| {safe(text)}"


def sort_problems(stage: StageResult) -> list[Problem]:
    """Problems before warnings, each sorted by place."""
    return sorted(set(stage.problems), key=lambda problem: (problem.severity == "warning", problem))


def _text(results: Sequence[ChartResult]) -> str:
    unchecked: dict[str, None] = {}
    for result in results:
        unchecked |= dict.fromkeys(result.unchecked)
    return "".join(f"not checked: {text}\n" for text in unchecked)


def _json(results: Sequence[ChartResult]) -> str:
    from json import dumps  # only this form needs it

    charts = []
    for result in results:
        charts.append(
            {
                "chart": result.chart,
                "result": result.verdict,
                "stages": [_stage_data(stage) for stage in result.stages],
                "unchecked": result.unchecked,
            }
        )
    # ASCII, so that no terminal's encoding can break it.
    return dumps({"charts": charts}, indent=2) + "\n"


def _stage_data(stage: StageResult) -> dict[str, object]:
    problems = []
    for problem in sort_problems(stage):
        problems.append(
            {
                "place": str(problem.mark),
                "severity": problem.severity,
                "rule": problem.rule,
                "message": problem.message,
                "hint": problem.hint,
            }
        )
    return {
        "name": stage.name,
        "result": stage.verdict,
        "seconds": round(stage.seconds, 3),
        "about": stage.about,
        "problems": problems,
        "reasons": list(stage.reasons),
        "log": stage.log,
    }


def _junit(results: Sequence[ChartResult]) -> str:
    from chartgen.report import junit  # only this form needs it

    return junit.stages(results)


FORMS: dict[str, Callable[[Sequence[ChartResult]], str]] = {
    "text": _text,
    "json": _json,
    "junit": _junit,
}
