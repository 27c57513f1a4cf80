"""What Helm makes of a chart: with each set of values, for each version of Kubernetes, each asked for once."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from chartgen import resources
from chartgen.document import Document
from chartgen.errors import Mark, Problem, WorldError
from chartgen.verify import helm_output as rendered
from chartgen.verify.source import Chart
from chartgen.world.helm import Helm, HelmError

OLDEST = "1.29"  # of the Kubernetes that charts are made for
FEW = 50  # objects of a kind where replicas are looked at as examples
_REFUSED = "which is incompatible with Kubernetes"


class Rendering(NamedTuple):
    """What Helm printed, and the objects in it; or why there is none."""

    printed: str
    objects: list[Document]
    problems: list[Problem]


class Renderings:
    """All renderings of a chart."""

    def __init__(self, chart: Chart, helm: Helm, asked: Sequence[str], options: Sequence[str], timeout: float) -> None:
        self.chart, self.helm = chart, helm
        self.values = ["", *chart.ci()]  # paths of values files in the chart; "" stands for the defaults
        self._asked, self._options, self._timeout = asked, options, timeout
        self._made: dict[tuple[str, str], Rendering] = {}

    @cached_property
    def versions(self) -> list[str]:
        """The versions of Kubernetes asked for; if none are, the oldest that the chart takes and the newest there is.

        What Helm takes by itself, "", stands for all if no schemas are there.
        """
        known = [version for version in resources.kubernetes_versions() if _number(version) >= _number(OLDEST)]
        if self._asked or not known:
            return list(dict.fromkeys(self._asked)) or [""]
        oldest = next((version for version in known if not self._refuses(version)), known[-1])
        return list(dict.fromkeys((oldest, known[-1])))

    def _refuses(self, version: str) -> bool:
        return any(_REFUSED in problem.message for problem in self.get("", version).problems)

    def get(self, values: str, version: str) -> Rendering:
        """The rendering with some values for a version of Kubernetes."""
        key = (values, version)
        if key not in self._made:
            self._made[key] = self.render(values, version)
        return self._made[key]

    def newest(self, values: str = "") -> Rendering:
        """The rendering for the newest of the versions."""
        return self.get(values, self.versions[-1])

    def all(self) -> Iterator[tuple[str, str, Rendering]]:
        """Every rendering, with its values and version."""
        return ((values, version, self.get(values, version)) for values in self.values for version in self.versions)

    def once_more(self, *more: str, folder: str = "") -> list[Document]:
        """The objects of the defaults, perhaps with more options or from another folder: of each kind a few.

        That is what comparisons need, and reading thousands of objects takes longer than to make them.
        """
        return self.render("", self.versions[-1], *more, folder=folder, most=FEW).objects

    def render(
        self, values: str, version: str, *more: str, folder: str = "", release: str = "", most: int = 0
    ) -> Rendering:
        """Render anew, perhaps with more options, the same chart from another folder, or for another release."""
        words = ("template", release or self.chart.name, folder or self.chart.folder, "--include-crds")
        name = called(values)
        try:
            printed = self._run(words, values, version, *more)
        except HelmError as error:
            return Rendering("", [], [Problem(Mark(name, 0, 0), self.said(error), "render")])
        same = next((one for one in self._made.values() if one.printed == printed), None)  # mostly, for all versions
        text = rendered.thinned(printed, most) if most else printed
        return same or Rendering(printed, *rendered.read(text.encode(errors="surrogateescape"), name))

    def sources(self) -> dict[str, str]:
        """The file of the chart that each object comes from; none for a job, whose author knows of no templates."""
        if self.chart.ours:
            return {}
        made = [self.newest(values) for values in self.values]
        found = {name: path for one in made for name, path in rendered.sources(one.printed, one.objects).items()}
        return {name: os.path.join(self.chart.shown, path.partition("/")[2]) for name, path in found.items()}

    def lint(self, values: str) -> None:
        """Let helm lint judge; it says no by a HelmError."""
        self._run(("lint", "--strict", self.chart.folder), values, self.versions[-1])

    def _run(self, words: Sequence[str], values: str, version: str, *more: str) -> str:
        own = [f"--values={os.path.join(self.chart.folder, values)}"] if values else []
        kube = [f"--kube-version={full(version)}"] if version else []
        try:
            return self.helm.run(*words, *kube, *own, *self._options, *more, timeout=self._timeout)
        except HelmError as error:
            if error.code < 0:  # it was killed, which says nothing about the chart
                raise WorldError(str(error)) from error
            raise

    def said(self, error: HelmError) -> str:
        """What Helm complains of, without its advice and without folders that are gone when it is read."""
        return said(error).replace(self.chart.folder, self.chart.shown)


def called(values: str) -> str:
    """What a rendering is called: by the command that makes it."""
    return f"helm template --values {values}" if values else "helm template"


def full(version: str) -> str:
    """A version with all of its three numbers: 1.29 alone is no version to Helm's comparisons."""
    return f"{version}.0" if version.count(".") == 1 else version


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def said(error: HelmError) -> str:
    """What Helm complains of, without its advice."""
    lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
    start = next((number for number, line in enumerate(lines) if line.startswith("Error: ")), 0)
    kept = [line.removeprefix("Error: ") for line in lines[start:] if "Use --debug flag" not in line]
    return "; ".join(kept).replace(":; ", ": ") or f"helm failed with exit code {error.code}"
