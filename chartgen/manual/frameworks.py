"""Frameworks, whose pages are the docstrings of their modules, and the roles that they have."""

from collections.abc import Iterator

from chartgen import frameworks
from chartgen.manual import examples
from chartgen.manual.base import Kind, TopicRow, names_only, one_each, table
from chartgen.native import formats
from chartgen.words import listed


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


def roles() -> list[str]:
    """The names of the roles of all frameworks that have names for them, each once."""
    named: list[str] = []
    for name in frameworks.names():
        named += frameworks.framework(name).ROLES
    return [*dict.fromkeys(named)]


def role_page(role: str) -> Iterator[str]:
    """What the role does in each framework that has it."""
    rows = [row for row in role_rows() if row["role"] == role]
    yield f"{role}: a role of {listed([row['framework'] for row in rows], 'and')}"
    yield ""
    yield from table({"framework": row["framework"], "about": row["about"]} for row in rows)


def _related_to_role(role: str) -> Iterator[str]:
    yield from (row["framework"] for row in role_rows() if row["role"] == role)
    yield f"job.roles.{role}"


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
ROLES = Kind(
    "role",
    "roles",
    "Roles",
    roles,
    role_page,
    role_rows,
    lambda: names_only(roles()),
    _related_to_role,
)
