"""Split a shell script into words and operators.

Quotes, escapes, continued lines, comments and variables are read. Wildcards and braces are kept, as
a shell keeps them if they match no file.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat

from chartgen.errors import Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.syntax.budget import LIMITS, Budget, OverBudgetError
from chartgen.syntax.text import Position
from chartgen.words import short

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME_ALONE = re.compile(_NAME)
_ASSIGNMENT = re.compile(rf"({_NAME})=")
# Between words: blanks, comments, and the ends of continued lines, each with a prompt after it.
_BETWEEN = re.compile(r"[ \t]+|#[^\n]*|\\(?:\n(?:[ \t]*>(?=[ \t]))?|\Z)")
_REDIRECTION = re.compile(r"[0-9]*[<>]&[0-9-]|(?:[0-9]+|&)?(?:<<<|>>|<>|>\||[<>])")
_OPERATOR = re.compile(r"&&|\|\||;;|\|&|&(?!>)|[\n;|()]")
# Manuals write it for what a reader is to fill in; to a shell it is two redirections.
_PLACEHOLDER = re.compile(r"<[A-Za-z][^<>\s'\"$]*>")
_ENDS = re.compile(r"[ \t\n;&|()<>]")
_VARIABLE = re.compile(rf"\$(?:({_NAME})|\{{({_NAME})(?:(:?)-([^${{}}`\"']*))?\}})")
_PLAIN = re.compile(r"[^ \t\n;&|()<>'\"\\$`]+")
# Words that may precede an assignment: prompts and declarations.
_BEFORE = ("$", "%", "export", "readonly", "declare", "typeset", "local")
_NO_BREAK = "\u00a0"
_LOST_END = re.compile(r"\\[ \t]+(?=\n|\Z)")
_BLANK = (" ", "\t", "\n")
_BLANKS = re.compile(r"([ \t\n])")
_PARENTHESIS = re.compile(r"[()]")


class Word(NamedTuple):
    """A word as a program gets it, and where each of its characters came from."""

    text: str
    offsets: Sequence[int]  # in the script, of each character, and of what follows the last
    start: Position  # of its first quote, if it has one
    bare: bool  # nothing of it was quoted
    problems: tuple[Problem, ...]
    locate: Callable[[int], Position]  # the place of an offset in the script

    def place(self, index: int) -> Position:
        """The place of one of its characters; of what follows it, if there are fewer."""
        return self.locate(self.offsets[min(index, len(self.text))])

    @property
    def end(self) -> Position:
        """The place after it."""
        return self.place(len(self.text))

    def assigned(self) -> tuple[str, "Word"] | None:
        """The name and the value, if the word is an assignment."""
        if not (match := _ASSIGNMENT.match(self.text)):
            return None
        rest = match.end()
        return match[1], self._replace(text=self.text[rest:], offsets=self.offsets[rest:])


class Value(NamedTuple):
    """The value of a variable, and what is wrong with it wherever it is used."""

    text: str
    problems: tuple[Problem, ...] = ()
    refusals: tuple[str, ...] = ()  # messages about characters in it


class Scanner:
    """Scans a script once; `assign` adds what the script assigns; values defined outside win."""

    def __init__(self, text: str, file: str, defined: Mapping[str, Value]) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.file = file
        self.warnings: list[Problem] = []  # of what is read as meant, one of each kind
        self.defined = defined
        self.known: dict[str, Value] = {}
        self.problems: list[Problem] = []
        self.lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.at = 0
        self.depth = 0  # of parentheses
        self.head = True  # so far the command has only assignments
        self.word = _WordBuilder(0)
        self.budget = Budget()
        self.comments: list[int] = []
        self.undefined: dict[str, Problem] = {}  # by name, the first use of a variable
        if (start := self.text.find(_NO_BREAK)) >= 0:
            message = "this is a no-break space (U+00A0), which a shell reads as part of a word"
            self._warn(start, message, "shell-blank-unbroken", "type the blanks again")
            self.text = self.text.replace(_NO_BREAK, " ")

    def assign(self, words: Mapping[str, Word]) -> None:
        """Remember what a script assigns."""
        self.known |= {name: Value(word.text, word.problems) for name, word in words.items()}

    def problem(self, word: Word, message: str, rule: str, hint: str = "") -> Problem:
        """A problem where a word begins."""
        return Problem(Mark(self.file, *word.start), message, rule, hint)

    def tokens(self) -> Iterator[Word | str]:
        """Words and the operators that end commands; redirections are left out."""
        try:
            yield from self._tokens()
        except OverBudgetError:
            message = f"the variables up to here expand to more than {LIMITS}; expected fewer"
            self._report(self.at, message, "value-too-large")
            self.at = len(self.text)
        yield "\n"

    def _tokens(self) -> Iterator[Word | str]:
        while self.at < len(self.text):
            if self._skip():
                continue
            if operator := self._take(_OPERATOR):
                self._parenthesis(operator)
                self.head = True
                yield operator
            elif not _PLACEHOLDER.match(self.text, self.at) and (
                operator := self._take(_REDIRECTION)
            ):
                self._redirect(operator)
            else:
                yield from self._words()

    def place(self, at: int) -> Position:
        """The line and column of a character."""
        line = bisect_right(self.lines, at)
        return line, at - self.lines[line - 1] + 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match[0] if match else ""

    def _skip(self) -> bool:
        """Skip what is between words."""
        start = self.at
        if self._take(_LOST_END):
            message = "the blanks after this '\\' end the command in a shell; they are ignored here"
            hint = "remove the blanks at the end of the line"
            if not any(warning.rule == "shell-blank-at-end" for warning in self.warnings):
                self._warn(start, message, "shell-blank-at-end", hint)
            self.at += 1
        elif self._take(_BETWEEN) and self.text[start] == "#":
            self.comments.append(start)
        return self.at > start

    def _report(self, at: int, message: str, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(Mark(self.file, *self.place(at)), message, rule, hint))

    def _warn(self, at: int, message: str, rule: str, hint: str) -> None:
        mark = Mark(self.file, *self.place(at))
        self.warnings.append(Problem(mark, message, rule, hint, "warning"))

    def _parenthesis(self, operator: str) -> None:
        """Parentheses around commands are allowed; inside a command they need quotes."""
        self.depth += {"(": 1, ")": -1}.get(operator, 0)
        if self.depth < 0 or (operator == "(" and not self.head):
            self.depth = max(self.depth, 0)
            message = f"a {operator!r} is not allowed here; expected quotes around it"
            self._report(self.at - 1, message, "file-syntax")

    def _redirect(self, operator: str) -> None:
        """Skip the file of a redirection."""
        start = self.at - len(operator)
        if operator.endswith("<") and self.text.startswith("<", self.at):
            message = "a here-document ('<<') is not read; expected the command line alone"
            self._report(start, message, "shell-unsupported")
            self.at += 1
        if "&" in operator[1:]:  # to another stream, as 2>&1
            return
        while self.at < len(self.text) and self._skip():
            pass
        if not list(self._words()):
            message = f"nothing follows {operator!r}; expected a file, or quotes around it"
            self._report(start, message, "file-syntax")

    def _words(self) -> Iterator[Word]:
        """The next word; several, if a variable holds blanks, and none, if it is empty."""
        self.word = _WordBuilder(self.at)
        while self.at < len(self.text):
            if match := _PLACEHOLDER.match(self.text, self.at):
                self._add(match[0])
            elif _ENDS.match(self.text, self.at) or _LOST_END.match(self.text, self.at):
                break
            else:
                yield from self._piece()
        if self.word.begun:
            word = self.word.done(self.at, self.place)
            self.head &= word.assigned() is not None or word.text in _BEFORE
            yield word

    def _add(self, text: str) -> None:
        """Add the next characters of the text as they are."""
        self.word.add(text, range(self.at, self.at + len(text)))
        self.at += len(text)

    def _piece(self) -> Iterator[Word]:
        char = self.text[self.at]
        if char in "'\"":
            self._quoted(char)
        elif char == "\\":
            self._escape()
        elif char in "$`":
            yield from self._split(self.at, self._expansion())
        else:
            end = _PLAIN.match(self.text, self.at).end()  # type: ignore[union-attr]
            self._add(self.text[self.at : end])

    def _quoted(self, quote: str) -> None:
        start = self.at
        self.word.begun, self.word.bare = True, False
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != quote:
            if quote == "'" or self.text[self.at] not in "\\$`":
                self._add(self.text[self.at])
            elif self.text[self.at] == "\\":
                self._escape(r'\$`"')
            else:
                at = self.at
                self.word.add_at(self._expansion(), at)
        if self.at == len(self.text):
            self._report(start, "this quote is never closed", "file-syntax")
        self.at += 1

    def _escape(self, escapable: str = "") -> None:
        """A backslash: it removes the end of a line; in double quotes it mostly stays."""
        following = self.text[self.at + 1 : self.at + 2]
        if following in ("\n", ""):
            self.at += 2
            return
        if not escapable or following in escapable:
            self.word.bare = False
            self.at += 1
        self._add(self.text[self.at])

    def _split(self, at: int, value: str) -> Iterator[Word]:
        """Add the value of an unquoted variable; blanks in it end the word, if not assigned."""
        if self.head and self.word.assigns:
            self.word.add_at(value, at)
            return
        for piece in _BLANKS.split(value):
            if piece[:1] not in _BLANK:
                self.word.add_at(piece, at)
            elif piece and self.word.begun:
                yield self.word.done(at, self.place)
                self.word = _WordBuilder(at)

    def _expansion(self) -> str:
        """The value of a variable; anything but its name, such as a command, is refused."""
        start = self.at
        if not (match := _VARIABLE.match(self.text, self.at)):
            return self._no_variable(start)
        self.at = match.end()
        name, default = match[1] or match[2], match[4]
        value = self.defined.get(name) or self.known.get(name)
        if default is not None and (value is None or (match[3] and not value.text)):
            return default
        if value is None:
            if name in self.word.undefined:
                return match[0]
            self.word.undefined.add(name)
            message = f"{name} has no value; it is not read from the environment"
            mark = Mark(self.file, *self.place(start))
            hint = f"set it: --define {name}=VALUE"
            problem = Problem(mark, message, "shell-undefined", hint)
            self.word.problems[self.undefined.setdefault(name, problem)] = None
            return match[0]
        self.budget.spend(1, len(value.text))
        self.word.problems |= dict.fromkeys(value.problems)
        for refusal in value.refusals:
            self._refuse(start, f"in the value of {name}: {refusal}", "file-control-character")
        return value.text

    def _no_variable(self, start: int) -> str:
        opening = self.text[start : start + 2]
        self.at += 1
        if opening[:1] == "`" or opening == "$(":
            self.at = self._closing(start)
            message = "a command inside a command is not run; expected its result"
            self._refuse(start, message, "shell-unsupported")
        elif opening == "${":
            self.at = self.text.find("}", start) + 1 or len(self.text)
            what = short(self.text[start : self.at])
            message = f"{what!r} is not supported; expected a name, as in ${{NAME}}"
            self._refuse(start, message, "shell-unsupported")
        elif re.match(r"\$[0-9@*#?!$'\"-]", opening):
            message = f"{opening!r} is known only to a running shell; expected its value"
            self._refuse(start, message, "shell-unsupported")
        return "$"

    def _closing(self, start: int) -> int:
        """The place after a command substitution, which may contain others."""
        if self.text[start] == "`":
            return self.text.find("`", start + 1) + 1 or len(self.text)
        depth = 0
        for match in _PARENTHESIS.finditer(self.text, start):
            depth += 1 if match[0] == "(" else -1
            if not depth:
                return match.end()
        return len(self.text)

    def _refuse(self, at: int, message: str, rule: str, hint: str = "") -> None:
        """Report a problem of the word, which counts only if its command is wanted."""
        problem = Problem(Mark(self.file, *self.place(at)), message, rule, hint)
        self.word.problems[problem] = None


class _WordBuilder:
    """A word in the making."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.text: list[str] = []
        self.offsets = array("I")
        self.problems: dict[Problem, None] = {}
        self.undefined: set[str] = set()  # variables that it reports
        self.begun = False  # it is a word, perhaps an empty one
        self.bare = True
        self.assigns: bool | None = None  # it begins with NAME=; None before its first "="

    def add(self, text: str, offsets: Iterable[int]) -> None:
        """Add characters, each with its offset in the script."""
        self.text.append(text)
        self.offsets.extend(offsets)
        self.begun = True
        if self.assigns is None and "=" in text:
            name = "".join(self.text).partition("=")[0]
            self.assigns = _NAME_ALONE.fullmatch(name) is not None

    def add_at(self, text: str, at: int) -> None:
        """Add characters that all come from one place, such as a variable."""
        if text:
            self.add(text, repeat(at, len(text)))

    def done(self, end: int, locate: Callable[[int], Position]) -> Word:
        """The finished word, which ends before an offset."""
        self.offsets.append(end)
        text, problems = "".join(self.text), tuple(self.problems)
        return Word(text, self.offsets, locate(self.start), self.bare, problems, locate)
