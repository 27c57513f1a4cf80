"""A trial under way: its stages, one after the other, each timed and told as soon as it ends."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chartgen.cli import screen
from chartgen.errors import InputError, Problem, WorldError
from chartgen.verify.result import FAILED, INTERRUPTED, SKIPPED, UNJUDGED, Stage, Trial, verdict


class Finding:
    """What a stage finds, while it is at it."""

    def __init__(self) -> None:
        self.about = ""
        self.problems: list[Problem] = []
        self.reasons: list[str] = []
        self.log: list[str] = []
        self.skipped = ""


class Course:
    """The stages of one trial as they go by."""

    def __init__(self, chart: str, tell: Callable[[Stage], None], *, strict: bool) -> None:
        self.trial = Trial(chart, [], [])
        self.unchecked = self.trial.unchecked
        self._tell, self._strict = tell, strict

    @property
    def failed(self) -> list[str]:
        """The stages that failed so far."""
        return self._with(FAILED)

    @property
    def unjudged(self) -> list[str]:
        """The stages that could not be judged so far."""
        return self._with(UNJUDGED)

    def _with(self, word: str) -> list[str]:
        return [stage.name for stage in self.trial.stages if stage.verdict == word]

    @contextmanager
    def stage(self, name: str) -> Iterator[Finding]:
        """One stage: problems make it fail, what stands in the way of judging does not."""
        finding, start = Finding(), time.monotonic()
        self.doing(name, "")
        try:
            yield finding
        except InputError as error:
            finding.problems.extend(error.problems)
        except WorldError as error:
            finding.reasons.append(str(error))
        except BaseException:
            self._end(name, INTERRUPTED, start, finding)
            raise
        if self._strict:
            finding.problems = [problem._replace(severity="error") for problem in finding.problems]
        if finding.skipped:
            finding.reasons = [finding.skipped]
        word = SKIPPED if finding.skipped else verdict(finding.problems, finding.reasons)
        self._end(name, word, start, finding)

    def doing(self, name: str, what: str) -> None:
        """Show what a stage is at."""
        screen.doing(f"{self.trial.chart}: {name} {what or '...'}")

    def skip(self, name: str, why: str) -> None:
        """Leave a stage out."""
        self._add(Stage(name, SKIPPED, 0.0, reasons=(why,)))

    def _end(self, name: str, word: str, start: float, finding: Finding) -> None:
        seconds, log = time.monotonic() - start, "\n".join(finding.log)
        self._add(Stage(name, word, seconds, finding.about, tuple(finding.problems), tuple(finding.reasons), log))

    def _add(self, stage: Stage) -> None:
        self.trial.stages.append(stage)
        screen.doing("")
        self._tell(stage)
