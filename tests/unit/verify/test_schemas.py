"""Objects against Kubernetes' own schemas: what is refused, where, and what cannot be judged."""

from functools import cache

import pytest

from chartgen.k8s import schemas
from chartgen.verify import helm_output
from chartgen.verify.stages.schemas import check

DEPLOYMENT = b"""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: board}
spec:
  selector: {matchLabels: {app: board}}
  template:
    metadata: {labels: {app: board}}
    spec:
      containers:
        - name: main
          image: board:1
          env: [{name: A, value: %s}]
          resources: {limits: {cpu: %s}}
"""


@cache
def kinds(version: str) -> schemas.Kinds:
    return schemas.kinds(version)


def judge(text: bytes, version: str = "1.37") -> tuple[list[str], set[str]]:
    objects, problems = helm_output.read(text, "test")
    assert problems == []
    result = check(objects, kinds(version))
    return [
        f"{problem.mark}: {problem.message} ({problem.rule})" for problem in result.problems
    ], result.unknown


def test_a_valid_object_has_no_problems() -> None:
    assert judge(DEPLOYMENT % (b'"1"', b"500m")) == ([], set())


def test_a_number_is_accepted_where_one_is_allowed() -> None:
    """A quantity may be a number or text, so it does not matter that readers differ about 1e1."""
    assert judge(DEPLOYMENT % (b'"1"', b"1e1")) == ([], set())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            DEPLOYMENT % (b"1e3", b"1"),
            "Deployment/board: spec.template.spec.containers[0].env[0].value: "
            "'1e3' is text to some YAML readers and a number to others (yaml-quotes-needed)",
        ),
        (
            DEPLOYMENT % (b"7", b"1"),
            "Deployment/board: spec.template.spec.containers[0].env[0].value: "
            "expected text or null, got the number 7 (value-wrong-type)",
        ),
        (
            (DEPLOYMENT % (b'"1"', b"1")).replace(b"image:", b"imag:"),
            "Deployment/board: unknown key 'imag' in spec.template.spec.containers[0]"
            " (key-unknown)",
        ),
        (
            b"{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {}}",
            "Job/a: missing 'template' in spec (key-missing)",
        ),
    ],
)
def test_what_kubernetes_would_refuse_is_reported_with_its_place(text: bytes, said: str) -> None:
    assert judge(text) == ([said], set())


def test_a_field_that_a_version_does_not_know_yet_is_a_problem_there_only() -> None:
    text = b"""\
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  managedBy: example.com/own
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}
"""
    assert judge(text, "1.29")[0] == ["Job/a: unknown key 'managedBy' in spec (key-unknown)"]
    assert judge(text, "1.37")[0] == []


def test_a_custom_kind_cannot_be_judged() -> None:
    assert judge(b"{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}") == (
        [],
        {"Widget (example.com/v1)"},
    )


@pytest.mark.parametrize(
    ("version", "kind", "said"),
    [
        ("batch/v1beta1", "CronJob", "CronJob in batch/v1beta1; expected batch/v1"),
        (
            "policy/v1beta1",
            "PodDisruptionBudget",
            "PodDisruptionBudget in policy/v1beta1; expected policy/v1",
        ),
        (
            "extensions/v1beta1",
            "Ingress",
            "Ingress in extensions/v1beta1; expected networking.k8s.io/v1",
        ),
        ("v1", "Job", "Job in v1; expected batch/v1"),
        ("policy/v1beta1", "PodSecurityPolicy", "PodSecurityPolicy in policy/v1beta1"),
        ("apps/v1", "Deploiment", "Deploiment in apps/v1"),
    ],
)
def test_a_version_that_kubernetes_no_longer_knows_is_a_problem(
    version: str, kind: str, said: str
) -> None:
    """The group is Kubernetes' own, so no cluster of that version accepts the object."""
    text = f"{{apiVersion: {version}, kind: {kind}, metadata: {{name: c}}}}".encode()
    assert judge(text) == ([f"{kind}/c: Kubernetes has no {said} (object-api-unknown)"], set())


def test_the_right_spelling_of_a_kind_is_suggested() -> None:
    objects, _ = helm_output.read(
        b"{apiVersion: apps/v1, kind: Deploiment, metadata: {name: c}}", "test"
    )
    (problem,) = check(objects, kinds("1.37")).problems
    assert problem.hint == "did you mean 'Deployment'?"


def test_a_field_may_have_the_name_of_an_annotation() -> None:
    """PriorityClass has a field `description`, which is an annotation in a schema."""
    text = (
        b"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1,"
        b" description: %s}"
    )
    assert judge(text % b"low")[0] == []
    assert judge(text % b"[]")[0] == [
        "PriorityClass/p: description: expected text or null, got a list (value-wrong-type)"
    ]
