"""Problems as people and programs read them: text, JSON, GitHub annotations, JUnit XML."""

import re
from collections.abc import Callable, Iterable, Sequence

from chartgen.errors import Mark, Problem

FORMS = ("text", "json", "github", "junit")
WIDTH = 120  # characters of a source line to show around its mark; generated JSON may be one long line

_RESET, _BOLD, _DIM, _RED, _YELLOW, _CYAN = (f"\x1b[{code}m" for code in ("0", "1", "2", "31", "33", "36"))
# Control and direction characters (which would command a terminal) and what XML and UTF-8 cannot hold.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def report(
    problems: Iterable[Problem],
    form: str,
    *,
    colour: bool = False,
    excerpts: Callable[[Mark], str | None] | None = None,
    files: Sequence[str] = (),
) -> str:
    """The problems, sorted and each once; `excerpts` gives the line of a mark, `files` is all that was looked at."""
    ordered = sorted(set(problems))
    if form == "text":
        return "".join(f"{line}\n" for problem in ordered for line in _text(problem, colour, excerpts))
    if form == "json":
        return _json(ordered)
    if form == "github":
        return "".join(f"{_github(problem)}\n" for problem in ordered)
    if form == "junit":
        return _junit(ordered, files)
    raise ValueError(f"no such form: {form}")


def summary(problems: Iterable[Problem]) -> str:
    """How many there are, as in `3 problems and 1 warning in 2 files`."""
    unique = set(problems)
    warnings = sum(problem.severity == "warning" for problem in unique)
    counts = [(len(unique) - warnings, "problem"), (warnings, "warning")]
    found = " and ".join(_count(number, noun) for number, noun in counts if number)
    return f"{found} in {_count(len({problem.mark.file for problem in unique}), 'file')}" if found else "no problems"


def problem_lines(problem: Problem, colour: bool = False) -> list[str]:
    """One problem as text, without the line that it stands in."""
    return _text(problem, colour, None)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _text(problem: Problem, colour: bool, excerpts: Callable[[Mark], str | None] | None) -> list[str]:
    mark, message, rule, hint = problem.mark, safe(problem.message), safe(problem.rule), safe(problem.hint)
    warning = problem.severity == "warning"

    def paint(style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if colour else text

    head = paint(_BOLD, safe(f"{mark}:")) + (paint(_YELLOW, " warning:") if warning else "")
    lines = [f"{head} {message} {paint(_DIM, f'({rule})')}"]
    if excerpt := excerpts(mark) if excerpts else None:
        source, caret = _excerpt(excerpt, mark.column)
        lines.append(paint(_DIM, f"{mark.line:5} | ") + source)
        lines.append(paint(_DIM, "      | ") + paint(_YELLOW if warning else _RED, caret))
    return lines + ([f"  {paint(_CYAN, 'hint:')} {hint}"] if hint else [])


def _excerpt(line: str, column: int) -> tuple[str, str]:
    """The part of a source line around a column, and a caret to print below it."""
    line = line.rstrip("\r\n")
    at = min(column - 1, len(line))
    start = max(0, at - WIDTH // 2) if len(line) > WIDTH else 0
    shown = re.sub(_UNSAFE, lambda bad: "\t" if bad[0] == "\t" else "\ufffd", line[start : start + WIDTH])
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
    """A text that can neither command a terminal nor break what it is put into."""
    return _UNSAFE.sub(lambda bad: bad[0].encode("unicode-escape").decode(), text)


def _json(problems: Iterable[Problem]) -> str:
    import json  # only this form needs it

    rows = [
        {
            "file": mark.file,
            "line": mark.line,
            "column": mark.column,
            "severity": severity,
            "rule": rule,
            "message": message,
            "hint": hint,
        }
        for mark, message, rule, hint, severity in problems
    ]
    return json.dumps({"problems": rows}, indent=2) + "\n"  # ASCII, so that no terminal's encoding can break it


def _github(problem: Problem) -> str:
    mark, message, rule, hint, severity = problem
    command = "warning" if severity == "warning" else "error"
    place = f"file={_property(mark.file)},line={mark.line},col={mark.column},title={_property(rule)}"
    return f"::{command} {place}::" + _data(f"{message}\nhint: {hint}" if hint else message)


def _data(text: str) -> str:
    # The runner decodes these, and no others: github.com/actions/toolkit, packages/core/src/command.ts
    return safe(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _junit(problems: Sequence[Problem], files: Iterable[str]) -> str:
    suites: dict[str, list[Problem]] = {file: [] for file in sorted({*files, *(it.mark.file for it in problems)})}
    for problem in problems:
        suites[problem.mark.file].append(problem)
    tests = sum(max(1, len(found)) for found in suites.values())
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="chartgen" {_counts(tests, problems)}>']
    lines += [line for file, found in suites.items() for line in _suite(xml(file), found)]
    return "\n".join([*lines, "</testsuites>", ""]).encode("ascii", "xmlcharrefreplace").decode()


def _counts(tests: int, problems: Iterable[Problem]) -> str:
    failures = sum(problem.severity != "warning" for problem in problems)
    return f'tests="{tests}" failures="{failures}" errors="0" skipped="0" time="0"'


def _suite(file: str, problems: Sequence[Problem]) -> list[str]:
    """One test case per problem; a file without any is one that passes."""
    passed = f'    <testcase classname="{file}" name="valid" time="0"/>'
    cases = [_case(file, problem) for problem in problems] or [passed]
    return [f'  <testsuite name="{file}" {_counts(len(cases), problems)}>', *cases, "  </testsuite>"]


def _case(file: str, problem: Problem) -> str:
    text = xml(f"{problem.mark}: {problem.message} ({problem.rule})")
    name = xml(f"{problem.mark.line}:{problem.mark.column}: {problem.message} ({problem.rule})")
    detail = f"{text}\n{xml(f'hint: {problem.hint}')}" if problem.hint else text
    if problem.severity == "warning":  # warnings do not fail
        outcome = f"<system-out>warning: {detail}</system-out>"
    else:
        outcome = f'<failure message="{xml(problem.message)}" type="{xml(problem.rule)}">{detail}</failure>'
    return f'    <testcase classname="{file}" name="{name}" time="0">\n      {outcome}\n    </testcase>'


def xml(text: str) -> str:
    """A text as XML has it, in an attribute too."""
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(char, entity)
    return safe(text)
