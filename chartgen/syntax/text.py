"""What all syntaxes share: the interface of a reader, decoding, and characters not allowed."""

import re
from collections.abc import Callable, Iterator, Mapping

from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Protocol

# Helm's YAML writer fails silently on these characters, or its reader on what was written. U+0085,
# U+2028 and U+2029 are line breaks to some YAML readers only.
# Patterns are compiled on first use, because compiling takes longer than reading a good file.
_CONTROL = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
# In a file also the byte order mark that is left where two files were joined.
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
_MOST_CONTROLS = 100  # problems to report; a binary file has millions of such characters

Position = tuple[int, int]  # line and column, from 1


class ReadOptions(NamedTuple):
    """The options of readers of text; each uses those that concern its syntax."""

    defines: Mapping[str, str] | None = None  # values of the variables in command lines
    pattern: str = ""  # which commands of a script to read; all if none matches
    keep_duplicates: bool = False  # return documents with duplicate keys, and report those there


DEFAULTS = ReadOptions()


class Syntax(Protocol):
    """A module that reads one syntax."""

    def read(self, data: bytes, file: str, options: ReadOptions, /) -> list[Document]:
        """The documents of a text, or InputError with every problem found."""

    def parts(self, text: str, /) -> "list[TextPart]":
        """The comments of a text that can be read, part by part."""


class Comment(NamedTuple):
    """A comment from its '#' to the end of its line; lines and columns count from 1."""

    line: int
    column: int
    text: str
    alone: bool  # on a line of its own


class TextPart(NamedTuple):
    """The comments of one document of a stream."""

    line: int  # of the '---' that the document begins with; 0 for the first
    comments: list[Comment]


def decode(data: bytes, file: str) -> str:
    """The text without its byte order mark; InputError if it is not UTF-8, or has conflicts."""
    for bom, name in _OTHER_ENCODINGS.items():
        if data.startswith(bom):
            message = f"the file is {name}; expected UTF-8"
            raise InputError([Problem(Mark(file), message, "file-encoding", _SAVE)])
    try:
        text = data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise InputError([_not_utf8(error, file)]) from None
    if conflicts := list(_conflicts(text, file)):
        raise InputError(conflicts)
    return text


def without_controls(text: str, file: str) -> tuple[str, list[Problem]]:
    """The text with a space for each character that is not allowed, and the problems."""
    problems: list[Problem] = []
    # A cheaper test finds that nearly every text is plain.
    if not text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        for mark, char in _find(_RAW, text, file):
            problems.append(Problem(mark, _not_allowed(char), "file-control-character"))
            if len(problems) == _MOST_CONTROLS:
                break
        text = re.sub(_RAW, lambda match: "" if match[0] == _BOM else " ", text, flags=re.MULTILINE)
    return text, problems


def controls(value: str) -> list[str]:
    """A message for each character of a value that is not allowed; it was made by an escape."""
    return [_not_allowed(char) for char in dict.fromkeys(re.findall(_CONTROL, value))]


def hide_surrogates(text: str) -> tuple[str, Callable[[str, int, int], str] | None]:
    r"""A text of the same length in which each `\ud83d` is replaced by an escape that YAML reads.

    JSON writes U+1F600 as `\ud83d\ude00`, and YAML refuses both halves. The function that is
    returned restores the value of a scalar, given where the scalar starts and ends in the text.
    """
    escapes = list(re.finditer(_SURROGATE, text)) if "\\u" in text else []
    code = _unused_character(text) if escapes else None
    if code is None:
        return text, None
    from bisect import bisect_left  # few texts have such escapes

    starts = [match.start() for match in escapes]
    # In double quotes the character; elsewhere, or after another backslash, its six characters.
    stand_in = re.compile(rf"{chr(int(code, 16))}|\\u{code}")

    def restore(value: str, start: int, end: int) -> str:
        inside = escapes[bisect_left(starts, start) : bisect_left(starts, end)]
        # Count from the end: there may be more of them, in the comment after a `|`.
        originals = iter(inside[len(inside) - len(stand_in.findall(value)) :])
        value = stand_in.sub(lambda match: _original(next(originals), len(match[0]) == 1), value)
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    return re.sub(_SURROGATE, rf"\\u{code}", text), restore


def _original(match: re.Match[str], is_character: bool) -> str:
    return chr(int(match[1], 16)) if is_character else match[0]


def _unused_character(text: str) -> str | None:
    """The hexadecimal digits of a private character that is not in the text, nor its escape."""
    lower = text.lower()
    for code in _PRIVATE:
        if chr(code) not in text and f"{code:04x}" not in lower:
            return f"{code:04x}"
    return None


def _not_allowed(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return f"U+{ord(char):04X} is half of a surrogate pair; expected both halves"
    if char == _BOM:
        return (
            "there is a byte order mark (U+FEFF) inside the file; "
            "expected it at the start or not at all"
        )
    return (
        f"the character U+{ord(char):04X} is not allowed; "
        "expected printable text, tabs and line breaks"
    )


def _not_utf8(error: UnicodeDecodeError, file: str) -> Problem:
    head = split_lines(error.object[: error.start].decode().removeprefix(_BOM))
    message = f"the byte 0x{error.object[error.start]:02x} is not UTF-8 text; expected UTF-8"
    return Problem(Mark(file, len(head), len(head[-1]) + 1), message, "file-encoding", _SAVE)


def _conflicts(text: str, file: str) -> Iterator[Problem]:
    if any(marker in text for marker in _MARKERS):
        for mark, marker in _find(_CONFLICT, text, file):
            message = f"there is a merge conflict here ('{marker}'); expected it to be resolved"
            hint = "keep one side and remove the marker lines"
            yield Problem(mark, message, "file-merge-conflict", hint)


def _find(pattern: str, text: str, file: str) -> Iterator[tuple[Mark, str]]:
    for number, line in enumerate(split_lines(text), 1):
        for match in re.finditer(pattern, line):
            yield Mark(file, number, match.start() + 1), match[0]


def split_lines(text: str) -> list[str]:
    """The lines of a text, as YAML and editors count them."""
    return re.split(r"\r\n|\r|\n", text)
