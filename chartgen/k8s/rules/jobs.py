"""Rules that Kubernetes has for Jobs, the same for a job's description and for rendered objects.

The API server applies them, and no schema has them. Each yields problems with paths inside what it
is given.
"""

from collections.abc import Collection, Iterator

from chartgen.document import FieldProblem, about
from chartgen.k8s.objects import Fields, entries, fields
from chartgen.startup.typing import Any
from chartgen.words import either

_FIELDS = {"action", "onExitCodes", "onPodConditions"}
_ACTIONS = ("Count", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("True", "False", "Unknown")
_MOST_CODES = 255
_RULE = "job-failure-rule"


def check_failure_rules(
    policy: Fields, *, containers: Collection[str] = (), indexed: bool = False
) -> Iterator[FieldProblem]:
    """Every rule of a podFailurePolicy is about exit codes or conditions that there may be.

    `containers` are those of the pod, where all are known, and an indexed Job may fail an index.
    """
    for index, rule in enumerate(entries(policy, "rules")):
        for path, problem in _check_rule(rule, containers, indexed=indexed):
            yield ("rules", index, *path), problem


def check_replacement(spec: Fields) -> Iterator[FieldProblem]:
    """Beside a podFailurePolicy, a pod is only replaced once it has failed."""
    if spec.get("podReplacementPolicy", "Failed") != "Failed":
        message = "with a podFailurePolicy, podReplacementPolicy can only be Failed"
        yield about(("podReplacementPolicy",), message, "job-failure-policy")


def _check_rule(
    rule: Fields, containers: Collection[str], *, indexed: bool
) -> Iterator[FieldProblem]:
    actions = (*_ACTIONS, "FailIndex") if indexed else _ACTIONS
    yield from _check_choice(rule, "action", actions)
    codes, conditions = fields(rule, "onExitCodes"), entries(rule, "onPodConditions")
    if bool(codes) == bool(conditions) and rule.keys() <= _FIELDS:  # or one of them is misspelled
        got = "both" if codes else "neither"
        message = f"expected either onExitCodes or onPodConditions, got {got}"
        yield about((), message, _RULE)
    if codes:
        for path, problem in _check_codes(codes, containers):
            yield ("onExitCodes", *path), problem
    for index, condition in enumerate(conditions):
        for path, problem in _check_choice(condition, "status", _STATUSES):
            yield ("onPodConditions", index, *path), problem


def _check_codes(requirement: Fields, containers: Collection[str]) -> Iterator[FieldProblem]:
    yield from _check_choice(requirement, "operator", _OPERATORS)
    name = requirement.get("containerName")
    if name and containers and name not in containers:
        message = f"no container is named {name!r}; expected {either(containers)}"
        yield about(("containerName",), message, _RULE)
    codes = requirement.get("values")
    if not isinstance(codes, list) or any(not isinstance(code, int) for code in codes):
        return  # schemas say so
    ascending = sorted(set(codes))
    if not 1 <= len(codes) <= _MOST_CODES:
        message = f"expected 1 to {_MOST_CODES} exit codes, got {len(codes)}"
        yield about(("values",), message, _RULE)
    elif codes != ascending:
        message = "expected exit codes in ascending order, each of them once"
        yield about(("values",), message, _RULE, f"write {ascending}")
    elif requirement.get("operator") == "In" and 0 in codes:
        message = "0 is the exit code of success; expected codes of failures"
        yield about(("values",), message, _RULE)


def _check_choice(part: Fields, field: str, choices: tuple[str, ...]) -> Iterator[FieldProblem]:
    value: Any = part.get(field)
    if value is not None and value not in choices:
        yield about((field,), f"expected {either(choices)}, got {value!r}", _RULE)
