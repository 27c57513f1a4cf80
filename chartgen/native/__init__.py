"""The formats of other systems: a registry, and how a text is recognised, read and adopted."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from chartgen.document import Document, Path, Trap
from chartgen.errors import InputError, Problem
from chartgen.native.draft import Adopted, Native
from chartgen.native.format import Format
from chartgen.syntax import templates
from chartgen.syntax.text import ReadOptions, Syntax
from chartgen.words import in_shell

# A format's module is imported only when a job is written in it.
FORMATS = {
    "tfjob": Format(
        "tensorflow",
        "a TfJob (apiVersion: tensorflow.org/v1alpha1, kind: TfJob)",
        kind="tfjob",
        title="TFJob",
        versions="tensorflow.org/v1alpha1, mlkube.io/v1beta1, kubeflow.org/v1alpha1",
        module="chartgen.native.operators.tfjob",
    ),
    "tfjob-v1": Format(
        "tensorflow",
        "a TFJob with tfReplicaSpecs, as Kubeflow has it since 2018",
        kind="tfjob",
        title="TFJob",
        key="tfReplicaSpecs",
        versions="kubeflow.org/v1alpha2, v1beta1, v1beta2, v1; training.kubedl.io/v1alpha1",
        module="chartgen.native.operators.kubeflow.tfjob",
    ),
    "mxjob": Format(
        "mxnet",
        "an MxJob (apiVersion: mxnet.mlkube.io/v1beta1, kind: MxJob)",
        kind="mxjob",
        title="MXJob",
        versions="mxnet.mlkube.io/v1beta1, mlkube.io/v1beta1, kubeflow.org/v1alpha1",
        module="chartgen.native.operators.mxjob",
    ),
    "mxjob-v1": Format(
        "mxnet",
        "an MXJob with mxReplicaSpecs, as Kubeflow had it from 2018 on",
        kind="mxjob",
        title="MXJob",
        key="mxReplicaSpecs",
        versions="kubeflow.org/v1alpha2, v1beta1, v1beta2, v1",
        module="chartgen.native.operators.kubeflow.mxjob",
    ),
    "pytorchjob": Format(
        "pytorch",
        "a PyTorchJob of Kubeflow's training operator",
        kind="pytorchjob",
        title="PyTorchJob",
        versions="kubeflow.org/v1beta1, v1beta2, v1",
        module="chartgen.native.operators.kubeflow.pytorchjob",
    ),
    "jaxjob": Format(
        "jax",
        "a JAXJob of Kubeflow's training operator",
        kind="jaxjob",
        title="JAXJob",
        versions="kubeflow.org/v1",
        module="chartgen.native.operators.kubeflow.jaxjob",
    ),
    "elasticdl": Format(
        "elasticdl",
        "a command line of ElasticDL's client (elasticdl train --job_name=...)",
        text=r"(?m)(?:^|[;&|(])[ \t]*(?:[$%>][ \t]+)?"
        # No part that begins after a separator reaches beyond the next: that would be quadratic.
        r"(?:(?:\w+=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|(])*|sudo|time|nohup|exec)[ \t]+)*"
        r"(?:[^\s;&|(]*/)?"
        r"(?:elasticdl|python[\d.]*[\s\\]+(?:-\w[\s\\]+)*"
        r"(?:-m[\s\\]+elasticdl\.python\.(?:elasticdl\.client|client\.client)"
        r"|(?:[^\s;&|(]*/)?elasticdl/(?:python/)?client/client\.py))"
        r"[\s\\]+(?:train|evaluate|predict)\b",
        syntax="chartgen.syntax.commands",
        versions="July 2019 and before, 0.1.0rc0, 0.2.0rc3",
        module="chartgen.native.elasticdl.job",
    ),
    "angel-submit": Format(
        "angel",
        "an angel-submit command line",
        text=r"(?m)^[^#\n]*(?<![\w.-])(?:angel|spark)-submit(?=[\s\"']|$)",
        syntax="chartgen.syntax.commands",
        versions="2.4 to 3.1",
        module="chartgen.native.angel.submit",
    ),
    "angel-properties": Format(
        "angel",
        "a file of Angel's properties (angel.deploy.mode=KUBERNETES, ...)",
        text=r"(?m)^[ \t\f]*(?:angel|spark\.ps)\.[\w.-]+[ \t\f]*[=:]",
        syntax="chartgen.syntax.properties",
        schema="angel-submit",
        versions="2.4 to 3.1",
        module="chartgen.native.angel.properties",
    ),
    "angel-site": Format(
        "angel",
        "a file of Angel's properties in Hadoop's XML (angel-site.xml)",
        text=r"<configuration>[\s\S]*<name>\s*(?:angel|spark\.ps|ml)\.[\w.-]+\s*</name>",
        syntax="chartgen.syntax.hadoop_xml",
        schema="angel-submit",
        versions="2.4 to 3.1",
        module="chartgen.native.angel.site",
    ),
    "mars": Format(
        "mars",
        "a Mars call of new_cluster(...)",
        text=r"\bnew_cluster\s*\(",
        syntax="chartgen.native.mars.call",
        versions="0.3 to 0.10, Xorbits",
        module="chartgen.native.mars.job",
        suffix=".py",
    ),
}

if TYPE_CHECKING:  # mypy checks each module against its Protocol; nothing is imported at run time
    from chartgen.native.angel import properties as angel_properties
    from chartgen.native.angel import site as angel_site
    from chartgen.native.angel import submit as angel_submit
    from chartgen.native.elasticdl import job as elasticdl
    from chartgen.native.mars import call as mars_call
    from chartgen.native.mars import job as mars
    from chartgen.native.operators import mxjob, tfjob
    from chartgen.native.operators.kubeflow import jaxjob, pytorchjob
    from chartgen.native.operators.kubeflow import mxjob as mxjob_v1
    from chartgen.native.operators.kubeflow import tfjob as tfjob_v1
    from chartgen.syntax import commands, hadoop_xml, properties
    from chartgen.syntax.yaml import reader as yaml_reader

    _NATIVES: tuple[Native, ...] = (
        tfjob,
        tfjob_v1,
        mxjob,
        mxjob_v1,
        pytorchjob,
        jaxjob,
        elasticdl,
        angel_submit,
        angel_properties,
        angel_site,
        mars,
    )
    _SYNTAXES: tuple[Syntax, ...] = (
        yaml_reader,
        commands,
        properties,
        hadoop_xml,
        mars_call,
    )

_SHOWN = 63  # characters of a name in a message
_DESCRIPTION = "a job description (a mapping with name, framework and roles)"
# Kinds of other training operators, and the framework that runs the same programs, if there is one.
_OTHER_JOBS = {"ElasticDLJob": "elasticdl", "MarsJob": "mars", "XDLJob": "", "Job": ""}
# Keys of which an object or a description has some.
_KEYS = {"apiVersion", "kind", "framework", "roles", "name", "image"}


def formats() -> dict[str, Format]:
    """All formats, those of other installed packages at the end."""
    from chartgen.native import elsewhere  # a text in a format of ours does without it

    # Ours come first, and none of them can be replaced.
    return FORMATS | elsewhere.formats() | FORMATS


def format_of(name: str) -> Format:
    """The format of this name; other packages are asked for a name that is not ours."""
    return FORMATS[name] if name in FORMATS else formats()[name]


def syntax_of(form: str) -> Syntax:
    """What reads a format; job descriptions, which have none, are YAML."""
    module = format_of(form).syntax if form else "chartgen.syntax.yaml.reader"
    return cast(Syntax, import_module(module))


def read(
    data: bytes, file: str, form: str, defines: Mapping[str, str] | None = None
) -> list[Document]:
    """The jobs of a text in the given format."""
    options = ReadOptions(defines, format_of(form).text, keep_duplicates=True)
    jobs = []
    for document in syntax_of(form).read(data, file, options):
        for item in _items(document):
            jobs.append(item._replace(form=_refine(form, item.data)))
    if found := templates.problem(_words(jobs), file):
        raise explain(data, file, InputError([found]))
    return jobs


def explain(data: bytes, file: str, error: InputError) -> InputError:
    """The same error, or what to do first if the text is a template."""
    found = templates.problem(data.decode("utf-8-sig", errors="replace"), file)
    return InputError([found]) if found else error


def _words(jobs: Sequence[Document]) -> str:
    """The words of command lines, in which no program expects braces."""
    words: list[str] = []
    for job in jobs:
        if isinstance(job.data, dict) and isinstance(job.data.get("words"), list):
            words += job.data["words"]
    return " ".join(words)


def adopt(document: Document) -> Adopted:
    """The job description that a document in a native format means."""
    if document.form in FORMATS:
        adopted = cast(Native, import_module(FORMATS[document.form].module)).adopt(document)
    else:
        from chartgen.native import elsewhere  # as above

        adopted = elsewhere.adopt(document)
    described = adopted.document
    if described is not None and document.settings:
        from chartgen.native import settings  # only --image and --set need it

        described = settings.apply(described, document.settings)
    return adopted._replace(document=described, problems=(*document.problems, *adopted.problems))


def recognise(data: bytes, file: str, documents: Sequence[Document]) -> str:
    """The format that the text of a file is in, or "" if it is none or holds Kubernetes objects.

    `documents` is the file read as YAML; empty if it is not YAML.
    """
    # A Python function and a command with a ': ' in it are mappings too, but have no key of a job.
    if documents and all(_is_object(document) for document in documents):
        return ""
    text = data.decode("utf-8-sig", errors="replace")
    return _recognise(text, file, FORMATS) or _recognise(text, file, formats())


def _recognise(text: str, file: str, known: Mapping[str, Format]) -> str:
    for name, form in known.items():
        if form.text and re.search(form.text, text):
            return name
    for name, form in known.items():
        if form.suffix and file.endswith(form.suffix):
            return name
    return ""


def _is_object(document: Document) -> bool:
    data = document.data
    return isinstance(data, dict) and bool(data.keys() & _KEYS) and not document.problems


def split_objects(documents: Sequence[Document]) -> list[Document]:
    """The jobs among YAML documents, each with the format its kind names.

    Objects beside them, such as a claim, are left out with a warning; alone they are an InputError,
    as is what is not an object.
    """
    jobs: list[Document] = []
    others: list[Document] = []
    for document in documents:
        for item in _items(document):
            form = _form_of_object(item.data)
            if form is None:
                others.append(item)
            else:
                jobs.append(item._replace(form=form))
    strange = [item for item in others if not jobs or not _is_beside(item.data)]
    if strange:
        raise InputError(_not_a_job(item) for item in strange)
    warnings = tuple(_left_out(item) for item in others)
    if found := [*filter(None, map(_template_in, jobs))]:
        raise InputError(found)
    if warnings:
        jobs[0] = jobs[0]._replace(problems=(*jobs[0].problems, *warnings))
    return jobs


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
            found = templates.problem(value, document.file, certain=True)
            if found:
                return document.place(path, found)
    return None


def _is_beside(data: Any) -> bool:
    """Whether data is an object of another kind than a job's, which may stand beside one."""
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
            return _refine(name, data)
    return None if data.keys() & {"apiVersion", "kind"} else ""


def _refine(form: str, data: Any) -> str:
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


def _items(document: Document) -> list[Document]:
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
        hint = (
            f"its program can be a job of {framework}: see `chartgen explain {framework}`"
            if framework
            else "write its pods as the roles of a job; see `chartgen explain roles`"
        )
    message = f"an object of kind {str(kind)[:_SHOWN]!r} is not a job that chartgen reads"
    return document.problem(("kind",), message, rule, hint)


def _near_kind(kind: str) -> str:
    """The kind of a format that a misspelt one means, or ""."""
    from chartgen.words import nearest

    if kind in _OTHER_JOBS:
        return ""
    return nearest(kind, (form.title for form in formats().values() if form.kind), 0.8) or ""
