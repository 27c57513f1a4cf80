"""A kit on a job: its templates printed, and what they print checked, before all writing."""

import re
from collections.abc import Iterator, Sequence

from chartgen.chart.additions import Addition
from chartgen.checks.objects import own_names
from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem
from chartgen.kits.context import context
from chartgen.kits.model import NOTES, README, TEMPLATES, Kit
from chartgen.pipeline import CheckedJob
from chartgen.scaffold.printing import PrintedText, print_template
from chartgen.scaffold.sandbox import TemplateBudget, TemplateSet
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.text import ReadOptions
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.words import either

_ACTION = re.compile(r'\{\{(?:"(?:[^"\\]|\\.)*"|`[^`]*`|/\*.*?\*/|[^"`])*?\}\}', re.S)
_SUFFIX = ".yaml.j2"
_PLACEHOLDER = "go-value"


class PrintedObject(NamedTuple):
    """An object that a kit prints, by what identifies it."""

    identity: tuple[str, ...]
    kind: str
    name: str  # empty if only Helm knows it
    mark: Mark


def apply(kits: Sequence[Kit], checked: CheckedJob) -> CheckedJob:
    """The job with what the kits add to its chart; every problem at once, as an InputError."""
    problems: list[Problem] = [*_check_fit(kits, checked)]
    additions = []
    objects: list[PrintedObject] = []
    for kit in kits if not problems else ():
        try:
            addition, printed = _print_kit(kit, checked)
        except InputError as error:
            problems += error.problems
        else:
            additions.append(addition)
            objects += printed
    problems += _check_objects(objects, checked)
    if problems:
        raise InputError(dict.fromkeys(problems))
    return checked._replace(additions=tuple(additions))


def _check_fit(kits: Sequence[Kit], checked: CheckedJob) -> Iterator[Problem]:
    """Whether the kits are for this job."""
    job, document = checked.job, checked.document
    seen: dict[str, str] = {}
    for kit in kits:
        if kit.name in seen:
            message = f"the kit in {seen[kit.name]!r} is also named {kit.name!r}"
            yield Problem(Mark(kit.path("kit.yaml")), message, "kit-duplicate", "use one of them")
        seen.setdefault(kit.name, kit.folder)
        hint = f"leave out the kit {kit.folder!r}, or add this to its kit.yaml"
        if kit.frameworks and job.framework not in kit.frameworks:
            message = f"the kit {kit.name!r} is for {either(kit.frameworks)}, not for this job"
            yield document.problem(("framework",), message, "kit-other-framework", hint)
        cloud = job.settings.get("cloud", "none")
        if kit.clouds and cloud not in kit.clouds:
            message = f"the kit {kit.name!r} is for {either(kit.clouds)}, not for {cloud!r}"
            yield document.problem(("cloud",), message, "kit-other-cloud", hint)


def _print_kit(kit: Kit, checked: CheckedJob) -> tuple[Addition, list[PrintedObject]]:
    templates: dict[str, str] = {}
    objects: list[PrintedObject] = []
    problems: list[Problem] = []
    budget = TemplateBudget(f"the kit {kit.name!r}")

    def print_one(name: str, form: str) -> PrintedText:
        names = context(kit, checked, form)
        return print_template(name, TemplateSet(kit.templates, kit.path, names, budget))

    for name in kit.objects:
        try:
            printed = print_one(name, "yaml")
            objects += _read_objects(printed)
        except InputError as error:
            problems += error.problems
            continue
        if printed.text.strip():
            stem = name.removeprefix(TEMPLATES).removesuffix(_SUFFIX)
            templates[f"kit-{kit.name}-{stem}.yaml"] = printed.text.strip("\n") + "\n"
    texts = {}
    for name, form in ((NOTES, "notes"), (README, "readme")):
        try:
            texts[form] = print_one(name, form).text if name in kit.templates else ""
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    addition = Addition(kit.name, kit.version, kit.digest, templates, **texts)
    return addition, objects


def _read_objects(printed: PrintedText) -> list[PrintedObject]:
    """The objects of a Go template, read with a word instead of every action."""
    actions: dict[str, int] = {}

    def stand_in(action: re.Match[str]) -> str:
        word = f"{_PLACEHOLDER}-{actions.setdefault(action[0], len(actions))}"
        begin = printed.text.rfind("\n", 0, action.start()) + 1
        end = printed.text.find("\n", action.end())
        line = printed.text[begin : action.start()] + printed.text[action.end() : end]
        alone = not _ACTION.sub("", line).strip()
        return "\n" * action[0].count("\n") if alone else word

    plain = _ACTION.sub(stand_in, printed.text)
    if not re.sub(r"(?m)^---.*$|^\s*#.*$", "", plain).strip():
        return []
    known = {number: action for action, number in actions.items()}
    try:
        documents = yaml_reader.read(plain.encode(), "", ReadOptions(keep_duplicates=True))
    except InputError as error:
        raise InputError([_misprint(problem, printed) for problem in error.problems]) from error
    return [_object(document, printed, known) for document in documents if document.data]


def _misprint(problem: Problem, printed: PrintedText) -> Problem:
    mark = printed.mark(problem.mark.line)
    return Problem(mark, f"this prints broken YAML: {problem.message}", "kit-broken-yaml")


def _object(document: Document, printed: PrintedText, actions: dict[int, str]) -> PrintedObject:
    data: Any = document.data
    mark = printed.mark(document.mark().line)
    metadata = data.get("metadata") if isinstance(data, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else metadata
    if not (isinstance(data, dict) and data.get("apiVersion") and data.get("kind") and name):
        message = "this prints no Kubernetes object; expected apiVersion, kind and metadata.name"
        raise InputError([Problem(mark, message, "kit-no-object")])
    namespace = metadata.get("namespace", "") if isinstance(metadata, dict) else ""
    group = str(data["apiVersion"]).rpartition("/")[0]

    def full(text: Any) -> str:
        return re.sub(rf"{_PLACEHOLDER}-(\d+)", lambda hit: actions[int(hit[1])], str(text))

    identity = (group, str(data["kind"]), full(namespace), full(name))
    literal = "" if _PLACEHOLDER in str(name) else str(name)
    place = printed.mark(document.mark(("metadata",)).line)
    return PrintedObject(identity, str(data["kind"]), literal, place)


def _check_objects(objects: Sequence[PrintedObject], checked: CheckedJob) -> Iterator[Problem]:
    """No object is printed twice, or has the name of one of the chart or of the job."""
    own = own_names(checked.pods)
    extra = set()
    for obj in checked.job.settings.get("extraObjects", ()):
        group = obj["apiVersion"].rpartition("/")[0]
        metadata = obj["metadata"]
        extra.add((group, obj["kind"], metadata.get("namespace", ""), metadata["name"]))
    seen: dict[tuple[str, ...], Mark] = {}
    for obj in objects:
        if obj.name and own.fullmatch(obj.name):
            message = f"the chart may name an object of its own {obj.name!r}; expected another name"
            yield Problem(obj.mark, message, "object-name-taken")
        if obj.identity in extra:
            message = f"an extra object of the job is the {obj.kind} {obj.name!r}; expected it once"
            yield Problem(obj.mark, message, "object-duplicate")
        if obj.identity in seen:
            message = f"a second {obj.kind} of this name; the first is at {seen[obj.identity]}"
            yield Problem(obj.mark, message, "object-duplicate", "give each object its own name")
        seen.setdefault(obj.identity, obj.mark)
