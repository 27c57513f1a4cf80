"""Read what `helm template` and `helm get` print: the objects, and what cannot be one."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator

from chartgen.document import Document, Trap
from chartgen.errors import InputError, Problem
from chartgen.startup.typing import Any
from chartgen.syntax.yaml import reader as yaml_reader

_SEPARATOR = re.compile(r"^---\n", re.MULTILINE)
_SOURCE = "# Source: "
_KIND = re.compile(r"^kind: *(\S+)", re.MULTILINE)


def read(printed: bytes, file: str) -> tuple[list[Document], list[Problem]]:
    """The objects, each named by its kind and name, and the problems of what is not an object."""
    try:
        documents = yaml_reader.read(printed, file)
    except InputError as error:
        blank = all(problem.rule == "file-empty" for problem in error.problems)
        return [], [] if blank else list(error.problems)
    objects: list[Document] = []
    problems: list[Problem] = []
    for document in documents:
        for item in _items(document):
            data = item.data
            if why := _not_an_object(data):
                problems.append(Problem(document.mark(), why, "object-invalid"))
            elif data is not None:
                objects.append(item._replace(file=f"{data['kind']}/{data['metadata']['name']}"))
    return objects, problems


def sources(printed: str, objects: Iterable[Document]) -> dict[str, str]:
    """The template that each object comes from, by object: Helm prints it above each."""
    lines, templates = [], []
    for number, line in enumerate(printed.splitlines(), 1):
        if line.startswith(_SOURCE):
            lines.append(number)
            templates.append(line.removeprefix(_SOURCE))
    by_object = {}
    for document in objects:
        index = bisect(lines, document.mark().line) - 1
        if index >= 0:
            by_object[document.file] = templates[index]
    return by_object


def keep_few(printed: str, most: int) -> str:
    """The same text with at most so many objects of a kind: replicas differ only in numbers.

    The others become empty lines, so that all lines keep their numbers.
    """
    seen: Counter[str] = Counter()
    kept = []
    for text in _SEPARATOR.split(printed):
        kind = _KIND.search(text)
        seen[kind[1] if kind else ""] += 1
        kept.append(text if not kind or seen[kind[1]] <= most else "\n" * text.count("\n"))
    return "---\n".join(kept)


def _items(document: Document) -> Iterator[Document]:
    """The items of a List, which is not an object itself; or the document."""
    data = document.data
    items = data.get("items") if isinstance(data, dict) and data.get("kind") == "List" else None
    if not isinstance(items, list):
        yield document
        return
    for index, item in enumerate(items):
        traps = []
        for trap in document.traps:
            if trap.path[:2] == ("items", index):
                traps.append(Trap(trap.path[2:], trap.text))
        yield document._replace(data=item, traps=tuple(traps))


def _not_an_object(data: Any) -> str:
    """Why something is not an object; a document of comments only is nothing, which is fine."""
    if data is None:
        return ""
    if not isinstance(data, dict):
        return "not a mapping; expected a Kubernetes object"
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str) or not data[field]:
            return f"no {field!r}; expected a Kubernetes object"
    metadata = data.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return f"this {data['kind']} has no name; expected metadata.name, which Helm requires"
    return ""
