"""What the stages of `chartgen test` share: options, the chart under test, and results so far."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property

from chartgen.errors import Problem, UsageError, WorldError
from chartgen.sources import SourceOptions
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import TYPE_CHECKING, BinaryIO, Protocol
from chartgen.verify.rendering import Renderer
from chartgen.verify.result import FAILED, SKIPPED, UNJUDGED, ChartResult, StageResult
from chartgen.verify.signals import Shield
from chartgen.verify.source import Chart, WordReader, read_plainly
from chartgen.world import helm
from chartgen.world.helm import HelmValues

if TYPE_CHECKING:
    from chartgen.verify.releases.release import Release

LIBRARY = "a library chart renders no objects; test a chart that uses it"
NO_HELM = "Helm is missing"


class ClusterOptions(NamedTuple):
    """Which cluster to test on, and whether to leave the release there."""

    kubeconfig: str = ""
    context: str = ""
    keep: bool = False


class TestOptions(NamedTuple):
    """What the command line can say about a test."""

    charts: tuple[str, ...]
    sources: SourceOptions = SourceOptions()  # how jobs are read, and whether warnings fail
    stdin: BinaryIO | None = None  # what the chart "-" is read from
    values: HelmValues = HelmValues()
    helm: str = ""
    kube_versions: tuple[str, ...] = ()
    skip_kinds: frozenset[str] = frozenset()
    timeout: float = 300.0  # seconds for each stage
    cluster: ClusterOptions | None = None  # None: no cluster
    reading: WordReader = read_plainly

    def check(self) -> None:
        """Raise a UsageError for what cannot be."""
        for version in self.kube_versions:
            if not re.fullmatch(r"\d+\.\d+(\.\d+)?", version):
                raise UsageError(f"--kube-version {version}: expected a version such as 1.29")
        if self.charts.count("-") > 1:
            raise UsageError("standard input (-) can be read only once")
        self.values.check()


class Callbacks(NamedTuple):
    """How the caller follows a test, and how it lets signals interrupt it."""

    started: Callable[[str], None]  # the test of this chart begins
    progress: Callable[[str], None]  # what is being done; "" when a stage has ended
    ended: Callable[[StageResult], None]
    shield: Callable[[], AbstractContextManager[Shield]]


class Findings:
    """What a stage has found so far."""

    def __init__(self) -> None:
        self.about = ""  # what was looked at
        self.problems: list[Problem] = []
        self.reasons: list[str] = []  # why something could not be judged
        self.log: list[str] = []
        self.skipped = ""  # why there was nothing to do


class Stage(Protocol):
    """A module in `stages`; its docstring is the manual page that `chartgen explain` prints."""

    __doc__: str | None

    def skip(self, test: "ChartTest", /) -> str:
        """Why the stage cannot run; nothing if it can."""

    def run(self, test: "ChartTest", findings: Findings, /) -> None:
        """Do the work; an InputError makes the stage fail, a WorldError makes it `not judged`."""


class ChartTest:
    """The test of one chart."""

    def __init__(
        self, shown: str, path: str, folder: str, options: TestOptions, callbacks: Callbacks
    ) -> None:
        self.path, self.folder, self.options = path, folder, options
        self.result = ChartResult(shown, [], [])
        self.charts: list[Chart] = []  # filled by the first stage; mostly one
        self.release: Release | None = None  # set by the stage `install`
        self._callbacks = callbacks
        callbacks.started(shown)

    @property
    def chart(self) -> Chart:
        """The chart."""
        return self.charts[0]

    @cached_property
    def renderer(self) -> Renderer:
        """What runs Helm on the chart; WorldError if Helm is missing."""
        options = self.options
        tool = helm.find(options.helm or None)
        return Renderer(self.chart, tool, options.kube_versions, options.values, options.timeout)

    def missing_helm(self) -> str:
        """How to get Helm, if it is missing."""
        try:
            self.renderer  # noqa: B018
        except WorldError as error:
            return str(error)
        return ""

    def why_no_objects(self) -> str:
        """Why there are no rendered objects to judge; nothing if there are."""
        if self.chart.library:
            return LIBRARY
        if self.missing_helm():
            return NO_HELM
        if self.verdict("render") == UNJUDGED:
            return "render was not judged"
        if any(rendering.objects for _, _, rendering in self.renderer.all()):
            return ""
        return "render failed" if self.verdict("render") == FAILED else "there are no objects"

    def verdict(self, name: str) -> str:
        """The verdict on a stage that has ended; nothing for another."""
        return next((stage.verdict for stage in self.result.stages if stage.name == name), "")

    def stages(self, word: str) -> list[str]:
        """The stages with a verdict."""
        return [stage.name for stage in self.result.stages if stage.verdict == word]

    def progress(self, name: str, what: str = "...") -> None:
        """Show what a stage is doing."""
        self._callbacks.progress(f"{self.result.chart}: {name} {what}")

    def skip(self, name: str, why: str) -> None:
        """Record a stage that is left out."""
        findings = Findings()
        findings.reasons.append(why)
        self.record(name, SKIPPED, 0.0, findings)

    def record(self, name: str, word: str, seconds: float, findings: Findings) -> None:
        """Record the result of a stage."""
        result = StageResult(
            name,
            word,
            seconds,
            findings.about,
            tuple(findings.problems),
            tuple(findings.reasons),
            "\n".join(findings.log),
        )
        self.result.stages.append(result)
        self._callbacks.progress("")
        self._callbacks.ended(result)
