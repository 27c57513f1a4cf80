"""Results: how each stage of a test went; `not judged` is not the same as `failed`."""

from collections.abc import Iterable, Mapping, Set

from chartgen.errors import OK, PROBLEMS, WORLD, Problem
from chartgen.startup.records import NamedTuple

PASSED, FAILED, UNJUDGED = "passed", "failed", "not judged"
SKIPPED, INTERRUPTED = "skipped", "interrupted"

# What a problem was found in: a set of values, and perhaps a version of Kubernetes.
Variant = tuple[str, ...]


class StageResult(NamedTuple):
    """How one stage went, how long it took, and what it found."""

    name: str
    verdict: str
    seconds: float
    about: str = ""  # what was looked at
    problems: tuple[Problem, ...] = ()
    reasons: tuple[str, ...] = ()  # why something could not be judged, or was skipped
    log: str = ""


class ChartResult(NamedTuple):
    """The test of one chart, and what it leaves unchecked."""

    chart: str
    stages: list[StageResult]
    unchecked: list[str]

    @property
    def verdict(self) -> str:
        """The worst verdict among the stages."""
        verdicts = {stage.verdict for stage in self.stages}
        return next((word for word in (INTERRUPTED, FAILED, UNJUDGED) if word in verdicts), PASSED)


def verdict(problems: Iterable[Problem], reasons: Iterable[str]) -> str:
    """The verdict on a stage that ran to its end."""
    if any(problem.severity == "error" for problem in problems):
        return FAILED
    return UNJUDGED if any(True for _ in reasons) else PASSED


def exit_code(results: Iterable[ChartResult]) -> int:
    """0 if all passed, 1 if something failed, 3 if nothing did but something was not judged."""
    verdicts = {result.verdict for result in results}
    if FAILED in verdicts:
        return PROBLEMS
    return WORLD if UNJUDGED in verdicts else OK


def summary(results: Iterable[ChartResult]) -> str:
    """How many stages there are of each verdict, as in `7 passed, 1 not judged`."""
    counts = dict.fromkeys((PASSED, FAILED, UNJUDGED, SKIPPED, INTERRUPTED), 0)
    for result in results:
        for stage in result.stages:
            counts[stage.verdict] += 1
    return ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)


def merge_duplicates(by_variant: Mapping[Variant, Iterable[Problem]]) -> list[Problem]:
    """The problems of several variants of one chart, each once: a thousand replicas are alike.

    Problems that differ only in the name of their object, or in the hint, are one. The variants
    that show it are named, unless all do.
    """
    groups: dict[tuple[object, ...], tuple[Problem, dict[Variant, int]]] = {}
    for variant, problems in by_variant.items():
        for problem in dict.fromkeys(problems):
            where = problem.mark if problem.mark.line else problem.mark.file.partition("/")[0]
            key = (where, problem.message, problem.rule, problem.severity)
            _, counts = groups.setdefault(key, (problem, {}))
            counts[variant] = counts.get(variant, 0) + 1
    merged = []
    for problem, counts in groups.values():
        others = _others(problem, max(counts.values()) - 1)
        variants = _variants(counts.keys(), by_variant.keys())
        merged.append(problem._replace(message=problem.message + others + variants))
    return merged


def _others(problem: Problem, number: int) -> str:
    kind = problem.mark.file.partition("/")[0]
    if number < 1:
        return ""
    return f"; {number:,} more {kind}{'s have' if number > 1 else ' has'} it too"


def _variants(shown: Set[Variant], known: Set[Variant]) -> str:
    """Some of the variants, in as few words as distinguish them from the others."""
    if shown == known:
        return ""
    ordered = [variant for variant in known if variant in shown]
    for axis in range(len(ordered[0])):
        words = dict.fromkeys(variant[axis] for variant in ordered)
        if all(variant in shown for variant in known if variant[axis] in words):
            return f" [{', '.join(words)}]"
    return f" [{', '.join(map(' with '.join, ordered))}]"
