"""A test's report, as people and programs read it: text, JSON, JUnit XML."""

from collections.abc import Iterator, Sequence

from chartgen.errors import Problem
from chartgen.report.problems import problem_lines, safe, xml
from chartgen.verify.result import FAILED, INTERRUPTED, PASSED, SKIPPED, UNJUDGED, Stage, Trial

FORMS = ("text", "json", "junit")

_COLOURS = {PASSED: "32", FAILED: "31", UNJUDGED: "33", SKIPPED: "2", INTERRUPTED: "31"}
_WIDTH = max(map(len, _COLOURS))
_NAME = 9  # characters of the longest stage, uninstall
_DEEP = " " * 4


def line(stage: Stage, *, colour: bool = False) -> str:
    """A stage in a line, and what it found below."""
    word = f"{stage.verdict:{_WIDTH}}"
    painted = f"\x1b[{_COLOURS[stage.verdict]}m{word}\x1b[0m" if colour else word
    head = f"  {stage.name:{_NAME}}  {painted}  {stage.seconds:6.1f} s  {safe(stage.about)}".rstrip()
    return "\n".join([head, *_below(stage, colour)])


def _below(stage: Stage, colour: bool) -> Iterator[str]:
    for problem in ordered(stage):
        yield from (f"{_DEEP}{text}" for text in problem_lines(problem, colour))
    for reason in stage.reasons:
        first, *more = reason.splitlines()
        yield f"{_DEEP}{stage.verdict if stage.verdict != FAILED else UNJUDGED}: {safe(first)}"
        yield from (f"{_DEEP}{safe(text)}" for text in more)
    yield from (f"{_DEEP}| {safe(text)}" for text in stage.log.splitlines())


def ordered(stage: Stage) -> list[Problem]:
    """Problems before warnings, each sorted by place."""
    return sorted(set(stage.problems), key=lambda problem: (problem.severity == "warning", problem))


def json(trials: Sequence[Trial]) -> str:
    """Everything, for programs."""
    from json import dumps  # only this form needs it

    rows = [
        {
            "chart": trial.chart,
            "result": trial.verdict,
            "stages": [_row(stage) for stage in trial.stages],
            "unchecked": trial.unchecked,
        }
        for trial in trials
    ]
    return dumps({"charts": rows}, indent=2) + "\n"  # ASCII, so that no terminal's encoding can break it


def _row(stage: Stage) -> dict[str, object]:
    problems = [
        {"place": str(one.mark), "severity": one.severity, "rule": one.rule, "message": one.message, "hint": one.hint}
        for one in ordered(stage)
    ]
    return {
        "name": stage.name,
        "result": stage.verdict,
        "seconds": round(stage.seconds, 3),
        "about": stage.about,
        "problems": problems,
        "reasons": list(stage.reasons),
        "log": stage.log,
    }


def junit(trials: Sequence[Trial]) -> str:
    """One suite per chart and one case per stage; what could not be judged is an error, as JUnit means the word."""
    stages = [stage for trial in trials for stage in trial.stages]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="chartgen test" {_counts(stages)}>']
    for trial in trials:
        lines.append(f'  <testsuite name="{xml(trial.chart)}" {_counts(trial.stages)}>')
        lines += [text for stage in trial.stages for text in _case(trial.chart, stage)]
        lines += [f"    <system-out>not checked: {xml('; '.join(trial.unchecked))}</system-out>"] * bool(
            trial.unchecked
        )
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""]).encode("ascii", "xmlcharrefreplace").decode()


def _counts(stages: Sequence[Stage]) -> str:
    words = [stage.verdict for stage in stages]
    errors = words.count(UNJUDGED) + words.count(INTERRUPTED)
    time = sum(stage.seconds for stage in stages)
    told = f'tests="{len(words)}" failures="{words.count(FAILED)}" errors="{errors}" skipped="{words.count(SKIPPED)}"'
    return f'{told} time="{time:.3f}"'


def _case(chart: str, stage: Stage) -> Iterator[str]:
    head = f'    <testcase classname="{xml(chart)}" name="{xml(stage.name)}" time="{stage.seconds:.3f}"'
    inner = [*_outcome(stage), *_printed(stage)]
    if not inner:
        yield f"{head}/>"
        return
    yield f"{head}>"
    yield from (f"      {text}" for text in inner)
    yield "    </testcase>"


def _outcome(stage: Stage) -> Iterator[str]:
    tag = {FAILED: "failure", UNJUDGED: "error", INTERRUPTED: "error", SKIPPED: "skipped"}.get(stage.verdict)
    if not tag:
        return
    errors = [problem for problem in ordered(stage) if problem.severity == "error"]
    lines = [text for problem in errors for text in problem_lines(problem, False)] or _reasons(stage)
    first = xml(lines[0]) if lines else xml(stage.verdict)
    yield f'<{tag} message="{first}" type="{xml(stage.verdict)}">{_text(lines)}</{tag}>'


def _printed(stage: Stage) -> Iterator[str]:
    """What is worth reading, and decides nothing."""
    warnings = [problem for problem in ordered(stage) if problem.severity == "warning"]
    lines = [text for problem in warnings for text in problem_lines(problem, False)]
    lines += _reasons(stage) if stage.verdict in (PASSED, FAILED) else []
    lines += stage.log.splitlines()
    if lines:
        yield f"<system-out>{_text(lines)}</system-out>"


def _reasons(stage: Stage) -> list[str]:
    return [text for reason in stage.reasons for text in reason.splitlines()]


def _text(lines: Sequence[str]) -> str:
    return "\n".join(map(xml, lines))
