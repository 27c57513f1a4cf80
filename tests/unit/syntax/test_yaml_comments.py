"""Comments of YAML texts: found where they stand, and nothing taken for one that is none."""

from chartgen.syntax.text import Comment, Part
from chartgen.syntax.yaml_comments import parts

TEXT = """\
# head
name: x#none  # beside
"quoted # none": 'none # either'   # beside the quoted
list: # beside a key
  # before an item
  - |  # beside a bar
    text # none
    # none
  # behind the text
  - [1, # in brackets
     2]
# foot
"""


def test_every_comment_is_found_with_its_place() -> None:
    (part,) = parts(TEXT)
    assert part == Part(
        0,
        [
            Comment(1, 1, "# head", alone=True),
            Comment(2, 15, "# beside", alone=False),
            Comment(3, 36, "# beside the quoted", alone=False),
            Comment(4, 7, "# beside a key", alone=False),
            Comment(5, 3, "# before an item", alone=True),
            Comment(6, 8, "# beside a bar", alone=False),
            Comment(9, 3, "# behind the text", alone=True),
            Comment(10, 9, "# in brackets", alone=False),
            Comment(12, 1, "# foot", alone=True),
        ],
    )


def test_comments_are_told_apart_by_document() -> None:
    found = parts("# one\na: 1\n--- # two\nb: 1 # beside\n---\nc: '---'\n# three")
    assert [(part.line, [comment.text for comment in part.comments]) for part in found] == [
        (0, ["# one"]),
        (3, ["# two", "# beside"]),
        (5, ["# three"]),
    ]
    assert found[1].comments[0].alone, "a comment behind '---' belongs to what follows"


def test_it_does_not_matter_what_ends_a_line() -> None:
    for end in ("\r\n", "\r"):
        assert parts(TEXT.replace("\n", end)) == parts(TEXT)


def test_the_last_line_needs_no_end() -> None:
    assert [comment.text for comment in parts("a: | # beside")[0].comments] == ["# beside"]


def test_what_cannot_be_read_has_the_comments_before_it() -> None:
    """Another reader has judged the text; this one just finds no more comments."""
    assert [comment.text for comment in parts("# head\na: 'open\n# foot")[0].comments] == ["# head"]


def test_no_text_has_no_comments() -> None:
    assert parts("") == [Part(0, [])]
