"""The two sides of `chartgen diff`: charts, packages, manifests, a Git revision, or a release."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem, RefusedError
from chartgen.gitops import changes
from chartgen.gitops.changes import Changes, Field
from chartgen.job.model import merge
from chartgen.k8s.objects import Object
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.syntax.yaml.writer import emit
from chartgen.verify import helm_output
from chartgen.verify.comparison import opening
from chartgen.verify.comparison.opening import Opened
from chartgen.verify.policy import upgrades
from chartgen.verify.result import merge_duplicates
from chartgen.verify.source import WordReader, read_plainly
from chartgen.world import files, project_files
from chartgen.world.files import Difference, temporary
from chartgen.world.helm import Helm, HelmError, HelmValues, place_options

RELEASE = "release:"


def no_values(_word: str, _job: str) -> str:
    """The file with a job's own values in the environment, where there is no project."""
    return ""


class Side(NamedTuple):
    """The objects of one job, and the values that they were made with."""

    objects: Sequence[Object] = ()
    values: Mapping[str, Any] = {}
    document: Document | None = None  # the job description, if there is one
    texts: Mapping[str, str] | None = None  # the files, if they are asked for and there are any
    manifests: bool = False  # whether those are plain manifests


class SideOptions(NamedTuple):
    """How both sides are rendered."""

    helm: Helm
    values: HelmValues = HelmValues()
    release: str = ""
    environment: str = ""  # whose values, in the chart itself, are used where there are any
    texts: bool = False  # whether the differences of files are asked for
    reading: WordReader = read_plainly
    values_of: Callable[[str, str], str] = no_values  # of a word and its job, in the environment


class Comparison(NamedTuple):
    """What happens, what Kubernetes would refuse, and the texts that differ, if asked for."""

    changes: list[Changes]
    problems: list[Problem]
    differences: list[Difference]


def diff(old: str, new: str, options: SideOptions) -> Comparison:
    """What happens when one word's charts replace another's."""
    with temporary.temporary_directory() as folder:
        before = sides(old, os.path.join(folder, "old"), options)
        after = sides(new, os.path.join(folder, "new"), options)
    differ = [*_differences(before, after)] if options.texts else []
    return Comparison(compare(before, after), problems(before, after), differ)


def diff_texts(old: str, new: str, reading: WordReader) -> list[Difference]:
    """The files that differ, which needs no Helm."""
    for word in (old, new):
        if word.startswith(RELEASE):
            raise RefusedError(f"only Helm knows {word}")
    with temporary.temporary_directory() as folder:
        before = opening.open_word(old, os.path.join(folder, "old"), reading)
        after = opening.open_word(new, os.path.join(folder, "new"), reading)
        old_sides = {name: _texts(opened) for name, opened in before.items()}
        new_sides = {name: _texts(opened) for name, opened in after.items()}
    kinds = {side.manifests for side in (*old_sides.values(), *new_sides.values())}
    if len(kinds) > 1:
        raise RefusedError("a chart and manifests can only be compared with Helm")
    return [*_differences(old_sides, new_sides)]


def _texts(opened: Opened) -> Side:
    return Side(texts=opened.texts(), manifests=not opened.chart)


def sides(word: str, folder: str, options: SideOptions) -> dict[str, Side]:
    """What a word means: each job in it by its name. The folder is for files needed on the way."""
    if word.startswith(RELEASE):
        return _release(word.removeprefix(RELEASE), options)
    by_name = {}
    for name, opened in opening.open_word(word, folder, options.reading).items():
        side = Side(() if opened.chart else _manifests(opened))
        if opened.chart:
            file = options.values_of(word, name) if opened.document else ""
            side = render(opened.folder, name, options, file)
        if options.texts:
            side = side._replace(texts=opened.texts(), manifests=not opened.chart)
        by_name[name] = side._replace(document=opened.document)
    return by_name


def render(folder: str, name: str, options: SideOptions, own: str = "") -> Side:
    """What Helm makes of a chart on disk, with the file of its values in the environment."""
    values = options.values
    file = own or os.path.join(folder, f"values-{options.environment}.yaml")
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


def _manifests(opened: Opened) -> list[Object]:
    objects: list[Object] = []
    for name, text in opened.texts().items():
        documents, problems = helm_output.read(text.encode(), os.path.join(opened.shown, name))
        if problems:
            raise InputError(problems)
        objects += [document.data for document in documents]
    return objects


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

    `beside` are the charts that would be written beside it. A directory for which nothing is wanted
    would be removed.
    """
    name = os.path.basename(target)
    with temporary.temporary_directory() as folder:
        for other, texts in {name: wanted, **beside}.items():
            files.write(os.path.join(folder, "new", other), texts)
        place = os.path.join(folder, "new", name)
        new = sides(place, os.path.join(folder, "b"), options) if wanted else {}
        old = sides(target, os.path.join(folder, "a"), options) if os.path.isdir(target) else {}
    return old, new


def compare(old: Mapping[str, Side], new: Mapping[str, Side]) -> list[Changes]:
    """What happens to each job, and by which values; without any, by which fields of objects."""
    all_changes = []
    for name, before, after in _pairs(old, new):
        happens = changes.compare(name, before.objects, after.objects)
        fields: list[Field] = []
        if before.values and after.values:
            fields = [*changes.differing(before.values, after.values)]
        if after.document:
            fields = changes.place_fields(fields, after.document)
        all_changes.append(happens._replace(values=fields or changes.object_fields(happens)))
    return all_changes


def _pairs(old: Mapping[str, Side], new: Mapping[str, Side]) -> Iterator[tuple[str, Side, Side]]:
    """The sides of each job; a side with one job is compared whatever its name is."""
    if len(old) == len(new) == 1:
        (name,) = new
        old = {name: next(iter(old.values()))}
    for name in sorted({*old, *new}):
        yield name, old.get(name, Side()), new.get(name, Side())


def _differences(old: Mapping[str, Side], new: Mapping[str, Side]) -> Iterator[Difference]:
    """The files that differ; the objects, if the sides do not have the same kind of files."""
    for name, before, after in _pairs(old, new):
        present = [side for side in (before, after) if side.objects or side.texts]
        kinds = {side.manifests if side.texts is not None else None for side in present}
        if len(kinds) > 1 or None in kinds:
            yield from opening.differences(name, _object_texts(before), _object_texts(after))
        else:
            yield from opening.differences(name, before.texts or {}, after.texts or {})


def _object_texts(side: Side) -> dict[str, str]:
    texts = {}
    for obj in side.objects:
        texts[f"{obj['kind']}/{obj['metadata']['name']}"] = emit(obj)
    return texts


def problems(old: Mapping[str, Side], new: Mapping[str, Side], where: str = "") -> list[Problem]:
    """Changes that Kubernetes would refuse, each once: a given runtime id, and other pods."""
    merged = []
    for name in sorted(old.keys() & new.keys()):
        refused = upgrades.changed_job(old[name].objects, new[name].objects)
        for problem in merge_duplicates({(): refused}):
            mark = Mark(f"{name}{where}: {problem.mark.file}", 0, 0)
            merged.append(problem._replace(mark=mark))
    return merged
