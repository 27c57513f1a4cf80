"""Render a chart with Helm: with each set of values, for each version of Kubernetes, each once."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property

from chartgen.document import Document
from chartgen.errors import Mark, Problem, WorldError
from chartgen.k8s import schemas
from chartgen.k8s.limits import OLDEST_KUBERNETES
from chartgen.startup.records import NamedTuple
from chartgen.verify import helm_output
from chartgen.verify.result import Variant
from chartgen.verify.source import Chart
from chartgen.world.helm import Helm, HelmError, HelmValues

DEFAULTS = "defaults"
FEW = 50  # objects of a kind where replicas serve as examples
_REFUSED = "which is incompatible with Kubernetes"


class Rendering(NamedTuple):
    """What Helm printed, and the objects in it; or why there are none."""

    printed: str
    objects: list[Document]
    problems: list[Problem]


class Renderer:
    """Helm, run on one chart."""

    def __init__(
        self,
        chart: Chart,
        helm: Helm,
        versions: Sequence[str],
        values: HelmValues,
        timeout: float,
    ) -> None:
        self.chart, self.helm = chart, helm
        # Paths of values files in the chart; "" is for the defaults.
        self.values = ["", *chart.ci_values()]
        self._versions, self._options, self._timeout = versions, values.options(), timeout
        self._cache: dict[tuple[str, str], Rendering] = {}

    @cached_property
    def versions(self) -> list[str]:
        """The given versions of Kubernetes; by default the oldest the chart accepts and the newest.

        Without Kubernetes' schemas it is "", the version that Helm assumes.
        """
        if self._versions:
            return list(dict.fromkeys(self._versions))
        known = [
            version
            for version in schemas.versions()
            if _numbers(version) >= _numbers(OLDEST_KUBERNETES)
        ]
        if not known:
            return [""]
        oldest = next((version for version in known if not self._refuses(version)), known[-1])
        return list(dict.fromkeys((oldest, known[-1])))

    def _refuses(self, version: str) -> bool:
        """Whether the chart's kubeVersion excludes a version."""
        return any(_REFUSED in problem.message for problem in self.get("", version).problems)

    def get(self, values: str, version: str) -> Rendering:
        """The rendering with some values for a version of Kubernetes."""
        key = (values, version)
        if key not in self._cache:
            self._cache[key] = self.render(values, version)
        return self._cache[key]

    def newest(self, values: str = "") -> Rendering:
        """The rendering for the newest of the versions."""
        return self.get(values, self.versions[-1])

    def all(self) -> Iterator[tuple[str, str, Rendering]]:
        """Every rendering, with its values and version."""
        for values in self.values:
            for version in self.versions:
                yield values, version, self.get(values, version)

    def render_few(self, *options: str, folder: str = "") -> Rendering:
        """Some objects of each kind, rendered again, perhaps with options or from another folder.

        Comparisons need no more, and reading thousands of objects takes longer than making them.
        """
        return self.render("", self.versions[-1], *options, folder=folder, most=FEW)

    def render(
        self,
        values: str,
        version: str,
        *options: str,
        folder: str = "",
        release: str = "",
        most: int = 0,
    ) -> Rendering:
        """Run `helm template`, perhaps with more options, another folder or another release."""
        chart = self.chart
        words = ("template", release or chart.name, folder or chart.folder, "--include-crds")
        name = template_command(values)
        try:
            printed = self._run(words, values, version, *options)
        except HelmError as error:
            return Rendering(
                "", [], [Problem(Mark(name, 0, 0), self.explain(error), "helm-template")]
            )
        for rendering in self._cache.values():
            if rendering.printed == printed:  # most charts are the same for all versions
                return rendering
        text = helm_output.keep_few(printed, most) if most else printed
        objects, problems = helm_output.read(text.encode(errors="surrogateescape"), name)
        return Rendering(printed, objects, problems)

    def add_templates(self, problems: list[Problem]) -> list[Problem]:
        """Problems of objects, with the template that renders the object."""
        templates = self._templates() if problems else {}
        placed = []
        for problem in problems:
            name = problem.mark.file
            if name in templates:
                problem = problem._replace(mark=Mark(f"{templates[name]}: {name}", 0, 0))
            placed.append(problem)
        return placed

    def _templates(self) -> dict[str, str]:
        """The template that each object comes from; none for a job, whose author wrote none."""
        templates: dict[str, str] = {}
        if self.chart.document:
            return templates
        for values in self.values:
            rendering = self.newest(values)
            for name, path in helm_output.sources(rendering.printed, rendering.objects).items():
                templates[name] = os.path.join(self.chart.shown, path.partition("/")[2])
        return templates

    def lint(self, values: str) -> None:
        """Run `helm lint`; HelmError if it finds something."""
        self._run(("lint", "--strict", self.chart.folder), values, self.versions[-1])

    def _run(self, words: Sequence[str], values: str, version: str, *options: str) -> str:
        all_words = [*words]
        if version:
            all_words.append(f"--kube-version={_with_patch(version)}")
        if values:
            all_words.append(f"--values={os.path.join(self.chart.folder, values)}")
        all_words += [*self._options, *options]
        try:
            return self.helm.run(*all_words, timeout=self._timeout)
        except HelmError as error:
            if error.code < 0:  # killed, which says nothing about the chart
                raise WorldError(str(error)) from error
            raise

    def explain(self, error: HelmError) -> str:
        """Helm's message, without its advice and without the names of temporary folders."""
        return _message(error).replace(self.chart.folder, self.chart.shown)


def variant(values: str, version: str = "") -> Variant:
    """What a rendering is called where several have to be distinguished."""
    return values or DEFAULTS, f"Kubernetes {version}"


def template_command(values: str) -> str:
    """The command that makes a rendering, which is what people know it by."""
    return f"helm template --values {values}" if values else "helm template"


def _with_patch(version: str) -> str:
    """A version with all three numbers: Helm does not compare 1.29 alone."""
    return f"{version}.0" if version.count(".") == 1 else version


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _message(error: HelmError) -> str:
    lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
    starts = [number for number, line in enumerate(lines) if line.startswith("Error: ")]
    kept = []
    for line in lines[starts[0] if starts else 0 :]:
        if "Use --debug flag" not in line:
            kept.append(line.removeprefix("Error: "))
    return "; ".join(kept).replace(":; ", ": ") or f"helm failed with exit code {error.code}"
