"""checks.pods.resources: what pods request from the cluster.

tests/corpus/problems has a report for each message; here are the edge cases.
"""

import pytest

from tests.unit.checks.test_pods import problems, rules


@pytest.mark.parametrize(
    ("resources", "rule"),
    [
        ("{limits: {cpu: 2}, requests: {cpu: 2000m}}", []),
        ("{limits: {cpu: 2}, requests: {cpu: 2001m}}", ["resources-request-above-limit"]),
        ("{limits: {memory: 1Gi}, requests: {memory: 1G}}", []),
        ("{limits: {memory: 1G}, requests: {memory: 1Gi}}", ["resources-request-above-limit"]),
        ("{requests: {cpu: 2}}", []),
        ("{limits: {nvidia.com/gpu: 1}}", []),
        ("{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2}}", []),
        (
            "{limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 1}}",
            ["resources-request-above-limit"],
        ),
        ("{requests: {nvidia.com/gpu: 1}}", ["device-without-limit"]),
        (
            "{limits: {hugepages-2Mi: 4Mi}, requests: {hugepages-2Mi: 2Mi}}",
            ["resources-request-above-limit"],
        ),
        ("{limits: {example.kubernetes.io/x: 2}, requests: {example.kubernetes.io/x: 1}}", []),
        ("{limits: {cpu: none}, requests: {cpu: 1}}", ["quantity-malformed"]),
        ("{limits: {cpu: 1}, requests: {cpu: some}}", ["quantity-malformed"]),
        ("{limits: {nvidia.com/gpu: '1e400'}}", []),
        ("{limits: {nvidia.com/gpu: '2e0'}}", []),
        ("{limits: {nvidia.com/gpu: 1000m}}", []),
        ("{limits: {cpu: 0.5, memory: 0}}", []),
        ("{limits: {gpu: lots}}", ["resources-unknown-name", "quantity-malformed"]),
        ("{limits: {memory: 1.5}}", ["quantity-milli-bytes"]),
    ],
)
def test_resources_must_be_quantities_that_kubernetes_accepts(
    resources: str, rule: list[str]
) -> None:
    assert rules(f"roles: {{worker: {{resources: {resources}}}}}\n") == rule


def test_a_request_is_compared_with_a_limit_set_elsewhere() -> None:
    """At the request, because it is the more specific of the two."""
    (problem,) = problems(
        "resources: {limits: {cpu: 2}}\nroles:\n  worker:\n    resources: {requests: {cpu: 4}}\n"
    )
    assert (problem.rule, problem.mark.line) == ("resources-request-above-limit", 7)
    (problem,) = problems(
        "resources: {requests: {cpu: 4}}\n"
        "roles: {worker: {resources: {limits: {cpu: 2}}}, ps: {}}\n"
    )
    assert (problem.rule, problem.mark.line) == ("resources-request-above-limit", 4)


def test_an_override_may_bring_a_request_and_its_limit_together() -> None:
    worker = (
        "{replicas: 2, resources: {requests: {cpu: 4}},"
        " overrides: {1: {resources: {limits: {cpu: 2}}}}}"
    )
    assert rules(f"roles: {{worker: {worker}}}\n") == ["resources-request-above-limit"]


@pytest.mark.parametrize(
    "spec",
    [
        "initContainers: [{name: a, image: a:1, resources: {limits: {cpu: x}}}]",
        "sidecars: [{name: a, image: a:1, resources: {requests: {cpu: x}}}]",
        "pod: {resources: {limits: {cpu: x}}}",
        "pod: {overhead: {cpu: x}}",
        "volumes: [{name: a, emptyDir: {sizeLimit: x}}]",
        "overrides: {0: {resources: {limits: {cpu: x}}}}",
    ],
)
def test_quantities_are_checked_wherever_they_are(spec: str) -> None:
    (problem,) = problems(f"roles: {{worker: {{{spec}}}}}\n")
    assert problem.rule == "quantity-malformed"
    assert problem.mark.column == f"roles: {{worker: {{{spec}}}}}".index(": x") + 3


def test_a_thousandth_of_a_byte_is_only_a_warning() -> None:
    """Kubernetes accepts it, but no container starts with it."""
    (problem,) = problems("roles: {worker: {resources: {limits: {memory: 512m}}}}\n")
    assert (problem.severity, problem.hint) == ("warning", "did you mean 512Mi?")
    assert "is 0.512 bytes, because 'm' means a thousandth; expected" in problem.message


def test_a_fraction_of_a_byte_that_has_no_unit_is_not_blamed_on_one() -> None:
    (problem,) = problems("roles: {worker: {resources: {limits: {memory: 1.5}}}}\n")
    assert problem.message == "1.5 of memory is 1.5 bytes; expected whole bytes"
    assert (problem.severity, problem.hint) == ("warning", "")


def test_tensorboard_and_its_limits_are_checked_too() -> None:
    board = "tensorboard: {logDir: x, resources: {limits: {cpu: 1}, requests: {cpu: 2}}}"
    assert rules(f"roles: {{worker: {{}}}}\n{board}\n") == ["resources-request-above-limit"]


CARD = "resources: {limits: {example.com/card: 1}}"
PAGES = "resources: {limits: {hugepages-2Mi: 4Mi}}"


@pytest.mark.parametrize(
    ("injected", "text", "refused"),
    [
        (PAGES, f"roles: {{worker: {{{CARD}}}}}", True),
        (PAGES, f"roles: {{worker: {{sidecars: [{{name: s, image: a:1, {CARD}}}]}}}}", True),
        (PAGES, f"roles: {{worker: {{initContainers: [{{name: s, image: a:1, {CARD}}}]}}}}", True),
        (PAGES, "roles: {worker: {resources: {limits: {example.com/card: 1, cpu: 1}}}}", False),
        (
            "resources: {limits: {hugepages-2Mi: 4Mi, memory: 1Gi}}",
            f"roles: {{worker: {{{CARD}}}}}",
            False,
        ),
        (PAGES, f"roles: {{worker: {{}}}}\ntensorboard: {{logDir: x, {CARD}}}", False),
    ],
)
def test_huge_pages_that_a_cloud_adds_need_cpu_or_memory_in_their_container(
    injected: str, text: str, refused: bool
) -> None:
    """For TensorBoard charts request both."""
    cloud = f"cloud: ours\nclouds: {{ours: {{devices: {{example.com/card: {{{injected}}}}}}}}}\n"
    assert rules(f"{cloud}{text}\n") == ["resources-huge-pages"] * refused


def test_what_a_cloud_adds_for_a_sidecar_is_judged_by_the_restricted_standard() -> None:
    (problem,) = problems(
        "podSecurity: restricted\ncloud: ours\n"
        "clouds: {ours: {devices: {example.com/card: {pod: {hostIPC: true}}}}}\n"
        f"roles: {{worker: {{sidecars: [{{name: s, image: a:1, {CARD}}}]}}}}\n"
    )
    assert problem.rule == "pod-security-restricted"
    assert problem.message.startswith("cloud 'ours' adds hostIPC: true, which")
