"""The chart's README.md: what the job is, what it asks for, and every value, in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from string import Template

from chartgen import clouds
from chartgen.job import Job
from chartgen.plan import Plan
from chartgen.told import asking
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
        devices=_devices(job, plan),
        last=last,
        more=job.roles[last].replicas + 1,
        values=_table(
            ("value", "default", "what it does"),
            ((f"`{row.key}`", code(row.default), line(row.description)) for row in rows),
        ),
    )


def _devices(job: Job, plan: Plan) -> str:
    """What the cloud adds for the devices that roles ask for; nothing if none does."""
    told = [_given(*asks) for asks in asking(job, plan)]
    if not told:
        return ""
    others = ", ".join(f"`{name}`" for name in clouds.names("cloud"))
    chosen = f"This chart is made for the cloud `{clouds.of(job)['name']}`; `--set cloud=NAME` takes another: {others}."
    head = "## Devices\n\nPods that ask for devices get what their cloud needs for them; what the job says wins."
    return "\n\n".join([f"{head} {chosen}", *told, ""])


def _given(role: str, asked: str, given: Sequence[str]) -> str:
    if not given:
        return f"{line(role)} asks for {line(asked)} and gets nothing more."
    return "\n".join([f"{line(role)} asks for {line(asked)} and gets:", "", *(f"- {code(item)}" for item in given)])


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
