"""YAML as people write it: data, places, anchors and merges."""

import json
from itertools import pairwise

import pytest

from chartgen.syntax.text import ReadOptions
from chartgen.syntax.yaml import reader as syntax
from tests.support.yaml_reading import Read, data, document, documents, either, lines, problems

# -- data


@either
def test_all_kinds_of_values_become_plain_data(read: Read) -> None:
    """Maps, lists, text, numbers, booleans and null become Python's own types."""
    text = (
        "a: [x, 'y', \"z\", 1, -2, 0.5, true, false, null, ~]\n"
        "b:\n  c: |\n    block\n  d: >-\n    fol\n    ded\ne:\n"
    )
    assert data(text, read) == {
        "a": ["x", "y", "z", 1, -2, 0.5, True, False, None, None],
        "b": {"c": "block\n", "d": "fol ded"},
        "e": None,
    }


@either
def test_keys_are_their_source_text(read: Read) -> None:
    """Overrides by index, `on`, a date: a key is always the text a person wrote."""
    text = "{2: a, 0-3: b, 012: c, on: d, 2024-01-02: e, ~: f, 1.50: g, ! h: h, !!int 7: i}"
    assert list(data(text, read)) == ["2", "0-3", "012", "on", "2024-01-02", "~", "1.50", "h", "7"]


@either
def test_every_document_of_a_stream_is_read(read: Read) -> None:
    """Several documents are several jobs; those with nothing but comments do not count."""
    text = "# head\n---\na: 1\n---\n# nothing\n---\n~\n---\n''\n...\n---\n"
    assert [document.data for document in documents(text, read)] == [{"a": 1}, None, ""]


@either
@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment\n", "---\n", "---\n# a\n---\n...\n", "\ufeff"]
)
def test_a_file_without_a_document_is_a_problem(text: str, read: Read) -> None:
    (problem,) = problems(text, read)
    assert (problem.mark.line, problem.mark.column, problem.rule) == (1, 1, "file-empty")
    assert "expected a YAML or JSON document" in problem.message


@either
def test_all_line_endings_and_a_byte_order_mark_are_accepted(read: Read) -> None:
    for end in ("\n", "\r\n", "\r"):
        parsed = document(f"\ufeffa: 1{end}b: |{end}  x{end}  y{end}", read)
        assert parsed.data == {"a": 1, "b": "x\ny\n"}
        assert parsed.mark(("b",), key=True)[1:] == (2, 1)


@either
def test_the_tags_of_plain_values_may_be_written(read: Read) -> None:
    text = (
        "[!!str 012, !!int '7', !!float '1', !!bool 'on', !!null '', !!map {a: 1}, !!seq [1], ! x]"
    )
    parsed = document(text, read)
    assert parsed.data == ["012", 7, 1.0, True, None, {"a": 1}, [1], "x"]
    assert isinstance(parsed.data[2], float)
    assert parsed.traps == ()


@either
def test_other_tags_are_problems(read: Read) -> None:
    """Each is reported, on values, keys and collections; no object is ever made from a tag."""
    text = (
        "a: !foo 1\nb: !!python/object:os.system {x: !bar y}\nc: !!binary aGk=\nd: !!set {a}\n"
        "!k e: 1\nf: !!timestamp 2024-01-02\ng: !!map x\nh: !!str [x]\ni: !<x> y\n"
    )
    reported = problems(text, read)
    assert [problem.mark.line for problem in reported] == [1, 2, 2, 3, 4, 5, 6, 7, 8, 9]
    assert {problem.rule for problem in reported} == {"yaml-tag"}
    assert (
        reported[1].message
        == "the tag '!!python/object:os.system' is not supported; expected the value alone"
    )


@either
@pytest.mark.parametrize(
    "text", ["!!int x", "!!int ''", "!!null x", "!!bool maybe", "!!float x", "!!int " + "1" * 400]
)
def test_a_tag_that_does_not_fit_its_value_is_a_problem(text: str, read: Read) -> None:
    assert lines(text, read) == ["1:1: yaml-tag"]


@either
def test_a_key_must_be_text(read: Read) -> None:
    """This also catches an unquoted template."""
    assert lines("? [a]\n: 1\n? {b: c}\n: 2\n", read) == ["1:3: key-not-text", "3:3: key-not-text"]
    (problem,) = problems("image: {{ .Values.image }}\n", read)
    assert problem.hint == "put text that starts with '{' or '[' in quotes"


@either
def test_every_duplicate_key_is_a_problem(read: Read) -> None:
    """Each is reported at its place with the line of the first; values below are still read."""
    reported = problems(
        "a: 1\n'2': x\na:\n  b: 1\n  b: 2\n2: y\n---\na: 3\nb: 1\na: 4\na: 5\n", read
    )
    assert [(problem.mark.line, problem.mark.column, problem.rule) for problem in reported] == [
        (line, column, "key-duplicate")
        for line, column in [(3, 1), (5, 3), (6, 1), (10, 1), (11, 1)]
    ]
    assert reported[0].message == "the key 'a' is already set on line 1; expected it once"
    assert reported[4].message == "the key 'a' is already set on line 8; expected it once"


def test_if_duplicates_are_kept_the_last_value_counts_and_the_problem_is_recorded() -> None:
    """Each document has its own problems, and places are those of the value that counts."""
    text = b"a: 1\na: {b: 2}\nc: 3\n---\nd: 4\n"
    first, second = syntax.read(text, "job.yaml", ReadOptions(keep_duplicates=True))
    assert first.data == {"a": {"b": 2}, "c": 3}
    assert [problem.rule for problem in first.problems] == ["key-duplicate"]
    assert first.mark(("a", "b")).line == 2
    assert (second.data, second.problems) == ({"d": 4}, ())


# -- places


def test_places_of_values_keys_and_what_is_missing() -> None:
    """Both count from 1, columns in characters; a missing path has the place of its parent."""
    parsed = document(
        'name: "é😀"\nroles:\n  - {größe: 1, b: [x, y]}\n  - "\\ud83d\\ude00": z\nlast:\n'
    )
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
    assert {path: parsed.mark(path)[1:] for path in places} == places
    keys = {
        (): (1, 1),
        ("roles",): (2, 1),
        ("roles", 0): (3, 5),
        ("roles", 0, "b"): (3, 16),
        ("last", "x"): (5, 1),
    }
    assert {path: parsed.mark(path, key=True)[1:] for path in keys} == keys
    assert parsed.mark(("name",)).file == "job.yaml"


def test_integers_find_keys_that_look_like_them() -> None:
    parsed = document("overrides:\n  2: {a: b}\n")
    assert (
        parsed.mark(("overrides", 2), key=True)
        == parsed.mark(("overrides", "2"), key=True)
        == ("job.yaml", 2, 3)
    )


# -- anchors, aliases, merges


@either
def test_merge_keys_give_way_to_explicit_ones(read: Read) -> None:
    """Earlier mappings win over later ones, a mapping's own keys over all; places are kept."""
    parsed = document(
        "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\n"
        "d: {<<: {w: 4, <<: *b}}\n",
        read,
    )
    assert parsed.data["c"] == {"x": 1, "y": 1, "z": 3}
    assert parsed.data["d"] == {"w": 4, "y": 2, "z": 2}
    assert parsed.mark(("c", "y"))[1:] == (1, 17)
    assert parsed.mark(("c", "z"))[1:] == (3, 8)
    assert parsed.mark(("d", "z"), key=True)[1:] == (2, 14)


@either
def test_a_quoted_merge_key_is_a_key(read: Read) -> None:
    assert data("'<<': {a: 1}", read) == {"<<": {"a": 1}}


@either
def test_only_mappings_can_be_merged(read: Read) -> None:
    assert lines("a: &a {x: 1}\nb: {<<: 3}\nc: {<<: [*a, 4]}\nd: {<<: *a, <<: *a}", read) == [
        "2:9: yaml-merge-key",
        "3:14: yaml-merge-key",
        "4:13: key-duplicate",
    ]


def chain(first: str, link: str, letters: str = "abcdefghi") -> str:
    """Lines that each contain the one before ten times."""
    rest = pairwise(letters)
    return "".join(
        [f"a: &a {first}\n", *(f"{b}: &{b} {link % ','.join([f'*{a}'] * 10)}\n" for a, b in rest)]
    )


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("text", "place"),
    [
        (chain("[x, x, x, x, x, x, x, x, x, x]", "[%s]"), "5:4"),
        (chain("{x: 1, y: 2}", "{k: [%s]}"), "6:11"),
        (
            "a: &a {"
            + ", ".join(f"k{i}: 1" for i in range(1000))
            + "}\nb: {<<: ["
            + "*a," * 101
            + "]}",
            "2:4",
        ),
    ],
    ids=["lists", "maps", "merges"],
)
def test_aliases_that_blow_up_are_refused_at_once(text: str, place: str) -> None:
    """A billion values in nine lines are refused after the first 100,000."""
    assert lines(text) == [f"{place}: yaml-alias-bomb"]


@pytest.mark.unmeasured
def test_aliases_up_to_the_limit_are_read() -> None:
    """A hundred thousand values by alias are accepted, and any number that is written out."""
    text = "a: &a [" + "x," * 999 + "]\nb: [" + "*a," * 100 + "]\n"
    assert len(data(text)["b"]) == 100
    assert lines(text + "c: *a\n") == ["2:4: yaml-alias-bomb"]
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
    assert lines(text, read) == [f"1:{column}: yaml-alias-loop"]


@pytest.mark.unmeasured
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
        "{k: &b0 {},"
        + "".join(f"k{i}: &b{i + 1} {{<<: *b{i}}}," for i in range(2000))
        + "<<: *b2000}",
    ],
    ids=["lists", "maps", "items", "keys", "empty", "101", "block", "aliases", "merges"],
)
def test_deep_nesting_is_a_problem(text: str, read: Read) -> None:
    (problem,) = problems(text, read)
    assert problem.rule == "value-too-deep"
    assert "100 levels" in problem.message


@either
def test_a_hundred_levels_are_read(read: Read) -> None:
    assert json.dumps(data("[" * 100 + "1" + "]" * 100, read)) == "[" * 100 + "1" + "]" * 100
