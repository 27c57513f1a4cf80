"""Guides: pages about what no single module does, each a text in `pages`."""

from collections.abc import Iterator

from chartgen import resources
from chartgen.manual import devices, formats, stages
from chartgen.manual.base import Kind, TopicRow, one_each

# In the order in which one would read them, with the kind whose topics a guide ends with.
GUIDES = {
    "chart": None,
    "values": None,
    "upgrades": None,
    "devices": devices.CLOUDS,
    "testing": stages.KIND,
    "project": None,
    "running": None,
    "gitops": None,
    "kits": None,
    "formats": formats.KIND,
    "api": None,
    "problems": None,
    "safety": None,
}


def page(name: str) -> Iterator[str]:
    """The text, and the topics that it introduces."""
    yield from resources.text(f"pages/{name}.txt").splitlines()
    if kind := GUIDES[name]:
        yield ""
        yield kind.title
        for line in one_each((row["name"], row["about"]) for row in kind.rows()):
            yield f"  {line}"


def rows() -> Iterator[TopicRow]:
    """What each guide is about, which is its first line."""
    for name in GUIDES:
        yield {"name": name, "about": next(page(name))}


def _contents() -> Iterator[str]:
    return one_each((row["name"], row["about"]) for row in rows())


KIND = Kind("guide", "guides", "Guides", lambda: GUIDES, page, rows, _contents)
