"""Problems and results of tests as JUnit XML, which CI systems read."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from chartgen.errors import Problem
from chartgen.report.problems import problem_lines, safe
from chartgen.report.stages import sort_problems
from chartgen.verify.result import (
    FAILED,
    INTERRUPTED,
    PASSED,
    SKIPPED,
    UNJUDGED,
    ChartResult,
    StageResult,
)

# What could not be judged is an error, as JUnit uses the word.
_OUTCOMES = {FAILED: "failure", UNJUDGED: "error", INTERRUPTED: "error", SKIPPED: "skipped"}


def problems(all_problems: Sequence[Problem], files: Iterable[str]) -> str:
    """One suite per file and one case per problem; a file without any is a case that passes."""
    by_file: dict[str, list[Problem]] = {file: [] for file in files}
    for problem in all_problems:
        by_file.setdefault(problem.mark.file, []).append(problem)
    root = Element("testsuites", name="chartgen")
    total = 0
    for file, own in sorted(by_file.items()):
        suite = SubElement(root, "testsuite", {"name": safe(file), **_problem_counts(own, 1)})
        total += int(suite.attrib["tests"])
        for problem in own:
            _problem_case(suite, file, problem)
        if not own:
            SubElement(suite, "testcase", classname=safe(file), name="valid", time="0")
    root.attrib.update(_problem_counts(all_problems, 0), tests=str(total))
    return _print(root)


def _problem_counts(counted: Sequence[Problem], least: int) -> dict[str, str]:
    failures = sum(problem.severity != "warning" for problem in counted)
    return {
        "tests": str(max(least, len(counted))),
        "failures": str(failures),
        "errors": "0",
        "skipped": "0",
        "time": "0",
    }


def _problem_case(suite: Element, file: str, problem: Problem) -> None:
    mark, rule = problem.mark, safe(problem.rule)
    name = safe(f"{mark.line}:{mark.column}: {problem.message} ({problem.rule})")
    case = SubElement(suite, "testcase", classname=safe(file), name=name, time="0")
    detail = safe(f"{mark}: {problem.message} ({problem.rule})")
    if problem.hint:
        detail += f"\n{safe(f'hint: {problem.hint}')}"
    if problem.severity == "warning":  # warnings do not fail
        SubElement(case, "system-out").text = f"warning: {detail}"
    else:
        message = safe(problem.message)
        SubElement(case, "failure", message=message, type=rule).text = detail


def stages(results: Sequence[ChartResult]) -> str:
    """One suite per chart and one case per stage."""
    root = Element("testsuites", name="chartgen test")
    every: list[StageResult] = []
    for result in results:
        every += result.stages
        attributes = {"name": safe(result.chart), **_stage_counts(result.stages)}
        suite = SubElement(root, "testsuite", attributes)
        for stage in result.stages:
            _stage_case(suite, result.chart, stage)
        if result.unchecked:
            text = safe(f"not checked: {'; '.join(result.unchecked)}")
            SubElement(suite, "system-out").text = text
    root.attrib.update(_stage_counts(every))
    return _print(root)


def _stage_counts(counted: Sequence[StageResult]) -> dict[str, str]:
    verdicts = [stage.verdict for stage in counted]
    return {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count(FAILED)),
        "errors": str(verdicts.count(UNJUDGED) + verdicts.count(INTERRUPTED)),
        "skipped": str(verdicts.count(SKIPPED)),
        "time": f"{sum(stage.seconds for stage in counted):.3f}",
    }


def _stage_case(suite: Element, chart: str, stage: StageResult) -> None:
    seconds = f"{stage.seconds:.3f}"
    case = SubElement(suite, "testcase", classname=safe(chart), name=safe(stage.name), time=seconds)
    errors: list[str] = []
    printed: list[str] = []  # what is worth reading, and decides nothing
    for problem in sort_problems(stage):
        (errors if problem.severity == "error" else printed).extend(problem_lines(problem))
    reasons: list[str] = []
    for reason in stage.reasons:
        reasons += map(safe, reason.splitlines())
    if stage.verdict in (PASSED, FAILED):
        printed += reasons
    printed += map(safe, stage.log.splitlines())
    if stage.verdict in _OUTCOMES:
        lines = errors or reasons
        message = lines[0] if lines else stage.verdict
        tag = _OUTCOMES[stage.verdict]
        SubElement(case, tag, message=message, type=stage.verdict).text = "\n".join(lines)
    if printed:
        SubElement(case, "system-out").text = "\n".join(printed)


def _print(root: Element) -> str:
    indent(root)
    # ASCII, so that no terminal's encoding can break it.
    text = tostring(root, "us-ascii").decode("ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
