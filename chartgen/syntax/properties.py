"""Read Java properties: a flat mapping of texts, with the place of every key and value."""

import re
from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.syntax.text import (
    DEFAULTS,
    Comment,
    Position,
    ReadOptions,
    TextPart,
    controls,
    decode,
    without_controls,
)

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS = " \t\f"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BAD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\u(?![0-9a-fA-F]{4}))")
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_BETWEEN = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")


class Entry(NamedTuple):
    """A property, and the places of its key and its value."""

    key: str
    value: str
    key_place: Position
    place: Position


class _Line(NamedTuple):
    """A logical line: its characters, and the place of each and of its end."""

    text: str
    places: list[Position]


def read(data: bytes, file: str, _options: ReadOptions = DEFAULTS) -> list[Document]:
    """The one document of a file, or InputError with every problem found."""
    text, problems = without_controls(decode(data, file), file)
    entries = []
    for line in _lines(text):
        problems += _bad_escapes(line, file)
        entry = _entry(line)
        problems += _controls(entry, file)
        if not entry.key:
            message = "this line has no key; expected key=value"
            problems.append(Problem(Mark(file, *entry.key_place), message, "file-syntax"))
        entries.append(entry)
    problems += _duplicates(entries, file)
    if not entries and not problems:
        message = "there are no properties in this file; expected key=value"
        problems.append(Problem(Mark(file), message, "file-empty"))
    if problems:
        raise InputError(sorted(set(problems)))
    return [_document(file, entries)]


def parts(text: str) -> list[TextPart]:
    """The comments of a file; a '!' at their start is replaced by a '#'."""
    comments = []
    for number, line in enumerate(_split(text), 1):
        if line.lstrip(_BLANKS)[:1] in ("#", "!"):
            column = len(line) - len(line.lstrip(_BLANKS)) + 1
            comments.append(Comment(number, column, f"#{line.strip(_BLANKS)[1:]}", alone=True))
    return [TextPart(0, comments)]


def _controls(entry: Entry, file: str) -> Iterator[Problem]:
    for message in controls(entry.key + entry.value):
        yield Problem(Mark(file, *entry.place), message, "file-control-character")


def _duplicates(entries: list[Entry], file: str) -> Iterator[Problem]:
    first: dict[str, Entry] = {}
    for entry in entries:
        if entry.key and first.setdefault(entry.key, entry) is not entry:
            line = first[entry.key].key_place[0]
            message = f"the key {entry.key!r} is already set on line {line}; expected it once"
            yield Problem(Mark(file, *entry.key_place), message, "key-duplicate")


def _document(file: str, entries: list[Entry]) -> Document:
    by_key = {entry.key: entry for entry in entries}

    def locate(path: Path, key: bool) -> Mark:
        entry = by_key.get(str(path[0])) if path else None
        if entry is None:
            return Mark(file, *entries[0].key_place)
        return Mark(file, *(entry.key_place if key else entry.place))

    return Document(file, {entry.key: entry.value for entry in entries}, locate)


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _lines(text: str) -> Iterator[_Line]:
    """Logical lines: a line that ends with a backslash continues in the next, unindented."""
    characters: list[str] = []
    places: list[Position] = []
    continued = False
    for number, line in enumerate(_split(text), 1):
        start = len(line) - len(line.lstrip(_BLANKS))
        if not continued and line[start : start + 1] in ("", "#", "!"):
            continue
        continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        end = len(line) - continued
        characters += line[start:end]
        places += [(number, column + 1) for column in range(start, end)]
        if not continued:
            yield _Line("".join(characters), [*places, (number, end + 1)])
            characters, places = [], []
    if characters:
        yield _Line("".join(characters), [*places, places[-1]])


def _entry(line: _Line) -> Entry:
    key = _KEY.match(line.text)
    assert key, "the pattern matches any text"
    between = _BETWEEN.match(line.text, key.end())
    assert between, "so does this one"
    value = line.text[between.end() :]
    return Entry(_unescape(key[0]), _unescape(value), line.places[0], line.places[between.end()])


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2])

    plain = _ESCAPE.sub(character, text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _bad_escapes(line: _Line, file: str) -> Iterator[Problem]:
    for match in _BAD_ESCAPE.finditer(line.text):
        message = "this escape is not a character; expected four hexadecimal digits after '\\u'"
        mark = Mark(file, *line.places[match.start(1)])
        yield Problem(mark, message, "file-syntax", "write '\\\\' for a backslash")
