"""The native formats chartgen reads: one module each, recognised by what a text is, or named by --from."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple, cast

from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.native.draft import Adopted, Native


class Format(NamedTuple):
    """How a format is known and read; a Kubernetes object by its kind, anything else by a pattern of its text."""

    framework: str
    about: str
    kind: str = ""  # in lower case
    text: str = ""
    syntax: str = "yaml_reader"  # the module of chartgen.syntax that reads it
    suffix: str = ""  # of files that hold nothing else, whatever their text is
    schema: str = ""  # the format whose schema holds for it, where that is another
    module: str = ""  # the module of chartgen.native that adopts it


# A format's module is imported only when a job is written in it.
FORMATS = {
    "tfjob": Format(
        "tensorflow",
        "a TfJob (apiVersion: tensorflow.org/v1alpha1, kind: TfJob)",
        kind="tfjob",
        module="operators.tfjob",
    ),
    "mxjob": Format(
        "mxnet", "an MxJob (apiVersion: mxnet.mlkube.io/v1beta1, kind: MxJob)", kind="mxjob", module="operators.mxjob"
    ),
    "elasticdl": Format(
        "elasticdl",
        "a command line of ElasticDL's client (elasticdl train --job_name=...)",
        text=r"(?m)(?:^|[;&|(])[ \t]*(?:[$%>][ \t]+)?(?:(?:\w+=\S*|sudo|time|nohup|exec)[ \t]+)*(?:\S*/)?(?:elasticdl|"
        r"python[\d.]*[\s\\]+(?:-\w[\s\\]+)*-m[\s\\]+elasticdl\.python\.elasticdl\.client)[\s\\]+"
        r"(?:train|evaluate|predict)\b",
        syntax="commands",
        module="elasticdl.job",
    ),
    "angel-submit": Format(
        "angel",
        "an angel-submit command line",
        text=r"(?m)^[^#\n]*(?<![\w.-])(?:angel|spark)-submit(?=[\s\"']|$)",
        syntax="commands",
        module="angel.submit",
    ),
    "angel-properties": Format(
        "angel",
        "a file of Angel's properties (angel.deploy.mode=KUBERNETES, ...)",
        text=r"(?m)^[ \t\f]*(?:angel|spark\.ps)\.[\w.-]+[ \t\f]*[=:]",
        syntax="properties",
        schema="angel-submit",
        module="angel.properties",
    ),
    "mars": Format(
        "mars",
        "a Mars call of new_cluster(...)",
        text=r"\bnew_cluster\s*\(",
        syntax="python_call",
        suffix=".py",
        module="mars.job",
    ),
}

_WORDS = {"apiVersion", "kind", "framework", "roles", "name", "image"}  # of which an object or a description has some
_DESCRIPTION = "a job description (a mapping with name, framework and roles)"


def read(data: bytes, file: str, form: str = "", defines: Mapping[str, str] | None = None) -> list[Document]:
    """The documents of a text, each with the format it is written in: the one named, or what it is recognised as."""
    form = form or _by_text(data, file)
    documents = [one for document in _documents(data, file, form, defines or {}) for one in _items(document)]
    if form:
        return [document._replace(form=form) for document in documents]
    if problems := [_stranger(document) for document in documents if recognised(document.data) is None]:
        raise InputError(problems)
    return [document._replace(form=recognised(document.data) or "") for document in documents]


def _documents(data: bytes, file: str, form: str, defines: Mapping[str, str]) -> list[Document]:
    """What the reader of a format's syntax finds."""
    syntax = FORMATS[form].syntax if form else "yaml_reader"
    reader = import_module(f"chartgen.syntax.{syntax}")
    options = (defines, FORMATS[form].text) if syntax == "commands" else ()
    more = {"go_on": True} if syntax == "yaml_reader" else {}
    documents: list[Document] = reader.read(data, file, *options, **more)
    return documents


def adopt(document: Document) -> Adopted:
    """The job description that a document in a native format means."""
    module = import_module(f"chartgen.native.{FORMATS[document.form].module}")
    adopted = cast(Native, module).adopt(document)
    return adopted._replace(problems=(*document.problems, *adopted.problems))


def recognised(data: Any) -> str | None:
    """The native format that data is written in, "" for a job description (a poor one, maybe), None for neither."""
    if isinstance(data, dict) and not data.keys() & {"framework", "roles"}:
        kind = str(data.get("kind", "")).lower()
        known = [name for name, form in FORMATS.items() if kind and form.kind == kind]
        return next(iter(known), None if data.keys() & {"apiVersion", "kind"} else "")
    return "" if isinstance(data, dict | list) else None


def _by_text(data: bytes, file: str) -> str:
    """The format whose pattern a text has that is no object, or whose files are so named; "" if there is none."""
    import re

    text = data.decode("utf-8-sig", errors="replace")
    found = next((name for name, form in FORMATS.items() if form.text and re.search(form.text, text)), "")
    found = found or next((name for name, form in FORMATS.items() if form.suffix and file.endswith(form.suffix)), "")
    return found if found and not _holds_objects(data, file) else ""


def _holds_objects(data: bytes, file: str) -> bool:
    from chartgen.syntax import yaml_reader as yaml  # whoever only asks which formats there are does without it

    try:
        found = [document.data for document in yaml.read(data, file)]
        # A Python function and a command with a ': ' in it are mappings, too, but of nothing that a job has.
        return all(isinstance(one, dict) and one.keys() & _WORDS for one in found)
    except InputError:
        return False


def _items(document: Document) -> list[Document]:
    """The objects of a List, as kubectl prints several of them; anything else is one itself."""
    data = document.data
    if not isinstance(data, dict) or data.get("kind") != "List" or not isinstance(data.get("items"), list):
        return [document]
    return [
        document.moved(item, {(): ("items", index)})._replace(
            traps=tuple(
                trap._replace(path=trap.path[2:]) for trap in document.traps if trap.path[:2] == ("items", index)
            )
        )
        for index, item in enumerate(data["items"])
    ]


def _stranger(document: Document) -> Problem:
    """What to say of a document that nothing fits."""
    what = "this text"
    if isinstance(document.data, dict):
        kind, api = (document.data.get(key) for key in ("kind", "apiVersion"))
        what = f"an object of the kind {kind!r}" if kind else f"an object of {api!r} without a kind"
    known = [_DESCRIPTION, *(form.about for form in FORMATS.values())]
    message = f"{what} is no job that chartgen reads; expected {', or '.join(known)}"
    hint = f"name the format with --from: {', '.join(FORMATS)}"
    if what == "an object of the kind 'ConfigMap'":
        hint = f"if it holds a TfJob operator's configuration, `chartgen convert {document.file}` makes a cloud of it"
    return document.problem((), message, "format", hint)
