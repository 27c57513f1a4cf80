"""What the schema cannot say about a job: roles, overrides, names and the pods they add up to."""

from collections.abc import Collection, Iterator

from chartgen import limits, names, pods
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job import Job, Role, ends
from chartgen.plan import Plan


def check_roles(document: Document, framework: str, known: Collection[str]) -> Iterator[Problem]:
    """Every role is one the framework knows."""
    for role in document.data["roles"]:
        if role not in known:
            hint = names.nearest(role, list(known))
            yield document.problem(("roles", role), f"{framework} has no role {role!r}", "unknown-role", hint, key=True)


def check(job: Job, plan: Plan, document: Document, clouds: Collection[str]) -> Iterator[Problem]:
    """Everything else that can be said of a job before it is installed."""
    yield from _cloud(job, document, clouds)
    for role in job.roles.values():
        yield from _overrides(role, document)
        yield from _name(job, role, document)
    yield from pods.check(job, plan, document)
    yield from limits.check(job, plan, document)


def _cloud(job: Job, document: Document, clouds: Collection[str]) -> Iterator[Problem]:
    cloud = job.settings.get("cloud", "none")
    known = sorted({*clouds, *job.settings.get("clouds", {})})
    if cloud not in known:
        yield document.problem(("cloud",), f"unknown cloud {cloud!r}", "unknown-cloud", names.nearest(cloud, known))


def _overrides(role: Role, document: Document) -> Iterator[Problem]:
    """Each override names replicas that exist, and no replica has two."""
    taken: dict[int, str] = {}
    for key in role.overrides:
        path: Path = ("roles", role.name, "overrides", key)
        first, last = ends(key)
        if first > last:
            yield document.problem(path, f"the range {key!r} ends before it starts", "override-range", key=True)
        elif last >= role.replicas:
            there = f"roles.{role.name} has {role.replicas} replicas, counted from 0"
            yield document.problem(path, f"override {key!r} names no replica: {there}", "override-range", key=True)
        else:
            clash = next((index for index in range(first, last + 1) if index in taken), None)
            if clash is not None:
                message = f"overrides {taken[clash]!r} and {key!r} both name replica {clash}"
                yield document.problem(path, message, "override-clash", key=True)
            taken.update(dict.fromkeys(range(first, last + 1), key))


def _name(job: Job, role: Role, document: Document) -> Iterator[Problem]:
    prefix = job.settings.get("namePrefix", "")
    longest = names.replica(prefix, role.name, str(job.settings.get("runtimeId", "")), max(0, role.replicas - 1))
    if len(longest) > names.LABEL:
        message = f"the name {longest!r} has {len(longest)} characters; Kubernetes allows {names.LABEL}"
        path: Path = ("namePrefix",) if prefix else ("roles", role.name)
        yield document.problem(path, message, "name-length", "shorten namePrefix or runtimeId")
