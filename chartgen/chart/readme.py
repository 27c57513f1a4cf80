"""The chart's README.md: what the job is, what it requests, and every value."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from chartgen.chart import totals
from chartgen.chart.values import Row
from chartgen.devices import catalog
from chartgen.job.model import Job
from chartgen.k8s.quantities import in_words
from chartgen.plan.model import Plan
from chartgen.pods import Pods
from chartgen.words import listed

_WIDTH = 100
_HOLE = re.compile(r"\$([a-z]+)")
_CODE_SPAN = r"(`[^`]+`)"
_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>#|!"})
_HASH = """\
A Job cannot be changed in place. The names of all objects therefore end in a runtime id, a hash of
the rendered pods: a change of the pods creates new Jobs that replace the old ones, and any other
change leaves them alone."""
_GIVEN = """\
A Job cannot be changed in place, and the names of all objects end in the
runtime id `{}`, which was given and does not change. A change of the pods, such as another image,
therefore needs another id, as above, or `helm uninstall` before the next install; under the same id
Kubernetes refuses it. If only the number of replicas changes, running pods keep the list of peers
that they started with."""


def readme(page: str, pods: Pods, roles: Mapping[str, str], rows: Iterable[Row]) -> str:
    """The page of charts/job with its holes filled."""
    job, plan = pods.job, pods.plan
    given_id = job.settings.get("runtimeId", "")
    renaming = [_GIVEN.format(given_id) if given_id != "" else _HASH, *_own_image_note(job, plan)]
    counts = []
    for role in plan.roles:
        counts.append((role.name, str(job.replicas(role.name)), roles[role.name]))
    set_by_job: list[Sequence[str]] = []
    others: list[str] = []
    for row in rows:
        if row.set_by_job:
            set_by_job.append((f"`{row.key}`", code(row.default)))
        else:
            others.append(f"{row.key}={row.default}" if row.default else row.key)
    holes = {
        "name": job.name,
        "introduction": _introduction(job, plan),
        "roles": _table(("role", "replicas", "what it does"), counts) + _managed_note(plan),
        "asks": in_words(totals.sum_requests(pods)),
        "devices": _devices(pods),
        "change": _change(job, plan),
        "renaming": "\n\n".join(renaming),
        "said": _table(("value", "default"), set_by_job),
        "others": _listing(tuple(others)),
    }
    # In one pass, so that a user's text is never mistaken for a hole.
    return _HOLE.sub(lambda hole: holes[hole[1]], page)


def description(job: Job, plan: Plan) -> str:
    """What the chart is, in a line."""
    return job.description or f"A {_noun(job, plan)}"


def _introduction(job: Job, plan: Plan) -> str:
    """What the job says of itself, and what the chart runs."""
    said = f"{escape(job.description)}.\n\n" if job.description else ""
    return f"{said}This chart runs one {_noun(job, plan)}"


def _noun(job: Job, plan: Plan) -> str:
    """A job of one replica is not distributed."""
    alone = sum(role.replicas for role in job.roles.values()) == 1
    return f"single-replica {plan.title} job" if alone else f"distributed {plan.title} job"


def _change(job: Job, plan: Plan) -> str:
    """Settings that change this very chart: a count, an image, and a given runtime id."""
    settings = []
    for role in reversed(plan.roles):
        if role.at_most is None:
            settings.append(f"roles.{role.name}.replicas={job.replicas(role.name) + 1}")
            break
    own = _own_images(job, plan)
    where = f"roles.{own[0]}.image" if len(own) == len([*plan.replicated]) else "image"
    image = job.roles[own[0]].spec.get("image") if where != "image" else job.shared.get("image")
    in_parts = isinstance(image, dict)
    settings.append(f"{where}.tag=2" if in_parts else f"{where}=registry.example.com/other:2")
    if job.settings.get("runtimeId", "") != "":
        settings.append("runtimeId=other")
    return " ".join(f"--set {setting}" for setting in settings)


def _own_images(job: Job, plan: Plan) -> list[str]:
    """The roles with their own image, which `--set image=` does not change."""
    own = []
    for role in plan.replicated:
        if "image" in role.defaults or "image" in job.roles[role.name].spec:
            own.append(role.name)
    return own


def _own_image_note(job: Job, plan: Plan) -> Iterator[str]:
    own = _own_images(job, plan)
    if own:
        roles = listed([f"`{role}`" for role in own], "and")
        have = "has its own image" if len(own) == 1 else "have their own images"
        last = f"`--set roles.{own[-1]}.image=` does"
        yield f"{roles} {have}, which `--set image=` does not change; {last}."


def _managed_note(plan: Plan) -> str:
    """Which roles have no Jobs, because their framework creates their pods."""
    names = ", ".join(role.name for role in plan.roles if role.managed_by_framework)
    if not names:
        return ""
    return (
        f"\n\n{plan.title} itself creates the pods of {names} at run time, as the values of these "
        "roles say. They are removed before the job is replaced or uninstalled."
    )


def _devices(pods: Pods) -> str:
    """What the cloud injects for the devices that roles request; empty if none does."""
    requesting = [pod for pod in pods.all if pod.injection.request.resource or pod.injection.layers]
    if not requesting:
        return ""
    from chartgen.devices.describe import describe_request  # few jobs request devices

    parts = []
    said = set()
    for pod in requesting:
        requested, items = describe_request(pod.injection)
        key = (pod.role, requested, *items)
        if pod.role and (pod.injection.request.resource or items) and key not in said:
            parts.append(_describe(f"{pod.role} {pod.override}".rstrip(), requested, items))
        said.add(key)
    if not parts:
        return ""
    others = ", ".join(f"`{name}`" for name in catalog.names("cloud"))
    head = (
        "## Devices\n\nPods that request devices get what their cloud needs for them; what the job "
        f"says wins. This chart is made for the cloud `{pods.cloud['name']}`; `--set cloud=NAME` "
        f"selects another: {others}."
    )
    return "\n\n".join([head, *parts, ""])


def _describe(who: str, requested: str, items: Sequence[str]) -> str:
    start = f"{escape(who)} requests {escape(requested)} and gets"
    if not items:
        return f"{start} nothing more."
    return "\n".join([f"{start}:", "", *(f"- {code(item)}" for item in items)])


@lru_cache(100)  # most jobs of a framework leave the same values alone
def _listing(values: tuple[str, ...]) -> str:
    """Values on lines of at most 100 columns, two spaces apart; textwrap imports slowly."""
    lines = [""]
    for value in values:
        line = f"{lines[-1]}  {value}".lstrip()
        if len(line) > _WIDTH:
            lines.append(value)
        else:
            lines[-1] = line
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


@lru_cache(1000)  # most texts are descriptions of values, which all charts have
def escape(text: str) -> str:
    """A text on one line of Markdown, where nothing but its code spans has a meaning."""
    flat = " ".join(text.split()).removesuffix(".")
    if "`" not in flat:
        return flat.translate(_ESCAPES)
    parts = []
    for part in re.split(_CODE_SPAN, flat):
        if re.fullmatch(_CODE_SPAN, part):
            parts.append(code(part[1:-1]))
        else:
            parts.append(part.translate(_ESCAPES))
    return "".join(parts)


def code(text: str) -> str:
    """A text as code in a table's cell, with a fence longer than any in it."""
    if not text:
        return ""
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")
