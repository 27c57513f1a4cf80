"""Rendered: what `helm template` prints, as the objects it means, with what no Kubernetes could take for one."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from chartgen.document import Document, Trap
from chartgen.errors import InputError, Problem
from chartgen.syntax import yaml_reader as yaml

_SEPARATOR = re.compile(r"^---\n", re.MULTILINE)
_SOURCE = "# Source: "
_KIND = re.compile(r"^kind: *(\S+)", re.MULTILINE)


def read(printed: bytes, file: str) -> tuple[list[Document], list[Problem]]:
    """The objects, each called by its kind and name, and what is wrong with what is none."""
    objects: list[Document] = []
    problems: list[Problem] = []
    try:
        documents = yaml.read(printed, file)
    except InputError as error:
        blank = all(problem.rule == "empty" for problem in error.problems)
        return [], [] if blank else list(error.problems)
    for document in documents:
        for one in _flat(document):
            why = _no_object(one.data)
            if why:
                problems.append(Problem(document.mark(), why, "no-object"))
            elif one.data is not None:
                objects.append(one._replace(file=f"{one.data['kind']}/{one.data['metadata']['name']}"))
    return objects, problems


def sources(printed: str, objects: Iterable[Document]) -> dict[str, str]:
    """The template that each object comes from, by what the object is called: Helm says so above each."""
    found = [(line, text) for line, text in enumerate(printed.splitlines(), 1) if text.startswith(_SOURCE)]
    lines = [line for line, _ in found]
    above = ((one.file, bisect(lines, one.mark().line) - 1) for one in objects)
    return {name: found[place][1].removeprefix(_SOURCE) for name, place in above if place >= 0}


def thinned(printed: str, most: int) -> str:
    """The same text with only so many objects of a kind; thousands of replicas differ in numbers only.

    Empty lines stand for the others, so that all lines keep their numbers.
    """
    seen: Counter[str] = Counter()
    kept = []
    for text in _SEPARATOR.split(printed):
        kind = _KIND.search(text)
        seen[kind[1] if kind else ""] += 1
        kept.append(text if not kind or seen[kind[1]] <= most else "\n" * text.count("\n"))
    return "---\n".join(kept)


def _flat(document: Document) -> Iterator[Document]:
    """The objects of a List, which is no object itself; or the document."""
    data = document.data
    if not (isinstance(data, dict) and data.get("kind") == "List" and isinstance(data.get("items"), list)):
        yield document
        return
    for index, item in enumerate(data["items"]):
        traps = tuple(Trap(path[2:], text) for path, text in document.traps if path[:2] == ("items", index))
        yield document._replace(data=item, traps=traps)


def _no_object(data: Any) -> str:
    """Why something is no object; a document that holds only comments is nothing, which is fine."""
    if data is None:
        return ""
    if not isinstance(data, dict):
        return "this is no map; expected an object of Kubernetes"
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str) or not data[field]:
            return f"this has no {field}; expected an object of Kubernetes"
    metadata = data.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return f"this {data['kind']} has no name; expected metadata.name, by which Helm finds it again"
    return ""
