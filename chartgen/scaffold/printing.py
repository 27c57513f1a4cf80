"""What a template prints, with the origin of every line; or what is wrong with it, and where."""

from collections.abc import Iterable

from jinja2 import TemplateNotFound, meta, nodes
from jinja2.exceptions import (
    SecurityError,
    TemplateError,
    TemplateSyntaxError,
    UndefinedError,
)

from chartgen.errors import InputError, Mark, Problem
from chartgen.scaffold.late_values import TooEarlyError, UnknownValueError
from chartgen.scaffold.sandbox import LimitError, Sandbox, TemplateLine, TemplateSet
from chartgen.startup.records import NamedTuple
from chartgen.words import did_you_mean_or_known

_LOOKING_FOR = "Jinja was looking for the following tags"
_REASONS = {"size": "template-too-large", "time": "template-too-slow"}


class PrintedText(NamedTuple):
    """What a template printed, and the origin of each of its lines."""

    text: str
    lines: tuple[TemplateLine, ...]

    def mark(self, line: int, column: int = 1) -> Mark:
        """The place in the template from which a printed line comes."""
        origin = self.lines[min(max(line, 1), len(self.lines)) - 1]
        return Mark(*origin, column)


def print_template(name: str, templates: TemplateSet) -> PrintedText:
    """What a template prints; whatever is wrong with it is an InputError with its line."""
    sandbox = Sandbox(templates)
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
        return meta.find_undeclared_variables(Sandbox(templates).parse(templates.texts[name]))
    except (TemplateError, RecursionError) as error:
        raise InputError([_problem(error, name, templates)]) from error


def _origin(piece: str, name: str, templates: TemplateSet) -> TemplateLine:
    return TemplateLine(getattr(piece, "file", templates.shown(name)), getattr(piece, "line", 1))


def _refuse_circles(name: str, sandbox: Sandbox, above: tuple[str, ...] = ()) -> None:
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
    if isinstance(error, LimitError):
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
        message = f"{message.rstrip('.')}; expected a filter, or a field of what the template gets"
        return Problem(mark, message, "template-unsafe")
    if isinstance(error, UndefinedError):
        return Problem(mark, message, "template-undefined", _list_names(templates))
    if isinstance(error, TemplateSyntaxError):
        rule = "template-recursion" if "includes itself" in message else "template-syntax"
        message = (error.message or message).rstrip(".")
        return Problem(mark, message.replace(_LOOKING_FOR, "Expected one of"), rule)
    return Problem(mark, message, "template-failed")


def _list_names(templates: TemplateSet) -> str:
    names = ", ".join(sorted(templates.context))
    return templates.hint or f"known here: {names}"


def _missing(name: str, mark: Mark, templates: TemplateSet) -> Problem:
    message = f"there is no {name!r} in {templates.budget.whose}, and nothing outside it is read"
    hint = did_you_mean_or_known(name, templates.texts) if templates.texts else ""
    return Problem(mark, message, "template-missing", hint)


def _mark(error: Exception, name: str, templates: TemplateSet) -> Mark:
    """The deepest line of a template that is part of what failed."""
    if isinstance(error, LimitError) and error.line:
        return Mark(*error.line)
    if isinstance(error, TemplateSyntaxError):
        return Mark(templates.shown(error.name or name), error.lineno)
    known = {templates.shown(other) for other in templates.texts}
    deepest = Mark(templates.shown(name))
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename in known:
            deepest = Mark(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return deepest
