"""Native formats: the page of each is the docstring of the module that adopts it."""

from collections.abc import Iterator
from importlib import import_module

from chartgen.manual.base import Kind, TopicRow, one_each
from chartgen.native import format_of, formats


def page(name: str) -> list[str]:
    """The docstring."""
    return (import_module(format_of(name).module).__doc__ or "").rstrip().splitlines()


def rows() -> Iterator[TopicRow]:
    """Each format with the frameworks that it is for, and the versions that are read."""
    for name, form in formats().items():
        yield {
            "name": name,
            "framework": ",".join((form.framework, *form.also)),
            "versions": form.versions,
            "about": form.about,
        }


def _contents() -> Iterator[str]:
    return one_each((name, form.about) for name, form in formats().items())


def _related(name: str) -> Iterator[str]:
    form = format_of(name)
    for framework in (form.framework, *form.also):
        yield f"framework {framework}" if framework == name else framework
    yield "formats"


KIND = Kind(
    "format",
    "formats",
    "Formats of other systems",
    formats,
    page,
    rows,
    _contents,
    _related,
)
