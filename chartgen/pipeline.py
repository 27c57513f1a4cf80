"""The whole program on one page: text -> Document -> Job -> Plan -> Files."""

from typing import NamedTuple

from chartgen import chart, checks, desugar, frameworks, job, resources, schema
from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.job import Job
from chartgen.plan import Plan
from chartgen.syntax import yaml

LIMIT = 4 * 2**20  # bytes of a file; the largest sensible description is a hundredth of it


class Checked(NamedTuple):
    """A job without problems, ready to be rendered, and what there is to warn of."""

    job: Job
    plan: Plan
    warnings: tuple[Problem, ...]


def read(text: bytes, file: str) -> list[Document]:
    """Text -> Documents, one for each job in it."""
    return yaml.read(text, file)


def check(document: Document) -> Checked:
    """Document -> Job and Plan; every problem there is at once, as an InputError."""
    problems = schema.check(document, _rules())
    sound = document if not problems else schema.sound_part(document, _rules(), {"name": "unnamed"})
    found = None
    if sound is not None:
        found, more = _plan(sound, whole=not problems)
        problems += more
    if found is None or any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
    return Checked(*found, tuple(problems))


def _plan(document: Document, *, whole: bool) -> tuple[tuple[Job, Plan] | None, list[Problem]]:
    """What the schema cannot judge, and the plan if the rest allows one."""
    framework = frameworks.framework(document.data["framework"])
    document, problems = checks.known_roles(document, framework.TITLE, framework.ROLES)
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
