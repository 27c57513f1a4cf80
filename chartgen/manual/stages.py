"""Stages of `chartgen test`: the page of each is the docstring of its module."""

from collections.abc import Iterator

from chartgen.manual.base import Kind, TopicRow, names_only
from chartgen.verify import STAGES


def names() -> list[str]:
    """In the order in which they run."""
    return [stage.name for stage in STAGES]


def page(name: str) -> Iterator[str]:
    """The docstring, below what it is a page of."""
    stage = next(stage for stage in STAGES if stage.name == name)
    yield f"{name}: a stage of `chartgen test`{', with --cluster' if stage.needs_cluster else ''}."
    yield ""
    yield from stage.manual.rstrip().splitlines()


def rows() -> Iterator[TopicRow]:
    """What each stage does."""
    for stage in STAGES:
        yield {"name": stage.name, "about": stage.summary}


KIND = Kind(
    "stage",
    "stages",
    "Stages of `chartgen test`",
    names,
    page,
    rows,
    lambda: names_only(names()),
    lambda _: ["testing"],
)
