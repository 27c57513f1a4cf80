"""Read the call `new_cluster(...)` of a Python text: its arguments as data, each with its place; nothing is executed.

An object of a volume becomes a mapping with its class as the key: {"EmptyDirVolumeConfig": {"name": "tmp", ...}}. What
only a running Python could tell is left as an Expression.
"""

import ast
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.syntax.python_source import DEPTH, Names, Source, called, calls, computed, names, too_deep
from chartgen.syntax.text import Comment, Part, controls, decode, without_controls

CALLED = "new_cluster"
# What may stand without its keyword, in this order.
ARGUMENTS = (
    "kube_api_client", "image", "scheduler_num", "scheduler_cpu", "scheduler_mem", "worker_num", "worker_cpu",
    "worker_mem", "worker_spill_paths", "worker_cache_mem", "min_worker_num", "web_num", "web_cpu", "web_mem",
    "service_type", "timeout",
)  # fmt: skip
OBJECTS = {
    "HostPathVolumeConfig": ("name", "mount_path", "host_path", "volume_type"),
    "EmptyDirVolumeConfig": ("name", "mount_path", "use_memory"),
}
_SPELT_OUT = "write keywords and values: worker_num=2"


class Expression(str):
    """Python's words for what is no plain value."""

    __slots__ = ()


def read(data: bytes, file: str) -> list[Document]:
    """The one call of a text, or InputError with every problem found."""
    text, problems = without_controls(decode(data, file), file)
    source = Source(file, text)
    if not problems:
        tree = source.parsed()
        found = calls(tree, CALLED)
        problems += _one(source, found)
    if problems:
        raise InputError(sorted(set(problems)))
    arguments = _Arguments(source, names(tree))
    try:
        given = arguments.call(found[0], (), ARGUMENTS)
    except RecursionError:
        raise InputError([too_deep(source.mark(found[0]))]) from None
    if arguments.problems:
        raise InputError(sorted(set(arguments.problems)))
    return [Document(file, given, arguments.locate)]


def expressions(value: Any, path: Path = ()) -> Iterator[tuple[Path, Expression]]:
    """Every Expression in a value, with its path."""
    if isinstance(value, Expression):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from expressions(item, (*path, step))


def parts(text: str) -> list[Part]:
    """The comments in the call's statement and right above it, and at the head of the file; the rest belong to code."""
    from tokenize import COMMENT, generate_tokens  # only `convert` asks for comments

    source = Source("", text)
    lines, tree = source.lines, source.parsed()
    statement, call = _statement(tree, calls(tree, CALLED)[0])
    code = [number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]
    above = max((number for number in code if number < statement), default=0)
    tokens = generate_tokens(iter([f"{line}\n" for line in lines]).__next__)
    found = ((*token.start, token.string) for token in tokens if token.type == COMMENT)
    comments = [
        Comment(line, column + 1, comment.rstrip(), not lines[line - 1][:column].strip())
        for line, column, comment in found
        if above < line <= call or line < code[0]
    ]
    return [Part(0, comments)]


def _statement(tree: ast.AST, call: ast.Call) -> tuple[int, int]:
    """The first line of the innermost statement around a call, and the last line of the call."""
    end = call.end_lineno or call.lineno
    around = [
        node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno <= call.lineno
        and (node.end_lineno or node.lineno) >= end
    ]  # fmt: skip
    return max(around), end


def _one(source: Source, found: Sequence[ast.Call]) -> Iterator[Problem]:
    """A file is one job, as a description is."""
    if not found:
        message = f"there is no call of {CALLED} in this text; expected {CALLED}(worker_num=2, ...)"
        yield Problem(Mark(source.file), message, "call")
    for call in found[1:]:
        message = f"{CALLED} is called in line {found[0].lineno} already; expected one call in a file, for one job"
        yield Problem(source.mark(call), message, "call", "put each into a file of its own")


class _Arguments:
    """Makes data of the arguments of a call, and remembers where each value and its keyword stand."""

    def __init__(self, source: Source, names: Names) -> None:
        self.source = source
        self.names = names
        self.problems: list[Problem] = []
        self.places: dict[Path, tuple[Mark, Mark]] = {}  # of the keyword, and of the value

    def locate(self, path: Path, key: bool) -> Mark:
        """The place of a path, or of the nearest thing around it."""
        near = next(path[:end] for end in range(len(path), -1, -1) if path[:end] in self.places)
        return self.places[near][0 if key else 1]

    def call(self, call: ast.Call, path: Path, positional: Sequence[str]) -> dict[str, Any]:
        """The arguments of a call, by keyword."""
        start = self.source.mark(call)
        self.places.setdefault(path, (start, start))
        found: dict[str, Any] = {}
        for name, place, value in self.named(call, positional):
            if name in found:
                self.report(place, f"{name} is given a second time; expected it once", "duplicate-key")
            else:
                found[name] = self.value(value, (*path, name), place)
        return found

    def named(self, call: ast.Call, positional: Sequence[str]) -> Iterator[tuple[str, Mark, ast.expr]]:
        """Name, place and value of each argument, but for those that only a running Python could name."""
        for index, value in enumerate(call.args):
            place = self.source.mark(value)
            if isinstance(value, ast.Starred):
                self.report(place, "'*' gives arguments that are known only when Python runs", "call", _SPELT_OUT)
                break
            if index == len(positional):
                message = f"{called(call)} takes {index} arguments without a keyword; this is one more"
                self.report(place, message, "call", _SPELT_OUT)
                break
            yield positional[index], place, value
        for keyword in call.keywords:
            place = self.source.mark(keyword)
            if keyword.arg is None:
                self.report(place, "'**' gives arguments that are known only when Python runs", "call", _SPELT_OUT)
            else:
                yield keyword.arg, place, keyword.value

    def value(self, node: ast.expr, path: Path, key: Mark | None = None) -> Any:
        """The data that an expression stands for, or the Expression itself."""
        node = self.names.get(node.id, node) if isinstance(node, ast.Name) else node
        place = self.source.mark(node)
        self.places[path] = (key or place, place)
        if len(path) > DEPTH:
            self.problems.append(too_deep(place))
            return None
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.List(elts) | ast.Tuple(elts):
                return [self.value(item, (*path, index)) for index, item in enumerate(elts)]
            case ast.Dict(keys, values):
                return self.mapping(zip(keys, values, strict=True), path)
            case ast.UnaryOp() | ast.BinOp() if (number := computed(node, self.names)) is not None:
                return number
            case ast.Call() if (name := called(node)) in OBJECTS:
                self.places[*path, name] = (place, place)
                return {name: self.call(node, (*path, name), OBJECTS[name])}
        return Expression(ast.unparse(node))

    def mapping(self, items: Iterator[tuple[ast.expr | None, ast.expr]], path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                self.report(self.source.mark(key or value), "a key is no text; expected one in quotes", "key")
            elif key.value in found:
                message = f"the key {key.value!r} stands here a second time; expected it once"
                self.report(self.source.mark(key), message, "duplicate-key")
            else:
                self.constant(key)
                found[key.value] = self.value(value, (*path, key.value), self.source.mark(key))
        return found

    def constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, str):
            for message in controls(value):
                self.report(self.source.mark(node), message, "control-character")
            return value
        plain = value is None or isinstance(value, int) or (isinstance(value, float) and isfinite(value))
        return value if plain else Expression(ast.unparse(node))

    def report(self, place: Mark, message: str, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(place, message, rule, hint))
