"""Job descriptions with parameters: templates whose names end in .j2, one job per combination."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from chartgen import pipeline
from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem, UsageError
from chartgen.scaffold.printing import PrintedText, free_names, print_template
from chartgen.scaffold.sandbox import TemplateBudget, TemplateSet
from chartgen.syntax.text import decode, without_controls
from chartgen.words import did_you_mean

_MOST = 1_000  # combinations
_WHOSE = "this description"
_HINT = "give it a value: --define NAME=VALUE, or --matrix NAME=VALUE,VALUE"

Matrix = Mapping[str, Sequence[str]]


def read(
    data: bytes, file: str, form: str, defines: Mapping[str, str], matrix: Matrix
) -> list[Document]:
    """The jobs of a template, for each combination; their places are the template's own lines."""
    size = prod(len(values) for values in matrix.values())
    if size > _MOST:
        raise UsageError(f"--matrix gives {size:,} combinations; the limit is {_MOST:,}")
    text, problems = without_controls(decode(data, file).replace("\r\n", "\n"), file)
    if problems:
        raise InputError(problems)
    _check_use(text, file, matrix)
    described: list[tuple[Document, str]] = []
    for values in product(*matrix.values()):
        chosen = dict(zip(matrix, values, strict=True))
        for document in _read_one(text, file, form, {**defines, **chosen}):
            described.append((document, "-".join(map(_words, chosen, values))))
    if matrix and _names_repeat(document for document, _ in described):
        return [_rename(document, suffix) for document, suffix in described]
    return [document for document, _ in described]


def _check_use(text: str, file: str, matrix: Matrix) -> None:
    """A name that the template does not use would give the same job several times."""
    templates = TemplateSet({file: text}, lambda name: name, {}, TemplateBudget(_WHOSE))
    used = free_names(file, templates) if matrix else set()
    for name in matrix:
        if name not in used:
            hint = did_you_mean(name, used)
            raise UsageError(f"--matrix {name}: {file} does not use {name!r}; {hint}".rstrip("; "))


def _read_one(text: str, file: str, form: str, defines: Mapping[str, str]) -> list[Document]:
    templates = TemplateSet({file: text}, lambda name: name, defines, TemplateBudget(_WHOSE), _HINT)
    printed = print_template(file, templates)
    lines = text.split("\n")
    try:
        documents = pipeline.read(printed.text.encode(), file, form, defines)
    except InputError as error:
        raise InputError(_move(error.problems, printed, lines)) from error
    return [_with_lines(document, printed, lines) for document in documents]


def _with_lines(document: Document, printed: PrintedText, lines: Sequence[str]) -> Document:
    """The same document, whose places are those of the template."""

    def locate(path: Path, key: bool) -> Mark:
        return _origin(document.locate(path, key), printed, lines)

    problems = tuple(_move(document.problems, printed, lines))
    return document._replace(locate=locate, problems=problems)


def _move(
    problems: Sequence[Problem], printed: PrintedText, lines: Sequence[str]
) -> Iterator[Problem]:
    for problem in problems:
        yield problem._replace(mark=_origin(problem.mark, printed, lines))


def _origin(mark: Mark, printed: PrintedText, lines: Sequence[str]) -> Mark:
    """A place in the template; the column too, if nothing was printed before it in its line."""
    origin = printed.mark(mark.line)
    before = printed.text.split("\n")[mark.line - 1 : mark.line]
    written = lines[origin.line - 1] if origin.line <= len(lines) else ""
    same = before and written[: mark.column - 1] == before[0][: mark.column - 1]
    return origin._replace(column=mark.column) if same else origin


def _names_repeat(documents: Iterator[Document]) -> bool:
    names = []
    for document in documents:
        names.append(document.data.get("name") if isinstance(document.data, dict) else None)
    return len({*names}) < len(names)


def _words(name: str, value: str) -> str:
    """A parameter and its value as a part of a job's name."""
    return re.sub("[^a-z0-9]+", "-", f"{name}-{value}".lower()).strip("-")


def _rename(document: Document, suffix: str) -> Document:
    data = document.data
    if document.form or not isinstance(data, dict) or not isinstance(data.get("name"), str):
        return document
    return document._replace(data={**data, "name": f"{data['name']}-{suffix}"})
