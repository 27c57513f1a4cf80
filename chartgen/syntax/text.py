"""The formats of jobs, one `read(data: bytes, file: str) -> list[Document]` each; and what holds for all text.

Each also finds its comments, by `parts(text: str) -> list[Part]`; those of YAML are found in `comments`.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from chartgen.errors import InputError, Mark, Problem

# Helm's YAML writer fails silently on these, or its reader on what it wrote; U+0085, U+2028 and U+2029 are line breaks
# to some YAML readers only.
# The patterns are compiled when they are first used, because compiling takes longer than reading a good file.
_CONTROL = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
# In the file itself also: the mark left where two files were joined.
_RAW = f"{_CONTROL}|^\ufeff"
_CONFLICT = r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r]|$)"
_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_SURROGATE = r"\\u([dD][89a-fA-F][0-9a-fA-F]{2})"
_PRIVATE = range(0xE000, 0xF900)
_BOM = "\ufeff"
_OTHER_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_SAVE = "save it as UTF-8"
# A binary file has millions of them; nobody reads more than this.
_MOST_CONTROLS = 100


class Comment(NamedTuple):
    """A comment from its '#' to the end of its line; lines and columns count from 1."""

    line: int
    column: int
    text: str
    alone: bool  # on a line of its own


class Part(NamedTuple):
    """The comments of one document of a stream, and the line of the '---' that it begins with; 0 for the first."""

    line: int
    comments: list[Comment]


def decode(data: bytes, file: str) -> str:
    """The text without its byte order mark; raises InputError if it is not UTF-8 or holds merge conflicts."""
    for bom, name in _OTHER_ENCODINGS.items():
        if data.startswith(bom):
            raise InputError([Problem(Mark(file), f"the file is {name}; expected UTF-8", "encoding", _SAVE)])
    try:
        text = data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise InputError([_not_utf8(error, file)]) from None
    if conflicts := list(_conflicts(text, file)):
        raise InputError(conflicts)
    return text


def without_controls(text: str, file: str) -> tuple[str, list[Problem]]:
    """The text with a space for each character that is not allowed, so that the rest can be read; and the Problems."""
    problems: list[Problem] = []
    # Plain text is told by a cheaper test.
    if not text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        for mark, char in _find(_RAW, text, file):
            problems.append(Problem(mark, _not_allowed(char), "control-character"))
            if len(problems) == _MOST_CONTROLS:
                break
        text = re.sub(_RAW, lambda match: "" if match[0] == _BOM else " ", text, flags=re.MULTILINE)
    return text, problems


def controls(value: str) -> list[str]:
    """What to say about each character of a value, made by an escape, that is not allowed."""
    return [_not_allowed(char) for char in dict.fromkeys(re.findall(_CONTROL, value))]


def hide_surrogates(text: str) -> tuple[str, Callable[[str, int, int], str] | None]:
    r"""JSON writes U+1F600 as `\ud83d\ude00`, and YAML refuses both halves: a text of the same length that it reads.

    Returned with it: what makes the original of a scalar's value again, given where the scalar starts and ends.
    """
    found = list(re.finditer(_SURROGATE, text)) if "\\u" in text else []
    code = _unused(text) if found else None
    if code is None:
        return text, None
    places = [match.start() for match in found]
    # The escape itself, in double quotes; elsewhere, or after another backslash, its six characters.
    stand_in = re.compile(rf"{chr(int(code, 16))}|\\u{code}")

    def restore(value: str, start: int, end: int) -> str:
        inside = found[bisect_left(places, start) : bisect_left(places, end)]
        # From the end: there may be more, in the comment that `|` can have.
        originals = iter(inside[len(inside) - len(stand_in.findall(value)) :])
        value = stand_in.sub(lambda match: _original(next(originals), len(match[0]) == 1), value)
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    return re.sub(_SURROGATE, rf"\\u{code}", text), restore


def _original(match: re.Match[str], is_character: bool) -> str:
    return chr(int(match[1], 16)) if is_character else match[0]


def _unused(text: str) -> str | None:
    """A private character that the text has neither as itself nor as an escape, in hexadecimal digits."""
    lower = text.lower()
    return next((f"{code:04x}" for code in _PRIVATE if chr(code) not in text and f"{code:04x}" not in lower), None)


def _not_allowed(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return f"U+{ord(char):04X} is half of a surrogate pair and no character; expected both halves"
    if char == _BOM:
        return "a byte order mark (U+FEFF) stands inside the file; expected it at the start or not at all"
    return f"the character U+{ord(char):04X} is not allowed; expected printable text, tabs and line breaks"


def _not_utf8(error: UnicodeDecodeError, file: str) -> Problem:
    head = _lines(error.object[: error.start].decode().removeprefix(_BOM))
    message = f"the byte 0x{error.object[error.start]:02x} is not UTF-8 text; expected UTF-8"
    return Problem(Mark(file, len(head), len(head[-1]) + 1), message, "encoding", _SAVE)


def _conflicts(text: str, file: str) -> Iterator[Problem]:
    if any(marker in text for marker in _MARKERS):
        for mark, marker in _find(_CONFLICT, text, file):
            message = f"a merge conflict was left here ('{marker}'); expected it resolved"
            yield Problem(mark, message, "merge-conflict", "keep one side and remove the marker lines")


def _find(pattern: str, text: str, file: str) -> Iterator[tuple[Mark, str]]:
    for number, line in enumerate(_lines(text), 1):
        for match in re.finditer(pattern, line):
            yield Mark(file, number, match.start() + 1), match[0]


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)
