"""Read one call of a named function in a Python text as data, with the place of every argument.

Nothing is executed. An object of a named class becomes a mapping with the class as its key, such as
{"Volume": {"name": "tmp"}}. What only a running Python could know is left as an Expression.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.budget import DEPTH, LIMITS, Budget, OverBudgetError
from chartgen.syntax.python_source import (
    LARGEST,
    Names,
    Source,
    compute,
    find_calls,
    find_constants,
    find_module,
    function_name,
    nesting_problem,
)
from chartgen.syntax.text import Comment, TextPart, controls, decode, without_controls
from chartgen.words import listed


class Signature(NamedTuple):
    """The function to look for, and the names of its positional arguments."""

    function: str
    arguments: Sequence[str]
    classes: Mapping[str, Sequence[str]]  # whose objects are data too: their positional arguments
    example: str  # an argument with its keyword, for messages
    modules: tuple[str, ...] = ("",)  # whose function it is; names begin so
    users: tuple[str, ...] = ()  # functions of programs that use what this one makes
    advice: str = ""  # for such a program


class Expression(str):
    """The source of an expression whose value only a running Python knows."""

    __slots__ = ()


# Where the data has the module of another signature than the first: no argument has this name.
MODULE = "import"


def read(data: bytes, file: str, signatures: Sequence[Signature]) -> list[Document]:
    """The one call of a text, or InputError with every problem found.

    The function of each signature has the same name; the import says which of them it is.
    """
    text, problems = without_controls(decode(data, file), file)
    if problems:
        raise InputError(sorted(set(problems)))
    source = Source(file, text)
    tree = source.parse()
    calls = find_calls(tree, signatures[0].function)
    if len(calls) != 1:
        raise InputError(_other_than_one(source, calls, signatures[0]))
    module = find_module(tree, calls[0])
    matching = [each for each in signatures if not module or module.startswith(each.modules)]
    if not matching:
        raise InputError([_other_module(source, calls[0], module, signatures)])
    signature = matching[0]
    reader = _CallReader(source, find_constants(tree, calls[0]), signature)
    try:
        arguments = reader.call(calls[0], (), signature.arguments)
    except RecursionError:
        raise InputError([nesting_problem(source.mark(calls[0]))]) from None
    except OverBudgetError:
        message = f"the names in this call expand to more than {LIMITS}; expected fewer"
        raise InputError([Problem(source.mark(calls[0]), message, "value-too-large")]) from None
    if reader.problems:
        raise InputError(sorted(set(reader.problems)))
    others = {} if signature is signatures[0] else {MODULE: module}
    return [Document(file, others | arguments, reader.locate)]


def expressions(value: Any, path: Path = ()) -> Iterator[tuple[Path, Expression]]:
    """Every Expression in a value, with its path."""
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, Expression):
        yield path, value
    elif isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for step, item in items:
        yield from expressions(item, (*path, step))


def parts(text: str, function: str) -> list[TextPart]:
    """The comments in the call's statement and right above it, and at the head of the file.

    All others belong to other code.
    """
    from tokenize import COMMENT, generate_tokens  # only `convert` asks for comments

    source = Source("", text)
    lines, tree = source.lines, source.parse()
    start, end = _statement(tree, find_calls(tree, function)[0])
    first_code = above = 0  # line numbers: the first with code, the last before the statement
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            first_code = first_code or number
            above = number if number < start else above
    comments = []
    for token in generate_tokens(iter([f"{line}\n" for line in lines]).__next__):
        number, column = token.start
        if token.type == COMMENT and (number < first_code or above < number <= end):
            alone = not lines[number - 1][:column].strip()
            comments.append(Comment(number, column + 1, token.string.rstrip(), alone))
    return [TextPart(0, comments)]


def _statement(tree: ast.AST, call: ast.Call) -> tuple[int, int]:
    """The first line of the innermost statement around a call, and the last line of the call."""
    start, end = 0, call.end_lineno or call.lineno
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            around = node.lineno <= call.lineno and (node.end_lineno or node.lineno) >= end
            start = max(start, node.lineno) if around else start
    return start, end


def _other_than_one(
    source: Source, calls: Sequence[ast.Call], signature: Signature
) -> Iterator[Problem]:
    """A file describes one job."""
    name = signature.function
    if not calls:
        users = [call for user in signature.users for call in find_calls(source.parse(), user)]
        place = source.mark(users[0]) if users else Mark(source.file)
        message = f"no call of {name} in this text; expected {name}({signature.example}, ...)"
        yield Problem(place, message, "python-call-missing", signature.advice if users else "")
    for call in calls[1:]:
        message = f"{name} is already called on line {calls[0].lineno}; expected one call in a file"
        yield Problem(
            source.mark(call), message, "python-call-twice", "put each call into its own file"
        )


def _other_module(
    source: Source, call: ast.Call, module: str, signatures: Sequence[Signature]
) -> Problem:
    expected = listed([signature.modules[0] for signature in signatures])
    function = signatures[0].function
    message = f"{function} of {module} is another function; expected that of {expected}"
    hint = f"import it from {signatures[0].modules[0]}, if this is what it was written for"
    return Problem(source.mark(call), message, "python-other-module", hint)


class _CallReader:
    """Turns the arguments of a call into data, and remembers where values and keywords start."""

    def __init__(self, source: Source, names: Names, signature: Signature) -> None:
        self.source = source
        self.names = names
        self.classes = signature.classes
        self.hint = f"write keywords and values, such as {signature.example}"
        self.problems: list[Problem] = []
        self.places: dict[Path, tuple[Mark, Mark]] = {}  # of the keyword, and of the value
        self.budget = Budget()
        self.borrowed = False  # whether the current value is there by a name

    def locate(self, path: Path, key: bool) -> Mark:
        """The place of a path, or of the nearest value around it."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path][0 if key else 1]

    def call(self, call: ast.Call, path: Path, positional: Sequence[str]) -> dict[str, Any]:
        """The arguments of a call, by keyword."""
        start = self.source.mark(call)
        self.places.setdefault(path, (start, start))
        arguments: dict[str, Any] = {}
        for name, mark, value in self._named(call, positional):
            if name in arguments:
                message = f"{name} is given twice; expected it once"
                self.report(mark, message, "key-duplicate")
            else:
                arguments[name] = self._value(value, (*path, name), mark)
        return arguments

    def _named(
        self, call: ast.Call, positional: Sequence[str]
    ) -> Iterator[tuple[str, Mark, ast.expr]]:
        """Name, place and value of each argument that can be named without running Python."""
        unknown = "gives arguments that are known only when Python runs"
        for index, value in enumerate(call.args):
            mark = self.source.mark(value)
            if isinstance(value, ast.Starred):
                self.report(mark, f"'*' {unknown}", "python-value-unknown", self.hint)
                break
            if index == len(positional):
                limit = f"takes at most {index} arguments without a keyword"
                message = f"{function_name(call)} {limit}; this is one more"
                self.report(mark, message, "python-argument-unnamed", self.hint)
                break
            yield positional[index], mark, value
        for keyword in call.keywords:
            mark = self.source.mark(keyword)
            if keyword.arg is None:
                self.report(mark, f"'**' {unknown}", "python-value-unknown", self.hint)
            else:
                yield keyword.arg, mark, keyword.value

    def _value(self, node: ast.expr, path: Path, key: Mark | None = None) -> Any:
        """The data that an expression means, or the Expression itself."""
        if isinstance(node, ast.Name) and node.id in self.names and not self.borrowed:
            self.borrowed = True
            value = self._value(self.names[node.id], path, key)
            self.borrowed = False
            return value
        node = self.names.get(node.id, node) if isinstance(node, ast.Name) else node
        if self.borrowed:
            self.budget.spend(1)
        mark = self.source.mark(node)
        self.places[path] = (key or mark, mark)
        if len(path) > DEPTH:
            self.problems.append(nesting_problem(mark))
            return None
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.List(elts) | ast.Tuple(elts):
                return [self._value(item, (*path, index)) for index, item in enumerate(elts)]
            case ast.Dict(keys, values):
                return self._mapping(zip(keys, values, strict=True), path)
            case ast.UnaryOp() | ast.BinOp() if (number := compute(node, self.names)) is not None:
                return number
            case ast.JoinedStr() if (text := self._joined(node)) is not None:
                return self._constant(ast.copy_location(ast.Constant(text), node))
            case ast.Call() if (name := function_name(node)) in self.classes:
                self.places[*path, name] = (mark, mark)
                return {name: self.call(node, (*path, name), self.classes[name])}
        return self._expression(node)

    def _joined(self, node: ast.JoinedStr) -> str | None:
        """The text of an f-string of constants; None if it has another part."""
        text = ""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.conversion != -1 or part.format_spec is not None:
                    return None
                part = part.value
            if isinstance(part, ast.Name):
                part = self.names.get(part.id, part)
            number = compute(part, self.names)
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                text += part.value
            elif number is not None:
                text += str(number)
            else:
                return None
        return text

    def _mapping(
        self, items: Iterable[tuple[ast.expr | None, ast.expr]], path: Path
    ) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in items:
            mark = self.source.mark(key or value)
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                self.report(mark, "the key is not text; expected text in quotes", "key-not-text")
            elif key.value in mapping:
                message = f"the key {key.value!r} is given twice; expected it once"
                self.report(mark, message, "key-duplicate")
            else:
                self._constant(key)
                mapping[key.value] = self._value(value, (*path, key.value), mark)
        return mapping

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, str):
            if self.borrowed:
                self.budget.spend(0, len(value))
            for message in controls(value):
                self.report(self.source.mark(node), message, "file-control-character")
            return value
        if value is None or (isinstance(value, int) and abs(value) < LARGEST):
            return value
        if isinstance(value, int):
            message = f"this number has {value.bit_length():,} bits; expected at most 100"
            self.report(self.source.mark(node), message, "value-out-of-range")
            return None
        if isinstance(value, float) and isfinite(value):
            return value
        return self._expression(node)

    def _expression(self, node: ast.expr) -> Expression:
        text = Expression(ast.unparse(node))
        if self.borrowed:
            self.budget.spend(0, len(text))
        return text

    def report(self, mark: Mark, message: str, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(mark, message, rule, hint))
