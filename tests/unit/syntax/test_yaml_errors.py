"""Text that is not YAML, or not allowed: each mistake has a clear answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.errors import InputError
from tests.support.yaml_reading import READS, Read, data, either, lines, problems

SYNTAX = {
    "a:\n\tb: 1\n": (2, 1, "a tab is not allowed here; expected spaces"),
    "a:\n  b: 1\n\tc: 2\n": (3, 1, "a tab is not allowed here; expected spaces"),
    "a:\n  - x\n \t- y\n": (3, 2, "a tab is not allowed here; expected spaces"),
    'b: 1\na: "x\nc: d\n': (2, 4, "this quote is never closed"),
    "a: ['x, y]\n---\n": (1, 5, "this quote is never closed"),
    "a: [1, 2\n": (1, 4, "this bracket is never closed"),
    "a: {x: 1\n\n": (1, 4, "this bracket is never closed"),
    "b:\na: [1, 2\nc: 3\n": (3, 2, "expected ',' or ']' for the bracket on line 2"),
    "a: {x: 1]\n": (1, 9, "expected ',' or '}' for the bracket on line 1"),
    "a: 1\nfoo\nb: 2\n": (2, 1, "this line has no ':'; expected 'key: value'"),
    "a: b: c\n": (1, 5, "a ':' is not allowed here; indent like the line before, or quote text"),
    "a: 1\n  b: 2\n": (2, 4, "a ':' is not allowed here"),
    "a: ? b\n": (1, 4, "a '?' is not allowed here"),
    "a: - b\n": (1, 4, "a list item ('- ') is not allowed here; expected it on a line of its own"),
    "a:\n    b: 1\n  c: 2\n": (
        3,
        3,
        "this does not fit what starts on line 1; expected the same indentation",
    ),
    "- a\nb: 1\n": (2, 1, "this does not fit what starts on line 1; expected the same indentation"),
    "  a: 1\nb: 2\n": (
        2,
        1,
        "the document ended before this; expected the same indentation of all keys",
    ),
    "a: 'it's'\n": (1, 8, "the value ended before this; expected quotes around the whole text"),
    '{"a": 1} x\n': (1, 10, "the value ended before this; expected quotes around the whole text"),
    "a: [\n": (2, 1, "the text ends before a bracket is closed"),
    "a: [1,,2]\n": (1, 7, "expected a value here"),
    "a: @x\n": (1, 4, "a value cannot start with this character; expected quotes around it"),
    "a: %x\n": (1, 4, "a value cannot start with this character; expected quotes around it"),
    'a: "\\d"\n': (
        1,
        None,
        "this escape is unknown in double quotes; write '\\\\' for a backslash",
    ),
    'a: "\\xZZ"\n': (1, 7, "this escape is not a character"),
    'a: "\\UFFFFFFFF"\n': (1, None, "this escape is not a character"),
    'a: "\\U00110000"\n': (1, None, "this escape is not a character"),
    "a: *x\n": (1, 4, "this alias has no anchor before it"),
    "args: [*.py]\n": (1, 8, "text that starts with '*' or '&' needs quotes"),
    "a: &x 1\nb: &x 2\n": (2, 4, "this anchor is already defined on line 1; expected another name"),
    "a: |x\n  b\n": (
        1,
        5,
        "expected the end of the line; text after '|' or '>' starts on the next line",
    ),
    "a: !e!foo x\n": (1, 4, "tags are not supported"),
    "%YAML 3.0\n---\na: 1\n": (1, 1, "this is not YAML: found incompatible YAML document"),
}


@either
@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_errors_are_reported_in_clear_words(text: str, read: Read) -> None:
    """One problem, at the place where a person looks first."""
    line, column, message = SYNTAX[text]
    (problem,) = problems(text, read)
    assert problem.rule == "file-syntax"
    assert problem.mark[1:] == (line, column or problem.mark.column)
    assert problem.message.startswith(message)


def test_problems_before_a_syntax_error_are_reported_too() -> None:
    """And in the order of the file."""
    assert lines("a: 1\na: \x07\n---\nb: [1\n") == [
        "2:1: key-duplicate",
        "2:4: file-control-character",
        "4:4: file-syntax",
    ]


@either
def test_merge_conflicts_come_before_anything_else(read: Read) -> None:
    """Each marker with its line, and none of the errors they cause."""
    text = (
        "a: 1\r\n<<<<<<< HEAD\r\nb: [\r\n||||||| base\r\n=======\r\n\tb: 2\r\n>>>>>>> topic\r\nb: 3"
    )
    assert lines(text, read) == [f"{line}:1: file-merge-conflict" for line in (2, 4, 5, 7)]


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
    assert problem.rule == "file-encoding"
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


@pytest.mark.unmeasured
@either
@pytest.mark.parametrize("char", [*REFUSED, "\ufffe", "\uffff"], ids=ascii)
def test_control_characters_in_the_text_are_problems(char: str, read: Read) -> None:
    """Each with its place and code point, wherever it is."""
    reported = problems(f"é: x{char}y{char}\n# {char}\n", read)
    assert [(problem.mark.line, problem.mark.column) for problem in reported] == [
        (1, 5),
        (1, 7),
        (2, 3),
    ]
    assert {problem.rule for problem in reported} == {"file-control-character"}
    assert f"U+{ord(char):04X}" in reported[0].message


@pytest.mark.unmeasured
@either
@pytest.mark.parametrize("char", REFUSED, ids=ascii)
def test_control_characters_by_escape_are_problems(char: str, read: Read) -> None:
    """In a value or in a key; reported once for each value."""
    escape = f"\\u{ord(char):04x}"
    reported = problems(f'a: "{escape} {escape}"\n"{escape}": 1\n', read)
    assert [(problem.mark.line, problem.mark.column) for problem in reported] == [(1, 4), (2, 1)]
    assert {problem.rule for problem in reported} == {"file-control-character"}
    assert f"U+{ord(char):04X}" in reported[0].message


def test_a_byte_order_mark_in_the_middle_is_a_problem() -> None:
    """It remains where files were joined, and would be part of the key after it."""
    (problem,) = problems("a: 1\n---\n\ufeffa: 2\n")
    assert problem.message.startswith("there is a byte order mark (U+FEFF) inside the file")
    assert data("a: x\ufeffy") == {"a": "x\ufeffy"}


def test_only_the_first_control_characters_of_a_binary_file_are_reported() -> None:
    assert len(problems(b"\0" * 100_000)) == 100


@either
def test_tabs_line_breaks_and_carriage_returns_by_escape_are_text(read: Read) -> None:
    assert data('"\\t\\n\\r\\_\\/"', read) == "\t\n\r\xa0/"


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
        st.text(
            st.sampled_from(
                "\t\n\r \\\"'{}[]:,#&*!|>%@`-?~<=.0189abxeudU_\x00\x7f\x85\u2028\ufeff😀"
            ),
            max_size=4,
        ),
    ),
    max_size=6,
)


def mutated(changes: list[tuple[int, int, str]]) -> bytes:
    text = JOB
    for at, length, new in changes:
        text = text[:at] + new + text[at + length :]
    return text.encode()


@given(
    st.binary()
    | st.text().map(lambda text: text.encode(errors="surrogatepass"))
    | mutations.map(mutated),
    st.sampled_from(READS),
)
def test_any_input_is_read_or_refused(content: bytes, read: Read) -> None:
    """Any input gives Documents or an InputError with sorted problems at places in the file."""
    try:
        assert read(content, "job.yaml")
    except InputError as error:
        reported = error.problems
    else:
        return
    # libyaml counts the end of the text as a line.
    end = content.count(b"\n") + content.count(b"\r") + 2
    assert reported
    assert list(reported) == sorted(set(reported))
    assert all(problem.mark.line <= end for problem in reported)
