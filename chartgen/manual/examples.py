"""Examples of job descriptions: the files in values/jobs, printed as they are."""

from collections.abc import Iterator

from chartgen import resources
from chartgen.manual.base import Kind, TopicRow, names_only


def names() -> list[str]:
    """The examples that ship with chartgen."""
    return [file.removesuffix(".yaml") for file in resources.names("values/jobs")]


def page(name: str) -> list[str]:
    """The file."""
    return resources.text(f"values/jobs/{name}.yaml").splitlines()


def rows() -> Iterator[TopicRow]:
    """Each example says in its first line, a comment, what it is."""
    from chartgen import pipeline  # pages do without it

    for name in names():
        lines = page(name)
        used: dict[str, None] = {}
        for document in pipeline.read("\n".join(lines).encode(), name):
            used[document.data.get("framework", "")] = None
        about = lines[0].removeprefix("# ")
        yield {"name": name, "framework": ",".join(used), "about": about}


KIND = Kind(
    "example",
    "examples",
    "Examples, to start a job description from",
    names,
    page,
    rows,
    lambda: names_only(names()),
    verbatim=True,
)
