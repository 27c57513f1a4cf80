"""Checking a description against the job schema: its cost; quick check and library agree."""

import copy
import subprocess
import sys
import timeit
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import resources, schema
from chartgen.document import Document
from chartgen.errors import Mark
from chartgen.syntax.yaml.reader import read

JOB: dict[str, Any] = resources.data("schemas/job.schema.json")
JOB_KEYS = set(JOB["properties"])
ROLE_KEYS = set(JOB["definitions"]["role"]["properties"])

# Sixty lines that use most of the schema.
WHOLE = """\
name: mnist
framework: tensorflow
description: Trains a digit classifier.
version: 1.4.0
image: registry.example.com/mnist:1.4
cloud: gke
runtimeId: 76no
namePrefix: mnist-
podSecurity: restricted
rbac: {create: false}
cleanup: {enabled: true}
tests: {image: registry.example.com/busybox:1.36}
imagePullSecrets:
  - name: registry
labels:
  team: vision
  tier: 1
tensorflow:
  cluster: sparse
tensorboard:
  logDir: gs://bucket/mnist
  serviceType: NodePort
  env:
    - name: TOKEN
      valueFrom: {secretKeyRef: {name: bucket, key: token}}
roles:
  chief:
    command: [python, /app/train.py]
    args: [--steps, "1000", --rate, 0.5]
    restartPolicy: Never
    securityContext:
      runAsNonRoot: true
      capabilities: {drop: [ALL]}
  worker:
    replicas: 3
    port: 3333
    env:
      LC_ALL: C.UTF-8
      STEPS: 10
      NODE: {valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    resources:
      limits: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 1}
    volumes:
      - name: data
        persistentVolumeClaim: {claimName: mnist}
    volumeMounts:
      - {name: data, mountPath: /data, readOnly: true}
    sidecars:
      - name: logger
        image: registry.example.com/logger:3
        args: [--follow]
    tolerations:
      - {key: dedicated, operator: Exists, effect: NoSchedule}
    pod: {schedulerName: volcano, terminationGracePeriodSeconds: 5}
    container:
      lifecycle: {preStop: {exec: {command: [sync]}}}
    overrides:
      2: {nodeSelector: {zone: b}}
      0-1: {env: {STEPS: 20}}
  ps:
    replicas: 2
    template: {metadata: {creationTimestamp: null}, spec: {containers: [{name: tensorflow}]}}
"""
MINIMAL: dict[str, Any] = {"name": "m", "framework": "tensorflow", "roles": {"worker": {}}}


def _read(text: str) -> Document:
    return read(text.encode(), "job.yaml")[0]


def _lines(text: str, rules: schema.Schema = JOB) -> list[str]:
    """The problems of a text as people see them, without the file's name."""
    return [
        f"{problem.mark.line}:{problem.mark.column}: {problem.message} ({problem.rule})"
        + (f" / {problem.hint}" if problem.hint else "")
        for problem in schema.check(_read(text), rules)
    ]


def _valid(rules: schema.Schema, value: Any) -> bool:
    return schema._library(rules).is_valid(value)


class TestValid:
    """A valid description has no problems, and that is known quickly."""

    @pytest.mark.parametrize(
        "text", [WHOLE, "{name: m, framework: tensorflow, roles: {worker: {}}}"]
    )
    def test_it_has_no_problems(self, text: str) -> None:
        assert _lines(text) == []

    def test_the_schema_library_is_not_even_imported(self) -> None:
        """Its import alone takes longer than the rest of a render."""
        code = """if True:
            import sys
            before = set(sys.modules)  # measuring coverage brings its own
            from chartgen import resources, schema
            from chartgen.syntax.yaml.reader import read
            document = read(sys.stdin.buffer.read(), "job.yaml")[0]
            assert schema.check(document, resources.data("schemas/job.schema.json")) == []
            slow = {"jsonschema", "referencing", "difflib", "dataclasses"}
            slow.add("chartgen.schema.messages")
            assert not slow & set(sys.modules) - before, slow"""
        subprocess.run([sys.executable, "-c", code], input=WHOLE.encode(), check=True)

    def test_sixty_lines_take_less_than_a_millisecond(self) -> None:
        """Or, under coverage where all is slow, less than half of what the library takes."""
        document, library = _read(WHOLE), schema._library(JOB)
        quick = min(timeit.repeat(lambda: schema.check(document, JOB), number=1, repeat=50))
        slow = min(timeit.repeat(lambda: library.is_valid(document.data), number=1, repeat=50))
        assert quick < max(1e-3, slow / 2)

    @pytest.mark.parametrize("text", ["10", "0.5", "true", '"on"', '"012"', "C.UTF-8"])
    def test_unambiguous_scalars_are_accepted_where_text_is_expected(self, text: str) -> None:
        job = (
            f"{{name: m, framework: tensorflow, roles: {{worker: {{env: {{A: {text}}},"
            f" args: [{text}]}}}}}}"
        )
        assert _lines(job) == []


# Words that occur somewhere in a job description, and values of every type.
WORDS = st.sampled_from(
    sorted(
        ROLE_KEYS
        | JOB_KEYS
        | {"name", "value", "valueFrom", "limits", "key", "0-3", "2", "Worker", ""}
    )
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 70000),
    st.floats(allow_nan=False),
    WORDS,
    st.text(max_size=5),
    st.sampled_from(
        ["mnist", "Never", "tensorflow", "none", "10Gi", "a\n", "é", "x" * 64, "1.2.3"]
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value with each of its keys or indexes."""
    for key in (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    ):
        yield value, key
        yield from _places(value[key])


@st.composite
def near_misses(draw: st.DrawFn) -> Any:
    """A valid description with a few things replaced, removed, renamed or added."""
    bases = [_read(WHOLE).data, MINIMAL, *JOB["examples"]]
    value = copy.deepcopy(draw(st.sampled_from(bases)))
    for _ in range(draw(st.integers(0, 3))):
        holder, key = draw(st.sampled_from(list(_places(value)) or [(value, None)]))
        change = draw(st.sampled_from(["replace", "replace", "remove", "rename", "add"]))
        if change == "replace" or isinstance(holder, list):
            holder[key] = draw(VALUES)
        elif change == "add":
            holder[draw(WORDS)] = draw(VALUES)
        else:
            removed = holder.pop(key)
            if change == "rename":
                holder[draw(WORDS)] = removed
        if not isinstance(value, dict) or not value:
            break
    return value


@given(near_misses() | VALUES)
def test_the_quick_check_and_the_library_agree_about_jobs(value: Any) -> None:
    assert schema.accepts(JOB, value) == _valid(JOB, value)


@given(near_misses() | VALUES)
def test_every_invalid_job_gets_problems_in_words(value: Any) -> None:
    """Whatever is wrong, there is a message about it, on one line and in our words."""
    problems = schema.check(
        Document("job.json", value, lambda path, _: Mark("job.json", 1, len(path))), JOB
    )
    assert bool(problems) != _valid(JOB, value)
    assert problems == sorted(problems, key=lambda problem: (problem.mark, problem.message))
    for problem in problems:
        assert problem.message
        assert problem.rule
        assert "\n" not in problem.message + problem.hint
        assert "not valid under any" not in problem.message
        assert "does not satisfy" not in problem.message
