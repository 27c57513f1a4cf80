"""emit: YAML that every reader takes for the same data, Python's and Go's alike."""

import itertools
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen.syntax.yaml_writer import emit, mapping, quoted, scalar
from tests.support import go_expression as tiny

# What chartgen's own reader lets in: no control characters but tab and line breaks, no lone surrogates.
_REFUSED = {"\x85", "\u2028", "\u2029", "\ufffe", "\uffff"}
_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=_REFUSED).filter(
        lambda char: unicodedata.category(char) != "Cc" or char in "\t\n"
    ),
    max_size=40,
)
_SCALAR = _TEXT | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_DATA = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)

# Each of these is, to some reader, a number, a boolean, a date, a comment, a collection, a template or a broken file.
_ODD = (
    *("y", "Y", "n", "N", "yes", "no", "on", "On", "OFF", "true", "True", "FALSE", "null", "Null", "~", "", "nan"),
    *("1e3", "1E3", "1e-05", "+.5", "-.5", ".5", "5.", "08", "012", "0o14", "0O14", "0x1F", "0X1F", "0b11", "0B11"),
    *("1_000", "_1", "1:30", "12:30:45", "190:20:30", "2001-01-01", "2001-12-14t21:59:43.10-05:00", "25921e05"),
    *(".inf", "-.Inf", ".NaN", "+", "-", "--", "---", "...", "?", ":", "=", "<<", "!!str x", "!tag", "&a", "*a"),
    *("a: b", "a:b", "a:", ": a", "# c", "a # c", "a#c", "- d", "-d", "? e", "[a", "]", "{a", "}", ",", "a, b"),
    *("{{ x }}", "{{- fail `x` -}}", "}}", "%>", "<%= x %>", "<%", "%", "@x", "`x`", "|", ">", "|-", "'", '"', "\\"),
    *("\\n", "\\x41", "'a'", '"a"', "it's", "$(X)", "${X}", "$X", "a\tb", "\t", "\n", "a\nb", "a\n", "a\n\n", "\na"),
    *("a\n\nb\n", " a\nb", "a\n b", "a \nb", "a\n---\nb", "a\n# b\n", "a\n\tb", "a\n  \nb", "{{ x }}\n{{ y }}\n"),
    *(" x", "x ", "  ", "é", "名前", "😀", "👩‍💻", "a\u200bb", "\ufeff", "\ufeffa", "a\ufeff", "\u00a0"),
    "x y " * 300,
    *("\u3000", "\xad", "e\u0301", "\u202eabc", "\ue000", "\U000e0001", "\U0010fffd", "\ufffd", "\u0378", "x" * 200),
)
_AROUND = ("", " ", "a", "1", "\n", "'", '"', "😀", "\ufeff", ":", "#", "-")
STRINGS = sorted({f"{before}{odd}{after}" for odd in _ODD for before, after in itertools.product(_AROUND, repeat=2)})


def test_go_reads_every_text_as_it_was_given(helm: str, tmp_path: Path) -> None:
    """As a value, as a key, in a short list, and in a list of its own: one run, a great many texts."""
    data = {
        "values": {f"n{number}": text for number, text in enumerate(STRINGS)},
        "keys": {text: number for number, text in enumerate(STRINGS)},
        "lists": [[text] for text in STRINGS],
        "items": STRINGS,
        "maps": [{text: {text: [text, {text: text}]}} for text in _ODD],
    }
    assert len(STRINGS) > 10_000
    text = emit(data)
    assert tiny.ask(helm, tmp_path, text) == data


@pytest.mark.parametrize("length", [999, 1000, 1024, 5000])
def test_go_reads_keys_and_values_of_any_length(helm: str, tmp_path: Path, length: int) -> None:
    """A plain key ends where readers stop to look for its ':'."""
    key = "k" * length
    data: dict[str, Any] = {key: "v" * length, "in": {key: {key: [1]}}, "list": [{key: key}, {key: {key: 1}}]}
    assert yaml.safe_load(emit(data)) == data
    assert tiny.ask(helm, tmp_path, emit(data)) == data


@given(st.dictionaries(_TEXT, _DATA, max_size=5))
def test_what_is_printed_is_read_back_the_same(data: dict[str, Any]) -> None:
    """PyYAML is one of the readers that must agree; types count, so 1 is not 1.0 and not true."""
    assert repr(yaml.safe_load(emit(data)) or {}) == repr(data)


@given(st.dictionaries(_TEXT, _DATA, max_size=5))
def test_every_line_ends_and_none_ends_in_a_space_or_tab(data: dict[str, Any]) -> None:
    """Git, editors and yamllint all complain of the other."""
    text = emit(data)
    assert text == "" or text.endswith("\n")
    assert not any(line.endswith((" ", "\t")) for line in text.split("\n"))


@given(_TEXT)
def test_a_quoted_text_is_printable(text: str) -> None:
    """Nothing in a values file moves a cursor or hides."""
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
def test_a_scalar_is_plain_only_where_no_reader_can_err(value: Any, printed: str) -> None:
    assert scalar(value) == printed


def test_the_layout_is_one_a_person_would_write() -> None:
    data = {
        "command": ["python", "/app/train.py"],
        "empty": {},
        "long": ["a long word of forty characters, or more", "and another one of forty, which is too much"],
        "script": "set -e\n\n  echo hello\n",
        "no-last-newline": "a\nb",
        "roles": {"worker": {"replicas": 3, "volumes": [{"name": "data", "emptyDir": {}}, {"name": "tmp"}]}},
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


def test_a_part_can_be_indented_to_fit_where_it_stands() -> None:
    assert list(mapping({"a": {"b": [{"c": 1}]}}, 4)) == ["    a:", "      b:", "        - c: 1"]
