"""Checks of roles: which there are, their options, overrides and ports, and the names they make."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job, Role, ends
from chartgen.k8s.limits import DNS_LABEL
from chartgen.plan import names
from chartgen.pods import Pods
from chartgen.words import did_you_mean, either

_MOST_VALUES = 1_000_000
_MOST_ROLES = 100  # of a job that names its own; every role knows those before it
_FEW_ROLES = 8  # as other frameworks have
_NUMBERED = ("com", "lpt")
_WINDOWS = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in _NUMBERED for n in range(10))}


def keep_known(
    document: Document, framework: str, known: Mapping[str, str]
) -> tuple[Document, list[Problem]]:
    """The document with the roles that the framework has, and a problem for each other one.

    If none are known, the job names its own.
    """
    if not known:
        return document, []
    kept = {}
    problems = []
    for name, role in document.data["roles"].items():
        if name in known:
            kept[name] = role
            continue
        message = f"{framework} has no role {name!r}; expected {either(known)}"
        hint = did_you_mean(name, known)
        problems.append(document.problem(("roles", name), message, "role-unknown", hint, key=True))
    return document._replace(data={**document.data, "roles": kept}), problems


def check_options(document: Document, framework: str, known: Iterable[str]) -> Iterator[Problem]:
    """The options of one framework mean nothing to another."""
    for name in known:
        if name in document.data and name != framework:
            message = f"{name!r} holds options of another framework; this job's is {framework!r}"
            yield document.problem((name,), message, "framework-other-options", key=True)


def check_overrides(pods: Pods, document: Document) -> Iterator[Problem]:
    """Each override names replicas that exist, and no replica has two."""
    for role in pods.job.roles.values():
        yield from _check_overrides(role, document)


def _check_overrides(role: Role, document: Document) -> Iterator[Problem]:
    spans: list[tuple[int, int, int, str]] = []
    for key in role.overrides:
        path: Path = ("roles", role.name, "overrides", key)
        first, last = ends(key)
        if first > last:
            message = f"the range {key!r} ends before it starts; expected the lower index first"
            hint = f'did you mean "{last}-{first}"?'
            yield document.missing(path, message, "override-reversed", hint, key=True)
            continue
        if last >= role.replicas:
            if role.replicas:
                expected = f"indices up to {role.replicas - 1}"
            else:
                expected = "no override, because it has no replicas"
            message = f"roles.{role.name} has no replica {last}; expected {expected}"
            yield document.missing(path, message, "override-no-replica", key=True)
        if first < role.replicas:
            spans.append((first, min(last, role.replicas - 1), len(spans), key))
    before = (-1, -1, -1, "")
    for span in sorted(spans):
        if span[0] <= before[1]:
            earlier, later = sorted((before, span), key=itemgetter(2))
            message = f"the overrides {earlier[3]!r} and {later[3]!r} both name replica {span[0]}"
            message += "; expected one for each replica"
            path = ("roles", role.name, "overrides", later[3])
            yield document.problem(path, message, "override-overlap", key=True)
        before = max(before, span, key=itemgetter(1))


def check_work(job: Job, document: Document) -> Iterator[Problem]:
    """Roles and overrides, times what each of them repeats, are a size that a cluster can hold.

    All other checks look at every pod, so this one comes before them.
    """
    overridden = [role for role in job.roles.values() if role.overrides]
    many = len(job.roles) > _FEW_ROLES
    shared = _count_values(job.shared) if overridden or many else 0
    if len(job.roles) > _MOST_ROLES:
        message = f"the job has {len(job.roles):,} roles; expected at most {_MOST_ROLES}"
        hint = "replicas of one role may differ: give it overrides"
        yield document.problem(("roles",), message, "job-too-large", hint, key=True)
    elif many and len(job.roles) * shared > _MOST_VALUES:
        message = f"the {len(job.roles):,} roles repeat {len(job.roles) * shared:,} values of the"
        message += f" job; expected at most {_MOST_VALUES:,}"
        yield document.problem(("roles",), message, "job-too-large", key=True)
    for role in overridden:
        values = len(role.overrides) * (shared + _count_values(role.spec))
        if values > _MOST_VALUES:
            message = f"the {len(role.overrides):,} overrides of roles.{role.name} repeat"
            message += f" {values:,} values of it; expected at most {_MOST_VALUES:,}"
            path: Path = ("roles", role.name, "overrides")
            hint = "name ranges of replicas, such as 0-99"
            yield document.problem(path, message, "job-too-large", hint, key=True)


def _count_values(data: object) -> int:
    count = 0
    waiting = [data]
    while waiting:
        value = waiting.pop()
        count += 1
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return count


def check_ports(pods: Pods, document: Document) -> Iterator[Problem]:
    """A port is set only where others connect to it."""
    listening = [f"roles.{role.name}" for role in pods.plan.roles if role.port]
    if listening:
        expected = f"expected a port only in {either(listening)}"
    else:
        expected = "expected it to be left out"
    for planned in pods.plan.roles:
        if planned.port:
            continue
        role = pods.job.roles[planned.name]
        places: list[Path] = [("roles", role.name)] if role.port else []
        for key, override in role.overrides.items():
            if "port" in override:
                places.append(("roles", role.name, "overrides", key))
        for place in places:
            message = f"no replica connects to the port of roles.{role.name}; {expected}"
            yield document.problem((*place, "port"), message, "role-port-unused", key=True)


def check_managed(pods: Pods, document: Document) -> Iterator[Problem]:
    """A role whose pods the framework creates accepts only fields that it can pass on."""
    for planned in pods.plan.roles:
        if not planned.managed_by_framework:
            continue
        role = pods.job.roles[planned.name]
        fields = [*role.spec]
        if role.port:
            fields.append("port")
        if role.overrides:
            fields.append("overrides")
        for field in fields:
            if field not in planned.accepts:
                message = f"{pods.plan.title} creates the pods of roles.{role.name} itself"
                message += f" and has no way to set {field!r}"
                hint = f"roles.{role.name} accepts {', '.join(planned.accepts)}"
                path = ("roles", role.name, field)
                yield document.problem(path, message, "role-field-unsupported", hint, key=True)


def check_directory(pods: Pods, document: Document) -> Iterator[Problem]:
    """A chart's directory has the job's name, which is a device to Windows in some cases."""
    if pods.job.name in _WINDOWS:
        message = f"Windows reserves the name {pods.job.name!r}, so no chart can be written"
        message += " or cloned there"
        hint = "choose another name if anybody uses Windows"
        yield document.warning(("name",), message, "name-reserved", hint)


def check_names(pods: Pods, document: Document) -> Iterator[Problem]:
    """Every name is short enough, even that of the replica with the highest index."""
    job, plan = pods.job, pods.plan
    prefix, runtime_id = job.settings.get("namePrefix", ""), str(job.settings.get("runtimeId", ""))
    all_names = []
    for role in plan.replicated:
        last = max(0, job.replicas(role.name) - 1)
        all_names.append(names.replica(prefix, role.name, runtime_id, last))
    all_names += [names.single(prefix, name, runtime_id) for name in _single_names(pods)]
    longest = max(all_names, key=len, default="")
    if len(longest) > DNS_LABEL:
        message = f"the name {longest!r} has {len(longest)} characters"
        message += f"; expected at most {DNS_LABEL}"
        path: Path = ("namePrefix",) if prefix else ("roles",)
        hint = "shorten namePrefix or runtimeId"
        yield document.problem(path, message, "name-too-long", hint, key=not prefix)


def _single_names(pods: Pods) -> Iterator[str]:
    """The names, without prefix and id, of objects that the chart makes once.

    Without those that are short enough behind any prefix, such as that of the test.
    """
    yield from (config.name for config in pods.plan.configs)
    yield from (service.name for service in pods.plan.services)
    if "tensorboard" in pods.job.settings:
        yield "tensorboard"
    if pods.cleanup:
        yield "cleanup"
    if pods.plan.access_rules:
        yield "access"
    if pods.plan.unmanaged_pods:
        yield "strays-upgrade"
    if pods.job.settings.get("networkPolicy", {}).get("create"):
        yield "helpers"
