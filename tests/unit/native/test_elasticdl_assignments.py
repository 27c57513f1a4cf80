"""native.elasticdl.assignments: cpu=1,memory=4096Mi is taken apart, each part with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document
from chartgen.errors import Mark, Problem
from chartgen.native.elasticdl import assignments
from chartgen.native.elasticdl.assignments import Pair
from chartgen.native.elasticdl.flags import Flag

names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
values = st.from_regex(r"[A-Za-z0-9./:-]{0,6}", fullmatch=True)

SOURCE = Document("x", {}, lambda path, key: Mark("x", 1, int(path[2])))  # columns from 0


def flag(text: str) -> Flag:
    return Flag("f", text, ("words", 0), ("words", 0, 0))


def pairs(text: str, start: int = 0) -> tuple[list[Pair], list[Problem]]:
    return assignments.pairs(SOURCE, flag(text), text, start)


def variables(text: str) -> tuple[list[Pair], list[Problem]]:
    return assignments.variables(SOURCE, flag(text))


def pair(name: str, value: str, name_at: int, value_at: int) -> Pair:
    return Pair(name, value, ("words", 0, name_at), ("words", 0, value_at))


@given(st.dictionaries(names, values, min_size=1, max_size=4))
def test_joined_pairs_are_taken_apart_again(said: dict[str, str]) -> None:
    text = ",".join(f"{name}={value}" for name, value in said.items())
    for read in (pairs, variables):
        items, faults = read(text)
        assert faults == []
        assert {item.name: item.value for item in items} == said
        for item in items:
            assert text[int(item.key[2]) :].startswith(f"{item.name}=")
            assert text[int(item.at[2]) :].startswith(item.value)


def test_places_are_right_inside_a_longer_text() -> None:
    assert pairs("a=1,b=2", 10)[0] == [pair("a", "1", 10, 12), pair("b", "2", 14, 16)]


@pytest.mark.parametrize(
    ("text", "at"),
    [("", 0), ("cpu", 0), ("cpu=1,", 6), ("=1", 0), ("a=b=c", 0), ("a=1,,b=2", 4), ("a=1;b=2", 0)],
)
def test_anything_else_is_reported_with_its_place(text: str, at: int) -> None:
    (fault,) = pairs(text)[1]
    assert (fault.mark.column, fault.severity) == (at, "error")
    assert "expected NAME=VALUE" in fault.message


def test_a_duplicate_name_is_a_problem() -> None:
    for read in (pairs, variables):
        items, (fault,) = read("a=1,b=2,a=3")
        assert (fault.mark.column, fault.message) == (8, "--f: a is given twice; expected it once")
        assert items[0].value == "1"


def test_blanks_are_ignored_as_later_clients_do_with_one_warning() -> None:
    items, (fault,) = pairs(" cpu = 1 , memory=2Gi, gpu=1")
    assert items == [
        pair("cpu", "1", 1, 7),
        pair("memory", "2Gi", 11, 18),
        pair("gpu", "1", 23, 27),
    ]
    assert fault.severity == "warning"


def test_a_variable_may_have_commas_in_its_value() -> None:
    items, faults = variables("PATHS=/a,/b,A=1")
    assert [(item.name, item.value) for item in items] == [("PATHS", "/a,/b"), ("A", "1")]
    assert faults == []


def test_an_equals_sign_in_the_last_value_is_read_as_meant() -> None:
    items, (fault,) = variables("A=1,URL=http://h/p?q=1")
    assert [(item.name, item.value) for item in items] == [("A", "1"), ("URL", "http://h/p?q=1")]
    assert (fault.mark.column, fault.severity) == (20, "warning")


@pytest.mark.parametrize(("text", "at"), [("URL=http://h/p?q=1,B=2", 16), ("A=b=c,d=e", 3)])
def test_an_equals_sign_elsewhere_is_ambiguous(text: str, at: int) -> None:
    (fault,) = variables(text)[1]
    assert (fault.mark.column, fault.severity) == (at, "error")


@pytest.mark.parametrize("text", ["", "plain", "1=2", ",A=1"])
def test_variables_begin_with_a_name(text: str) -> None:
    assert variables(text)[0] == []
    assert variables(text)[1][0].severity == "error"
