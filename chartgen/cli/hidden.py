"""What options give as values, which messages leave out: it may be a secret."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # a run without such options does without it
    from chartgen.errors import Problem
    from chartgen.report.hidden import Hidden
    from chartgen.verify.result import StageResult

_OPTIONS = ("--set", "--define", "--image", "--matrix")
_words: list[str] = []


def remember(words: Sequence[str]) -> None:
    """The words of this command line, in place of those of the one before."""
    _words[:] = words


def conceal(text: str) -> str:
    """A message that is not about a place in a file."""
    hidden = _hide_all()
    return hidden.conceal(text) if hidden else text


def conceal_problems(
    problems: "Iterable[Problem]", texts: Mapping[str, bytes] | None = None
) -> "list[Problem]":
    """Problems without what options give, unless the files that they are about have it too."""
    hidden = _hide_all(texts)
    return [hidden.conceal_problem(problem) if hidden else problem for problem in problems]


def conceal_stage(stage: "StageResult") -> "StageResult":
    """The same for what a stage of a test found."""
    return stage._replace(
        about=conceal(stage.about),
        problems=tuple(conceal_problems(stage.problems)),
        reasons=tuple(conceal(reason) for reason in stage.reasons),
        log=conceal(stage.log),
    )


def _hide_all(texts: Mapping[str, bytes] | None = None) -> "Hidden | None":
    contents = list(_contents())
    if not contents:
        return None
    from chartgen import resources
    from chartgen.report import hidden

    known = [resources.text("schemas/job.schema.json")]
    for file, text in (texts or {}).items():
        known += [file, text.decode(errors="replace")]
    return hidden.hide(contents, "\n".join(known))


def _contents() -> Iterator[str]:
    """What the options give beside the names of what they set."""
    for number, word in enumerate(_words):
        option, equals, given = word.partition("=")
        if option not in _OPTIONS:
            continue
        given = given if equals else "".join(_words[number + 1 : number + 2])
        if option == "--set":
            from chartgen.native import settings  # most jobs need none

            yield from settings.contents(given)
        elif option == "--image":
            yield given
        else:
            value = given.partition("=")[2] or given
            yield value
            yield from value.split(",") if option == "--matrix" else ()
