"""How a directory differs from what would be written, as problems for people and programs."""

from collections.abc import Iterator, Sequence

from chartgen.errors import Mark, Problem
from chartgen.words import count
from chartgen.world.files import Difference

_RENDER = "run chartgen render, and commit the result"
_KINDS = {
    "missing": ("missing", "output-missing"),
    "changed": ("differs", "output-outdated"),
    "stale": ("no longer generated", "output-stale"),
    "half merged": ("half merged: Git left conflict markers in it", "output-edited"),
}


def problems(
    target: str, differences: Sequence[Difference], edited: Sequence[str], files: int
) -> Iterator[Problem]:
    """A problem for each file that is not as it would be written; one for a missing directory."""
    kinds = {difference.kind for difference in differences}
    if kinds == {"missing"} and len(differences) >= files:
        yield Problem(Mark(target), "missing", "output-missing", _RENDER)
        return
    by_hand = {f"{target}/{path}" for path in edited}
    for path, kind, _, _ in differences:
        message, rule = _KINDS[kind]
        hint = _RENDER
        if path in by_hand and kind == "changed":
            message, rule = "edited by hand", "output-edited"
            hint = "move the edit to the job description, or discard it: chartgen render --force"
        if kind == "half merged":
            hint = (
                "resolve the job descriptions, and render the chart again: chartgen render --force"
            )
        yield Problem(Mark(path), message, rule, hint)


def orphan(target: str) -> Problem:
    """A directory that chartgen wrote and that no job has any more."""
    message = "orphan: no job is rendered to this directory any more"
    return Problem(Mark(target), message, "output-orphan", "chartgen render --prune removes it")


def report(problems: Sequence[Problem], form: str) -> str:
    """All of them in one of the forms of `render --check`."""
    if form == "text":
        return "".join(f"{problem.mark.file}: {problem.message}\n" for problem in problems)
    if form == "markdown":
        return _markdown(problems)
    from chartgen.report.problems import report as report_problems  # text does without it

    return report_problems(problems, form)


def _markdown(problems: Sequence[Problem]) -> str:
    """A table for a comment on a pull request."""
    if not problems:
        return "All charts are up to date.\n"
    number = count(len(problems), "difference")
    lines = [f"**{number} from what chartgen would write**\n", "\n"]
    lines += ["| file | what |\n", "| --- | --- |\n"]
    for problem in problems:
        file = problem.mark.file.replace("|", "\\|")
        lines.append(f"| `{file}` | {problem.message} |\n")
    hints = dict.fromkeys(problem.hint for problem in problems)
    lines.append("\n")
    lines += [f"- {hint}\n" for hint in hints if hint]
    return "".join(lines)
