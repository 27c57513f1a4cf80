"""Scalars that YAML readers disagree about."""

import importlib
import importlib.util
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Trap
from chartgen.syntax.yaml import reader
from tests.support.yaml_reading import Read, document, either

WORDS_FOR_TRUE = "True TRUE yes Yes YES on On ON"
WORDS_FOR_FALSE = "False FALSE no No NO off Off OFF"
TEXT_TO_PYYAML = (
    "y Y n N 1e3 1E-05 1e-05 1.5e3 0o14 0O14 0X1F 0B11 08 09 -.5 +.5 1_e3"
    " .inf -.Inf +.INF .nan .NaN 0x_ 0b_"
)
DATES = ["2024-01-02", "2024-1-2", "2024-01-02T03:04:05Z", "2024-01-02 3:04:05.6 +01:00"]
TOO_LONG = ["1" * 301, "1" + ":1" * 151, "1" * 290 + ".5e+99"]
NUMBERS = "012 0400 0x1F 0b11 1_000 +5 -0 00 12:30:45 1:30.5 .5 1.10 1. 1.0e+3 1_0.5 +1.5"
VALUES = [10, 256, 31, 3, 1000, 5, 0, 0, 45045, 90.5, 0.5, 1.1, 1.0, 1000.0, 10.5, 1.5]
TRAPS: dict[str, object] = {
    **dict.fromkeys(WORDS_FOR_TRUE.split(), True),
    **dict.fromkeys(WORDS_FOR_FALSE.split(), False),
    **dict(zip(NUMBERS.split(), VALUES, strict=True)),
    **{text: text for text in [*TEXT_TO_PYYAML.split(), *DATES, *TOO_LONG]},
}
NO_TRAPS = """\
0 10 -3 12345678901234567890 0.5 -1.25 100.0 1.5e+20 true false null Null NULL ~ = << word yEs
nope 1.2.3 16Gi 1e3x v1
0-3 --x 2024-01 10.0.0.1 08:30 'on' "012" '1e3' "2024-01-02"
"""


@either
@pytest.mark.parametrize(("text", "value"), TRAPS.items())
def test_a_scalar_that_readers_disagree_about_is_a_trap(
    text: str, value: object, read: Read
) -> None:
    """The data has what PyYAML reads (text if no number can hold it), the Trap the source text."""
    parsed = document(f"a: [x, {text}]", read)
    assert parsed.data == {"a": ["x", value]}
    assert type(parsed.data["a"][1]) is type(value)
    assert parsed.traps == (Trap(("a", 1), text),)


@either
def test_importing_yamllint_does_not_change_what_is_read(read: Read) -> None:
    """yamllint's rule on quotes adds a kind of number to PyYAML's table for the whole process."""
    importlib.import_module("yamllint.rules.quoted_strings")
    assert document("a: 0o14", read).data == {"a": "0o14"}


@either
@pytest.mark.parametrize(
    "text", [*NO_TRAPS.split(), "", "! 'y'", "!!str on", "!!str 012", "!!float '1e3'"]
)
def test_a_scalar_that_readers_agree_about_is_not_a_trap(text: str, read: Read) -> None:
    assert document(f"a: {text}", read).traps == ()


@either
def test_traps_follow_aliases_and_merges(read: Read) -> None:
    """There is a Trap wherever its value is used."""
    parsed = document("a: &a {x: on}\nb: *a\nc: {<<: *a}\n", read)
    assert [trap.path for trap in parsed.traps] == [("a", "x"), ("b", "x"), ("c", "x")]


_PARTS = [*TEXT_TO_PYYAML.split(), *NUMBERS.split(), *NO_TRAPS.split(), *DATES]


@given(st.lists(st.sampled_from(_PARTS) | st.text("0189.:-+_eExXTZfiaG", max_size=6), max_size=3))
def test_a_plain_scalar_is_what_pyyaml_takes_it_for(parts: list[str]) -> None:
    """Our reader decides most of them without PyYAML's patterns, and must decide as these do."""
    text = "".join(parts).replace("o", "x")  # yamllint, once imported, changes what `0o14` is
    plain = (yaml.ScalarNode, text, (True, False))
    theirs: Any = yaml.SafeLoader("")
    expected = theirs.resolve(*plain).removeprefix("tag:yaml.org,2002:")
    assert reader._Loader("").resolve(*plain) == expected
