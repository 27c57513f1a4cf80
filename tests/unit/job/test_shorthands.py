"""job.shorthands: shorthands are spelt out, and every value is still found where it was written."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.shorthands import as_text, desugar, without_nulls
from chartgen.syntax.yaml import reader as yaml_reader

HEAD = "name: mnist\nframework: tensorflow\n"


def read(text: str) -> Document:
    (document,) = yaml_reader.read((HEAD + text).encode(), "job.yaml")
    return document


def desugared(text: str) -> Document:
    document, problems = desugar(read(text), "tensorflow")
    assert problems == []
    return document


def problems(text: str) -> list[Problem]:
    return desugar(read(text), "tensorflow")[1]


def place(document: Document, *path: str | int, key: bool = False) -> tuple[int, int]:
    mark = document.mark(path, key=key)
    return mark.line, mark.column


def test_an_env_list_becomes_a_map_that_remembers_its_places() -> None:
    document = desugared(
        """\
roles:
  worker:
    env:
      - {name: A, value: 1}
      - name: B
        valueFrom: {fieldRef: {fieldPath: status.podIP}}
      - {name: C}
"""
    )
    env = document.data["roles"]["worker"]["env"]
    assert env == {
        "A": "1",
        "B": {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        "C": "",
    }
    assert place(document, "roles", "worker", "env", "A") == (6, 9)
    assert place(document, "roles", "worker", "env", "B", "valueFrom") == (8, 20)


def test_a_duplicate_variable_is_a_problem_at_the_second_and_the_last_one_counts() -> None:
    text = (
        "roles:\n  worker:\n    env:\n      - {name: A, value: one}\n"
        "      - {name: A, value: two}\n"
    )
    (problem,) = problems(text)
    assert (problem.rule, problem.mark.line) == ("env-duplicate", 7)
    assert desugar(read(text), "tensorflow")[0].data["roles"]["worker"]["env"] == {"A": "two"}


@pytest.mark.parametrize(
    ("holder", "path"),
    [
        ("env: {A: 10}\nroles: {worker: {}}\n", ("env",)),
        ("roles: {worker: {env: {A: 10}}}\n", ("roles", "worker", "env")),
        (
            "roles: {worker: {overrides: {0: {env: {A: 10}}}}}\n",
            ("roles", "worker", "overrides", "0", "env"),
        ),
        ("roles: {worker: {}}\ntensorboard: {logDir: x, env: {A: 10}}\n", ("tensorboard", "env")),
    ],
)
def test_numbers_become_text_wherever_env_is(holder: str, path: Path) -> None:
    node: Any = desugared(holder).data
    for step in path:
        node = node[step]
    assert node == {"A": "10"}


def test_command_args_labels_annotations_and_selectors_are_text() -> None:
    fields = (
        "command: [a, 1], args: [true, 0.5], labels: {a: 1}, annotations: {b: false},"
        " nodeSelector: {c: 2}"
    )
    assert desugared(f"roles: {{worker: {{{fields}}}}}\n").data["roles"]["worker"] == {
        "command": ["a", "1"],
        "args": ["true", "0.5"],
        "labels": {"a": "1"},
        "annotations": {"b": "false"},
        "nodeSelector": {"c": "2"},
    }


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (10, "10"), (0.5, "0.5"), ("a", "a")]
)
def test_a_scalar_is_the_text_that_was_written(value: Any, text: str) -> None:
    assert as_text(value) == text


def test_a_sidecar_ends_with_its_pod_unless_it_says_otherwise() -> None:
    sidecars = "[{name: a, image: x}, {name: b, image: x, restartPolicy: Never}]"
    role = desugared(f"roles: {{worker: {{sidecars: {sidecars}}}}}\n").data["roles"]["worker"]
    assert [sidecar["restartPolicy"] for sidecar in role["sidecars"]] == ["Always", "Never"]


def test_other_containers_of_a_template_stay_what_they_are() -> None:
    """A full pod template decides how the pod ends: the Job may have to wait for a container."""
    containers = "[{name: tensorflow, image: x}, {name: b, image: x}]"
    role = desugared(
        f"roles: {{worker: {{template: {{spec: {{containers: {containers}}}}}}}}}\n"
    ).data["roles"]["worker"]
    assert role["sidecars"] == [{"name": "b", "image": "x", "restartPolicy": ""}]


def test_an_image_that_all_roles_share_becomes_the_jobs_image() -> None:
    """So that `--set image=` works, whatever the input was."""
    document = desugared("roles:\n  worker: {image: a:1}\n  ps: {image: a:1, replicas: 2}\n")
    assert document.data["image"] == "a:1"
    assert document.data["roles"] == {"worker": {}, "ps": {"replicas": 2}}
    assert place(document, "image") == (4, 19)


@pytest.mark.parametrize(
    "text",
    [
        "roles:\n  worker: {image: a:1}\n  ps: {image: a:2}\n",
        "roles:\n  worker: {image: a:1}\n  ps: {}\n",
        "image: a:2\nroles:\n  worker: {image: a:1}\n",
    ],
)
def test_images_that_differ_stay_where_they_are(text: str) -> None:
    assert desugared(text).data == read(text).data


def test_the_image_of_a_template_is_hoisted_too_and_found_in_it() -> None:
    document = desugared(
        "roles:\n  worker:\n    template:\n      spec:\n"
        "        containers: [{name: main, image: a:1}]\n"
    )
    assert document.data["image"] == "a:1"
    assert place(document, "image") == (7, 42)


def test_nulls_are_dropped() -> None:
    """Kubernetes treats null as absent; Helm 3 and 4 disagree about a null in values."""
    data = {"a": None, "b": [None, 1, {"c": None}], "d": {"e": None}, "f": 0, "g": ""}
    assert without_nulls(data) == {"b": [1, {}], "d": {}, "f": 0, "g": ""}


def test_the_document_passed_in_is_not_changed() -> None:
    document = read(
        """\
image: a:1
env: [{name: A, value: 1}]
roles:
  worker:
    args: [1]
    labels: {a: 1}
    overrides: {0: {env: [{name: B, value: 2}], args: [2]}}
    template:
      spec:
        containers: [{name: x, image: b:1, env: [{name: C, value: c}]}, {name: tensorflow}]
tensorboard: {logDir: /logs, env: [{name: D, value: 4}]}
"""
    )
    before = json.dumps(document.data)
    desugar(document, "tensorflow")
    assert json.dumps(document.data) == before


_WORDS = st.text("ab", min_size=1, max_size=3)
_ENV = st.dictionaries(_WORDS, st.integers() | st.booleans() | _WORDS, max_size=3)
_ROLE = st.fixed_dictionaries(
    {},
    optional={
        "image": _WORDS,
        "env": _ENV
        | _ENV.map(lambda env: [{"name": name, "value": value} for name, value in env.items()]),
        "args": st.lists(st.integers() | _WORDS, max_size=3),
        "overrides": st.dictionaries(
            st.sampled_from(["0", "1-2"]), st.fixed_dictionaries({"env": _ENV}), max_size=2
        ),
    },
)


@given(st.dictionaries(st.sampled_from(["worker", "ps"]), _ROLE, min_size=1))
def test_spelling_out_twice_equals_once(roles: dict[str, Any]) -> None:
    document = read(f"roles: {json.dumps(roles)}\n")
    once, _ = desugar(document, "tensorflow")
    twice, _ = desugar(once, "tensorflow")
    assert twice.data == once.data
