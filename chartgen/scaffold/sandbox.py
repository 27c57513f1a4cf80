"""Templates that people write, in a sandbox: within limits, and each piece with its line.

jinja2's immutable sandbox keeps a template from the program and from the disk. What it does not
bound is done here: the syntax tree of a template is changed so that every piece that is printed,
every turn of a loop and every operation that makes a text longer asks the budget first.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from jinja2 import FunctionLoader, StrictUndefined, nodes
from jinja2.exceptions import (
    TemplateRuntimeError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from chartgen.scaffold.environment import SYNTAX
from chartgen.scaffold.late_values import LateValue
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any, cast
from chartgen.syntax.yaml.writer import scalar

LARGEST = 2**20  # characters that a template may print
SECONDS = 5
_WORK = 16 * LARGEST  # characters that all operations together may make
_BITS = 4096  # of a number
_FILTERS = (
    *("default", "first", "last", "length", "list", "lower", "upper", "trim", "sort", "unique"),
    *("map", "select", "selectattr", "reject", "rejectattr", "int"),
)
_OF_MAPPINGS = ("items", "keys", "values", "get")


class TemplateLine(NamedTuple):
    """Where a printed line comes from."""

    file: str
    number: int


class LimitError(TemplateRuntimeError):
    """A template does too much; `line` is where, if that is not part of the trace."""

    def __init__(self, reason: str, message: str, line: TemplateLine | None = None) -> None:
        self.reason, self.line = reason, line
        super().__init__(message)


class TemplateBudget:
    """What templates that belong together may print and do, and how long they may take."""

    def __init__(self, whose: str) -> None:
        self.whose = whose
        # Of this program alone: templates cannot wait, and a busy machine is not their fault.
        self._end = time.process_time() + SECONDS
        self._work = self._printed = 0

    def spend(self, characters: int) -> None:
        """Count what is done; too much of it is an error, as is taking too long."""
        self._work += characters
        if self._work > _WORK:
            raise LimitError("size", f"{self.whose} makes more than {_WORK:,} characters")
        if time.process_time() > self._end:
            raise LimitError("time", f"{self.whose} takes longer than {SECONDS} s")

    def print(self, piece: str, line: TemplateLine) -> None:
        """Count what is printed in the end."""
        self._printed += len(piece)
        if self._printed > LARGEST:
            message = f"{self.whose} prints more than {LARGEST:,} characters"
            raise LimitError("size", message, line)


class TemplateSet(NamedTuple):
    """Templates that may use each other, by their names."""

    texts: Mapping[str, str]
    shown: Callable[[str], str]  # the path of a template as people know it
    context: Mapping[str, Any]
    budget: TemplateBudget
    hint: str = ""  # what to do about a name that is not defined


class _Piece(str):
    """A printed text that knows where it comes from."""

    file: str
    line: int
    runs: bool  # whether it is a part of the template itself, line by line

    def __str__(self) -> str:
        return self


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment: no state but the budget, and nothing to reach but the context."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, templates: TemplateSet) -> None:
        super().__init__(**SYNTAX, undefined=StrictUndefined, optimized=False)
        self.templates = templates
        self.loader = FunctionLoader(self._load)
        self.spend = templates.budget.spend
        known = dict(self.filters)
        self.filters = {name: known[name] for name in _FILTERS}
        self.filters |= {"join": self._join, "replace": self._replace, "scalar": scalar}
        self.globals = {name: self.globals[name] for name in ("range", "namespace")}
        self.globals |= templates.context

    def _load(self, name: str) -> tuple[str, str, None] | None:
        text = self.templates.texts.get(name)
        return None if text is None else (text, self.templates.shown(name), None)

    # What the changed syntax tree calls.

    def emit(self, text: str, line: int, file: str) -> _Piece:
        """A part of a template, as it is printed."""
        return self._piece(text, line, file, runs=True)

    def emit_value(self, value: Any, line: int, file: str) -> _Piece:
        """A value, as it is printed."""
        if isinstance(value, LateValue):
            value = value.printed()
        elif isinstance(value, bool):
            value = "true" if value else "false"
        elif not isinstance(value, str | int | float):
            str(value)  # which raises if it is undefined
            what = type(value).__name__
            raise TemplateRuntimeError(f"a {what} cannot be printed; print its parts")
        return self._piece(str(value), line, file, runs=False)

    def _piece(self, text: str, line: int, file: str, *, runs: bool) -> _Piece:
        self.spend(len(text))
        piece = _Piece(text)
        piece.file, piece.line, piece.runs = file, line, runs
        return piece

    def each(self, items: Iterable[Any]) -> Iterator[Any]:
        """What a loop goes through."""
        for item in items:
            self.spend(1)
            yield item

    def concatenate(self, *parts: Any) -> str:
        """The operator ~."""
        return self._join(parts)

    def _join(self, parts: Iterable[Any], between: str = "") -> str:
        texts = []
        for part in parts:
            if isinstance(part, LateValue):
                part.refuse_joining()
            texts.append(str(part))
            self.spend(len(texts[-1]) + len(between))
        return between.join(texts)

    def _replace(self, text: str, old: str, new: str) -> str:
        if old:
            self.spend(text.count(old) * len(new))
        return text.replace(old, new) if old else text

    # What the sandbox asks.

    def call(self, context: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call what a template calls."""
        self.spend(1)
        return super().call(context, function, *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Apply an operator that may make something large."""
        for side in (left, right):
            if isinstance(side, LateValue):
                side.refuse("computed with")
        self.spend(self._size(operator, left, right))
        return super().call_binop(context, operator, left, right)

    def _size(self, operator: str, left: Any, right: Any) -> int:
        if isinstance(left, str) and operator == "%":
            raise TemplateRuntimeError("a text cannot be formatted with %; use ~")
        sized = [len(side) for side in (left, right) if isinstance(side, str | list | tuple)]
        if operator == "+":
            return sum(sized)
        if operator == "*" and sized:
            counts = [side for side in (left, right) if isinstance(side, int)]
            return max(0, sized[0] * counts[0]) if counts else 0
        if isinstance(left, int) and isinstance(right, int):
            grows = max(1, abs(right)) if operator == "**" else 1
            bits = left.bit_length() * grows + (right.bit_length() if operator == "*" else 0)
            if bits > _BITS:
                raise LimitError("size", f"a number has more than {_BITS:,} bits")
        return 1

    def wrap_str_format(self, value: Any) -> None:
        """Formatting is not an exception to what follows: a width makes a text of any length."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Texts, lists and numbers have no methods here: filters do the same within bounds."""
        if isinstance(obj, str | bytes | list | tuple | int | float):
            return False
        if isinstance(obj, dict):
            return attr in _OF_MAPPINGS
        return super().is_safe_attribute(obj, attr, value)

    def _generate(
        self, source: nodes.Template, name: Any, filename: Any, defer_init: bool = False
    ) -> str:
        changed = _Guard(self, filename or "").visit(source)
        changed.set_environment(self)
        return super()._generate(changed, name, filename, defer_init)


class _Guard(NodeTransformer):
    """Lets everything that a template prints, repeats or joins pass through the environment."""

    def __init__(self, environment: Sandbox, file: str) -> None:
        self.environment, self.file = environment, file

    def _call(self, method: str, line: int, *args: nodes.Expr) -> nodes.Call:
        function = nodes.EnvironmentAttribute(method, lineno=line)
        return nodes.Call(function, [*args], [], None, None, lineno=line)

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802
        """Every piece that is printed."""
        line, kept = node.lineno, []
        for child in node.nodes:
            line = child.lineno
            place = (nodes.Const(line, lineno=line), nodes.Const(self.file, lineno=line))
            if isinstance(child, nodes.TemplateData):
                text = nodes.Const(child.data, lineno=line)
                kept.append(self._call("emit", line, text, *place))
            else:
                value = cast(nodes.Expr, self.visit(child))
                kept.append(self._call("emit_value", line, value, *place))
        node.nodes = [*kept]
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Every turn of a loop."""
        self.generic_visit(node)
        node.iter = self._call("each", node.lineno, cast(nodes.Expr, node.iter))
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Every text that is joined."""
        self.generic_visit(node)
        return self._call("concatenate", node.lineno, *node.nodes)
