"""What holds for every TfJob: places, spellings, and answers to whatever is wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartgen import native, pipeline
from chartgen.errors import InputError, Problem
from chartgen.native.operators.tfjob import TF_IMAGE
from tests.support.examples import examples
from tests.support.tfjobs import CASES, adopt, case, described, read


def _scalars(
    value: Any, path: tuple[str | int, ...] = ()
) -> list[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        return [scalar for key, inner in value.items() for scalar in _scalars(inner, (*path, key))]
    if isinstance(value, list):
        return [
            scalar
            for index, inner in enumerate(value)
            for scalar in _scalars(inner, (*path, index))
        ]
    return [(path, value)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_every_value_leads_back_to_where_it_was_written(path: Path) -> None:
    (document,) = pipeline.read(path.read_bytes(), path.name)
    adopted = native.adopt(document).document
    assert adopted is not None
    lines = path.read_text("utf-8").splitlines()
    seen = 0
    for at, value in _scalars(adopted.data):
        # Additions have no place; a variable is found by its entry, whose name may come first.
        if (
            at != ("framework",)
            and value != TF_IMAGE
            and at[-1] not in ("restartPolicy", "policy")
            and "env" not in at
        ):
            mark = adopted.mark(at)
            assert json.dumps(value).strip('"') in lines[mark.line - 1][mark.column - 1 :], at
            seen += 1
    assert seen


def _respelt(value: Any, draw: Any, inside: str = "") -> Any:
    """The same object with the case of the operator's own keys changed here and there."""
    if isinstance(value, list):
        return [_respelt(item, draw, inside) for item in value]
    if not isinstance(value, dict):
        return value
    theirs = inside in (
        "limits",
        "requests",
        "labels",
        "azureFile",
        "persistentVolumeClaim",
        "metadata",
    )
    changes = (str, str.lower, str.upper, str.swapcase)
    return {
        key if theirs else draw(st.sampled_from(changes))(key): _respelt(item, draw, key)
        for key, item in value.items()
    }


@settings(max_examples=examples(30))
@given(name=st.sampled_from(["t01", "t04", "t09", "t11", "t14"]), data=st.data())
def test_keys_in_any_case_mean_the_same_with_a_warning_each(name: str, data: st.DataObject) -> None:
    job = case(name)
    spelt = {**job, "spec": _respelt(job["spec"], data.draw, "spec")}
    assert described(spelt) == described(job)
    changed = [*_keys(spelt["spec"])]
    expected = sum(
        before != after for before, after in zip(_keys(job["spec"]), changed, strict=True)
    )
    assert (
        len([problem for problem in adopt(spelt).problems if problem.rule == "key-spelling"])
        == expected
    )


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [key for name, inner in value.items() for key in (name, *_keys(inner))]
    return [key for item in value for key in _keys(item)] if isinstance(value, list) else []


def test_adopting_does_not_change_the_document() -> None:
    document = read(case("t14"))
    before = copy.deepcopy(document.data)
    native.adopt(document)
    assert document.data == before


# --- anything may be wrong

JUNK = [
    None,
    "",
    0,
    -1,
    1.5,
    True,
    [],
    {},
    "x",
    [None],
    {"a": 1},
    {"name": None},
    "tensorflow",
    "ps-config-volume",
]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps: Any = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for step, inner in steps for place in _places(inner, (*path, step)))]


@settings(max_examples=examples(60))
@given(name=st.sampled_from(["t01", "t04", "t10", "t11", "t14"]), data=st.data())
def test_any_malformed_tfjob_is_answered_with_problems_and_places(
    name: str, data: st.DataObject
) -> None:
    """No TfJob, however odd, causes a traceback."""
    job = case(name)
    for _ in range(data.draw(st.integers(1, 3))):
        *around, last = data.draw(st.sampled_from(_places(job)[1:]))
        node: Any = job
        for step in around:
            node = node[step]
        node[last] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
    text = json.dumps(job, indent=1)
    for problem in _refusals(text):
        assert 1 <= problem.mark.line <= len(text.splitlines())


def _refusals(text: str) -> tuple[Problem, ...]:
    try:
        for document in pipeline.read(text.encode(), "x"):
            pipeline.check(document)
    except InputError as error:
        return error.problems
    return ()
