"""Print the job description of a native text as YAML, with the text's comments and the notes."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from chartgen import native
from chartgen.document import Document, Path
from chartgen.errors import Mark
from chartgen.native.draft import Note
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.text import Comment
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.syntax.yaml.writer import emit

_WIDTH = 100  # columns of a note


class Anchor(NamedTuple):
    """Where a comment goes in the description."""

    path: Path
    side: str  # "before" or "after" all lines of the path, or "beside": at the end of the first


def adopt(document: Document) -> tuple[Document, tuple[Note, ...]]:
    """The job description that a document without problems means, and the notes on it."""
    if not document.form:
        return document, ()
    described, notes, *_ = native.adopt(document)
    assert described is not None, "a document without problems has been adopted before"
    return described, notes


def description(
    described: Document, notes: Iterable[Note], source: Document, comments: Sequence[Comment]
) -> str:
    """The description as YAML, each comment and note beside the value that it is about."""
    from textwrap import wrap  # only `convert` needs it

    page = _Page(described.data)
    finder = _AnchorFinder(described, source)
    for comment in comments:
        page.put(finder.find(comment), comment.text)
    for note in notes:
        for line in wrap(note.text, _WIDTH, break_long_words=False, break_on_hyphens=False):
            page.put(Anchor(note.path, "before"), f"# {line}")
    return page.text()


def descriptions(text: bytes, documents: Sequence[Document]) -> Iterator[str]:
    """The descriptions of one file, as YAML with all of its comments."""
    all_comments = comments(text.decode().removeprefix("\ufeff"), documents)
    for document, own in zip(documents, all_comments, strict=True):
        described, notes = adopt(document)
        yield description(described, notes, document, own)


def comments(text: str, documents: Sequence[Document]) -> list[list[Comment]]:
    """The comments of a text, for each of its documents; with those of what completes it."""
    by_document: list[list[Comment]] = [[] for _ in documents]
    owners: dict[int, list[int]] = {}  # the line on which an object begins, and whose it is
    for index, document in enumerate(documents):
        for source in (document, *document.beside):
            owners.setdefault(source.mark().line, []).append(index)
    parts = native.syntax_of(documents[0].form).parts(text)
    for number, part in enumerate(parts):
        end = parts[number + 1].line if number + 1 < len(parts) else None
        # Several if the part is a List; none if it holds comments only.
        inside = [line for line in owners if line >= part.line and (end is None or line < end)]
        for comment in part.comments if inside else ():
            owner = inside[0]
            for line in inside:
                if line <= comment.line:
                    owner = line
            for index in owners[owner]:
                by_document[index].append(comment)
    return by_document


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
    """The lines of the description, and the comments to put before, after and beside them."""

    def __init__(self, data: Any) -> None:
        text = emit(data)
        self.lines = text.splitlines()
        (document,) = yaml_reader.read(text.encode(), "")
        self.paths = [*_paths(data)]
        self.first = {path: document.mark(path, key=True).line - 1 for path in self.paths}
        self.before: dict[int, list[str]] = {}
        self.after: dict[int, list[str]] = {}
        self.beside: dict[int, str] = {}

    def put(self, anchor: Anchor, comment: str) -> None:
        """Put a comment at its anchor; before the line if another is beside it already."""
        first = self.first[anchor.path]
        line = self.lines[first]
        indent = " " * (len(line) - len(line.lstrip(" ")))
        if anchor.side == "beside" and first not in self.beside:
            self.beside[first] = f"  {comment}"
        elif anchor.side == "after":
            self.after.setdefault(self.last(anchor.path), []).append(indent + comment)
        else:
            self.before.setdefault(first, []).append(indent + comment)

    def last(self, path: Path) -> int:
        """The last line of the value at a path."""
        for other in self.paths[self.paths.index(path) :]:
            if other[: len(path)] != path:
                return max(self.first[path], self.first[other] - 1)
        return len(self.lines) - 1

    def text(self) -> str:
        """The whole page."""
        lines: list[str] = []
        for number, line in enumerate(self.lines):
            lines += self.before.get(number, ())
            lines.append(line + self.beside.get(number, ""))
            lines += self.after.get(number, ())
        return "".join(f"{line}\n" for line in lines)


class _AnchorFinder:
    """Finds which value of the native text a comment is about, and what became of that value.

    Both documents lead back to places in the native text: a value of the description became of the
    native value that has the same place, so places are what connects the two.
    """

    def __init__(self, described: Document, source: Document) -> None:
        self.described = described
        self.marks = {path: source.mark(path, key=True) for path in _paths(source.data)}
        self.heads = [(number,) for number, _ in enumerate(source.beside)]
        for number, completing in enumerate(source.beside):
            # A number keeps its paths apart; what is around all of them is the job as a whole.
            for path in _paths(completing.data):
                self.marks[number, *path] = completing.mark(path, key=True)
        self.paths = sorted(self.marks, key=lambda path: self.marks[path])
        self.places = [self.marks[path][1:] for path in self.paths]  # line and column
        self.targets: dict[Mark, list[Path]] = {}
        for path in _paths(described.data):
            self.targets.setdefault(described.mark(path, key=True), []).append(path)

    def find(self, comment: Comment) -> Anchor:
        """A comment after a value is about that value; one on its own line, about what follows.

        But one that is indented like the lines above it, and not like those below, ends a block.
        """
        count = bisect_left(self.places, (comment.line, comment.column))  # values before it
        if not comment.alone:
            return self._beside(count, comment.line)
        if count == len(self.paths) or self._ends_block(comment, count):
            return self._after(count, comment.column)
        following = self.paths[count]
        if following in self.heads:
            return Anchor((), "before")
        targets = self._targets(following) or self._targets_within(following)
        return Anchor(targets[0] if targets else self._around(following), "before")

    def _ends_block(self, comment: Comment, count: int) -> bool:
        """Whether a comment is indented like the lines above it, not like those below."""
        if not count or comment.column <= self.marks[self.paths[count]].column:
            return False
        before, after = self.paths[count - 1 : count + 1]
        return after[: len(before)] != before

    def _beside(self, count: int, line: int) -> Anchor:
        """The first key of the line that was kept, or else the first item of a list."""
        item: Path = ()
        start = bisect_left(self.places, (line, 0), hi=count)
        for path in self.paths[start:count]:
            for target in self._targets(path):
                if target and self._is_key(target):
                    return Anchor(target, "beside")
                item = item or target
        if item:
            return Anchor(item, "beside")
        return Anchor(self._around(self.paths[count - 1] if count else ()), "before")

    def _after(self, count: int, column: int) -> Anchor:
        """The end of the innermost block that starts at the comment's column or left of it."""
        block = self.paths[count - 1] if count else ()
        while block and self.marks[block].column > column:
            block = block[:-1]
        candidates = [block]
        if block and not self._targets_within(block):
            # Nothing of the block was kept, but perhaps something beside it.
            for path in reversed(self.paths[:count]):
                if path == block[:-1]:
                    break
                if len(path) == len(block):
                    candidates.append(path)
        for path in candidates:
            for target in self._targets(path):
                if self._is_key(target):
                    return Anchor(target, "after")
        return Anchor(self._around(block), "after")

    def _targets(self, path: Path) -> list[Path]:
        """What a value became."""
        return self.targets.get(self.marks[path], [])

    def _targets_within(self, path: Path) -> list[Path]:
        """What a value and everything in it became."""
        start = bisect_left(self.places, self.marks[path][1:])
        targets: list[Path] = []
        for inner in self.paths[self.paths.index(path, start) :]:
            if inner[: len(path)] != path:
                break
            targets += self._targets(inner)
        return targets

    def _around(self, path: Path) -> Path:
        """What the nearest value around a path became; if nothing of it was kept, the whole."""
        for length in range(len(path), -1, -1):
            if targets := self._targets(path[:length]):
                return targets[0]
        return ()

    def _is_key(self, target: Path) -> bool:
        """Whether a path was a key in the native text, not a list item or an addition."""
        return self.described.mark(target, key=True) != self.described.mark(target)
