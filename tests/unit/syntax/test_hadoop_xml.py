"""Hadoop's XML: properties with their places; nothing is expanded and nothing is loaded."""

import pytest

from chartgen.errors import InputError
from chartgen.syntax import hadoop_xml

TEXT = """\
<?xml version="1.0"?>
<!-- two -->
<configuration>
  <property><name>a.b</name><value> x &lt; y </value></property>
  <property>
    <name>é</name>
    <value>1</value>
    <final>true</final>
  </property>
  <property><name>a.b</name><value>z</value></property>
</configuration>
"""


def refusals(text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        hadoop_xml.read(text.encode(), "site.xml")
    return [f"{problem.mark}: {problem.rule}" for problem in error.value.problems]


def test_properties_have_their_values_and_places() -> None:
    """Of a property that is given twice the last value counts, as with Hadoop."""
    (document,) = hadoop_xml.read(TEXT.encode(), "site.xml")
    assert document.data == {"a.b": "z", "é": "1"}
    assert document.mark(("a.b",))[1:] == (10, 36)
    assert document.mark(("é",), key=True)[1:] == (6, 11)
    assert document.mark(("é",))[1:] == (7, 12)


def test_comments_are_kept() -> None:
    (part,) = hadoop_xml.parts(TEXT)
    assert [(comment.line, comment.text) for comment in part.comments] == [(2, "# two")]


@pytest.mark.parametrize(
    "inside",
    [
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">',
        '<!ENTITY b SYSTEM "file:///etc/passwd">',
        '<!ENTITY % b SYSTEM "http://example.com/b.dtd"> %b;',
    ],
)
def test_an_entity_is_never_expanded(inside: str) -> None:
    text = f"<!DOCTYPE configuration [{inside}]>\n{TEXT.partition('?>')[2].replace('z', '&b;')}"
    (refusal,) = refusals(text)
    assert refusal.endswith("xml-doctype")


def test_an_entity_without_a_definition_is_a_problem() -> None:
    assert refusals(TEXT.replace(">z<", ">&secret;<")) == ["site.xml:10:36: file-syntax"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("<configuration>", "1:16"),
        ("<settings></settings>", "1:1"),
        ("<configuration><name>a</name></configuration>", "1:16"),
        ("<configuration><property><value>a</value></property></configuration>", "1:42"),
    ],
)
def test_what_hadoop_does_not_have_is_a_problem_with_its_place(text: str, place: str) -> None:
    assert refusals(text)[0] == f"site.xml:{place}: file-syntax"


def test_a_file_without_properties_is_empty() -> None:
    assert refusals("<configuration/>") == ["site.xml:1:1: file-empty"]
