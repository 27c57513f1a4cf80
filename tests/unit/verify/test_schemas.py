"""Objects against Kubernetes' own schemas: what is refused, where, and what cannot be judged."""

from functools import cache

import pytest

from chartgen import resources
from chartgen.verify import helm_output as rendered
from chartgen.verify.stages import schemas as kinds

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
def known(version: str) -> kinds.Kinds:
    return kinds.kinds(version, resources.kubernetes(version))


def judge(text: bytes, version: str = "1.37") -> tuple[list[str], set[str]]:
    objects, problems = rendered.read(text, "test")
    assert problems == []
    found = kinds.check(objects, known(version))
    return [f"{one.mark}: {one.message} ({one.rule})" for one in found.problems], found.unknown


def test_versions_sort_as_numbers() -> None:
    versions = resources.kubernetes_versions()
    assert versions[0] == "1.25"
    assert "1.29" in versions
    assert [int(version.partition(".")[2]) for version in versions] == list(range(25, 25 + len(versions)))


def test_a_sound_object_has_no_problems() -> None:
    assert judge(DEPLOYMENT % (b'"1"', b"500m")) == ([], set())


def test_a_number_may_stand_where_one_is_welcome() -> None:
    """A quantity may be a number or a text, so nobody minds that readers differ about 1e1."""
    assert judge(DEPLOYMENT % (b'"1"', b"1e1")) == ([], set())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            DEPLOYMENT % (b"1e3", b"1"),
            "Deployment/board: spec.template.spec.containers[0].env[0].value: "
            "'1e3' is text to some YAML readers and a number to others (quote)",
        ),
        (
            DEPLOYMENT % (b"7", b"1"),
            "Deployment/board: spec.template.spec.containers[0].env[0].value: "
            "expected text or null, got the number 7 (type)",
        ),
        (
            (DEPLOYMENT % (b'"1"', b"1")).replace(b"image:", b"imag:"),
            "Deployment/board: unknown key 'imag' in spec.template.spec.containers[0] (unknown-key)",
        ),
        (
            b"{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {}}",
            "Job/a: missing 'template' in spec (required)",
        ),
    ],
)
def test_what_kubernetes_would_refuse_is_told_with_its_place(text: bytes, said: str) -> None:
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
    assert judge(text, "1.29")[0] == ["Job/a: unknown key 'managedBy' in spec (unknown-key)"]
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
        ("policy/v1beta1", "PodDisruptionBudget", "PodDisruptionBudget in policy/v1beta1; expected policy/v1"),
        ("extensions/v1beta1", "Ingress", "Ingress in extensions/v1beta1; expected networking.k8s.io/v1"),
        ("v1", "Job", "Job in v1; expected batch/v1"),
        ("policy/v1beta1", "PodSecurityPolicy", "PodSecurityPolicy in policy/v1beta1"),
        ("apps/v1", "Deploiment", "Deploiment in apps/v1"),
    ],
)
def test_a_version_that_kubernetes_no_longer_knows_is_a_problem(version: str, kind: str, said: str) -> None:
    """The group is Kubernetes' own, so no cluster of that version takes the object."""
    text = f"{{apiVersion: {version}, kind: {kind}, metadata: {{name: c}}}}".encode()
    assert judge(text) == ([f"{kind}/c: Kubernetes knows no {said} (api-version)"], set())


def test_a_misspelt_kind_is_suggested() -> None:
    objects, _ = rendered.read(b"{apiVersion: apps/v1, kind: Deploiment, metadata: {name: c}}", "test")
    (problem,) = kinds.check(objects, known("1.37")).problems
    assert problem.hint == "did you mean 'Deployment'?"


def test_a_field_may_bear_the_name_of_a_note() -> None:
    """PriorityClass has a field `description`, which in a schema is a note."""
    text = b"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1, description: %s}"
    assert judge(text % b"low")[0] == []
    assert judge(text % b"[]")[0] == ["PriorityClass/p: description: expected text or null, got a list (type)"]
