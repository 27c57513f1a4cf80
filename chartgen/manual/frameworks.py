"""Frameworks: the page of each is the docstring of its module."""

from collections.abc import Iterator

from chartgen import frameworks
from chartgen.manual import examples
from chartgen.manual.base import Kind, TopicRow, one_each
from chartgen.native import formats


def page(name: str) -> list[str]:
    """The docstring."""
    return (frameworks.framework(name).__doc__ or "").rstrip().splitlines()


def rows() -> Iterator[TopicRow]:
    """Each framework with its roles."""
    for name in frameworks.names():
        module = frameworks.framework(name)
        about = page(name)[0].removeprefix(f"{module.TITLE}: ")
        yield {"name": name, "roles": ",".join(module.ROLES) or "any", "about": about}


def role_rows() -> Iterator[TopicRow]:
    """The roles of all frameworks."""
    for name in frameworks.names():
        roles = frameworks.framework(name).ROLES or {"any": "as the job names and uses it"}
        for role, about in roles.items():
            yield {"framework": name, "role": role, "about": about}


def _contents() -> Iterator[str]:
    return one_each((row["name"], row["about"]) for row in rows())


def _related(name: str) -> Iterator[str]:
    for form, entry in formats().items():
        if name in (entry.framework, *entry.also):
            yield f"format {form}" if form in frameworks.names() else form
    for row in examples.rows():
        if row["framework"] == name:
            yield row["name"]


KIND = Kind(
    "framework",
    "frameworks",
    "Frameworks",
    frameworks.names,
    page,
    rows,
    _contents,
    _related,
)
