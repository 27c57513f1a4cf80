"""yaml_writer: YAML that every reader, Python's and Go's alike, takes for the same data."""

import unicodedata
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen.syntax.yaml.writer import emit, mapping, quoted, scalar

# What chartgen's own reader accepts: no control characters but tab and line breaks, no lone
# surrogates.
_REFUSED = {"\x85", "\u2028", "\u2029", "\ufffe", "\uffff"}
_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=_REFUSED).filter(
        lambda char: unicodedata.category(char) != "Cc" or char in "\t\n"
    ),
    max_size=40,
)
_SCALAR = (
    _TEXT
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
)
_DATA = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_TEXT, _DATA, max_size=5))
def test_what_is_printed_is_read_back_the_same(data: dict[str, Any]) -> None:
    """PyYAML is one of the readers that must agree; types count, so 1 is not 1.0 and not true."""
    assert repr(yaml.safe_load(emit(data)) or {}) == repr(data)


@given(st.dictionaries(_TEXT, _DATA, max_size=5))
def test_every_line_ends_and_none_ends_in_a_space_or_tab(data: dict[str, Any]) -> None:
    """Git, editors and yamllint all complain otherwise."""
    text = emit(data)
    assert text == "" or text.endswith("\n")
    assert not any(line.endswith((" ", "\t")) for line in text.split("\n"))


@given(_TEXT)
def test_a_quoted_text_is_printable(text: str) -> None:
    """Nothing in a values file moves the cursor or is invisible."""
    assert quoted(text).isprintable()


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("python", "python"),
        ("/app/train.py", "/app/train.py"),
        ("user@host", "user@host"),
        ("y", '"y"'),
        ("Off", '"Off"'),
        ("1e-05", '"1e-05"'),
        ("registry.example.com/mnist:1.4", '"registry.example.com/mnist:1.4"'),
        ("", '""'),
        ("é", '"é"'),
        ("a\u200bb", '"a\\u200bb"'),
        ("👩‍💻", '"👩\\u200d💻"'),
        ("\U000e0001", '"\\U000e0001"'),
        (True, "true"),
        (0, "0"),
        (0.5, "0.5"),
        (1e16, "1.0e+16"),
        (1.5e-7, "1.5e-07"),
        ({}, "{}"),
        ([], "[]"),
        (None, "null"),
    ],
)
def test_a_scalar_is_plain_only_where_no_reader_can_misread_it(value: Any, printed: str) -> None:
    assert scalar(value) == printed


def test_the_layout_is_one_a_person_would_write() -> None:
    data = {
        "command": ["python", "/app/train.py"],
        "empty": {},
        "long": [
            "a long word of forty characters, or more",
            "and another one of forty, which is too much",
        ],
        "script": "set -e\n\n  echo hello\n",
        "no-last-newline": "a\nb",
        "roles": {
            "worker": {
                "replicas": 3,
                "volumes": [{"name": "data", "emptyDir": {}}, {"name": "tmp"}],
            }
        },
        "matrix": [[1, 2], [], [[3], "x" * 70]],
        "n": 1,
    }
    assert emit(data) == (
        "command: [python, /app/train.py]\n"
        "empty: {}\n"
        "long:\n"
        '  - "a long word of forty characters, or more"\n'
        '  - "and another one of forty, which is too much"\n'
        "script: |\n"
        "  set -e\n"
        "\n"
        "    echo hello\n"
        "no-last-newline: |-\n"
        "  a\n"
        "  b\n"
        "roles:\n"
        "  worker:\n"
        "    replicas: 3\n"
        "    volumes:\n"
        "      - name: data\n"
        "        emptyDir: {}\n"
        "      - name: tmp\n"
        "matrix:\n"
        "  - [1, 2]\n"
        "  - []\n"
        "  -\n"
        "    - [3]\n"
        f"    - {'x' * 70}\n"
        '"n": 1\n'
    )


def test_a_part_can_be_indented_to_fit_its_place() -> None:
    assert list(mapping({"a": {"b": [{"c": 1}]}}, 4)) == ["    a:", "      b:", "        - c: 1"]
