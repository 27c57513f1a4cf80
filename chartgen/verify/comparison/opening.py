"""What OLD and NEW of `chartgen diff` mean: charts, and directories of manifests, on disk."""

import os
from collections.abc import Iterator, Mapping

from chartgen.document import Document
from chartgen.errors import UsageError
from chartgen.outputs.manifests import KUSTOMIZATION
from chartgen.sources import SourceOptions
from chartgen.startup.records import NamedTuple
from chartgen.verify import source
from chartgen.verify.source import Chart, WordReader
from chartgen.world import git, project_files
from chartgen.world.files import Difference


class Opened(NamedTuple):
    """One job on disk: a chart, or the directory of its manifests."""

    name: str
    folder: str
    shown: str  # the folder as people know it
    chart: Chart | None = None
    document: Document | None = None  # the job description, if the word names one

    def texts(self) -> dict[str, str]:
        """The files that count, by their paths."""
        if self.chart:
            files = self.chart.packed()
        else:
            files = {}
            for name in manifest_files(self.folder):
                files[name] = project_files.content(os.path.join(self.folder, name)) or b""
        return {path: text.decode(errors="replace") for path, text in files.items()}


def open_word(word: str, folder: str, reading: WordReader) -> dict[str, Opened]:
    """Each job that a word means, by its name. The folder is for files needed on the way."""
    options = reading(word, SourceOptions())
    if not os.path.exists(word) and ":" in word:
        revision, _, path = word.partition(":")
        place = git.export(revision, path, folder)
        return _by_name(_open(place, word, folder, options)) if place else {}
    if not os.path.exists(word):
        message = "expected a chart, a package, a directory, REVISION:PATH or release:NAME"
        raise UsageError(f"there is no {word}; {message}")
    return _by_name(_open(word, word, folder, options))


def _by_name(opened: Iterator[Opened]) -> dict[str, Opened]:
    return {job.name: job for job in opened}


def _open(place: str, shown: str, folder: str, options: SourceOptions) -> Iterator[Opened]:
    if not os.path.isdir(place) or os.path.exists(os.path.join(place, "Chart.yaml")):
        yield from _charts(place, shown, folder, options)
    else:
        yield from _directory(place, shown, folder)


def _directory(place: str, shown: str, folder: str) -> Iterator[Opened]:
    """The manifests of a job; else all jobs in it, or those in the directories of environments."""
    own = Opened(os.path.basename(os.path.abspath(place)), place, shown)
    if _is_job(place):
        yield own
        return
    names = project_files.list_folder(place)
    below = 0
    for name in names:
        for job in _jobs(place, shown, folder, name):
            yield job
            below += 1
    if not below and manifest_files(place):
        yield own
    elif not below and names:
        message = "has neither charts nor manifests; name a directory that does"
        raise UsageError(f"{shown} {message}")


def _jobs(place: str, shown: str, folder: str, name: str) -> Iterator[Opened]:
    """The chart or the manifests of this name; the manifests below it if it is an environment."""
    path = os.path.join(place, name)
    if os.path.exists(os.path.join(path, "Chart.yaml")):
        known = os.path.join(shown, name)
        yield from _charts(path, known, os.path.join(folder, name), SourceOptions())
        return
    inside = [] if _is_job(path) else [f"{name}/{step}" for step in project_files.list_folder(path)]
    for step in inside or [name]:
        if _is_job(os.path.join(place, step)):
            yield Opened(step, os.path.join(place, step), os.path.join(shown, step))


def _is_job(folder: str) -> bool:
    """Whether a directory has the manifests of a job."""
    return os.path.exists(os.path.join(folder, KUSTOMIZATION))


def _charts(place: str, shown: str, folder: str, options: SourceOptions) -> Iterator[Opened]:
    for chart in source.open_charts(place, os.path.join(folder, "open"), options, None):
        if not chart.library:
            yield Opened(chart.name, chart.folder, shown, chart, chart.document)


def manifest_files(folder: str) -> list[str]:
    """The files of a directory that may hold Kubernetes' objects."""
    names = []
    for name in project_files.list_folder(folder):
        if name.endswith((".yaml", ".yml")) and name != KUSTOMIZATION and name[0] != ".":
            names.append(name)
    return names


def differences(name: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Difference]:
    """The files of a job that differ."""
    for path in sorted({*old, *new}):
        before, after = old.get(path), new.get(path)
        if before is None:
            yield Difference(f"{name}/{path}", "missing", "", after or "")
        elif after is None:
            yield Difference(f"{name}/{path}", "stale", before, "")
        elif before != after:
            yield Difference(f"{name}/{path}", "changed", before, after)
