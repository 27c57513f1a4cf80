"""The manual, which `chartgen explain` prints: every topic of every kind, and a page for each.

The page of a framework, a format or a stage is the docstring of its module, that of a guide is a
text in `pages`, and all others are made of data. A new kind of topics is a module that makes a
`Kind`, and a line in KINDS.
"""

from collections.abc import Iterable, Iterator

from chartgen.errors import UsageError
from chartgen.manual import (
    devices,
    examples,
    fields,
    formats,
    frameworks,
    guides,
    kits,
    rules,
    stages,
)
from chartgen.manual.base import Kind, table
from chartgen.startup.records import NamedTuple
from chartgen.words import did_you_mean_or_known, either, near

# Where a name is in several kinds, the first of them is meant.
KINDS = (
    guides.KIND,
    frameworks.KIND,
    frameworks.ROLES,
    formats.KIND,
    examples.KIND,
    fields.KIND,
    devices.CLOUDS,
    devices.ACCELERATORS,
    devices.FABRICS,
    kits.KIND,
    stages.KIND,
    rules.KIND,
)

_CONTENTS = """\
chartgen explain TOPIC        print a page of this manual
chartgen explain KIND NAME    the same, if a name is in several groups: chartgen explain format mars
chartgen COMMAND --help       the options of a command"""


class Page(NamedTuple):
    """What there is to read about a topic."""

    lines: list[str]
    see_also: list[str]  # commands
    verbatim: bool  # a file to start from, not to be mixed with anything else


def contents() -> Iterator[str]:
    """The table of contents."""
    yield from _CONTENTS.splitlines()
    for kind in KINDS:
        yield ""
        yield f"{kind.title} ({kind.name})"
        for line in kind.contents():
            yield f"  {line}"


def topics() -> list[str]:
    """Every topic, as a shell completes it; of the fields only the first level."""
    names: dict[str, None] = {}
    for kind in KINDS:
        for name in kind.names():
            names[fields.qualify(name) if kind is fields.KIND else name] = None
    return [*names]


def explain(topic: str) -> Page:
    """The page of a topic."""
    for kind in KINDS:
        if kind.knows(topic):
            return _page(kind, topic)
    return _explain_kind(topic)


def explain_as(kind_name: str, topic: str) -> Page:
    """The page of a topic of a given kind."""
    kinds = {kind.name: kind for kind in KINDS}
    if kind_name not in kinds:
        hint = did_you_mean_or_known(kind_name, kinds)
        raise UsageError(f"there is no kind of topic {kind_name!r}; {hint}")
    kind = kinds[kind_name]
    if not kind.knows(topic):
        hint = _near(topic, kind.names()) or f"`chartgen list {kind.plural}` lists what there is"
        raise UsageError(f"there is no {kind.name} {topic!r}; {hint}")
    return _page(kind, topic)


def _page(kind: Kind, topic: str) -> Page:
    """The page, with what is related to it and with topics of other kinds that have its name."""
    others = [f"{other.name} {topic}" for other in KINDS if other != kind and other.knows(topic)]
    commands = []
    for words in dict.fromkeys((*others, *kind.related(topic))):
        commands.append(f"chartgen explain {words}")
    return Page(list(kind.page(topic)), commands, kind.verbatim)


def _explain_kind(word: str) -> Page:
    """A list of the topics of a kind, if the word names one; else there is no such topic."""
    for kind in KINDS:
        if word in (kind.name, kind.plural):
            return Page(list(table(kind.rows())), [], verbatim=False)
    known = topics()
    known += fields.names()
    hint = _near(word, known) or "`chartgen explain` lists the topics"
    raise UsageError(f"there is nothing named {word!r} to explain; {hint}")


def _near(word: str, known: Iterable[str]) -> str:
    meant = near(word, known)
    return f"did you mean {either(meant)}?" if meant else ""
