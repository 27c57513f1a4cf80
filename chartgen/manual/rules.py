"""Rules: what each means, what to do about it, and an example from the corpus of problems."""

import re
from collections.abc import Iterator
from functools import cache

from chartgen import resources
from chartgen.checks.rules import RULES, text
from chartgen.errors import Mark, Problem
from chartgen.manual.base import WIDTH, Kind, TopicRow
from chartgen.report.problems import problem_lines, safe
from chartgen.startup.records import NamedTuple

_CONTEXT = 3  # lines of the input that are shown before the one with the problem
_HINT = "  hint: "
_MESSAGE = re.compile(
    r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<warning>warning: )?(?P<message>.+) \((?P<rule>[a-z0-9-]+)\)"
)


class Case(NamedTuple):
    """A problem as the corpus has it."""

    folder: str
    problem: Problem


def page(rule: str) -> Iterator[str]:
    """What it means, what to do, and an example if the corpus has one."""
    about = text(rule)
    if about is None:
        return
    yield rule
    yield ""
    yield from _wrap(about.means)
    yield ""
    yield "What to do"
    for line in _wrap(about.remedy, WIDTH - 2):
        yield f"  {line}"
    if case := find_cases().get(rule):
        yield ""
        yield "Example"
        for line in _example(case):
            yield f"  {line}".rstrip()


def rows() -> Iterator[TopicRow]:
    """What each rule means."""
    for rule, (means, _) in RULES.items():
        yield {"name": rule, "about": means}


@cache
def find_cases() -> dict[str, Case]:
    """The best example of each rule that has one: from the case with the fewest problems."""
    sizes: dict[str, int] = {}
    cases: dict[str, Case] = {}
    for name in resources.names("problems"):
        folder, _, file = name.rpartition("/")
        if file != "expected.txt":
            continue
        problems = list(_problems(resources.text(f"problems/{name}")))
        for problem in problems:
            if len(problems) < sizes.get(problem.rule, len(problems) + 1):
                sizes[problem.rule] = len(problems)
                cases[problem.rule] = Case(folder, problem)
    return cases


def _problems(report: str) -> Iterator[Problem]:
    """The problems of a report, as they were before it was written."""
    lines = report.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if match := _MESSAGE.fullmatch(line):
            mark = Mark(match["file"], int(match["line"]), int(match["column"]))
            hint = following.removeprefix(_HINT) if following.startswith(_HINT) else ""
            severity = "warning" if match["warning"] else "error"
            yield Problem(mark, match["message"], match["rule"], hint, severity)


def _example(case: Case) -> Iterator[str]:
    """The problem as `chartgen validate` prints it, with some lines before the one it is in."""
    problem = case.problem
    lines = _input(case)
    at = problem.mark.line - 1

    def excerpt(_: Mark) -> str | None:
        return lines[at] if at < len(lines) else None

    head, *rest = problem_lines(problem, excerpts=excerpt)
    yield head
    for index in range(max(0, at - _CONTEXT), min(at, len(lines))):
        yield f"{index + 1:5} | {safe(lines[index])[:WIDTH]}"
    yield from rest


def _input(case: Case) -> list[str]:
    """The lines of the file that has the problem; none if the problem is that it is missing."""
    file = case.problem.mark.file
    if file not in resources.names(f"problems/{case.folder}"):
        return []
    data = resources.content(f"problems/{case.folder}/{file}")
    return data.decode("utf-8-sig", errors="replace").split("\n")


def _wrap(sentence: str, width: int = WIDTH) -> list[str]:
    from textwrap import wrap

    return wrap(sentence, width, break_on_hyphens=False, break_long_words=False)


def _contents() -> Iterator[str]:
    yield "the name in parentheses after a problem, such as env-too-long; see `chartgen list rules`"


KIND = Kind(
    "rule",
    "rules",
    "Rules",
    lambda: RULES,
    page,
    rows,
    _contents,
    lambda _: ["problems"],
    lambda rule: text(rule) is not None,
)
