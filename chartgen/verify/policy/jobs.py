"""Jobs: what the API server refuses of their failure policies and of who manages them."""

import re
from collections.abc import Iterator, Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Fields, Object, ObjectField, fields, place, pod
from chartgen.k8s.rules.jobs import check_failure_rules, check_replacement

_MANAGER = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[\w/.~%!$&'()*+,;=:-]+", re.ASCII)
_STEPS = {"Job": ("spec",), "CronJob": ("spec", "jobTemplate", "spec")}


def check(objects: Sequence[Object]) -> Iterator[Problem]:
    """Every problem of every Job, and of what CronJobs make."""
    for obj in objects:
        steps = _STEPS.get(obj["kind"])
        if steps is None:
            continue
        where, spec = place(obj).below(*steps), fields(obj, *steps)
        manager = spec.get("managedBy")
        if isinstance(manager, str) and not _MANAGER.fullmatch(manager):
            message = f"Kubernetes refuses {manager!r}; expected one such as example.com/controller"
            yield where.below("managedBy").problem(message, "object-word-refused")
        if fields(spec, "podFailurePolicy"):
            yield from _failure_policy(obj, where, spec)


def _failure_policy(obj: Object, where: ObjectField, spec: Fields) -> Iterator[Problem]:
    policy, inner = where.below("podFailurePolicy"), pod(obj)
    if inner and inner.spec.get("restartPolicy") != "Never":
        message = "a podFailurePolicy needs pods with restartPolicy Never"
        yield policy.problem(message, "job-failure-policy")
    for path, problem in check_replacement(spec):
        yield where.below(*path).place(problem)
    names = [str(container.get("name")) for _, container in inner.containers()] if inner else []
    indexed = "backoffLimitPerIndex" in spec
    rules = check_failure_rules(fields(spec, "podFailurePolicy"), containers=names, indexed=indexed)
    for path, problem in rules:
        yield policy.below(*path).place(problem)
