"""Print a job description that was made from a native text: with the comments it had, and those that explain it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import dropwhile, takewhile
from typing import Any, NamedTuple

from chartgen import native
from chartgen.document import Document, Path
from chartgen.errors import Mark
from chartgen.native.draft import Note
from chartgen.syntax import yaml_reader as yaml
from chartgen.syntax.text import Comment, Part
from chartgen.syntax.yaml_writer import emit

_WIDTH = 100  # columns of our own comments


class Place(NamedTuple):
    """Where a comment goes in the description: before or behind the lines of a path, or at the end of its first."""

    path: Path
    how: str  # before, behind or beside


def adopted(document: Document) -> tuple[Document, tuple[Note, ...]]:
    """The job description that a document without problems means, and what there is to say about it."""
    if not document.form:
        return document, ()
    described, notes, *_ = native.adopt(document)
    assert described is not None, "a document without problems has been adopted before"
    return described, notes


def description(described: Document, notes: Iterable[Note], source: Document, comments: Sequence[Comment]) -> str:
    """The description as YAML; each comment stands by what it stood by, each note by what it is about."""
    page = _Page(described.data)
    finder = _Finder(described, source)
    for comment in comments:
        page.put(finder.place(comment), comment.text)
    for note in notes:
        for line in _wrapped(note.text):
            page.put(Place(note.path, "before"), f"# {line}")
    return page.text()


def comments(text: str, documents: Sequence[Document]) -> list[list[Comment]]:
    """The comments of a text, for each of its documents."""
    found: list[list[Comment]] = [[] for _ in documents]
    lines = [document.mark().line for document in documents]
    starts = _parts(text, documents[0].form)
    for number, part in enumerate(starts):
        end = starts[number + 1].line if number + 1 < len(starts) else None
        inside = [index for index, line in enumerate(lines) if line >= part.line and (end is None or line < end)]
        for comment in part.comments:
            # Several in one part are the items of a List; documents of comments alone are none to the reader of data.
            before = [index for index in inside if lines[index] <= comment.line]
            if inside:
                found[(before or inside[:1])[-1]].append(comment)
    return found


def _parts(text: str, form: str) -> list[Part]:
    syntax = native.FORMATS[form].syntax if form else "yaml_reader"
    module = import_module(f"chartgen.syntax.{'yaml_comments' if syntax == 'yaml_reader' else syntax}")
    parts: list[Part] = module.parts(text)
    return parts


def _wrapped(text: str) -> list[str]:
    from textwrap import wrap  # imported when all else is done

    return wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every path of data, each before those below it."""
    yield path
    steps: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        steps = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    for step, inner in steps:
        yield from _paths(inner, (*path, step))


class _Page:
    """The description's lines, and what is to stand before, behind and beside them."""

    def __init__(self, data: Any) -> None:
        self.lines = emit(data).splitlines()
        (document,) = yaml.read(emit(data).encode(), "")
        self.paths = [*_paths(data)]
        self.first = {path: document.mark(path, key=True).line - 1 for path in self.paths}
        self.before: dict[int, list[str]] = {}
        self.behind: dict[int, list[str]] = {}
        self.beside: dict[int, str] = {}

    def put(self, place: Place, comment: str) -> None:
        first = self.first[place.path]
        indent = " " * (len(self.lines[first]) - len(self.lines[first].lstrip(" ")))
        if place.how == "beside" and first not in self.beside:
            self.beside[first] = f"  {comment}"
        elif place.how == "behind":
            self.behind.setdefault(self.last(place.path), []).append(indent + comment)
        else:
            self.before.setdefault(first, []).append(indent + comment)

    def last(self, path: Path) -> int:
        """The last line of all that stands at a path."""
        behind = dropwhile(lambda other: other[: len(path)] == path, self.paths[self.paths.index(path) :])
        return max(self.first[path], next((self.first[other] for other in behind), len(self.lines)) - 1)

    def text(self) -> str:
        lines: list[str] = []
        for number, line in enumerate(self.lines):
            lines += self.before.get(number, ())
            lines.append(line + self.beside.get(number, ""))
            lines += self.behind.get(number, ())
        return "".join(f"{line}\n" for line in lines)


class _Finder:
    """Finds what a comment of the native text belongs to, and where that went in the description."""

    def __init__(self, described: Document, source: Document) -> None:
        self.described = described
        self.marks = {path: source.mark(path, key=True) for path in _paths(source.data)}
        self.paths = sorted(self.marks, key=lambda path: self.marks[path])
        self.places = [self.marks[path][1:] for path in self.paths]
        self.targets: dict[Mark, list[Path]] = {}
        for path in _paths(described.data):
            self.targets.setdefault(described.mark(path, key=True), []).append(path)

    def place(self, comment: Comment) -> Place:
        """By the value in its line; alone in a line, by what follows or, if indented like it, by what comes before."""
        count = bisect_left(self.places, (comment.line, comment.column))  # of things that start before it
        if not comment.alone:
            return self._beside(count, comment.line)
        if count == len(self.paths) or self._ends_block(comment, count):
            return self._behind(count, comment.column)
        return self._above(self.paths[count])

    def _ends_block(self, comment: Comment, count: int) -> bool:
        """Whether a comment is indented like the lines above it, not like those below."""
        if not count or comment.column <= self.marks[self.paths[count]].column:
            return False
        before, after = self.paths[count - 1 : count + 1]
        return after[: len(before)] != before

    def _beside(self, count: int, line: int) -> Place:
        start = bisect_left(self.places, (line, 0), hi=count)
        found = [target for path in self.paths[start:count] for target in self._targets(path) if target]
        keys = [target for target in found if self._is_key(target)]
        if found:
            return Place((keys or found)[0], "beside")
        return Place(self._around(self.paths[count - 1] if count else ()), "before")

    def _above(self, path: Path) -> Place:
        found = self._targets(path) or self._below(path)
        return Place(found[0] if found else self._around(path), "before")

    def _behind(self, count: int, column: int) -> Place:
        last = self.paths[count - 1] if count else ()
        chain = (last[:end] for end in range(len(last), -1, -1))
        block = next((path for path in chain if self.marks[path].column <= column), ())
        beside = [block]
        if block and not self._below(block):  # nothing of it was kept, but maybe something beside it
            inside = takewhile(lambda path: path != block[:-1], reversed(self.paths[:count]))
            beside += [path for path in inside if len(path) == len(block)]
        keys = [target for path in beside for target in self._targets(path) if self._is_key(target)]
        return Place(keys[0] if keys else self._around(block), "behind")

    def _below(self, path: Path) -> list[Path]:
        """What became of a thing and of all that it holds."""
        start = bisect_left(self.places, self.marks[path][1:])
        later = dropwhile(lambda other: other != path, self.paths[start:])
        inside = takewhile(lambda other: other[: len(path)] == path, later)
        return [target for inner in inside for target in self._targets(inner)]

    def _around(self, path: Path) -> Path:
        """What the nearest thing around a path became; the whole description, if it is out of all that was kept."""
        chain = (path[:end] for end in range(len(path), -1, -1))
        return next(targets[0] for inner in chain if (targets := self._targets(inner)))

    def _targets(self, path: Path) -> list[Path]:
        return self.targets.get(self.marks[path], [])

    def _is_key(self, target: Path) -> bool:
        """Whether a path of the description was a key in the native text, and no item of a list or our own addition."""
        return self.described.mark(target, key=True) != self.described.mark(target)
