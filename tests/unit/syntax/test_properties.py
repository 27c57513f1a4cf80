"""Java properties are read as Java reads them, with the place of every key and value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.syntax.properties import parts, read
from chartgen.syntax.text import Comment, TextPart


def parse(text: str) -> Document:
    (document,) = read(text.encode(), "job.properties")
    return document


def refusals(text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        read(text.encode(), "job.properties")
    return [
        f"{problem.mark}: {problem.message} ({problem.rule})" for problem in error.value.problems
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("a:b", {"a": "b"}),
        ("a b", {"a": "b"}),
        ("  a \t = \t b ", {"a": "b "}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("a==b", {"a": "=b"}),
        ("a=b=c:d", {"a": "b=c:d"}),
        ("a.b-c_d=hdfs://n:1/p", {"a.b-c_d": "hdfs://n:1/p"}),
        ("a\\ b\\:c\\=d=e", {"a b:c=d": "e"}),
        ("a=\\u00e9\\t\\\\x\\q", {"a": "é\t\\xq"}),
        ("a=\\ud83d\\ude00", {"a": "😀"}),
        ("a=é", {"a": "é"}),
        ("# c\n! d\n\n a=#b\n", {"a": "#b"}),
        ("a=b \\\n   c\\\\\nd=\\\n  e", {"a": "b c\\", "d": "e"}),
        ("a=\\\n# b", {"a": "# b"}),
        ("a=b\\", {"a": "b"}),
        ("a=b\r\nc=d\re=f", {"a": "b", "c": "d", "e": "f"}),
    ],
)
def test_properties_are_what_java_makes_of_them(text: str, expected: dict[str, str]) -> None:
    assert parse(text).data == expected


NAMES = st.text(
    st.characters(categories=["L", "N"], include_characters=".-_/"), min_size=1, max_size=10
)
TEXTS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=20)


@given(st.dictionaries(NAMES, TEXTS, min_size=1))
def test_what_java_writes_comes_back(given: dict[str, str]) -> None:
    """Java escapes backslashes, a leading blank, and separators and comment signs anywhere."""

    def escaped(text: str) -> str:
        text = "".join(f"\\{sign}" if sign in "\\=:#!" else sign for sign in text)
        return f"\\{text}" if text.startswith(" ") else text

    written = "".join(f"{escaped(key)}={escaped(value)}\n" for key, value in given.items())
    assert parse(written).data == given


def test_keys_and_values_have_places() -> None:
    document = parse("# x\n  key = value\nlong=\\\n   text\n")
    marks = [
        str(document.mark((name,), key=key)) for name in ("key", "long") for key in (True, False)
    ]
    assert marks == [
        "job.properties:2:3",
        "job.properties:2:9",
        "job.properties:3:1",
        "job.properties:4:4",
    ]
    assert str(document.mark()) == "job.properties:2:3"
    assert str(document.mark(("none",))) == "job.properties:2:3"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a=1\nb=2\na=3", "3:1: the key 'a' is already set on line 1; expected it once"
                          " (key-duplicate)"),
        ("a=\\u12\nb=\\\\u12", "1:3: this escape is not a character; expected four hexadecimal"
                               " digits after '\\u' (file-syntax)"),
        ("a=\\u0007", "1:3: the character U+0007 is not allowed; expected printable text,"
                      " tabs and line breaks (file-control-character)"),
        ("# nothing\n", "1:1: there are no properties in this file; expected key=value"
                        " (file-empty)"),
    ],
)  # fmt: skip
def test_what_nobody_can_mean_is_refused(text: str, refusal: str) -> None:
    assert refusals(text) == [f"job.properties:{refusal}"]


def test_comments_are_found() -> None:
    text = "# one\na=b # no comment\n  !two\n"
    assert parts(text) == [TextPart(0, [Comment(1, 1, "# one", True), Comment(3, 3, "#two", True)])]
