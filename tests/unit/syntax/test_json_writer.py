"""JSON that people can read: the same data, and lines that are short wherever they can be."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import pipeline
from chartgen.syntax.json_writer import emit_json
from tests.support.paths import ROOT

WIDTH = 100
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
_SCALAR = (_TEXT | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)).filter(
    lambda value: value not in (float("inf"), float("-inf"))
)
_DATA = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(_TEXT, inner, max_size=8),
    max_leaves=40,
)


def value_of(line: str) -> Any:
    """What stands on a line behind its key; None if the line only begins or ends a collection."""
    bare = line.strip().removesuffix(",")
    for text in (bare, f"{{{bare}}}"):
        try:
            value = json.loads(text)
        except ValueError:
            continue
        return value if text == bare else next(iter(value.values()))
    return None


@given(_DATA)
def test_what_is_printed_is_read_back_the_same(data: Any) -> None:
    """Types count, so 1 is not 1.0 and not true; and the order of keys is kept."""
    assert repr(json.loads(emit_json(data))) == repr(data)


@given(_DATA)
def test_a_line_is_long_only_if_it_cannot_be_broken(data: Any) -> None:
    text = emit_json(data)
    assert text.endswith("\n")
    for line in text.removesuffix("\n").split("\n"):
        assert not line.endswith(" ")
        if len(line) > WIDTH:
            assert not isinstance(value_of(line), dict | list) or not value_of(line)


@given(_DATA)
def test_what_fits_on_a_line_is_on_one(data: Any) -> None:
    """A reader sees a whole field at once."""
    alone = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert (emit_json(data) == f"{alone}\n") or len(alone) > WIDTH


def test_the_form_is_the_one_of_a_person() -> None:
    """What takes one line shares it; what takes more has its lines alone."""
    long = {"type": "string", "description": "x" * 60, "pattern": "^[a-z]+$"}
    text = emit_json({"a": 1, "empty": {}, "none": [], "long": long, "list": [long, 2]})
    inner = f'"type":"string","description":"{"x" * 60}",'
    assert text.splitlines() == [
        "{",
        ' "a":1,"empty":{},"none":[],',
        ' "long":{',
        f"  {inner}",
        '  "pattern":"^[a-z]+$"},',
        ' "list":[',
        "  {",
        f"   {inner}",
        '   "pattern":"^[a-z]+$"},',
        "  2]}",
    ]


@pytest.mark.parametrize("width", [WIDTH, WIDTH + 1])
def test_the_width_is_that_of_all_files(width: int) -> None:
    data = ["x" * (width - 4)]
    assert len(json.dumps(data, separators=(",", ":"))) == width
    assert (len(emit_json(data).splitlines()) == 1) is (width <= WIDTH)


def test_a_values_schema_keeps_to_the_width() -> None:
    """But for patterns, which are keys, too: one is as long as the names that it stands for."""
    (document,) = pipeline.read((ROOT / "values/jobs/mnist.yaml").read_bytes(), "mnist.yaml")
    text = pipeline.render(pipeline.check(document))["values.schema.json"]
    for line in text.splitlines():
        for word in re.findall(r'"(?:[^"\\]|\\.)*"', line):
            line = line.replace(word, "") if word.startswith('"^') else line
        assert len(line) <= WIDTH
