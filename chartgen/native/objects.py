"""Objects of Kubernetes: which of them are jobs, in which format, and what to say of the others."""

import re
from collections.abc import Sequence

from chartgen.document import Document, Path, Trap
from chartgen.errors import InputError, Problem
from chartgen.native import FORMATS, format_of, formats
from chartgen.startup.typing import Any
from chartgen.syntax import templates
from chartgen.words import in_shell

_SHOWN = 63  # characters of a name in a message
_DESCRIPTION = "a job description (a mapping with name, framework and roles)"
# Kinds that run pods, and the framework that runs the same programs; roles may do without one.
_OTHER_JOBS = {
    "ElasticDLJob": "elasticdl",
    "MarsJob": "mars",
    "TensorFlowJob": "tensorflow",
    **dict.fromkeys(("XGBoostJob", "PaddleJob", "RayJob", "RayCluster", "DaskJob"), "custom"),
    **dict.fromkeys(("XDLJob", "Job", "JobSet", "Pod", "Deployment", "StatefulSet"), ""),
}


def split_objects(documents: Sequence[Document]) -> list[Document]:
    """The jobs among YAML documents, each with the format its kind names.

    Objects beside them, such as a claim, are left out with a warning; alone they are an InputError,
    as is what is not an object.
    """
    jobs: list[Document] = []
    others: list[Document] = []
    for document in documents:
        for item in items(document):
            form = _form_of_object(item.data)
            if form is None:
                others.append(item)
            else:
                jobs.append(item._replace(form=form))
    jobs, others = complete(jobs, others)
    strange = [item for item in others if not jobs or not _is_beside(item.data)]
    if strange:
        raise InputError(_not_a_job(item) for item in strange)
    warnings = tuple(_left_out(item) for item in others)
    if template_problems := [*filter(None, map(_template_in, jobs))]:
        raise InputError(template_problems)
    if warnings:
        jobs[0] = jobs[0]._replace(problems=(*jobs[0].problems, *warnings))
    return jobs


def complete(
    jobs: Sequence[Document], others: Sequence[Document]
) -> tuple[list[Document], list[Document]]:
    """The jobs with the objects that complete them, and the objects that do not."""
    kinds: set[str] = set()
    for job in jobs:
        kinds.update(format_of(job.form).beside if job.form else ())
    completing = [item for item in (*jobs, *others) if _kind(item.data) in kinds]
    completed = []
    for job in jobs:
        if _kind(job.data) not in kinds:
            named = _value_at(job.data, format_of(job.form).beside_name) if job.form else None
            beside = tuple(item for item in completing if named and _name(item.data) == named)
            completed.append(job._replace(beside=beside))
    used = {id(item.data) for job in completed for item in job.beside}
    unused = [item for item in completing if id(item.data) not in used]
    left = [item for item in others if _kind(item.data) not in kinds]
    return completed, [*left, *unused]


def _value_at(data: Any, path: Path) -> Any:
    """The value at a path, or None."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data if path else None


def _name(data: Any) -> Any:
    return _value_at(data, ("metadata", "name"))


def _kind(data: Any) -> str:
    return str(data.get("kind", "")).lower() if isinstance(data, dict) else ""


def _template_in(document: Document) -> Problem | None:
    """The problem with an object of another system in which a text is to be filled in."""
    pending: list[tuple[Path, Any]] = [((), document.data)] if document.form else []
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            pending += [((*path, index), item) for index, item in enumerate(value)]
        elif isinstance(value, str) and "{" in value:
            problem = templates.problem(value, document.file, certain=True)
            if problem:
                return document.place(path, problem)
    return None


def _is_beside(data: Any) -> bool:
    """Whether data is an object of another kind than a job's, which may be beside one."""
    kind = data.get("kind") if isinstance(data, dict) else None
    return isinstance(kind, str) and not _near_kind(kind)


def _left_out(document: Document) -> Problem:
    data = document.data
    metadata = data.get("metadata")
    name = metadata.get("name", "") if isinstance(metadata, dict) else ""
    kind, name = data["kind"][:_SHOWN], str(name)[:_SHOWN]  # a machine may have written them
    subject = f"the {kind} {name!r}" if name else f"a {kind}"
    message = f"{subject} is not a job, and is left out of the chart"
    hint = "apply it by itself, or write it into extraObjects of the description"
    if any(_kind(data) in form.beside for form in FORMATS.values()):
        hint = "no job in this file names it"
    return document.warning((), message, "object-left-out", hint)


def _form_of_object(data: Any) -> str | None:
    """The format of data, "" for a job description (perhaps a poor one), None for neither."""
    if not isinstance(data, dict):
        return "" if isinstance(data, list) else None
    if data.keys() & {"framework", "roles"}:
        return ""
    kind = str(data.get("kind", "")).lower()
    known = FORMATS if any(form.kind == kind for form in FORMATS.values()) else formats()
    for name, form in known.items():
        if kind and form.kind == kind:
            return refine(name, data)
    return None if data.keys() & {"apiVersion", "kind"} else ""


def refine(form: str, data: Any) -> str:
    """The format among those of one kind that an object is in: the key of its spec decides."""
    kind = format_of(form).kind
    if form not in FORMATS or not kind or not isinstance(data, dict):
        return form
    spec = data.get("spec")
    keys = {str(key).lower() for key in spec} if isinstance(spec, dict) else set()
    later = re.search(r"^kubeflow\.org/v(1alpha2|1beta|1$)|kubedl", str(data.get("apiVersion", "")))
    family = [name for name, other in FORMATS.items() if other.kind == kind]
    for name in family:
        key = FORMATS[name].key.lower()
        if key and (key in keys or (later and "replicaspecs" not in keys)):
            return name
    return family[0]


def items(document: Document) -> list[Document]:
    """The objects of a List, as kubectl prints several of them; otherwise the document itself."""
    data = document.data
    if not isinstance(data, dict) or data.get("kind") != "List":
        return [document]
    if not isinstance(data.get("items"), list):
        return [document]
    traps: dict[Path, list[Trap]] = {}
    for trap in document.traps:
        traps.setdefault(trap.path[:2], []).append(trap._replace(path=trap.path[2:]))
    objects = []
    for index, item in enumerate(data["items"]):
        moved = document.moved(item, {(): ("items", index)})
        objects.append(moved._replace(traps=tuple(traps.get(("items", index), ()))))
    return objects


def _not_a_job(document: Document) -> Problem:
    """The problem with a document that is in no format chartgen reads."""
    data = document.data
    rule = "file-unknown-format"
    if not isinstance(data, dict):
        known = [_DESCRIPTION, *(form.about for form in formats().values())]
        message = f"this text is not a job that chartgen reads; expected {', or '.join(known)}"
        hint = f"name the format with --from: {', '.join(formats())}"
        return document.problem((), message, rule, hint)
    kind = data.get("kind")
    hint = "`chartgen list formats` shows what is read"
    if not kind:
        message = f"an object of {data.get('apiVersion')!r} without a kind is not a job"
        return document.problem((), f"{message} that chartgen reads", rule, hint)
    if kind == "ConfigMap":
        hint = (
            "if it holds a TfJob operator's configuration, "
            f"`chartgen convert {in_shell(document.file)}` makes a cloud of it"
        )
    elif meant := _near_kind(str(kind)):
        hint = f"did you mean the kind {meant}?"
    elif str(kind) in _OTHER_JOBS:
        framework = _OTHER_JOBS[str(kind)]
        hint = "write its pods as the roles of a job; see `chartgen explain roles`"
        if framework:
            page = f"see `chartgen explain {framework}`"
            hint = f"write its program as a job with framework: {framework}; {page}"
    message = f"an object of kind {str(kind)[:_SHOWN]!r} is not a job that chartgen reads"
    return document.problem(("kind",), message, rule, hint)


def _near_kind(kind: str) -> str:
    """The kind of a format that a misspelt one means, or ""."""
    from chartgen.words import nearest

    if kind in _OTHER_JOBS:
        return ""
    return nearest(kind, (form.title for form in formats().values() if form.kind), 0.8) or ""
