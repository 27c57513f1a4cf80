"""What the kinds of topics share: what each of them states, and how its topics are listed."""

from collections.abc import Callable, Collection, Iterable, Iterator
from textwrap import wrap

from chartgen.startup.records import NamedTuple

WIDTH = 100  # columns of a page

TopicRow = dict[str, str]  # a row of a list: its first column is the topic's name


def _nothing(_: str) -> Iterator[str]:
    return iter(())


class Kind(NamedTuple):
    """A kind of topics: `chartgen explain NAME TOPIC` prints one, `chartgen list PLURAL` all."""

    name: str
    plural: str
    title: str  # above its topics in the table of contents
    names: Callable[[], Collection[str]]
    page: Callable[[str], Iterable[str]]
    rows: Callable[[], Iterable[TopicRow]]
    contents: Callable[[], Iterable[str]]  # its lines in the table of contents
    related: Callable[[str], Iterable[str]] = _nothing  # commands to read on with
    accepts: Callable[[str], bool] | None = None  # other names that have a page
    verbatim: bool = False  # a page is a file to start from, so nothing is added to it

    def knows(self, name: str) -> bool:
        """Whether there is such a topic."""
        return name in self.names() or (self.accepts is not None and self.accepts(name))


def one_each(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Contents with a line for each topic: its name, and what it is about."""
    pairs = list(rows)
    width = max(len(name) for name, _ in pairs)
    for name, about in pairs:
        yield from wrap(f"{name:{width}}  {about}", WIDTH - 2, subsequent_indent=" " * (width + 2))


def names_only(names: Iterable[str]) -> list[str]:
    """Contents with the names of the topics only."""
    return wrap(", ".join(names), WIDTH - 2, break_on_hyphens=False)


def table(rows: Iterable[TopicRow]) -> Iterator[str]:
    """Aligned columns under their names."""
    entries = list(rows)
    lines = [[name.upper() for name in entries[0]]]
    for entry in entries:
        lines.append([*entry.values()])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)]
        yield "  ".join(cells).rstrip()
