"""The chart's README.md: what the job is, what it asks for, and every value, in Markdown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Template

from chartgen.chart.values_schema import Row
from chartgen.devices import catalog as clouds
from chartgen.devices.describe import asking
from chartgen.job.model import Job
from chartgen.plan.model import Plan


def readme(page: str, job: Job, plan: Plan, roles: Mapping[str, str], rows: Iterable[Row], asks: str) -> str:
    """The page of charts/job with its holes filled; a person's text is put in as it is, never read as a template."""
    described = [(role.name, str(job.roles[role.name].replicas), roles[role.name]) for role in plan.roles]
    return Template(page).substitute(
        name=job.name,
        description=line(description(job, plan)),
        job=_noun(job, plan),
        roles=_table(("role", "replicas", "what it does"), described) + _made(plan),
        asks=asks,
        devices=_devices(job, plan),
        change=_change(job, plan),
        renaming="\n\n".join(
            [_GIVEN.format(job.settings["runtimeId"]) if _given_id(job) else _HASH, *_keeping(job, plan)]
        ),
        values=_table(
            ("value", "default", "what it does"),
            ((f"`{row.key}`", code(row.default), line(row.description)) for row in rows),
        ),
    )


_HASH = """\
A Job cannot be changed in place. The names of all objects therefore end in a runtime id, a hash of the finished pods: a
change that touches pods gives new Jobs, which take the place of the old ones, and a change that does not leaves them
alone."""
_GIVEN = """\
A Job cannot be changed in place, and the names of all objects end in the runtime id `{}`, which was given and stays
what it is. A change that touches pods, such as another image, therefore needs another id, as above, or `helm uninstall`
before it is installed anew; under the same id Kubernetes refuses it. With another number of replicas alone, pods that
run already would keep the list of peers that they started with."""


def description(job: Job, plan: Plan) -> str:
    """What the chart is, in a line."""
    return job.description or f"A {_noun(job, plan)}"


def _noun(job: Job, plan: Plan) -> str:
    """A job of one replica is not distributed."""
    alone = sum(role.replicas for role in job.roles.values()) == 1
    return f"single-replica {plan.title} job" if alone else f"distributed {plan.title} job"


def _given_id(job: Job) -> bool:
    return bool(job.settings.get("runtimeId", "") != "")


def _change(job: Job, plan: Plan) -> str:
    """Settings that change this very chart: a count, an image where it is said, and the id if it is given."""
    grows = next((role.name for role in reversed(plan.roles) if role.at_most is None), None)
    count = [f"roles.{grows}.replicas={job.roles[grows].replicas + 1}"] if grows else []
    own = _own_images(job, plan)
    where = f"roles.{own[0]}.image" if len(own) == len([*plan.replicated]) else "image"
    renamed = ["runtimeId=other"] if _given_id(job) else []
    return " ".join(f"--set {one}" for one in (*count, f"{where}=registry.example.com/other:2", *renamed))


def _own_images(job: Job, plan: Plan) -> list[str]:
    """The roles that have an image of their own, which the job's does not change."""
    return [role.name for role in plan.replicated if "image" in {**role.defaults, **job.roles[role.name].spec}]


def _keeping(job: Job, plan: Plan) -> Iterator[str]:
    own = _own_images(job, plan)
    if own:
        words = " and ".join(filter(None, [", ".join(f"`{role}`" for role in own[:-1]), f"`{own[-1]}`"]))
        have = "has an image of its own" if len(own) == 1 else "have images of their own"
        yield f"{words} {have}, which `--set image=` does not change; `--set roles.{own[-1]}.image=` does."


def _made(plan: Plan) -> str:
    """Which roles have no Job, for their framework makes their pods."""
    names = ", ".join(role.name for role in plan.roles if not role.jobs)
    if not names:
        return ""
    words = f"The pods of {names} are made by {plan.title} itself, at run time, as the values of these roles say."
    return f"\n\n{words} They are removed before the job is replaced or uninstalled."


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
