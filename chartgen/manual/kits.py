"""Kits: the page of each is made of its kit.yaml, and of the files beside it."""

from collections.abc import Iterable, Iterator

from chartgen.kits import find
from chartgen.kits.model import Kit
from chartgen.manual.base import Kind, TopicRow, names_only
from chartgen.syntax.yaml.writer import mapping, scalar
from chartgen.words import listed
from chartgen.world import folders


def page(name: str) -> Iterator[str]:
    """What a kit adds to jobs and charts."""
    kit = find.open_kit(name)
    yield f"{kit.name} {kit.version}: {kit.about}."
    yield ""
    yield f"  chartgen render job.yaml -o charts --kit {name}"
    yield ""
    yield f"For {_for(kit)}."
    if kit.values:
        yield from ("", "Values")
        for key, value in kit.values.items():
            yield f"  {kit.name}.{key}: {value['description']}"
            yield f"      {value['type']}, {scalar(value['default'])} by default"
    defaults = {key: value for key, value in kit.defaults.data.items() if key != kit.name}
    if defaults:
        yield from ("", "Defaults of jobs")
        yield from (f"  {line}" for line in mapping(defaults))
    if kit.objects:
        yield from ("", "Templates")
        yield from (f"  {kit.path(name)}" for name in kit.objects)


def _for(kit: Kit) -> str:
    frameworks = f"jobs of {listed([*kit.frameworks])}" if kit.frameworks else "all jobs"
    return f"{frameworks} on {listed([*kit.clouds])}" if kit.clouds else frameworks


def rows(others: Iterable[Kit] = ()) -> Iterator[TopicRow]:
    """The kits that ship with chartgen, and others, each once."""
    shipped = [find.open_shipped(name) for name in find.shipped()]
    places = {kit.folder: "shipped" for kit in shipped}
    for kit in {kit.folder: kit for kit in (*shipped, *others)}.values():
        where = places.get(kit.folder, kit.folder)
        about = {"for": _for(kit), "where": where, "about": kit.about}
        yield {"name": kit.name, "version": kit.version, **about}


KIND = Kind(
    "kit",
    "kits",
    "Kits",
    find.shipped,
    page,
    rows,
    lambda: names_only(find.shipped()),
    lambda _: ["kits"],
    folders.is_kit,
)
