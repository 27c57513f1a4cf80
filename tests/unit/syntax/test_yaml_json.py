"""JSON, which is YAML too, and values that must read back equal."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.support.yaml_reading import READS, Read, data, document, either, lines, problems


@either
def test_surrogate_pairs_of_json_are_one_character(read: Read) -> None:
    """Only in double quotes: elsewhere a backslash is a backslash."""
    pair = "\\ud83d\\uDE00"
    text = f'{{"{pair}": "a {pair}{pair} \\\\ud83d", "p": {pair}, "s": \'{pair}\'}}'
    assert data(text, read) == {"😀": "a 😀😀 \\ud83d", "p": pair, "s": pair}
    block = f'a: | # {pair}\n  {pair}\nb: "{pair}" # {pair}\n'
    assert data(block, read) == {"a": pair + "\n", "b": "😀"}


@either
@pytest.mark.parametrize("half", ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83d x"])
def test_half_a_surrogate_pair_is_a_problem(half: str, read: Read) -> None:
    reported = problems(f'{{"a": "{half}", "{half}": 1}}', read)
    assert {problem.mark.column for problem in reported} == {7, 7 + len(half) + 4}
    assert all("half of a surrogate pair" in problem.message for problem in reported)


def test_surrogate_pairs_beside_every_private_character_are_refused() -> None:
    """They are read by way of a private character that the text does not contain."""
    private = "".join(map(chr, range(0xE000, 0xF900)))
    assert data(f'["\\ud83d\\ude00{private[1:]}"]') == ["😀" + private[1:]]
    assert lines(f'["\\ud83d\\ude00{private}"]') == ["1:5: file-syntax"]


def test_json_indented_with_tabs_is_read() -> None:
    value = {"a": [1, {"b": None}], "c": "d"}
    assert data(json.dumps(value, indent="\t")) == value


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufffe\uffff")
) | st.text(st.sampled_from("\t\n\r\\\"'{}[]:,#&*!|>%@` -0123456789abcdefu😀\ue000"))
keys = texts.map(
    lambda text: text[:80]
)  # YAML reads keys of up to 1,024 characters, escapes included
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: "e" not in repr(number)
)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans(), st.sampled_from([None, 1, 4]))
def test_any_json_reads_back_equal(value: object, ascii_only: bool, indent: int | None) -> None:
    """Except numbers with an exponent, which are text and a Trap in all YAML."""
    parsed = document(json.dumps(value, ensure_ascii=ascii_only, indent=indent))
    assert parsed.data == value
    assert json.dumps(parsed.data) == json.dumps(value)
    assert parsed.traps == ()


@given(values, st.sampled_from(["'", '"']), st.booleans(), st.sampled_from(READS))
def test_any_quoted_yaml_reads_back_equal(
    value: object, style: Any, unicode: bool, read: Read
) -> None:
    parsed = document(
        yaml.safe_dump(value, default_style=style, allow_unicode=unicode, sort_keys=False), read
    )
    assert json.dumps(parsed.data) == json.dumps(value)
    assert parsed.traps == ()


@given(values)
def test_every_value_is_found_again(value: object) -> None:
    """Reading the text at the place of a scalar gives that scalar."""
    text = json.dumps(value)
    parsed = document(text)

    def check(path: tuple[str | int, ...], part: object) -> None:
        assert text[parsed.mark(path).column - 1 :].startswith(json.dumps(part))
        for step, inner in (
            part.items()
            if isinstance(part, dict)
            else enumerate(part)
            if isinstance(part, list)
            else ()
        ):
            check((*path, step), inner)

    check((), value)
