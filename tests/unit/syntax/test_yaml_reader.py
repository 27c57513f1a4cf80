"""YAML and JSON as people write it, well or badly: data, places, traps, and a clear answer to everything else."""

import importlib
import importlib.util
import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document, Trap
from chartgen.errors import InputError, Problem
from chartgen.syntax import yaml_reader as syntax

Read = Callable[[bytes, str], list[Document]]


def _without_libyaml() -> Read:
    """The same module as it is where PyYAML was built without libyaml."""
    spec = importlib.util.spec_from_file_location("chartgen.syntax.pure_yaml", syntax.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        spec.loader.exec_module(module)
    read: Read = module.read
    return read


READS = [syntax.read, _without_libyaml()]
either = pytest.mark.parametrize("read", READS, ids=["libyaml", "pure"])


def documents(text: str, read: Read = syntax.read) -> list[Document]:
    return read(text.encode(), "job.yaml")


def document(text: str, read: Read = syntax.read) -> Document:
    (only,) = documents(text, read)
    return only


def data(text: str, read: Read = syntax.read) -> Any:
    return document(text, read).data


def problems(text: str | bytes, read: Read = syntax.read) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read(text if isinstance(text, bytes) else text.encode(), "job.yaml")
    return caught.value.problems


def lines(text: str | bytes, read: Read = syntax.read) -> list[str]:
    return [f"{problem.mark.line}:{problem.mark.column}: {problem.rule}" for problem in problems(text, read)]


# -- data


@either
def test_all_kinds_of_values_become_plain_data(read: Read) -> None:
    """Maps, lists, text, numbers, booleans and null come out as Python's own."""
    text = (
        "a: [x, 'y', \"z\", 1, -2, 0.5, true, false, null, ~]\nb:\n  c: |\n    block\n  d: >-\n    fol\n    ded\ne:\n"
    )
    assert data(text, read) == {
        "a": ["x", "y", "z", 1, -2, 0.5, True, False, None, None],
        "b": {"c": "block\n", "d": "fol ded"},
        "e": None,
    }


@either
def test_keys_are_their_source_text(read: Read) -> None:
    """Overrides by index, `on`, a date: whatever a key would be as a value, it is the text a person wrote."""
    text = "{2: a, 0-3: b, 012: c, on: d, 2024-01-02: e, ~: f, 1.50: g, ! h: h, !!int 7: i}"
    assert list(data(text, read)) == ["2", "0-3", "012", "on", "2024-01-02", "~", "1.50", "h", "7"]


@either
def test_every_document_of_a_stream_is_read(read: Read) -> None:
    """Several documents are several jobs; those that hold nothing but comments are none."""
    text = "# head\n---\na: 1\n---\n# nothing\n---\n~\n---\n''\n...\n---\n"
    assert [document.data for document in documents(text, read)] == [{"a": 1}, None, ""]


@either
@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n# a\n---\n...\n", "\ufeff"])
def test_a_file_without_a_document_is_a_problem(text: str, read: Read) -> None:
    (problem,) = problems(text, read)
    assert (problem.mark.line, problem.mark.column, problem.rule) == (1, 1, "empty")
    assert "expected a YAML or JSON document" in problem.message


@either
def test_line_ends_of_all_systems_and_a_byte_order_mark_are_read(read: Read) -> None:
    for end in ("\n", "\r\n", "\r"):
        found = document(f"\ufeffa: 1{end}b: |{end}  x{end}  y{end}", read)
        assert found.data == {"a": 1, "b": "x\ny\n"}
        assert found.mark(("b",), key=True)[1:] == (2, 1)


@either
def test_the_tags_of_plain_values_may_be_written(read: Read) -> None:
    text = "[!!str 012, !!int '7', !!float '1', !!bool 'on', !!null '', !!map {a: 1}, !!seq [1], ! x]"
    found = document(text, read)
    assert found.data == ["012", 7, 1.0, True, None, {"a": 1}, [1], "x"]
    assert isinstance(found.data[2], float)
    assert found.traps == ()


@either
def test_other_tags_are_problems(read: Read) -> None:
    """Every one of them is told, on values, keys and collections; nothing is ever made of a tag."""
    text = (
        "a: !foo 1\nb: !!python/object:os.system {x: !bar y}\nc: !!binary aGk=\nd: !!set {a}\n!k e: 1\n"
        "f: !!timestamp 2024-01-02\ng: !!map x\nh: !!str [x]\ni: !<x> y\n"
    )
    found = problems(text, read)
    assert [problem.mark.line for problem in found] == [1, 2, 2, 3, 4, 5, 6, 7, 8, 9]
    assert {problem.rule for problem in found} == {"tag"}
    assert found[1].message == "the tag '!!python/object:os.system' is not supported; expected the value alone"


@either
@pytest.mark.parametrize("text", ["!!int x", "!!int ''", "!!null x", "!!bool maybe", "!!float x", "!!int " + "1" * 400])
def test_a_tag_that_lies_is_a_problem(text: str, read: Read) -> None:
    assert lines(text, read) == ["1:1: tag"]


@either
def test_a_key_must_be_text(read: Read) -> None:
    """Which also catches a template somebody left unquoted."""
    assert lines("? [a]\n: 1\n? {b: c}\n: 2\n", read) == ["1:3: key", "3:3: key"]
    (problem,) = problems("image: {{ .Values.image }}\n", read)
    assert problem.hint == "put text that starts with '{' or '[' in quotes"


@either
def test_every_second_key_is_a_problem(read: Read) -> None:
    """Each is told at its own place and names the line of the first; what stands below them is read all the same."""
    found = problems("a: 1\n'2': x\na:\n  b: 1\n  b: 2\n2: y\n---\na: 3\nb: 1\na: 4\na: 5\n", read)
    assert [(problem.mark.line, problem.mark.column, problem.rule) for problem in found] == [
        (line, column, "duplicate-key") for line, column in [(3, 1), (5, 3), (6, 1), (10, 1), (11, 1)]
    ]
    assert found[0].message == "the key 'a' already stands in line 1; expected it once"
    assert found[4].message == "the key 'a' already stands in line 8; expected it once"


# -- scalars that YAML readers disagree about


WORDS_FOR_TRUE = "True TRUE yes Yes YES on On ON"
WORDS_FOR_FALSE = "False FALSE no No NO off Off OFF"
TEXT_TO_PYYAML = (
    "y Y n N 1e3 1E-05 1e-05 1.5e3 0o14 0O14 0X1F 0B11 08 09 -.5 +.5 1_e3 .inf -.Inf +.INF .nan .NaN 0x_ 0b_"
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
0 10 -3 12345678901234567890 0.5 -1.25 100.0 1.5e+20 true false null Null NULL ~ = << word yEs nope 1.2.3 16Gi 1e3x v1
0-3 --x 2024-01 10.0.0.1 08:30 'on' "012" '1e3' "2024-01-02"
"""


@either
@pytest.mark.parametrize(("text", "value"), TRAPS.items())
def test_what_readers_disagree_about_is_a_trap(text: str, value: object, read: Read) -> None:
    """The data holds what PyYAML reads (text, where no number can hold it); the Trap holds what was written."""
    found = document(f"a: [x, {text}]", read)
    assert found.data == {"a": ["x", value]}
    assert type(found.data["a"][1]) is type(value)
    assert found.traps == (Trap(("a", 1), text),)


@either
def test_a_linter_that_was_imported_changes_no_reading(read: Read) -> None:
    """yamllint's rule on quotes adds a kind of numbers to PyYAML's own table, for the whole process."""
    importlib.import_module("yamllint.rules.quoted_strings")
    assert document("a: 0o14", read).data == {"a": "0o14"}


@either
@pytest.mark.parametrize("text", [*NO_TRAPS.split(), "", "! 'y'", "!!str on", "!!str 012", "!!float '1e3'"])
def test_what_all_readers_agree_about_is_no_trap(text: str, read: Read) -> None:
    assert document(f"a: {text}", read).traps == ()


@either
def test_traps_follow_aliases_and_merges(read: Read) -> None:
    """A Trap stands wherever its value does."""
    found = document("a: &a {x: on}\nb: *a\nc: {<<: *a}\n", read)
    assert [trap.path for trap in found.traps] == [("a", "x"), ("b", "x"), ("c", "x")]


# -- places


def test_places_of_values_keys_and_what_is_missing() -> None:
    """Lines and columns count from 1, columns in characters; a path that leads nowhere ends at the nearest parent."""
    found = document('name: "é😀"\nroles:\n  - {größe: 1, b: [x, y]}\n  - "\\ud83d\\ude00": z\nlast:\n')
    places = {
        (): (1, 1),
        ("name",): (1, 7),
        ("roles",): (3, 3),
        ("roles", 0, "größe"): (3, 13),
        ("roles", 0, "b", 1): (3, 23),
        ("roles", 1, "😀"): (4, 21),
        ("last",): (5, 6),
        ("roles", 0, "missing", "deeper"): (3, 5),
        ("roles", 7): (3, 3),
        ("roles", -1): (3, 3),
        ("roles", "x"): (3, 3),
        ("name", "x"): (1, 7),
    }
    assert {path: found.mark(path)[1:] for path in places} == places
    keys = {(): (1, 1), ("roles",): (2, 1), ("roles", 0): (3, 5), ("roles", 0, "b"): (3, 16), ("last", "x"): (5, 1)}
    assert {path: found.mark(path, key=True)[1:] for path in keys} == keys
    assert found.mark(("name",)).file == "job.yaml"


def test_integers_find_keys_that_look_like_them() -> None:
    found = document("overrides:\n  2: {a: b}\n")
    assert found.mark(("overrides", 2), key=True) == found.mark(("overrides", "2"), key=True) == ("job.yaml", 2, 3)


# -- anchors, aliases, merges


@either
def test_merge_keys_give_way_to_explicit_ones(read: Read) -> None:
    """The first of several mappings wins over the next, a mapping's own keys over all; places lead to the source."""
    found = document("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\nd: {<<: {w: 4, <<: *b}}\n", read)
    assert found.data["c"] == {"x": 1, "y": 1, "z": 3}
    assert found.data["d"] == {"w": 4, "y": 2, "z": 2}
    assert found.mark(("c", "y"))[1:] == (1, 17)
    assert found.mark(("c", "z"))[1:] == (3, 8)
    assert found.mark(("d", "z"), key=True)[1:] == (2, 14)


@either
def test_a_quoted_merge_key_is_a_key(read: Read) -> None:
    assert data("'<<': {a: 1}", read) == {"<<": {"a": 1}}


@either
def test_only_mappings_can_be_merged(read: Read) -> None:
    assert lines("a: &a {x: 1}\nb: {<<: 3}\nc: {<<: [*a, 4]}\nd: {<<: *a, <<: *a}", read) == [
        "2:9: merge-key",
        "3:14: merge-key",
        "4:13: duplicate-key",
    ]


def chain(first: str, link: str, letters: str = "abcdefghi") -> str:
    """Lines that each hold the one before ten times."""
    rest = pairwise(letters)
    return "".join([f"a: &a {first}\n", *(f"{b}: &{b} {link % ','.join([f'*{a}'] * 10)}\n" for a, b in rest)])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (chain("[x, x, x, x, x, x, x, x, x, x]", "[%s]"), "5:4"),
        (chain("{x: 1, y: 2}", "{k: [%s]}"), "6:11"),
        ("a: &a {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}\nb: {<<: [" + "*a," * 101 + "]}", "2:4"),
    ],
    ids=["lists", "maps", "merges"],
)
def test_aliases_that_blow_up_are_refused_at_once(text: str, place: str) -> None:
    """A billion values in nine lines: refused after the first 100,000."""
    assert lines(text) == [f"{place}: alias-bomb"]


def test_aliases_up_to_the_limit_are_read() -> None:
    """A hundred thousand values by alias are fine, and so is any number written out."""
    text = "a: &a [" + "x," * 999 + "]\nb: [" + "*a," * 100 + "]\n"
    assert len(data(text)["b"]) == 100
    assert lines(text + "c: *a\n") == ["2:4: alias-bomb"]
    assert len(data("[" + "x," * 150_000 + "]")) == 150_000


@either
@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("a: &a [*a]", 4),
        ("a: &a {b: {c: *a}}", 4),
        ("a: &a {<<: *a}", 4),
        ("a: &a {b: {<<: *a}}", 4),
        ("{a: &a {<<: *a}, <<: *a}", 5),
    ],
)
def test_an_anchor_inside_itself_is_a_problem(text: str, column: int, read: Read) -> None:
    assert lines(text, read) == [f"1:{column}: alias-loop"]


@either
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 10_000,
        "- " * 10_000,
        "? " * 10_000,
        "[" * 101 + "]" * 101,
        "[" * 101 + "x" + "]" * 101,
        "".join(f"{' ' * depth}a:\n" for depth in range(150)),
        "a: &a0 x\n" + "".join(f"b{i}: &a{i + 1} {'[' * 50}*a{i}{']' * 50}\n" for i in range(50)),
        "{k: &b0 {}," + "".join(f"k{i}: &b{i + 1} {{<<: *b{i}}}," for i in range(2000)) + "<<: *b2000}",
    ],
    ids=["lists", "maps", "items", "keys", "empty", "101", "block", "aliases", "merges"],
)
def test_what_nests_too_deep_is_a_problem(text: str, read: Read) -> None:
    (problem,) = problems(text, read)
    assert problem.rule == "depth"
    assert "100 levels" in problem.message


@either
def test_a_hundred_levels_are_read(read: Read) -> None:
    assert json.dumps(data("[" * 100 + "1" + "]" * 100, read)) == "[" * 100 + "1" + "]" * 100


# -- text that is not YAML


SYNTAX = {
    "a:\n\tb: 1\n": (2, 1, "a tab cannot stand here; expected spaces"),
    "a:\n  b: 1\n\tc: 2\n": (3, 1, "a tab cannot stand here; expected spaces"),
    "a:\n  - x\n \t- y\n": (3, 2, "a tab cannot stand here; expected spaces"),
    'b: 1\na: "x\nc: d\n': (2, 4, "this quote is never closed"),
    "a: ['x, y]\n---\n": (1, 5, "this quote is never closed"),
    "a: [1, 2\n": (1, 4, "this bracket is never closed"),
    "a: {x: 1\n\n": (1, 4, "this bracket is never closed"),
    "b:\na: [1, 2\nc: 3\n": (3, 2, "expected ',' or ']' in what is opened in line 2"),
    "a: {x: 1]\n": (1, 9, "expected ',' or '}' in what is opened in line 1"),
    "a: 1\nfoo\nb: 2\n": (2, 1, "this line has no ':'; expected 'key: value'"),
    "a: b: c\n": (1, 5, "a ':' cannot stand here; indent like the line before, or quote text"),
    "a: 1\n  b: 2\n": (2, 4, "a ':' cannot stand here"),
    "a: ? b\n": (1, 4, "a '?' cannot stand here"),
    "a: - b\n": (1, 4, "a list item ('- ') cannot stand here; expected it on a line of its own"),
    "a:\n    b: 1\n  c: 2\n": (3, 3, "this does not fit what starts in line 1; expected it indented alike"),
    "- a\nb: 1\n": (2, 1, "this does not fit what starts in line 1; expected it indented alike"),
    "  a: 1\nb: 2\n": (2, 1, "the document ended before this; expected all keys indented alike"),
    "a: 'it's'\n": (1, 8, "the value ended before this; expected quotes around all of the text"),
    '{"a": 1} x\n': (1, 10, "the value ended before this; expected quotes around all of the text"),
    "a: [\n": (2, 1, "the text ends before a bracket is closed"),
    "a: [1,,2]\n": (1, 7, "expected a value here"),
    "a: @x\n": (1, 4, "no value starts with this character; expected quotes around it"),
    "a: %x\n": (1, 4, "no value starts with this character; expected quotes around it"),
    'a: "\\d"\n': (1, None, "this escape is unknown in double quotes; write '\\\\' for a backslash"),
    'a: "\\xZZ"\n': (1, 7, "this escape is no character"),
    'a: "\\UFFFFFFFF"\n': (1, None, "this escape is no character"),
    'a: "\\U00110000"\n': (1, None, "this escape is no character"),
    "a: *x\n": (1, 4, "this alias has no anchor before it"),
    "args: [*.py]\n": (1, 8, "text that starts with '*' or '&' needs quotes"),
    "a: &x 1\nb: &x 2\n": (2, 4, "this anchor already stands in line 1; expected another name"),
    "a: |x\n  b\n": (1, 5, "expected the end of the line; text after '|' or '>' starts on the next one"),
    "a: !e!foo x\n": (1, 4, "tags are not supported"),
    "%YAML 3.0\n---\na: 1\n": (1, 1, "not YAML: found incompatible YAML document"),
}


@either
@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_errors_are_told_in_clear_words(text: str, read: Read) -> None:
    """One problem, at the place where a person looks first."""
    line, column, message = SYNTAX[text]
    (problem,) = problems(text, read)
    assert problem.rule == "syntax"
    assert problem.mark[1:] == (line, column or problem.mark.column)
    assert problem.message.startswith(message)


def test_problems_before_a_syntax_error_are_told_too() -> None:
    """And in the order of the file."""
    assert lines("a: 1\na: \x07\n---\nb: [1\n") == ["2:1: duplicate-key", "2:4: control-character", "4:4: syntax"]


@either
def test_merge_conflicts_come_before_anything_else(read: Read) -> None:
    """Each marker with its line, and nothing of the confusion between them."""
    text = "a: 1\r\n<<<<<<< HEAD\r\nb: [\r\n||||||| base\r\n=======\r\n\tb: 2\r\n>>>>>>> topic\r\nb: 3"
    assert lines(text, read) == [f"{line}:1: merge-conflict" for line in (2, 4, 5, 7)]


def test_what_only_looks_like_a_merge_conflict_is_text() -> None:
    assert data("a: |\n  Title\n  =======\nb: ========\n'>>>>>>>': x") == {
        "a": "Title\n=======\n",
        "b": "========",
        ">>>>>>>": "x",
    }


@pytest.mark.parametrize(
    ("content", "place", "word"),
    [
        (b"a: \xc3\xa4\nb: \xc3\xa4\xfc\n", "2:5", "the byte 0xfc"),
        (b"\xef\xbb\xbfa: \xe4", "1:4", "the byte 0xe4"),
        (b"a: 1\r\nb: \xc3", "2:4", "the byte 0xc3"),
        ("a: 1".encode("utf-16"), "1:1", "the file is UTF-16; expected UTF-8"),
        (b"\xfe\xff\x00a", "1:1", "the file is UTF-16; expected UTF-8"),
        ("a: 1".encode("utf-32"), "1:1", "the file is UTF-32; expected UTF-8"),
    ],
)
def test_only_utf8_is_read(content: bytes, place: str, word: str) -> None:
    (problem,) = problems(content)
    assert f"{problem.mark.line}:{problem.mark.column}" == place
    assert problem.rule == "encoding"
    assert problem.message.startswith(word)
    assert problem.hint == "save it as UTF-8"


REFUSED = [
    *map(chr, range(9)),
    "\x0b",
    "\x0c",
    *map(chr, range(14, 32)),
    *map(chr, range(127, 160)),
    "\u2028",
    "\u2029",
]


@either
@pytest.mark.parametrize("char", [*REFUSED, "\ufffe", "\uffff"], ids=ascii)
def test_control_characters_in_the_text_are_problems(char: str, read: Read) -> None:
    """Each with its place and code point, wherever it stands."""
    found = problems(f"é: x{char}y{char}\n# {char}\n", read)
    assert [(problem.mark.line, problem.mark.column) for problem in found] == [(1, 5), (1, 7), (2, 3)]
    assert {problem.rule for problem in found} == {"control-character"}
    assert f"U+{ord(char):04X}" in found[0].message


@either
@pytest.mark.parametrize("char", REFUSED, ids=ascii)
def test_control_characters_by_escape_are_problems(char: str, read: Read) -> None:
    """In a value or in a key; told once for each value."""
    escape = f"\\u{ord(char):04x}"
    found = problems(f'a: "{escape} {escape}"\n"{escape}": 1\n', read)
    assert [(problem.mark.line, problem.mark.column) for problem in found] == [(1, 4), (2, 1)]
    assert {problem.rule for problem in found} == {"control-character"}
    assert f"U+{ord(char):04X}" in found[0].message


def test_a_byte_order_mark_at_a_joint_is_a_problem() -> None:
    """It is left where files were joined, and would be part of the key after it."""
    (problem,) = problems("a: 1\n---\n\ufeffa: 2\n")
    assert problem.message.startswith("a byte order mark (U+FEFF) stands inside the file")
    assert data("a: x\ufeffy") == {"a": "x\ufeffy"}


def test_of_a_binary_file_only_the_first_control_characters_are_told() -> None:
    assert len(problems(b"\0" * 100_000)) == 100


@either
def test_tabs_line_breaks_and_carriage_returns_by_escape_are_text(read: Read) -> None:
    assert data('"\\t\\n\\r\\_\\/"', read) == "\t\n\r\xa0/"


# -- JSON


@either
def test_surrogate_pairs_of_json_are_one_character(read: Read) -> None:
    """Everywhere in double quotes, and only there: elsewhere a backslash is a backslash."""
    pair = "\\ud83d\\uDE00"
    text = f'{{"{pair}": "a {pair}{pair} \\\\ud83d", "p": {pair}, "s": \'{pair}\'}}'
    assert data(text, read) == {"😀": "a 😀😀 \\ud83d", "p": pair, "s": pair}
    block = f'a: | # {pair}\n  {pair}\nb: "{pair}" # {pair}\n'
    assert data(block, read) == {"a": pair + "\n", "b": "😀"}


@either
@pytest.mark.parametrize("half", ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83d x"])
def test_half_a_surrogate_pair_is_a_problem(half: str, read: Read) -> None:
    found = problems(f'{{"a": "{half}", "{half}": 1}}', read)
    assert {problem.mark.column for problem in found} == {7, 7 + len(half) + 4}
    assert all("half of a surrogate pair" in problem.message for problem in found)


def test_surrogate_pairs_beside_every_private_character_are_refused() -> None:
    """They are read by way of a private character that the text does not have; if it has them all, it is told."""
    private = "".join(map(chr, range(0xE000, 0xF900)))
    assert data(f'["\\ud83d\\ude00{private[1:]}"]') == ["😀" + private[1:]]
    assert lines(f'["\\ud83d\\ude00{private}"]') == ["1:5: syntax"]


def test_json_indented_with_tabs_is_read() -> None:
    value = {"a": [1, {"b": None}], "c": "d"}
    assert data(json.dumps(value, indent="\t")) == value


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufffe\uffff")
) | st.text(st.sampled_from("\t\n\r\\\"'{}[]:,#&*!|>%@` -0123456789abcdefu😀\ue000"))
keys = texts.map(lambda text: text[:80])  # YAML reads keys of up to 1,024 characters, escapes included
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
    """Numbers with an exponent aside, which are text and a Trap in all YAML."""
    found = document(json.dumps(value, ensure_ascii=ascii_only, indent=indent))
    assert found.data == value
    assert json.dumps(found.data) == json.dumps(value)
    assert found.traps == ()


@given(values, st.sampled_from(["'", '"']), st.booleans(), st.sampled_from(READS))
def test_any_quoted_yaml_reads_back_equal(value: object, style: Any, unicode: bool, read: Read) -> None:
    found = document(yaml.safe_dump(value, default_style=style, allow_unicode=unicode, sort_keys=False), read)
    assert json.dumps(found.data) == json.dumps(value)
    assert found.traps == ()


@given(values)
def test_every_value_is_found_again(value: object) -> None:
    """Reading what stands at the place of a scalar gives that scalar."""
    text = json.dumps(value)
    found = document(text)

    def check(path: tuple[str | int, ...], part: object) -> None:
        assert text[found.mark(path).column - 1 :].startswith(json.dumps(part))
        for step, inner in (
            part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        ):
            check((*path, step), inner)

    check((), value)


JOB = """\
name: &n mnist # comment
roles: {worker: &w {replicas: 3, env: {A: "\\ud83d\\ude00", B: 'on', C: 1e3}}}
ps:
  - <<: *w
    args: [--x, *n, 2024-01-02, !!str 012]
  - text: |
      block
    ? key
    : >-
      folded
--- # next
"""
mutations = st.lists(
    st.tuples(
        st.integers(0, len(JOB)),
        st.integers(0, 3),
        st.text(st.sampled_from("\t\n\r \\\"'{}[]:,#&*!|>%@`-?~<=.0189abxeudU_\x00\x7f\x85\u2028\ufeff😀"), max_size=4),
    ),
    max_size=6,
)


def mutated(changes: list[tuple[int, int, str]]) -> bytes:
    text = JOB
    for at, length, new in changes:
        text = text[:at] + new + text[at + length :]
    return text.encode()


@given(
    st.binary() | st.text().map(lambda text: text.encode(errors="surrogatepass")) | mutations.map(mutated),
    st.sampled_from(READS),
)
def test_whatever_comes_is_read_or_refused(content: bytes, read: Read) -> None:
    """No input makes anything but Documents or an InputError with sorted problems that stand in the file."""
    try:
        assert read(content, "job.yaml")
    except InputError as error:
        found = error.problems
    else:
        return
    end = content.count(b"\n") + content.count(b"\r") + 2  # libyaml takes the end of the text for a line of its own
    assert found
    assert list(found) == sorted(set(found))
    assert all(problem.mark.line <= end for problem in found)


def test_whoever_goes_on_gets_the_last_value_and_the_problem() -> None:
    """Each document has its own problems, and places are those of what counts."""
    first, second = syntax.read(b"a: 1\na: {b: 2}\nc: 3\n---\nd: 4\n", "job.yaml", go_on=True)
    assert first.data == {"a": {"b": 2}, "c": 3}
    assert [problem.rule for problem in first.problems] == ["duplicate-key"]
    assert first.mark(("a", "b")).line == 2
    assert (second.data, second.problems) == ({"d": 4}, ())
