"""Templates that people write, in a sandbox: within limits, and with the origin of every line.

jinja2's immutable sandbox keeps a template from the program and from the disk. What it does not
bound is done here: the syntax tree of a template is changed so that every piece that is printed,
every turn of a loop and every operation that makes a text longer asks the budget first.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from jinja2 import FunctionLoader, StrictUndefined, TemplateNotFound, meta, nodes
from jinja2.exceptions import (
    SecurityError,
    TemplateError,
    TemplateRuntimeError,
    TemplateSyntaxError,
    UndefinedError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from chartgen.errors import InputError, Mark, Problem
from chartgen.scaffold.environment import SYNTAX
from chartgen.scaffold.late_values import LateValue, TooEarlyError, UnknownValueError
from chartgen.syntax.yaml.writer import scalar
from chartgen.words import did_you_mean_or_known

LARGEST = 2**20  # characters that a template may print
SECONDS = 5
_WORK = 16 * LARGEST  # characters that all operations together may make
_BITS = 4096  # of a number
_FILTERS = (
    *("default", "first", "last", "length", "list", "lower", "upper", "trim", "sort", "unique"),
    *("map", "select", "selectattr", "reject", "rejectattr", "int"),
)
_OF_MAPPINGS = ("items", "keys", "values", "get")
_LOOKING_FOR = "Jinja was looking for the following tags"
_REASONS = {"size": "template-too-large", "time": "template-too-slow"}


class TemplateLine(NamedTuple):
    """Where a printed line comes from."""

    file: str
    number: int


class PrintedText(NamedTuple):
    """What a template printed, and the origin of each of its lines."""

    text: str
    lines: tuple[TemplateLine, ...]

    def mark(self, line: int, column: int = 1) -> Mark:
        """The place in the template from which a printed line comes."""
        origin = self.lines[min(max(line, 1), len(self.lines)) - 1]
        return Mark(*origin, column)


class _LimitError(TemplateRuntimeError):
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
            raise _LimitError("size", f"{self.whose} makes more than {_WORK:,} characters")
        if time.process_time() > self._end:
            raise _LimitError("time", f"{self.whose} takes longer than {SECONDS} s")

    def print(self, piece: str, line: TemplateLine) -> None:
        """Count what is printed in the end."""
        self._printed += len(piece)
        if self._printed > LARGEST:
            message = f"{self.whose} prints more than {LARGEST:,} characters"
            raise _LimitError("size", message, line)


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


class _Sandbox(ImmutableSandboxedEnvironment):
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
                raise _LimitError("size", f"a number has more than {_BITS:,} bits")
        return 1

    def wrap_str_format(self, value: Any) -> None:
        """Formatting is no exception from what follows: a width makes a text of any length."""

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

    def __init__(self, environment: _Sandbox, file: str) -> None:
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


def print_template(name: str, templates: TemplateSet) -> PrintedText:
    """What a template prints; whatever is wrong with it is an InputError with its line."""
    sandbox = _Sandbox(templates)
    try:
        _refuse_circles(name, sandbox)
        pieces = []
        for piece in sandbox.get_template(name).generate():
            templates.budget.print(piece, _origin(piece, name, templates))
            pieces.append(piece)
    except (TemplateError, RecursionError, TypeError, ValueError, ArithmeticError) as error:
        raise InputError([_problem(error, name, templates)]) from error
    return _with_lines(pieces, TemplateLine(templates.shown(name), 1))


def free_names(name: str, templates: TemplateSet) -> set[str]:
    """The names that a template uses and does not define itself."""
    try:
        return meta.find_undeclared_variables(_Sandbox(templates).parse(templates.texts[name]))
    except (TemplateError, RecursionError) as error:
        raise InputError([_problem(error, name, templates)]) from error


def _origin(piece: str, name: str, templates: TemplateSet) -> TemplateLine:
    return TemplateLine(getattr(piece, "file", templates.shown(name)), getattr(piece, "line", 1))


def _refuse_circles(name: str, sandbox: _Sandbox, above: tuple[str, ...] = ()) -> None:
    """Refuse a template that includes itself, by whatever way, before anything runs."""
    source = sandbox.templates.texts.get(name)
    if source is None:
        return
    tree = sandbox.parse(source, name, sandbox.templates.shown(name))
    kinds = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    for node in tree.find_all(kinds):
        named = getattr(node, "template", None)
        other = named.value if isinstance(named, nodes.Const) else None
        if not isinstance(other, str):
            continue
        way = (*above, name, other)
        if other in way[:-1]:
            message = f"{name!r} includes itself: {' -> '.join(way[way.index(other) :])}"
            raise TemplateSyntaxError(message, node.lineno, name, sandbox.templates.shown(name))
        _refuse_circles(other, sandbox, (*above, name))


def _with_lines(pieces: Iterable[str], first: TemplateLine) -> PrintedText:
    """The whole text, with the origin of each line: that of the first piece that prints in it."""
    lines: list[TemplateLine] = []
    current: TemplateLine | None = None
    latest = first
    for piece in pieces:
        file, number = getattr(piece, "file", first.file), getattr(piece, "line", first.number)
        runs = getattr(piece, "runs", False)
        for index, part in enumerate(piece.split("\n")):
            latest = TemplateLine(file, number + index if runs else number)
            if index:
                lines.append(current or TemplateLine(file, number + index - 1 if runs else number))
                current = None
            if part.strip() and current is None:
                current = latest
    return PrintedText("".join(pieces), (*lines, current or latest))


def _problem(error: Exception, name: str, templates: TemplateSet) -> Problem:
    """What jinja2 refused, in the words of chartgen."""
    mark = _mark(error, name, templates)
    message = str(error) or type(error).__name__
    if isinstance(error, _LimitError):
        return Problem(mark, message, _REASONS[error.reason], "print less, or loop less often")
    if isinstance(error, RecursionError):
        return Problem(mark, "this template calls itself without end", "template-recursion")
    if isinstance(error, UnknownValueError):
        return Problem(mark, message, "template-undefined", error.hint)
    if isinstance(error, TooEarlyError):
        return Problem(mark, message, "template-too-early", error.hint)
    if isinstance(error, TemplateNotFound):
        return _missing(str(error.name), mark, templates)
    if isinstance(error, SecurityError):
        message = f"{message.rstrip('.')}; expected a filter, or a field of what is given"
        return Problem(mark, message, "template-unsafe")
    if isinstance(error, UndefinedError):
        return Problem(mark, message, "template-undefined", _given(templates))
    if isinstance(error, TemplateSyntaxError):
        rule = "template-recursion" if "includes itself" in message else "template-syntax"
        message = (error.message or message).rstrip(".")
        return Problem(mark, message.replace(_LOOKING_FOR, "Expected one of"), rule)
    return Problem(mark, message, "template-failed")


def _given(templates: TemplateSet) -> str:
    names = ", ".join(sorted(templates.context))
    return templates.hint or f"known here: {names}"


def _missing(name: str, mark: Mark, templates: TemplateSet) -> Problem:
    message = f"there is no {name!r} in {templates.budget.whose}, and nothing outside it is read"
    hint = did_you_mean_or_known(name, templates.texts) if templates.texts else ""
    return Problem(mark, message, "template-missing", hint)


def _mark(error: Exception, name: str, templates: TemplateSet) -> Mark:
    """The deepest line of a template that is part of what failed."""
    if isinstance(error, _LimitError) and error.line:
        return Mark(*error.line)
    if isinstance(error, TemplateSyntaxError):
        return Mark(templates.shown(error.name or name), error.lineno)
    known = {templates.shown(other) for other in templates.texts}
    found = Mark(templates.shown(name))
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename in known:
            found = Mark(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found
