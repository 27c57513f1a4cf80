"""Read Java properties: a flat mapping of texts, with the place of every key and value."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.syntax.text import Comment, Part, controls, decode, without_controls

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS = " \t\f"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BAD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\u(?![0-9a-fA-F]{4}))")
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_BETWEEN = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")

Place = tuple[int, int]  # line and column, from 1


class Entry(NamedTuple):
    """A property, and where its key and its value stand."""

    key: str
    value: str
    key_place: Place
    place: Place


class _Line(NamedTuple):
    """A logical line: its characters, and the place of each and of its end."""

    text: str
    places: list[Place]


def read(data: bytes, file: str) -> list[Document]:
    """The one document of a file, or InputError with every problem found."""
    text, problems = without_controls(decode(data, file), file)
    lines = list(_lines(text))
    problems += [problem for line in lines for problem in _bad_escapes(line, file)]
    entries = [_entry(line) for line in lines]
    problems += [problem for entry in entries for problem in _controls(entry, file)]
    problems += _duplicates(entries, file)
    if not entries and not problems:
        problems.append(Problem(Mark(file), "there are no properties in this file; expected key=value", "empty"))
    if problems:
        raise InputError(sorted(set(problems)))
    return [_document(file, entries)]


def parts(text: str) -> list[Part]:
    """The comments of a file; those that begin with '!' as those that begin with '#'."""
    found = []
    for number, line in enumerate(_split(text), 1):
        if line.lstrip(_BLANKS)[:1] in ("#", "!"):
            column = len(line) - len(line.lstrip(_BLANKS)) + 1
            found.append(Comment(number, column, f"#{line.strip(_BLANKS)[1:]}", alone=True))
    return [Part(0, found)]


def _controls(entry: Entry, file: str) -> Iterator[Problem]:
    for message in controls(entry.key + entry.value):
        yield Problem(Mark(file, *entry.place), message, "control-character")


def _duplicates(entries: list[Entry], file: str) -> Iterator[Problem]:
    first: dict[str, Entry] = {}
    for entry in entries:
        if first.setdefault(entry.key, entry) is not entry:
            line = first[entry.key].key_place[0]
            message = f"the key {entry.key!r} already stands in line {line}; expected it once"
            yield Problem(Mark(file, *entry.key_place), message, "duplicate-key")


def _document(file: str, entries: list[Entry]) -> Document:
    found = {entry.key: entry for entry in entries}

    def locate(path: Path, key: bool) -> Mark:
        entry = found.get(str(path[0])) if path else None
        if entry is None:
            return Mark(file, *entries[0].key_place)
        return Mark(file, *(entry.key_place if key else entry.place))

    return Document(file, {entry.key: entry.value for entry in entries}, locate)


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _lines(text: str) -> Iterator[_Line]:
    """Logical lines: a backslash at the end of one goes on in the next, whose indentation does not count."""
    characters: list[str] = []
    places: list[Place] = []
    goes_on = False
    for number, line in enumerate(_split(text), 1):
        start = len(line) - len(line.lstrip(_BLANKS))
        if not goes_on and line[start : start + 1] in ("", "#", "!"):
            continue
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        end = len(line) - goes_on
        characters += line[start:end]
        places += [(number, column + 1) for column in range(start, end)]
        if not goes_on:
            yield _Line("".join(characters), [*places, (number, end + 1)])
            characters, places = [], []
    if characters:
        yield _Line("".join(characters), [*places, places[-1]])


def _entry(line: _Line) -> Entry:
    key = _KEY.match(line.text)
    assert key, "the pattern fits any text"
    between = _BETWEEN.match(line.text, key.end())
    assert between, "and so does this one"
    value = line.text[between.end() :]
    return Entry(_unescaped(key[0]), _unescaped(value), line.places[0], line.places[between.end()])


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2])

    plain = _ESCAPE.sub(character, text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _bad_escapes(line: _Line, file: str) -> Iterator[Problem]:
    for match in _BAD_ESCAPE.finditer(line.text):
        message = "this escape is no character; expected four hexadecimal digits after '\\u'"
        yield Problem(Mark(file, *line.places[match.start(1)]), message, "syntax", "write '\\\\' for a backslash")
