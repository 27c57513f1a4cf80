"""Stages: how each part of a test went; that it could not be judged is another word than that it failed."""

from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from chartgen.errors import OK, PROBLEMS, WORLD, Problem

PASSED, FAILED, UNJUDGED, SKIPPED, INTERRUPTED = "passed", "failed", "not judged", "skipped", "interrupted"


class Stage(NamedTuple):
    """How one stage went, how long it took, and what it found."""

    name: str
    verdict: str
    seconds: float
    about: str = ""  # what was looked at
    problems: tuple[Problem, ...] = ()
    reasons: tuple[str, ...] = ()  # why something could not be judged, or was left out
    log: str = ""


class Trial(NamedTuple):
    """The test of one chart, and what it leaves open."""

    chart: str
    stages: list[Stage]
    unchecked: list[str]

    @property
    def verdict(self) -> str:
        """The gravest word among the stages."""
        words = {stage.verdict for stage in self.stages}
        return next((word for word in (INTERRUPTED, FAILED, UNJUDGED) if word in words), PASSED)


def verdict(problems: Iterable[Problem], reasons: Iterable[str]) -> str:
    """What a stage that ran to its end has shown."""
    if any(problem.severity == "error" for problem in problems):
        return FAILED
    return UNJUDGED if any(True for _ in reasons) else PASSED


def exit_code(trials: Iterable[Trial]) -> int:
    """0 if all is well, 1 if something failed, 3 if nothing did and something could not be judged."""
    words = {trial.verdict for trial in trials}
    return PROBLEMS if FAILED in words else WORLD if UNJUDGED in words else OK


def summary(trials: Iterable[Trial]) -> str:
    """How many stages went how, as in `7 passed, 1 not judged`."""
    words = [stage.verdict for trial in trials for stage in trial.stages]
    counts = [(words.count(word), word) for word in (PASSED, FAILED, UNJUDGED, SKIPPED, INTERRUPTED)]
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def told(found: Mapping[tuple[str, ...], Iterable[Problem]]) -> list[Problem]:
    """Problems of several ways to look at one chart, each told once: a thousand replicas are alike.

    A way is a set of values and perhaps a version. What differs in nothing but the name of its object, or its hint, is
    one problem; the ways that show it are named unless all do.
    """
    groups: dict[tuple[object, ...], tuple[Problem, dict[tuple[str, ...], int]]] = {}
    for way, problems in found.items():
        for problem in dict.fromkeys(problems):
            where = problem.mark if problem.mark.line else problem.mark.file.partition("/")[0]
            key = (where, problem.message, problem.rule, problem.severity)
            _, ways = groups.setdefault(key, (problem, {}))
            ways[way] = ways.get(way, 0) + 1
    return [_one(problem, ways, found.keys()) for problem, ways in groups.values()]


def _one(problem: Problem, ways: Mapping[tuple[str, ...], int], known: Set[tuple[str, ...]]) -> Problem:
    more, kind = max(ways.values()) - 1, problem.mark.file.partition("/")[0]
    others = f"; {more:,} more {kind}{'s have' if more > 1 else ' has'} it, too" if more else ""
    return problem._replace(message=problem.message + others + _shown(ways.keys(), known))


def _shown(ways: Set[tuple[str, ...]], known: Set[tuple[str, ...]]) -> str:
    """The ways in as few words as tell them from the others."""
    if ways == known:
        return ""
    for axis in range(len(next(iter(known)))):
        words = dict.fromkeys(way[axis] for way in known if way in ways)
        if ways == {way for way in known if way[axis] in words}:
            return f" [{', '.join(words)}]"
    return f" [{', '.join(' with '.join(way) for way in known if way in ways)}]"
