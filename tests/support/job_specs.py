"""Jobs that the API server accepts, and some that it refuses, which no schema tells apart.

tests/e2e/test_job_rules.py asks a real one; tests/unit/verify/test_job_rules.py asks chartgen.
"""

from typing import Any

Spec = dict[str, Any]

_POD = {
    "restartPolicy": "Never",
    "initContainers": [{"name": "prepare", "image": "a:1"}],
    "containers": [{"name": "main", "image": "a:1"}],
}
_DISRUPTED = {"type": "DisruptionTarget", "status": "True"}
_EXITED = {"operator": "In", "values": [3]}


def job(**spec: Any) -> dict[str, Any]:
    """A Job with these fields in its spec."""
    spec.setdefault("template", {"spec": _POD})
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "worker-0"}, "spec": spec}


def _rule(**rule: Any) -> Spec:
    return {"podFailurePolicy": {"rules": [{"action": "Ignore", **rule}]}}


def _codes(*codes: int, **requirement: Any) -> Spec:
    return _rule(onExitCodes={"operator": "In", "values": [*codes], **requirement})


_FAIL_INDEX = _rule(action="FailIndex", onPodConditions=[_DISRUPTED])
_RESTARTED = {"template": {"spec": {**_POD, "restartPolicy": "OnFailure"}}}

# The field that is wrong, and the rest of the Job's spec.
REFUSED: list[tuple[str, Spec]] = [
    ("rules[0].action", _rule(action="Retry", onPodConditions=[_DISRUPTED])),
    ("rules[0].action", _FAIL_INDEX),
    ("rules[0]", _rule()),
    ("rules[0]", _rule(onPodConditions=[])),
    (
        "rules[0]",
        _rule(onPodConditions=[_DISRUPTED], onExitCodes={"operator": "In", "values": [3]}),
    ),
    ("onPodConditions[0].status", _rule(onPodConditions=[{**_DISRUPTED, "status": "true"}])),
    ("onExitCodes.operator", _codes(3, operator="Is")),
    ("onExitCodes.values", _codes()),
    ("onExitCodes.values", _codes(0, 3)),
    ("onExitCodes.values", _codes(42, 3)),
    ("onExitCodes.values", _codes(3, 3)),
    ("onExitCodes.values", _codes(*range(1, 257))),
    ("onExitCodes.containerName", _codes(3, containerName="other")),
    ("podFailurePolicy", {**_codes(3), **_RESTARTED}),
    ("podReplacementPolicy", {**_codes(3), "podReplacementPolicy": "TerminatingOrFailed"}),
    ("managedBy", {"managedBy": "controller"}),
    ("managedBy", {"managedBy": "example.com/"}),
    ("managedBy", {"managedBy": "/controller"}),
    ("managedBy", {"managedBy": "Example.com/controller"}),
    ("managedBy", {"managedBy": "example_com/controller"}),
    ("managedBy", {"managedBy": "example.com/a controller"}),
]
ACCEPTED: list[Spec] = [
    _rule(onPodConditions=[_DISRUPTED]),
    _rule(action="Count", onPodConditions=[_DISRUPTED]),
    {**_FAIL_INDEX, "backoffLimitPerIndex": 1, "completionMode": "Indexed", "completions": 2},
    _codes(3, 42, 300),
    _codes(0, 3, operator="NotIn"),
    _codes(*range(1, 256), containerName="main"),
    _codes(3, containerName="prepare"),
    {"managedBy": "example.com/controller"},
    {"managedBy": "localhost/one/two"},
]
