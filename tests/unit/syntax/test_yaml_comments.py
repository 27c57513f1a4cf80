"""Comments in YAML: each is found at its place, and nothing else is taken for a comment."""

from chartgen.syntax.text import Comment, TextPart
from chartgen.syntax.yaml.comments import parts

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
    assert part == TextPart(
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


def test_comments_are_separated_by_document() -> None:
    separated = parts("# one\na: 1\n--- # two\nb: 1 # beside\n---\nc: '---'\n# three")
    assert [(part.line, [comment.text for comment in part.comments]) for part in separated] == [
        (0, ["# one"]),
        (3, ["# two", "# beside"]),
        (5, ["# three"]),
    ]
    assert separated[1].comments[0].alone, "a comment behind '---' belongs to what follows"


def test_any_line_ending_is_accepted() -> None:
    for end in ("\r\n", "\r"):
        assert parts(TEXT.replace("\n", end)) == parts(TEXT)


def test_the_last_line_needs_no_line_ending() -> None:
    assert [comment.text for comment in parts("a: | # beside")[0].comments] == ["# beside"]


def test_the_comments_before_a_syntax_error_are_found() -> None:
    """Another reader reports the error; this one just finds no more comments."""
    assert [comment.text for comment in parts("# head\na: 'open\n# foot")[0].comments] == ["# head"]


def test_an_empty_text_has_no_comments() -> None:
    assert parts("") == [TextPart(0, [])]
