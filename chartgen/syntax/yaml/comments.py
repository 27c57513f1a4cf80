"""Find the comments of a YAML text and their places; readers of data skip them."""

import re
from collections.abc import Iterator

from chartgen.syntax.text import Comment, TextPart

_COMMENT = re.compile(r"#[^\n]*")


def parts(text: str) -> list[TextPart]:
    """All comments of a stream, in order, document by document."""
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\n"
    documents = [TextPart(0, [])]
    for start in _starts(text):
        if text.startswith("#", start):
            documents[-1].comments.append(_comment(text, start))
        else:
            documents.append(TextPart(text.count("\n", 0, start) + 1, []))
    return documents


def _starts(text: str) -> Iterator[int]:
    """Where a comment or a '---' starts; comments are between tokens, or after a block's '|'."""
    from ruamel.yaml import YAML  # only `convert` needs it, and the import is slow
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.tokens import DocumentStartToken, ScalarToken

    end = 0
    try:
        for token in YAML().scan(text):
            start = token.start_mark.index
            yield from _within(text, end, start)
            if isinstance(token, DocumentStartToken):
                yield start
            elif isinstance(token, ScalarToken) and token.style in ("|", ">"):
                yield from _within(text, start, text.index("\n", start))
            end = max(end, token.end_mark.index)
    except YAMLError:  # PyYAML could read it; from here on no comment is found
        return
    yield from _within(text, end, len(text))


def _within(text: str, start: int, end: int) -> Iterator[int]:
    return (match.start() for match in _COMMENT.finditer(text, start, end))


def _comment(text: str, start: int) -> Comment:
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start]
    return Comment(
        line=text.count("\n", 0, start) + 1,
        column=len(before) + 1,
        text=text[start : text.index("\n", start)].rstrip(),
        alone=not before.removeprefix("---").strip(),
    )
