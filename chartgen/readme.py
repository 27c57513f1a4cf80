"""The chart's README.md: what the job is, what it asks for, and every value, in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from string import Template

from chartgen.job import Job
from chartgen.plan import Plan
from chartgen.values import Row


def readme(page: str, job: Job, plan: Plan, roles: Mapping[str, str], rows: Iterable[Row], asks: str) -> str:
    """The page of charts/job with its holes filled; a person's text is put in as it is, never read as a template."""
    last = plan.roles[-1].name
    described = [(role.name, str(job.roles[role.name].replicas), roles[role.name]) for role in plan.roles]
    return Template(page).substitute(
        name=job.name,
        description=line(job.description or f"A distributed {plan.title} job"),
        framework=plan.title,
        roles=_table(("role", "replicas", "what it does"), described),
        asks=asks,
        last=last,
        more=job.roles[last].replicas + 1,
        values=_table(
            ("value", "default", "what it does"),
            ((f"`{row.key}`", code(row.default), line(row.description)) for row in rows),
        ),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def line(text: str) -> str:
    """A person's text on one line of Markdown, where none of it can end a table's cell or start something else."""
    flat = " ".join(text.split()).removesuffix(".")
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!" else sign for sign in flat)


def code(text: str) -> str:
    """A text as code in a table's cell, with a fence longer than any in it."""
    if not text:
        return ""
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")
