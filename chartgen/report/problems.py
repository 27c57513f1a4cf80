"""Problems as people and programs read them: text, JSON, GitHub annotations, JUnit XML."""

import re
from collections.abc import Callable, Iterable, Sequence

from chartgen.errors import Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.words import count

WIDTH = 120  # characters shown of a long source line, around its mark

LONGEST_QUOTE = 120  # characters of a text that a message repeats
# A text in quotes, or without blanks.
_LONG = re.compile(rf"(?<![\w'])'[^'\n]{{{LONGEST_QUOTE},}}'|\S{{{LONGEST_QUOTE},}}")
_UNDEFINED = "shell-undefined"
_RESET, _BOLD, _DIM = "\x1b[0m", "\x1b[1m", "\x1b[2m"
_RED, _YELLOW, _CYAN = "\x1b[31m", "\x1b[33m", "\x1b[36m"
# Control and direction characters, which a terminal would obey, and what XML and UTF-8 cannot hold.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


class _Context(NamedTuple):
    """What a form may use beside the problems."""

    colour: bool
    excerpts: Callable[[Mark], str | None] | None
    files: Sequence[str]


def report(
    problems: Iterable[Problem],
    form: str,
    *,
    colour: bool = False,
    excerpts: Callable[[Mark], str | None] | None = None,
    files: Sequence[str] = (),
) -> str:
    """The problems, sorted, each once.

    `excerpts` gives the source line of a mark, `files` names all files that were checked.
    """
    if form not in FORMS:
        raise ValueError(f"no such form: {form}")
    unique = sorted({shorten(problem) for problem in problems})
    return FORMS[form](unique, _Context(colour, excerpts, files))


def shorten(problem: Problem) -> Problem:
    """The problem without the middle of the long texts that it quotes."""
    if len(problem.message) + len(problem.hint) < LONGEST_QUOTE:
        return problem
    message, hint = (_LONG.sub(_cut, text) for text in (problem.message, problem.hint))
    return problem._replace(message=message, hint=hint)


def _cut(match: re.Match[str]) -> str:
    text = match[0]
    return f"{text[: LONGEST_QUOTE // 2]}...{text[-LONGEST_QUOTE // 4 :]}"


def summary(problems: Iterable[Problem]) -> str:
    """How many there are, as in `3 problems and 1 warning in 2 files`."""
    unique = set(problems)
    if not unique:
        return "no problems"
    warnings = sum(problem.severity == "warning" for problem in unique)
    counts = []
    for number, noun in ((len(unique) - warnings, "problem"), (warnings, "warning")):
        if number:
            counts.append(count(number, noun))
    files = {problem.mark.file for problem in unique}
    return f"{' and '.join(counts)} in {count(len(files), 'file')}"


def problem_lines(
    problem: Problem,
    colour: bool = False,
    excerpts: Callable[[Mark], str | None] | None = None,
) -> list[str]:
    """One problem as text, with its source line if there is one."""
    mark, warning = problem.mark, problem.severity == "warning"

    def paint(style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if colour else text

    head = paint(_BOLD, safe(f"{mark}:"))
    if warning:
        head += paint(_YELLOW, " warning:")
    lines = [f"{head} {safe(problem.message)} {paint(_DIM, f'({safe(problem.rule)})')}"]
    if excerpt := excerpts(mark) if excerpts else None:
        source, caret = _excerpt(excerpt, mark.column)
        lines.append(paint(_DIM, f"{mark.line:5} | ") + source)
        lines.append(paint(_DIM, "      | ") + paint(_YELLOW if warning else _RED, caret))
    if problem.hint:
        lines.append(f"  {paint(_CYAN, 'hint:')} {safe(problem.hint)}")
    return lines


def _excerpt(line: str, column: int) -> tuple[str, str]:
    """The part of a source line around a column, and a caret to print below it."""
    line = line.rstrip("\r\n")
    at = min(column - 1, len(line))
    start = max(0, at - WIDTH // 2) if len(line) > WIDTH else 0
    shown = _UNSAFE.sub(
        lambda bad: "\t" if bad[0] == "\t" else "\ufffd", line[start : start + WIDTH]
    )
    left, right = "…" * (start > 0), "…" * (start + WIDTH < len(line))
    return left + shown + right, " " * len(left) + _blank(shown[: at - start]) + "^"


def _blank(text: str) -> str:
    """White space as wide as the text on a terminal."""
    if text.isascii():
        return re.sub("[^\t]", " ", text)
    import unicodedata  # few lines need it

    def width(char: str) -> int:
        if unicodedata.category(char) in ("Mn", "Me", "Cf"):
            return 0
        return 2 if unicodedata.east_asian_width(char) in "WF" else 1

    return "".join("\t" if char == "\t" else " " * width(char) for char in text)


def safe(text: str) -> str:
    """A text that can neither control a terminal nor break the format it is put into."""
    return _UNSAFE.sub(lambda bad: bad[0].encode("unicode-escape").decode(), text)


def _text(problems: Sequence[Problem], context: _Context) -> str:
    lines = []
    defines: dict[str, None] = {}  # what all undefined variables need, as one line to copy
    for problem in problems:
        if problem.rule == _UNDEFINED:
            defines[problem.hint.removeprefix("set it: ")] = None
            problem = problem._replace(hint="")
        for line in problem_lines(problem, context.colour, context.excerpts):
            lines.append(f"{line}\n")
    if defines:
        label = f"{_CYAN}hint:{_RESET}" if context.colour else "hint:"
        lines.append(f"  {label} to define the variables, add {safe(' '.join(defines))}\n")
    return "".join(lines)


def _json(problems: Sequence[Problem], _: _Context) -> str:
    import json  # only this form needs it

    rows = []
    for mark, message, rule, hint, severity in problems:
        rows.append(
            {
                "file": mark.file,
                "line": mark.line,
                "column": mark.column,
                "severity": severity,
                "rule": rule,
                "message": message,
                "hint": hint,
            }
        )
    # ASCII, so that no terminal's encoding can break it.
    return json.dumps({"problems": rows}, indent=2) + "\n"


def _github(problems: Sequence[Problem], _: _Context) -> str:
    lines = []
    for mark, message, rule, hint, severity in problems:
        command = "warning" if severity == "warning" else "error"
        place = f"file={_github_property(mark.file)}"
        if mark.line:  # a directory has no lines
            place += f",line={mark.line},col={mark.column}"
        text = _github_data(f"{message}\nhint: {hint}" if hint else message)
        lines.append(f"::{command} {place},title={_github_property(rule)}::{text}\n")
    return "".join(lines)


def _github_data(text: str) -> str:
    # The runner decodes these and no others: actions/toolkit, packages/core/src/command.ts
    return safe(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def _junit(problems: Sequence[Problem], context: _Context) -> str:
    from chartgen.report import junit  # only this form needs it

    return junit.problems(problems, context.files)


FORMS: dict[str, Callable[[Sequence[Problem], _Context], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "junit": _junit,
}
