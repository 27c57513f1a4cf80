"""Read Python without running it: its syntax tree, where nodes start, and the values of names."""

import ast
from bisect import bisect_left
from collections.abc import Callable, Mapping
from itertools import accumulate

from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.typing import Any
from chartgen.syntax.budget import TOO_DEEP

# Arithmetic stops at these sizes: 9 ** 9 ** 9 would use up all memory.
LARGEST = 2**100
_MOST_EXPONENT = 103
_OPERATIONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: lambda left, right: left**right,
}
_SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: lambda value: -value,
    ast.UAdd: lambda value: value,
}


class Names(dict[str, ast.expr]):
    """What names stand for; a number that one of them means is computed once."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        super().__init__(values)
        self._numbers: dict[str, int | float | None] = {}

    def number(self, name: str) -> int | float | None:
        """The number that a name means, if it means one without other names."""
        if name not in self._numbers:
            self._numbers[name] = compute(self[name], _NO_NAMES) if name in self else None
        return self._numbers[name]


_NO_NAMES = Names({})


class Source:
    """The text of one file, and where its nodes start."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._starts: dict[int, list[int]] = {}  # by line, the byte that each character starts at

    def parse(self) -> ast.Module:
        """The syntax tree; a text that is indented as a whole, as in a manual, is accepted too."""
        from warnings import catch_warnings, simplefilter

        indented = False
        for line in self.lines:
            if line.strip() and not line.lstrip().startswith("#"):
                indented = line[0].isspace()
                break
        text = "\n".join(["if True:", *self.lines] if indented else self.lines)
        try:
            with catch_warnings():
                simplefilter("ignore")  # Python warns of texts such as "\d"
                tree = ast.parse(text)
        except SyntaxError as error:
            raise InputError([self.syntax_problem(error, (error.lineno or 1) - indented)]) from None
        except (RecursionError, MemoryError):
            raise InputError([nesting_problem(Mark(self.file))]) from None
        return ast.increment_lineno(tree, -1) if indented else tree

    def syntax_problem(self, error: SyntaxError, line: int) -> Problem:
        """A syntax error; one at the end of a text may name a place after its last line."""
        line = min(line, len(self.lines))
        column = min(max(error.offset or 1, 1), len(self.lines[line - 1]) + 1)
        mark = Mark(self.file, line, column)
        return Problem(mark, f"Python cannot parse this: {error.msg}", "file-syntax")

    def mark(self, node: ast.expr | ast.keyword) -> Mark:
        """Where a node starts; Python counts columns in bytes."""
        line = self.lines[node.lineno - 1]
        if line.isascii():
            return Mark(self.file, node.lineno, node.col_offset + 1)
        if node.lineno not in self._starts:
            lengths = (len(char.encode()) for char in line)
            self._starts[node.lineno] = [*accumulate(lengths, initial=0)]
        before = bisect_left(self._starts[node.lineno], node.col_offset)
        return Mark(self.file, node.lineno, before + 1)


def nesting_problem(mark: Mark) -> Problem:
    """Nesting that is too deep to be meant."""
    return Problem(mark, TOO_DEEP, "value-too-deep")


def find_calls(tree: ast.AST, function: str) -> list[ast.Call]:
    """Every call of a function of this name, in the order of the text."""
    calls = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and function_name(node) == function:
            calls.append(node)
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def function_name(call: ast.Call) -> str:
    """The last name of what is called: `connect` in `package.module.connect(...)`."""
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def find_constants(tree: ast.Module, call: ast.Call | None = None) -> Names:
    """The names with one value wherever they are used, also in the function around a call.

    They are bound once, by an assignment at the top level of the file or of that function.
    """
    constants = _constants(tree, tree.body)
    for node in ast.walk(tree):
        if isinstance(node, _Function) and any(inner is call for inner in ast.walk(node)):
            # An inner function comes after the one around it, and its names hide the others.
            for bound in ast.walk(node):
                constants.pop(_bound_name(bound), None)
            constants |= _constants(node, node.body)
    return Names(constants)


def _constants(scope: ast.AST, body: list[ast.stmt]) -> dict[str, ast.expr]:
    """The names that a scope binds once, by an assignment among its own statements."""
    bindings, changes = _count_names(scope)
    constants: dict[str, ast.expr] = {}
    appended: dict[str, list[ast.expr]] = {}
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value):
                if value is not None and bindings[name] == 1:
                    constants[name] = value
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [item], [])):
                if isinstance(constants.get(name), ast.List):
                    appended.setdefault(name, []).append(item)
    for name, value in [*constants.items()]:
        items = appended.get(name, [])
        if not isinstance(value, ast.List):
            continue
        if changes.get(name, 0) != len(items):  # changed elsewhere too, which is not followed
            del constants[name]
        elif items:
            grown = ast.List([*value.elts, *items], value.ctx)
            constants[name] = ast.copy_location(grown, value)
    return constants


def _count_names(scope: ast.AST) -> tuple[dict[str, int], dict[str, int]]:
    """How often each name is bound, and how often a method is called that may change a list."""
    bindings: dict[str, int] = {}
    changes: dict[str, int] = {}
    for node in ast.walk(scope):
        if name := _bound_name(node):
            bindings[name] = bindings.get(name, 0) + 1
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), method)) if method in _LIST_CHANGES:
                changes[name] = changes.get(name, 0) + 1
    return bindings, changes


def find_module(tree: ast.Module, call: ast.Call) -> str:
    """The module that a called function is imported from, or "" if the text does not say."""
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module, names):
                for alias in names:
                    imported[alias.asname or alias.name] = f"{module or ''}.{alias.name}"
            case ast.Import(names):
                for alias in names:
                    first = alias.name.partition(".")[0]
                    imported[alias.asname or first] = alias.name if alias.asname else first
    first, _, rest = ast.unparse(call.func).partition(".")
    whole = f"{imported.get(first, '')}.{rest}".strip(".") if rest else imported.get(first, "")
    return whole.rpartition(".")[0] if first in imported else ""


_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LIST_CHANGES = ("append", "extend", "insert", "remove", "pop", "clear", "sort")


def _bound_name(node: ast.AST) -> str:
    """The name that a node binds, if it binds one."""
    match node:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            return name
        case ast.alias(name, asname):
            return asname or name
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return name
    return ""


def compute(node: ast.expr, names: Names) -> int | float | None:
    """The value of an arithmetic expression; None if it is not one, or too large to compute."""
    result: Any = None
    match node:
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            result = value
        case ast.Name(name):
            result = names.number(name)
        case ast.UnaryOp(sign, operand) if type(sign) in _SIGNS:
            inner = compute(operand, names)
            result = None if inner is None else _SIGNS[type(sign)](inner)
        case ast.BinOp(left, operation, right) if type(operation) in _OPERATIONS:
            result = _calculate(type(operation), compute(left, names), compute(right, names))
    return result if isinstance(result, int | float) and abs(result) < LARGEST else None


def _calculate(
    operation: type[ast.operator], left: int | float | None, right: int | float | None
) -> Any:
    if left is None or right is None:
        return None
    if operation is ast.Pow and abs(right) > _MOST_EXPONENT:
        return None
    try:
        return _OPERATIONS[operation](left, right)
    except (ArithmeticError, ValueError):
        return None
