"""The two sides of `chartgen diff`: charts, packages, manifests, a Git revision, or a release."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from chartgen.errors import Mark, Problem, RefusedError, UsageError
from chartgen.gitops import changes
from chartgen.gitops.changes import Changes, Field
from chartgen.job.model import merge
from chartgen.k8s.objects import Object
from chartgen.outputs.manifests import KUSTOMIZATION
from chartgen.sources import SourceOptions
from chartgen.startup.records import NamedTuple
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.verify import helm_output, source
from chartgen.verify.policy import upgrades
from chartgen.world import files, git, project_files
from chartgen.world.files import temporary
from chartgen.world.helm import Helm, HelmError, HelmValues, place_options

RELEASE = "release:"


class Side(NamedTuple):
    """The objects of one job, and the values that they were made with."""

    objects: Sequence[Object] = ()
    values: Mapping[str, Any] = {}


class SideOptions(NamedTuple):
    """How both sides are rendered."""

    helm: Helm
    values: HelmValues = HelmValues()
    release: str = ""
    environment: str = ""  # whose values, in the chart itself, are used where there are any


def diff(old: str, new: str, options: SideOptions) -> tuple[list[Changes], list[Problem]]:
    """What happens when one word's charts replace another's, and what Kubernetes would refuse."""
    with temporary.temporary_directory() as folder:
        before = sides(old, os.path.join(folder, "old"), options)
        after = sides(new, os.path.join(folder, "new"), options)
    return compare(before, after), problems(before, after)


def sides(word: str, folder: str, options: SideOptions) -> dict[str, Side]:
    """What a word means: each job in it by its name. The folder is for files needed on the way."""
    if word.startswith(RELEASE):
        return _release(word.removeprefix(RELEASE), options)
    if not os.path.exists(word) and ":" in word:
        revision, _, path = word.partition(":")
        git.export(revision, path, folder)
        word = os.path.join(folder, path)
        if not os.path.exists(word):
            return {}
    if not os.path.exists(word):
        message = "expected a chart, a package, a directory, REVISION:PATH or release:NAME"
        raise UsageError(f"there is no {word}; {message}")
    if not os.path.isdir(word) or os.path.exists(os.path.join(word, "Chart.yaml")):
        return _charts(word, folder, options)
    found: dict[str, Side] = {}
    for name in project_files.listed(word):
        path = os.path.join(word, name)
        if os.path.exists(os.path.join(path, "Chart.yaml")):
            found |= _charts(path, os.path.join(folder, name), options)
        elif os.path.exists(os.path.join(path, KUSTOMIZATION)):
            found[name] = Side(_manifests(path))
    return found or {os.path.basename(os.path.abspath(word)): Side(_manifests(word))}


def _charts(path: str, folder: str, options: SideOptions) -> dict[str, Side]:
    found = {}
    for chart in source.open_charts(path, os.path.join(folder, "open"), SourceOptions(), None):
        if not chart.library:
            found[chart.name] = render(chart.folder, chart.name, options)
    return found


def render(folder: str, name: str, options: SideOptions) -> Side:
    """What Helm makes of a chart on disk."""
    values = options.values
    file = os.path.join(folder, f"values-{options.environment}.yaml")
    if options.environment and os.path.exists(file):
        values = values._replace(files=(file, *values.files))
    words = ("template", options.release or name, folder, *values.options())
    try:
        printed = options.helm.run(*words)
    except HelmError as error:
        raise RefusedError(str(error)) from error
    said: dict[str, Any] = {}
    for path in (os.path.join(folder, "values.yaml"), *values.files):
        said = merge(said, _values(path))
    return Side(_objects(printed, folder), said)


def _values(file: str) -> Mapping[str, Any]:
    """The values in a file; none if Helm reads it from elsewhere."""
    text = project_files.content(file)
    said = yaml_reader.read(text, file)[0].data if text else {}
    return said or {}


def _objects(printed: str, file: str) -> list[Object]:
    documents, _ = helm_output.read(printed.encode(errors="surrogateescape"), file)
    return [document.data for document in documents]


def _manifests(folder: str) -> list[Object]:
    found: list[Object] = []
    for name in project_files.listed(folder):
        if name.endswith((".yaml", ".yml")) and name != KUSTOMIZATION:
            text = project_files.content(os.path.join(folder, name)) or b""
            documents, _ = helm_output.read(text, name)
            found += [document.data for document in documents]
    return found


def _release(name: str, options: SideOptions) -> dict[str, Side]:
    """What Helm has installed; only this needs a cluster."""
    where = place_options(options.values.namespace)
    printed = options.helm.run("get", "manifest", name, *where)
    said = options.helm.run("get", "values", name, "--all", "--output=yaml", *where)
    values = yaml_reader.read(said.encode(), "helm get values")[0].data
    return {name: Side(_objects(printed, name), values or {})}


def preview(
    target: str,
    wanted: Mapping[str, str],
    beside: Mapping[str, Mapping[str, str]],
    options: SideOptions,
) -> tuple[dict[str, Side], dict[str, Side]]:
    """Both sides of a directory that would be written: as it is, and as it would be.

    `beside` are the charts that would be written beside it.
    """
    name = os.path.basename(target)
    with temporary.temporary_directory() as folder:
        for other, texts in {name: wanted, **beside}.items():
            files.write(os.path.join(folder, "new", other), texts)
        new = sides(os.path.join(folder, "new", name), os.path.join(folder, "b"), options)
        old = sides(target, os.path.join(folder, "a"), options) if os.path.isdir(target) else {}
    return old, new


def compare(old: Mapping[str, Side], new: Mapping[str, Side]) -> list[Changes]:
    """What happens to each job; a side with one job is compared whatever its name is."""
    if len(old) == len(new) == 1:
        (name,) = new
        old = {name: next(iter(old.values()))}
    found = []
    for name in sorted({*old, *new}):
        before, after = old.get(name, Side()), new.get(name, Side())
        fields: list[Field] = []
        if before.values and after.values:
            fields = [*changes.differing(before.values, after.values)]
        found.append(changes.compare(name, before.objects, after.objects, fields))
    return found


def problems(old: Mapping[str, Side], new: Mapping[str, Side]) -> list[Problem]:
    """Changes that Kubernetes would refuse: a given runtime id, and other pods."""
    found = []
    for name in sorted(old.keys() & new.keys()):
        for problem in upgrades.changed_job(old[name].objects, new[name].objects):
            mark = Mark(f"{name}: {problem.mark.file}", 0, 0)
            found.append(problem._replace(mark=mark))
    return found
