"""The whole program on one page: text -> Document -> Job -> Plan -> Files."""

from collections.abc import Iterator
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
    rules = resources.data("schemas/job.schema.json")
    problems = schema.check(document, rules)
    sound = document if not problems else schema.sound_part(document, rules, {"name": "unnamed", "image": "unnamed"})
    found = None
    if sound is not None:
        found, more = _plan(sound)
        problems += more
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or found is None:
        raise InputError(problems)
    return Checked(*found, tuple(problems))


def _plan(document: Document) -> tuple[tuple[Job, Plan] | None, list[Problem]]:
    """What the schema cannot judge, and the plan if the rest allows one."""
    framework = frameworks.framework(document.data["framework"])
    problems = list(checks.check_roles(document, framework.TITLE, framework.ROLES))
    if problems:
        return None, problems
    document, problems = desugar.desugar(document, framework.CONTAINER)
    problems += schema.check(document._replace(traps=()), resources.data("schemas/job.schema.json"))
    if problems:
        return None, problems
    described = job.typed(document.data, framework.OPTIONS)
    problems += framework.check(described, document)
    plan = framework.plan(described)
    problems += checks.check(described, plan, document, clouds())
    return (described, plan), problems


def render(checked: Checked) -> chart.Files:
    """Job and Plan -> Files."""
    framework = frameworks.framework(checked.job.framework)
    return chart.chart(checked.job, checked.plan, framework.ROLES)


def clouds() -> list[str]:
    """The clouds that ship with chartgen, by name."""
    return [name.removesuffix(".yaml") for name in resources.names("values/clouds")]


def compile_all(text: bytes, file: str) -> Iterator[Checked]:
    """Every job of a text, checked; the problems of all of them together if there are any."""
    found: list[Checked] = []
    problems: list[Problem] = []
    for document in read(text, file):
        try:
            found.append(check(document))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    yield from found
