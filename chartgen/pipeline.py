"""The whole program on one page: text -> Document -> Job -> Plan -> Files."""

from collections.abc import Mapping
from typing import NamedTuple

from chartgen import chart, frameworks, resources, schema
from chartgen.checks import roles as checks
from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem
from chartgen.job import cloud_file as cloudfile
from chartgen.job import model as job
from chartgen.job import shorthands as desugar
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.syntax import yaml_reader as yaml

LIMIT = 4 * 2**20  # bytes of a file; the largest sensible description is a hundredth of it


class Checked(NamedTuple):
    """A job without problems, ready to be rendered, and what there is to warn of."""

    job: Job
    plan: Plan
    warnings: tuple[Problem, ...]
    name: Mark  # where the job's name stands
    namespace: str = ""  # the one that a native text names; a chart has none of its own


def read(text: bytes, file: str, form: str = "", defines: Mapping[str, str] | None = None) -> list[Document]:
    """Text -> Documents, one for each job in it; native formats are recognised, unless one is named.

    The `${NAME}`s of command lines are filled from what is defined.
    """
    if not form and (documents := _descriptions(text, file)):
        return documents
    from chartgen import native  # job descriptions do without it

    return native.read(text, file, form, defines or {})


def _descriptions(text: bytes, file: str) -> list[Document]:
    """The job descriptions of a text; none if there is anything else in it, or nothing that can be read."""
    try:
        documents = yaml.read(text, file, go_on=True)
    except InputError:
        return []
    described = all(isinstance(one.data, dict) and one.data.keys() & {"framework", "roles"} for one in documents)
    return documents if described else []


def check(document: Document, files: cloudfile.Files | None = None) -> Checked:
    """Document -> Job and Plan; every problem at once, as an InputError; `files` holds what it names as its cloud."""
    if document.form:
        document, adopted, namespace = _adopt(document)
    else:
        (document, adopted), namespace = cloudfile.inserted(document, files or {}), ""
    refused = schema.check(document, _rules())
    sound = document if not refused else schema.sound_part(document, _rules(), {"name": "unnamed"})
    problems = list(dict.fromkeys((*document.problems, *adopted, *refused)))
    found = None
    if sound is not None:
        found, more = _plan(sound, whole=not _errors(problems))
        problems += more
    if found is None or _errors(problems):
        raise InputError(problems)
    return Checked(*found, tuple(problems), document.mark(("name",)), namespace)


def _adopt(document: Document) -> tuple[Document, list[Problem], str]:
    """A document in a native format -> the job description that it means, with the problems found on the way."""
    from chartgen import native  # as above

    described, _, problems, namespace = native.adopt(document)
    if described is None:
        raise InputError(problems)
    return described, list(problems), namespace


def _errors(problems: list[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _plan(document: Document, *, whole: bool) -> tuple[tuple[Job, Plan] | None, list[Problem]]:
    """What the schema cannot judge, and the plan if the rest allows one."""
    framework = frameworks.framework(document.data["framework"])
    document, problems = checks.known_roles(document, framework.TITLE, framework.ROLES)
    problems += checks.other_options(document, framework.NAME, frameworks.MODULES)
    if not document.data["roles"]:
        return None, problems
    document, more = desugar.desugar(document, framework.CONTAINER)
    refused = schema.check(document._replace(traps=()), _rules())
    problems += more + refused
    if refused:
        return None, problems
    described = job.typed(document.data, framework.OPTIONS)
    plan = framework.plan(described)
    deeper = [*framework.check(described, document), *checks.check(described, plan, document, clouds())]
    if problems or not whole:
        deeper = [problem for problem in deeper if problem.rule not in checks.OF_ABSENCE]
    return (described, plan), problems + deeper


def _rules() -> schema.Schema:
    rules: schema.Schema = resources.data("schemas/job.schema.json")
    return rules


def render(checked: Checked) -> chart.Files:
    """Job and Plan -> Files."""
    framework = frameworks.framework(checked.job.framework)
    return chart.chart(checked.job, checked.plan, framework.ROLES)


def clouds() -> list[str]:
    """The clouds that ship with chartgen, by name."""
    return [name.removesuffix(".yaml") for name in resources.names("values/clouds")]
