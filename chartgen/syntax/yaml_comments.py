"""Find the comments of a YAML text and where they stand; readers of data pass over them."""

import re
from collections.abc import Iterator

from chartgen.syntax.text import Comment, Part

_COMMENT = re.compile(r"#[^\n]*")


def parts(text: str) -> list[Part]:
    """All comments of a stream, in order, document by document."""
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\n"
    found = [Part(0, [])]
    for start in _starts(text):
        if text.startswith("#", start):
            found[-1].comments.append(_comment(text, start))
        else:
            found.append(Part(text.count("\n", 0, start) + 1, []))
    return found


def _starts(text: str) -> Iterator[int]:
    """Where a '#' stands between two tokens, or behind the '|' of a text in lines; and every '---' on its own."""
    from ruamel.yaml import YAML  # only `convert` needs it, and it takes its time to import
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
    except YAMLError:  # the reader of the data is another; what this one cannot read has no comments from here on
        return
    yield from _within(text, end, len(text))


def _within(text: str, start: int, end: int) -> Iterator[int]:
    return (match.start() for match in _COMMENT.finditer(text, start, end))


def _comment(text: str, start: int) -> Comment:
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start]
    found = text[start : text.index("\n", start)].rstrip()
    return Comment(text.count("\n", 0, start) + 1, len(before) + 1, found, not before.removeprefix("---").strip())
