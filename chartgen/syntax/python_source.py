"""Read Python without running it: the tree of a text, where its nodes stand, and the values that its names have."""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from chartgen.errors import InputError, Mark, Problem

DEPTH = 100  # levels of nesting

_LARGEST = 2**100  # of the numbers that are computed with; 9 ** 9 ** 9 would take all memory there is
_OPERATIONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: lambda left, right: left**right,
}
_SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {ast.USub: lambda value: -value, ast.UAdd: lambda value: value}

Names = Mapping[str, ast.expr]


class Source:
    """The text of one file, and where its nodes stand."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def parsed(self) -> ast.Module:
        """The text as Python reads it; one that is indented as a whole, as it stands in a manual, is read as well."""
        from warnings import catch_warnings, simplefilter  # of texts like "\d", which are no concern of ours

        first = next((line for line in self.lines if line.strip() and not line.lstrip().startswith("#")), "")
        indented = first[:1].isspace()
        text = "\n".join(["if True:", *self.lines] if indented else self.lines)
        try:
            with catch_warnings():
                simplefilter("ignore")
                tree = ast.parse(text)
        except SyntaxError as error:
            raise InputError([self.unreadable(error, (error.lineno or 1) - indented)]) from None
        except (RecursionError, MemoryError):
            raise InputError([too_deep(Mark(self.file))]) from None
        return ast.increment_lineno(tree, -1) if indented else tree

    def unreadable(self, error: SyntaxError, line: int) -> Problem:
        """What Python says of a text that it cannot read; at its end, it names a place behind the last line."""
        line = min(line, len(self.lines))
        column = min(max(error.offset or 1, 1), len(self.lines[line - 1]) + 1)
        return Problem(Mark(self.file, line, column), f"Python cannot read this: {error.msg}", "syntax")

    def mark(self, node: ast.expr | ast.keyword) -> Mark:
        """Where a node starts; Python counts columns in bytes."""
        before = self.lines[node.lineno - 1].encode()[: node.col_offset].decode()
        return Mark(self.file, node.lineno, len(before) + 1)


def too_deep(place: Mark) -> Problem:
    """What to say of values that nobody nests like that."""
    return Problem(place, f"values are nested more than {DEPTH} levels deep here; expected fewer", "depth")


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """Every call of a function of this name, in the order of the text."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) == name]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def called(call: ast.Call) -> str:
    """The last word of what is called: new_cluster in mars.deploy.kubernetes.new_cluster(...)."""
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def names(tree: ast.Module) -> Names:
    """The names that stand for one value wherever they are used: bound once, by an assignment at the top level."""
    nodes = list(ast.walk(tree))
    bound = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    bound += [node.arg for node in nodes if isinstance(node, ast.arg)]
    bound += [alias.asname or alias.name for alias in nodes if isinstance(alias, ast.alias)]
    bound += [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    assigned = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    values = {_target(node): node.value for node in assigned}
    return {name: value for name, value in values.items() if value is not None and bound.count(name) == 1}


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    """The name that a statement gives to its value; none if it gives several."""
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def computed(node: ast.expr, names: Names) -> int | float | None:
    """The number that an expression of numbers comes to; None if it is none, or too large to compute."""
    result: Any = None
    match node:
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            result = value
        case ast.Name(name) if name in names:
            result = computed(names[name], {})
        case ast.UnaryOp(sign, operand) if type(sign) in _SIGNS:
            inner = computed(operand, names)
            result = None if inner is None else _SIGNS[type(sign)](inner)
        case ast.BinOp(left, operation, right) if type(operation) in _OPERATIONS:
            result = _operated(_OPERATIONS[type(operation)], computed(left, names), computed(right, names))
    return result if isinstance(result, int | float) and abs(result) < _LARGEST else None


def _operated(operation: Callable[[Any, Any], Any], left: int | float | None, right: int | float | None) -> Any:
    if left is None or right is None or (operation is _OPERATIONS[ast.Pow] and abs(right) > len(bin(_LARGEST))):
        return None
    try:
        return operation(left, right)
    except (ArithmeticError, ValueError):
        return None
