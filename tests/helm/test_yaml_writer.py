"""Go's own reader reads what was printed."""

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen.syntax.yaml.writer import emit
from tests.support import go_expression

# To some reader, each of these is a number, a boolean, a date, a comment, a collection, a template
# or a broken file.
_ODD = (
    *("y", "Y", "n", "N", "yes", "no", "on", "On", "OFF", "true", "True", "FALSE", "null", "Null"),
    *("~", "", "nan"),
    *("1e3", "1E3", "1e-05", "+.5", "-.5", ".5", "5.", "08", "012", "0o14", "0O14", "0x1F", "0X1F"),
    *("0b11", "0B11"),
    *("1_000", "_1", "1:30", "12:30:45", "190:20:30", "2001-01-01", "2001-12-14t21:59:43.10-05:00"),
    "25921e05",
    *(".inf", "-.Inf", ".NaN", "+", "-", "--", "---", "...", "?", ":", "=", "<<", "!!str x"),
    *("!tag", "&a", "*a"),
    *("a: b", "a:b", "a:", ": a", "# c", "a # c", "a#c", "- d", "-d", "? e", "[a", "]", "{a", "}"),
    *(",", "a, b"),
    *("{{ x }}", "{{- fail `x` -}}", "}}", "%>", "<%= x %>", "<%", "%", "@x", "`x`", "|", ">"),
    *("|-", "'", '"', "\\"),
    *("\\n", "\\x41", "'a'", '"a"', "it's", "$(X)", "${X}", "$X", "a\tb", "\t", "\n", "a\nb"),
    *("a\n", "a\n\n", "\na"),
    *("a\n\nb\n", " a\nb", "a\n b", "a \nb", "a\n---\nb", "a\n# b\n", "a\n\tb", "a\n  \nb"),
    "{{ x }}\n{{ y }}\n",
    *(" x", "x ", "  ", "é", "名前", "😀", "👩‍💻", "a\u200bb", "\ufeff", "\ufeffa", "a\ufeff"),
    "\u00a0",
    "x y " * 300,
    *(
        "\u3000",
        "\xad",
        "e\u0301",
        "\u202eabc",
        "\ue000",
        "\U000e0001",
        "\U0010fffd",
        "\ufffd",
        "\u0378",
        "x" * 200,
    ),
)
_AROUND = ("", " ", "a", "1", "\n", "'", '"', "😀", "\ufeff", ":", "#", "-")
STRINGS = sorted(
    {
        f"{before}{odd}{after}"
        for odd in _ODD
        for before, after in itertools.product(_AROUND, repeat=2)
    }
)


def test_go_reads_every_text_as_it_was_given(helm: str, tmp_path: Path) -> None:
    """As a value, a key, in a short list and in a block list: many texts in one run."""
    data = {
        "values": {f"n{number}": text for number, text in enumerate(STRINGS)},
        "keys": {text: number for number, text in enumerate(STRINGS)},
        "lists": [[text] for text in STRINGS],
        "items": STRINGS,
        "maps": [{text: {text: [text, {text: text}]}} for text in _ODD],
    }
    assert len(STRINGS) > 10_000
    text = emit(data)
    assert go_expression.ask(helm, tmp_path, text) == data


@pytest.mark.parametrize("length", [999, 1000, 1024, 5000])
def test_go_reads_keys_and_values_of_any_length(helm: str, tmp_path: Path, length: int) -> None:
    """Readers look for the ':' of a plain key only in the next 1,024 characters."""
    key = "k" * length
    data: dict[str, Any] = {
        key: "v" * length,
        "in": {key: {key: [1]}},
        "list": [{key: key}, {key: {key: 1}}],
    }
    assert yaml.safe_load(emit(data)) == data
    assert go_expression.ask(helm, tmp_path, emit(data)) == data
