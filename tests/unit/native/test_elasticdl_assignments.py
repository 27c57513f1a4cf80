"""native.assignments: texts such as cpu=1,memory=4096Mi are taken apart, with the place of every part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.native.elasticdl.assignments import Pair, pairs, variables

names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
values = st.from_regex(r"[A-Za-z0-9./:-]{0,6}", fullmatch=True)


@given(st.dictionaries(names, values, min_size=1, max_size=4))
def test_what_is_put_together_is_taken_apart(said: dict[str, str]) -> None:
    text = ",".join(f"{name}={value}" for name, value in said.items())
    for read in (pairs, variables):
        found, faults = read(text)
        assert faults == []
        assert {one.name: one.value for one in found} == said
        for one in found:
            assert text[one.name_at :].startswith(f"{one.name}=")
            assert text[one.value_at :].startswith(one.value)


def test_places_count_from_where_the_text_begins_in_a_longer_one() -> None:
    assert pairs("a=1,b=2", 10)[0] == [Pair("a", "1", 10, 12), Pair("b", "2", 14, 16)]


@pytest.mark.parametrize(
    ("text", "at"), [("", 0), ("cpu", 0), ("cpu=1,", 6), ("=1", 0), ("a=b=c", 0), ("a=1,,b=2", 4), ("a=1;b=2", 0)]
)
def test_anything_else_is_told_with_its_place(text: str, at: int) -> None:
    (fault,) = pairs(text)[1]
    assert (fault.at, fault.warning) == (at, False)
    assert "expected NAME=VALUE" in fault.message


def test_a_name_is_given_once() -> None:
    for read in (pairs, variables):
        found, (fault,) = read("a=1,b=2,a=3")
        assert (fault.at, fault.message) == (8, "a is given twice; expected it once")
        assert found[0].value == "1"


def test_blanks_are_read_as_later_clients_do_with_one_warning() -> None:
    found, (fault,) = pairs(" cpu = 1 , memory=2Gi, gpu=1")
    assert found == [Pair("cpu", "1", 1, 7), Pair("memory", "2Gi", 11, 18), Pair("gpu", "1", 23, 27)]
    assert fault.warning


def test_a_variable_may_have_commas_in_its_value() -> None:
    found, faults = variables("PATHS=/a,/b,A=1")
    assert [(one.name, one.value) for one in found] == [("PATHS", "/a,/b"), ("A", "1")]
    assert faults == []


def test_an_equals_sign_in_the_last_value_is_read_as_meant() -> None:
    found, (fault,) = variables("A=1,URL=http://h/p?q=1")
    assert [(one.name, one.value) for one in found] == [("A", "1"), ("URL", "http://h/p?q=1")]
    assert (fault.at, fault.warning) == (20, True)


@pytest.mark.parametrize(("text", "at"), [("URL=http://h/p?q=1,B=2", 16), ("A=b=c,d=e", 3)])
def test_elsewhere_it_is_not_plain_what_is_meant(text: str, at: int) -> None:
    (fault,) = variables(text)[1]
    assert (fault.at, fault.warning) == (at, False)


@pytest.mark.parametrize("text", ["", "plain", "1=2", ",A=1"])
def test_variables_begin_with_a_name(text: str) -> None:
    assert variables(text)[0] == []
    assert not variables(text)[1][0].warning
