"""What the schema cannot say about a job: roles, overrides, names and the pods they add up to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chartgen import pods
from chartgen.checks import devices
from chartgen.checks import env as variables
from chartgen.checks import pod_security as restricted
from chartgen.checks import resources as demands
from chartgen.checks import sizes as limits
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job, Role, ends
from chartgen.plan import names
from chartgen.plan.model import Plan

# Rules by which something is missing: where a part of the description was refused, it may be what is missed.
OF_ABSENCE = frozenset(
    (
        "image",
        "limit",
        "missing-role",
        "no-checkpoint",
        "no-chief",
        "no-data",
        "no-params",
        "override-range",
        "unknown-volume",
    )
)


def known_roles(document: Document, framework: str, known: Mapping[str, str]) -> tuple[Document, list[Problem]]:
    """The document with the roles that the framework knows, and a problem for each other one."""
    roles = document.data["roles"]
    problems = []
    for role in [role for role in roles if role not in known]:
        message = f"{framework} has no role {role!r}; expected {names.either(known)}"
        problems.append(
            document.problem(("roles", role), message, "unknown-role", names.nearest(role, known), key=True)
        )
    kept = {role: spec for role, spec in roles.items() if role in known}
    return document._replace(data={**document.data, "roles": kept}), problems


def other_options(document: Document, framework: str, known: Iterable[str]) -> Iterator[Problem]:
    """The options of a framework mean nothing to another."""
    for name in known:
        if name in document.data and name != framework:
            message = f"{name!r} holds options of another framework; this job's is {framework!r}"
            yield document.problem((name,), message, "other-framework", key=True)


def check(job: Job, plan: Plan, document: Document, clouds: Sequence[str]) -> Iterator[Problem]:
    """Everything else that can be said of a job before it is installed."""
    unknown = list(_cloud(job, document, clouds))
    yield from unknown or devices.check(job, plan, document)
    for role in job.roles.values():
        yield from _overrides(role, document)
    yield from _ports(job, plan, document)
    yield from _taken(job, plan, document)
    yield from _names(job, plan, document)
    yield from pods.check(job, plan, document)
    yield from variables.check(job, plan, document)
    yield from restricted.check(job, plan, document)
    yield from demands.check(job, plan, document)
    yield from limits.check(job, plan, document)


def _cloud(job: Job, document: Document, clouds: Sequence[str]) -> Iterator[Problem]:
    cloud = job.settings.get("cloud", "none")
    known = sorted({*clouds, *job.settings.get("clouds", {})})
    if cloud not in known:
        message = f"no cloud is named {cloud!r}; expected {names.either(known)}, or one of your own under clouds"
        yield document.problem(("cloud",), message, "unknown-cloud", names.nearest(cloud, known))


def _overrides(role: Role, document: Document) -> Iterator[Problem]:
    """Each override names replicas that exist, and no replica has two."""
    taken: dict[int, str] = {}
    for key in role.overrides:
        path: Path = ("roles", role.name, "overrides", key)
        first, last = ends(key)
        if first > last:
            message = f"the range {key!r} ends before it starts; expected the lower index first"
            yield document.problem(path, message, "override-range", f'did you mean "{last}-{first}"?', key=True)
            continue
        if last >= role.replicas:
            there = f"indices up to {role.replicas - 1}" if role.replicas else "no override, for it has no replicas"
            message = f"roles.{role.name} has no replica {last}; expected {there}"
            yield document.problem(path, message, "override-range", key=True)
        mine = range(first, min(last + 1, role.replicas))
        clash = next((index for index in mine if index in taken), None)
        if clash is not None:
            message = f"the overrides {taken[clash]!r} and {key!r} both name replica {clash}; expected one for each"
            yield document.problem(path, message, "override-clash", key=True)
        taken.update(dict.fromkeys(mine, key))


def _ports(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """A port is named only where others look for one."""
    known = [f"roles.{role.name}" for role in plan.roles if role.port]
    for role in [job.roles[role.name] for role in plan.roles if not role.port]:
        places: list[Path] = [("roles", role.name)] if role.port else []
        places += [("roles", role.name, "overrides", key) for key, one in role.overrides.items() if "port" in one]
        for place in places:
            expected = f"expected a port in {names.either(known)} only" if known else "expected it left out"
            message = f"no replica asks for the port of roles.{role.name}; {expected}"
            yield document.problem((*place, "port"), message, "no-port", key=True)


def _taken(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """A role without Jobs takes only the words that its framework has a use for."""
    for role in [role for role in plan.roles if not role.jobs]:
        described = job.roles[role.name]
        said = [*described.spec, *(["port"] if described.port else []), *(["overrides"] if described.overrides else [])]
        for word in [word for word in said if word not in role.takes]:
            message = f"{plan.title} makes the pods of roles.{role.name} itself and has no way to set {word!r}"
            hint = f"roles.{role.name} takes {', '.join(role.takes)}"
            yield document.problem(("roles", role.name, word), message, "not-taken", hint, key=True)


def _names(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """Every name is short enough, that of a replica at the highest index."""
    prefix, runtime_id = job.settings.get("namePrefix", ""), str(job.settings.get("runtimeId", ""))
    roles = [job.roles[role.name] for role in plan.replicated]
    longest = [names.replica(prefix, role.name, runtime_id, max(0, role.replicas - 1)) for role in roles]
    single = [*(config.name for config in plan.configs), *(service.name for service in plan.services)]
    single += ["tensorboard"] if "tensorboard" in job.settings else []
    longest += [names.single(prefix, one, runtime_id) for one in single]
    if plan.decides and job.settings.get("cleanup", {}).get("enabled", plan.cleanup):
        longest.append(names.cleanup(prefix, runtime_id))
    name = max(longest, key=len, default="")
    if len(name) > names.LABEL:
        message = f"the name {name!r} has {len(name)} characters; expected at most {names.LABEL}"
        path: Path = ("namePrefix",) if prefix else ("roles",)
        yield document.problem(path, message, "name-length", "shorten namePrefix or runtimeId", key=not prefix)
