"""Read Hadoop's XML configuration: a flat mapping of texts, with the place of every property.

No entity is ever expanded, and nothing else is loaded: a document type is refused.
"""

from xml.parsers import expat

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

_FIELDS = ("name", "value")
# Which elements Hadoop has in which; of a property it needs the first two.
_INSIDE: dict[str, tuple[str, ...]] = {
    "": ("configuration",),
    "configuration": ("property",),
    "property": (*_FIELDS, "final", "description", "source"),
}


class _XmlProperty(NamedTuple):
    """A property, and the places of its name and its value."""

    name: str
    value: str
    name_place: Position
    place: Position


def read(data: bytes, file: str, _options: ReadOptions = DEFAULTS) -> list[Document]:
    """The one document of a file, or InputError with every problem found."""
    text, problems = without_controls(decode(data, file), file)
    reader = _Reader(text, file)
    reader.read()
    problems += reader.problems
    if not reader.properties and not problems:
        message = "there are no properties in this file; expected <property> with name and value"
        problems.append(Problem(Mark(file), message, "file-empty"))
    if problems:
        raise InputError(sorted(set(problems)))
    # Where a property is given twice, Hadoop uses the last.
    return [_document(file, {entry.name: entry for entry in reader.properties})]


def parts(text: str) -> list[TextPart]:
    """The comments of a file, a '#' before each line of them."""
    reader = _Reader(text, "")
    reader.read()
    return [TextPart(0, reader.comments)]


def _document(file: str, properties: dict[str, _XmlProperty]) -> Document:
    def locate(path: Path, key: bool) -> Mark:
        entry = properties.get(str(path[0])) if path else None
        if entry is None:
            return Mark(file, *next(iter(properties.values())).name_place)
        return Mark(file, *(entry.name_place if key else entry.place))

    return Document(file, {name: entry.value for name, entry in properties.items()}, locate)


class _Reader:
    """Collects the properties while expat goes through the text."""

    def __init__(self, text: str, file: str) -> None:
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.file = file
        self.properties: list[_XmlProperty] = []
        self.comments: list[Comment] = []
        self.problems: list[Problem] = []
        self.open: list[str] = []  # elements
        self.fields: dict[str, tuple[str, Position]] = {}  # of the property that is open
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True

    def read(self) -> None:
        """Read everything; the first error of syntax ends it."""
        parser = self.parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse("\n".join(self.lines), True)
        except expat.ExpatError as error:
            what = expat.errors.messages[error.code]
            place = error.lineno, min(error.offset, len(self.lines[error.lineno - 1])) + 1
            self._report(place, f"this is not XML: {what}", "file-syntax")

    def _place(self) -> Position:
        """Where expat is; it counts columns in bytes."""
        line, offset = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber
        before = self.lines[line - 1].encode()[:offset].decode(errors="ignore")
        return line, len(before) + 1

    def _report(self, place: Position, message: str, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(Mark(self.file, *place), message, rule, hint))

    def _doctype(self, *_: object) -> None:
        message = "a document type may name entities and files, which are never read; expected none"
        self._report(self._place(), message, "xml-doctype", "remove the <!DOCTYPE ...> line")
        raise InputError(self.problems)

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        where = self.open[-1] if self.open else ""
        expected = _INSIDE.get(where, ())
        if name not in expected and (expected or where in _INSIDE["property"]):
            known = " or ".join(f"<{element}>" for element in expected)
            message = f"<{name}> is not expected here; expected {known or 'text'}"
            self._report(self._place(), message, "file-syntax")
        self.open.append(name)
        if name == "property":
            self.fields = {}
        elif name in _FIELDS:
            line, column = self._place()
            self.fields[name] = "", (line, column + len(name) + 2)

    def _text(self, text: str) -> None:
        # A field around another property, which was reported, is no longer among them.
        if self.open and self.open[-1] in self.fields:
            before, place = self.fields[self.open[-1]]
            self.fields[self.open[-1]] = before + text, place

    def _end(self, name: str) -> None:
        self.open.pop()
        if name != "property":
            return
        key, place = self.fields.get("name", ("", self._place()))
        value, value_place = self.fields.get("value", ("", place))
        for message in controls(key + value):
            self._report(value_place, message, "file-control-character")
        if key.strip():
            self.properties.append(_XmlProperty(key.strip(), value.strip(), place, value_place))
        else:
            self._report(self._place(), "this property has no name; expected <name>", "file-syntax")

    def _comment(self, text: str) -> None:
        line, column = self._place()
        alone = not self.lines[line - 1][: column - 1].strip()
        for number, part in enumerate(text.strip("\n").split("\n")):
            if part.strip():
                self.comments.append(Comment(line + number, column, f"# {part.strip()}", alone))
