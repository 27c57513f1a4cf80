"""demands: what pods ask of the cluster; problems/ has a report for each message, here are the edges."""

import pytest

from tests.unit.checks.test_pods import problems, rules


@pytest.mark.parametrize(
    ("resources", "rule"),
    [
        ("{limits: {cpu: 2}, requests: {cpu: 2000m}}", []),
        ("{limits: {cpu: 2}, requests: {cpu: 2001m}}", ["limit"]),
        ("{limits: {memory: 1Gi}, requests: {memory: 1G}}", []),
        ("{limits: {memory: 1G}, requests: {memory: 1Gi}}", ["limit"]),
        ("{requests: {cpu: 2}}", []),
        ("{limits: {nvidia.com/gpu: 1}}", []),
        ("{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2}}", []),
        ("{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 1}}", ["limit"]),
        ("{requests: {nvidia.com/gpu: 1}}", ["limit"]),
        ("{limits: {hugepages-2Mi: 4Mi}, requests: {hugepages-2Mi: 2Mi}}", ["limit"]),
        ("{limits: {example.kubernetes.io/x: 2}, requests: {example.kubernetes.io/x: 1}}", []),
        ("{limits: {cpu: none}, requests: {cpu: 1}}", ["quantity"]),
        ("{limits: {cpu: 1}, requests: {cpu: some}}", ["quantity"]),
        ("{limits: {nvidia.com/gpu: '1e400'}}", []),
        ("{limits: {nvidia.com/gpu: '2e0'}}", []),
        ("{limits: {nvidia.com/gpu: 1000m}}", []),
        ("{limits: {cpu: 0.5, memory: 0}}", []),
        ("{limits: {gpu: lots}}", ["resource", "quantity"]),
        ("{limits: {memory: 1.5}}", ["quantity"]),
    ],
)
def test_resources_are_such_as_kubernetes_takes(resources: str, rule: list[str]) -> None:
    assert rules(f"roles: {{worker: {{resources: {resources}}}}}\n") == rule


def test_a_request_is_held_against_a_limit_that_another_place_sets() -> None:
    """At the request, for it is the more particular of the two."""
    (problem,) = problems("resources: {limits: {cpu: 2}}\nroles:\n  worker:\n    resources: {requests: {cpu: 4}}\n")
    assert (problem.rule, problem.mark.line) == ("limit", 7)
    (problem,) = problems("resources: {requests: {cpu: 4}}\nroles: {worker: {resources: {limits: {cpu: 2}}}, ps: {}}\n")
    assert (problem.rule, problem.mark.line) == ("limit", 4)


def test_an_override_may_bring_a_request_and_its_limit_together() -> None:
    worker = "{replicas: 2, resources: {requests: {cpu: 4}}, overrides: {1: {resources: {limits: {cpu: 2}}}}}"
    assert rules(f"roles: {{worker: {worker}}}\n") == ["limit"]


@pytest.mark.parametrize(
    "spec",
    [
        "initContainers: [{name: a, image: a, resources: {limits: {cpu: x}}}]",
        "sidecars: [{name: a, image: a, resources: {requests: {cpu: x}}}]",
        "pod: {resources: {limits: {cpu: x}}}",
        "pod: {overhead: {cpu: x}}",
        "volumes: [{name: a, emptyDir: {sizeLimit: x}}]",
        "overrides: {0: {resources: {limits: {cpu: x}}}}",
    ],
)
def test_quantities_are_judged_wherever_they_stand(spec: str) -> None:
    (problem,) = problems(f"roles: {{worker: {{{spec}}}}}\n")
    assert problem.rule == "quantity"
    assert problem.mark.column == f"roles: {{worker: {{{spec}}}}}".index(": x") + 3


def test_a_thousandth_of_a_byte_is_only_warned_of() -> None:
    """Kubernetes takes it, and no container starts with it."""
    (problem,) = problems("roles: {worker: {resources: {limits: {memory: 512m}}}}\n")
    assert (problem.severity, problem.hint) == ("warning", "did you mean 512Mi?")


def test_tensorboard_and_its_limits_are_judged_too() -> None:
    board = "tensorboard: {logDir: x, resources: {limits: {cpu: 1}, requests: {cpu: 2}}}"
    assert rules(f"roles: {{worker: {{}}}}\n{board}\n") == ["limit"]
