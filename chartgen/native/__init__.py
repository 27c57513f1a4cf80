"""The formats of other systems: a registry, and how a text is recognized, read and adopted."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module

from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.native.draft import Adopted, Native
from chartgen.native.format import Format
from chartgen.startup.typing import TYPE_CHECKING, cast
from chartgen.syntax import templates
from chartgen.syntax.text import ReadOptions, Syntax

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
    "mpijob": Format(
        "mpi",
        "an MPIJob of Kubeflow's MPI operator or training operator",
        kind="mpijob",
        title="MPIJob",
        versions="kubeflow.org/v1, v2beta1",
        module="chartgen.native.operators.kubeflow.mpijob",
    ),
    "trainjob": Format(
        "pytorch",
        "a TrainJob of Kubeflow's trainer, with its runtime",
        kind="trainjob",
        title="TrainJob",
        beside=("trainingruntime", "clustertrainingruntime"),
        beside_name=("spec", "runtimeRef", "name"),
        also=("jax", "mpi", "custom"),
        versions="trainer.kubeflow.org/v1alpha1",
        module="chartgen.native.operators.kubeflow.trainjob",
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
    from chartgen.native.operators.kubeflow import jaxjob, mpijob, pytorchjob, trainjob
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
        mpijob,
        trainjob,
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
    from chartgen.native.objects import complete, items, refine  # which import this module

    options = ReadOptions(defines, format_of(form).text, keep_duplicates=True)
    jobs = []
    for document in syntax_of(form).read(data, file, options):
        for item in items(document):
            jobs.append(item._replace(form=refine(form, item.data)))
    jobs = complete(jobs, [])[0]
    if problem := _template_in_words(jobs):
        raise explain(data, file, InputError([problem]))
    return jobs


def explain(data: bytes, file: str, error: InputError) -> InputError:
    """The same error, or what to do first if the text is a template.

    Braces in quotes may be text of a job. A problem that is there without them too is another one.
    """
    text = data.decode("utf-8-sig", errors="replace")
    template = templates.problem(text, file)
    if not template:
        return error
    filled = templates.fill_in(text)
    others = _problems(filled, file) if filled != text else ()
    kept = [problem for problem in error.problems if problem in others]
    return error if len(kept) == len(error.problems) else InputError(sorted([template, *kept]))


def _problems(text: str, file: str) -> tuple[Problem, ...]:
    """What keeps a text from being read as YAML."""
    try:
        syntax_of("").read(text.encode(), file, ReadOptions(keep_duplicates=True))
    except InputError as error:
        return error.problems
    return ()


def _template_in_words(jobs: Sequence[Document]) -> Problem | None:
    """A template among the words of command lines, in which no program expects braces."""
    for job in jobs:
        words = job.data.get("words") if isinstance(job.data, dict) else None
        if isinstance(words, list) and (problem := templates.problem(" ".join(words), job.file)):
            braces = (index for index, word in enumerate(words) if "{" in word)
            return job.place(("words", next(braces, 0)), problem)
    return None


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


def recognize(data: bytes, file: str, documents: Sequence[Document]) -> str:
    """The format that the text of a file is in, or "" if it is none or holds Kubernetes objects.

    `documents` is the file read as YAML; empty if it is not YAML.
    """
    # A Python function and a command with a ': ' in it are mappings too, but have no key of a job.
    if documents and all(_is_object(document) for document in documents):
        return ""
    text = data.decode("utf-8-sig", errors="replace")
    return _recognize(text, file, FORMATS) or _recognize(text, file, formats())


def _recognize(text: str, file: str, known: Mapping[str, Format]) -> str:
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
