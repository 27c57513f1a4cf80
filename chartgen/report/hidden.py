"""Messages without what the command line gave as a value: it may be a secret."""

import re
from collections.abc import Iterable, Iterator, Set

from chartgen.errors import Problem
from chartgen.startup.records import NamedTuple

RUN = 6  # characters of a hidden text, in a row, that no message repeats
ELLIPSIS = "..."
_QUOTED = re.compile(r"""((?<![\w'])'|"|the number )(.+?)('(?!\w)|"|(?=[\s,;)]|$))""")
_NOTHING_MEANT = f"did you mean '{ELLIPSIS}'?"
_FOLD = str.maketrans({char: char.lower() for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})


class Hidden(NamedTuple):
    """Texts to hide, and what everyone may read: a part of that reveals nothing about them."""

    texts: tuple[str, ...]
    runs: Set[str]  # of every long text, all parts of RUN characters
    known: str

    def conceal(self, text: str) -> str:
        """The text without any RUN characters in a row of a hidden one, in either case."""
        folded = _fold(text)
        parts, end = [], 0
        for start, stop in self._spans(folded):
            if folded[start:stop] not in self.known:
                parts += [text[end:start], ELLIPSIS]
                end = stop
        return "".join([*parts, text[end:]])

    def conceal_problem(self, problem: Problem) -> Problem:
        """The problem without them; at an option, without what is quoted of short ones too."""
        mark = problem.mark
        message, hint = self.conceal(problem.message), self.conceal(problem.hint)
        if mark.file.startswith("--"):
            message, hint = (_QUOTED.sub(self._conceal_quoted, text) for text in (message, hint))
            hint = "" if hint == _NOTHING_MEANT else hint
        else:  # it may be an object, whose name is made of values
            mark = mark._replace(file=self.conceal(mark.file))
        return problem._replace(mark=mark, message=message, hint=hint)

    def _spans(self, folded: str) -> Iterator[tuple[int, int]]:
        """Where the parts begin and end that hidden texts have too."""
        begin = end = -1
        for start in range(len(folded) - RUN + 1):
            if folded[start : start + RUN] not in self.runs:
                continue
            if start > end:
                if end > 0:
                    yield begin, end
                begin = start
            end = start + RUN
        if end > 0:
            yield begin, end

    def _conceal_quoted(self, match: re.Match[str]) -> str:
        """A quoted text or number, if it is one of them or differs only in its punctuation."""
        before, text, after = match.groups()
        letters = _letters(text)
        if not letters or not any(letters in _letters(secret) for secret in self.texts):
            return match[0]
        word = re.search(rf"(?<!\w){re.escape(_fold(text))}(?!\w)", self.known)
        return match[0] if word else f"{before}{ELLIPSIS}{after}"


def hide(texts: Iterable[str], known: str = "") -> Hidden:
    """Hide these texts, as they are and as messages quote them."""
    from json import dumps  # only for those who give values

    quoted: dict[str, None] = {}
    for text in texts:
        quoted |= dict.fromkeys((text, repr(text)[1:-1], dumps(text)[1:-1]))
    runs: set[str] = set()
    for text in map(_fold, quoted):
        runs.update(text[start : start + RUN] for start in range(len(text) - RUN + 1))
    return Hidden(tuple(quoted), runs, _fold(known))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", _fold(text))


def _fold(text: str) -> str:
    return text.translate(_FOLD)  # not lower(), which may change the length
