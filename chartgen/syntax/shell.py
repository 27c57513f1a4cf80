"""Take a shell script apart into words and operators: quotes, escapes, line continuations, comments and variables.

Wildcards and braces stay as they are, which is what a shell does where they fit no file.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from chartgen.errors import Mark, Problem

Place = tuple[int, int]  # line and column, from 1

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"({_NAME})=")
# Between words: blanks, comments, and ends of lines that go on; a prompt may stand at the start of such a line.
_BETWEEN = re.compile(r"[ \t]+|#[^\n]*|\\(?:\n(?:[ \t]*>(?=[ \t]))?|\Z)")
_REDIRECTION = re.compile(r"[0-9]*[<>]&[0-9-]|(?:[0-9]+|&)?(?:<<<|>>|<>|>\||[<>])")
_OPERATOR = re.compile(r"&&|\|\||;;|\|&|&(?!>)|[\n;|()]")
# As manuals write what a reader is to fill in; to a shell it is two redirections.
_PLACEHOLDER = re.compile(r"<[A-Za-z][^<>\s'\"$]*>")
_ENDS = re.compile(r"[ \t\n;&|()<>]")
_VARIABLE = re.compile(rf"\$(?:({_NAME})|\{{({_NAME})(?:(:?)-([^${{}}`\"']*))?\}})")
_PLAIN = re.compile(r"[^ \t\n;&|()<>'\"\\$`]+")
# Words that may stand before an assignment: prompts and declarations.
_BEFORE = ("$", "%", "export", "readonly", "declare", "typeset", "local")
_LOST_END = re.compile(r"\\[ \t]+(?=\n|\Z)")


class Word(NamedTuple):
    """A word as a program gets it, and where each of its characters came from."""

    text: str
    places: tuple[Place, ...]  # of each character, and of what follows the last
    start: Place  # of its first quote, if it has one
    bare: bool  # nothing of it was quoted
    problems: tuple[Problem, ...]

    @property
    def end(self) -> Place:
        """The place behind it."""
        return self.places[-1]

    def assigned(self) -> tuple[str, "Word"] | None:
        """The name and the value, if the word is an assignment."""
        if not (match := _ASSIGNMENT.match(self.text)):
            return None
        return match[1], self._replace(text=self.text[match.end() :], places=self.places[match.end() :])


class Value(NamedTuple):
    """What a variable holds, and what is wrong with it wherever it is used."""

    text: str
    problems: tuple[Problem, ...] = ()
    refusals: tuple[str, ...] = ()  # of characters in it


class Scanner:
    """Goes through a script once; what it assigns on the way must be told, and what is defined from outside wins."""

    def __init__(self, text: str, file: str, defined: Mapping[str, Value]) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.file = file
        self.defined = defined
        self.known: dict[str, Value] = {}
        self.problems: list[Problem] = []
        self.lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.at = 0
        self.depth = 0  # of parentheses
        self.head = True  # so far the command has only assignments
        self.word = _Word()
        self.comments: list[int] = []

    def assign(self, words: Mapping[str, Word]) -> None:
        """Remember what a script assigns."""
        self.known |= {name: Value(word.text, word.problems) for name, word in words.items()}

    def problem(self, word: Word, message: str, rule: str, hint: str = "") -> Problem:
        """A problem where a word begins."""
        return Problem(Mark(self.file, *word.start), message, rule, hint)

    def tokens(self) -> Iterator[Word | str]:
        """Words and the operators that end commands; where output goes to is left out."""
        while self.at < len(self.text):
            if self._skip():
                continue
            if operator := self._take(_OPERATOR):
                self._parenthesis(operator)
                self.head = True
                yield operator
            elif not _PLACEHOLDER.match(self.text, self.at) and (operator := self._take(_REDIRECTION)):
                self._redirect(operator)
            else:
                yield from self._words()
        yield "\n"

    def place(self, at: int) -> Place:
        """The line and column of a character."""
        line = bisect_right(self.lines, at)
        return line, at - self.lines[line - 1] + 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match[0] if match else ""

    def _skip(self) -> bool:
        """Pass over what stands between words."""
        start = self.at
        if self._take(_LOST_END):
            message = "this '\\' is followed by blanks, so that the command ends here"
            self._report(start, message, "continuation", "remove the blanks at the end of the line")
            self.at += 1
        elif self._take(_BETWEEN) and self.text[start] == "#":
            self.comments.append(start)
        return self.at > start

    def _report(self, at: int, message: str, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(Mark(self.file, *self.place(at)), message, rule, hint))

    def _parenthesis(self, operator: str) -> None:
        """A group of commands may stand in parentheses; inside a command they need quotes."""
        self.depth += {"(": 1, ")": -1}.get(operator, 0)
        if self.depth < 0 or (operator == "(" and not self.head):
            self.depth = max(self.depth, 0)
            self._report(self.at - 1, f"a {operator!r} cannot stand here; expected quotes around it", "syntax")

    def _redirect(self, operator: str) -> None:
        """Leave out a file that output goes to or input comes from."""
        start = self.at - len(operator)
        if operator.endswith("<") and self.text.startswith("<", self.at):
            self._report(start, "a text in lines ('<<') is not read; expected the command line alone", "shell")
            self.at += 1
        if "&" in operator[1:]:  # to another stream, as 2>&1
            return
        while self.at < len(self.text) and self._skip():
            pass
        if not list(self._words()):
            self._report(start, f"nothing follows {operator!r}; expected a file, or quotes around it", "syntax")

    def _words(self) -> Iterator[Word]:
        """The next word; several, if a variable holds blanks, and none, if it is empty."""
        self.word = _Word(self.place(self.at))
        while self.at < len(self.text):
            if match := _PLACEHOLDER.match(self.text, self.at):
                self._add(match[0])
            elif _ENDS.match(self.text, self.at) or _LOST_END.match(self.text, self.at):
                break
            else:
                yield from self._piece()
        if self.word.begun:
            word = self.word.done(self.place(self.at))
            self.head &= word.assigned() is not None or word.text in _BEFORE
            yield word

    def _add(self, text: str) -> None:
        """The next characters of the text, as they are."""
        for char in text:
            self.word.add(char, self.place(self.at))
            self.at += 1

    def _piece(self) -> Iterator[Word]:
        char = self.text[self.at]
        if char in "'\"":
            self._quoted(char)
        elif char == "\\":
            self._escape()
        elif char in "$`":
            yield from self._split(self.place(self.at), self._expansion())
        else:
            self._add(self.text[self.at : _PLAIN.match(self.text, self.at).end()])  # type: ignore[union-attr]

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
                place = self.place(self.at)
                for char in self._expansion():
                    self.word.add(char, place)
        if self.at == len(self.text):
            self._report(start, "this quote is never closed", "syntax")
        self.at += 1

    def _escape(self, escapable: str = "") -> None:
        """A backslash: before the end of a line it goes with it; in double quotes it stays before most characters."""
        following = self.text[self.at + 1 : self.at + 2]
        if following in ("\n", ""):
            self.at += 2
            return
        if not escapable or following in escapable:
            self.word.bare = False
            self.at += 1
        self._add(self.text[self.at])

    def _split(self, place: Place, value: str) -> Iterator[Word]:
        """Put what an unquoted variable holds into the word; blanks in it end the word, except in an assignment."""
        whole = self.head and _ASSIGNMENT.match("".join(self.word.text))
        for char in value:
            if char not in " \t\n" or whole:
                self.word.add(char, place)
            elif self.word.begun:
                yield self.word.done(place)
                self.word = _Word(place)

    def _expansion(self) -> str:
        """What a variable holds; what is no variable's name alone is refused, and not run."""
        start = self.at
        if not (match := _VARIABLE.match(self.text, self.at)):
            return self._no_variable(start)
        self.at = match.end()
        name, default = match[1] or match[2], match[4]
        value = self.defined.get(name) or self.known.get(name)
        if default is not None and (value is None or (match[3] and not value.text)):
            return default
        if value is None:
            hint = f"give it one: --define {name}=VALUE"
            self._refuse(start, f"{name} has no value; the environment is not asked for it", "undefined", hint)
            return match[0]
        self.word.problems += value.problems
        for refusal in value.refusals:
            self._refuse(start, f"in the value of {name} {refusal}", "control-character")
        return value.text

    def _no_variable(self, start: int) -> str:
        opening = self.text[start : start + 2]
        self.at += 1
        if opening[:1] == "`" or opening == "$(":
            self.at = self._closing(start)
            self._refuse(start, "no command is run to make a part of this one; expected its result", "shell")
        elif opening == "${":
            self.at = self.text.find("}", start) + 1 or len(self.text)
            what = self.text[start : self.at]
            self._refuse(start, f"{what!r} is not understood; expected a name, as in ${{NAME}}", "shell")
        elif re.match(r"\$[0-9@*#?!$'\"-]", opening):
            self._refuse(start, f"{opening!r} is known only to a running shell; expected its value", "shell")
        return "$"

    def _closing(self, start: int) -> int:
        """Behind a command that is to be run, which may have more of them inside."""
        if self.text[start] == "`":
            return self.text.find("`", start + 1) + 1 or len(self.text)
        depth = 0
        for match in re.finditer(r"[()]", self.text[start:]):
            depth += 1 if match[0] == "(" else -1
            if not depth:
                return start + match.end()
        return len(self.text)

    def _refuse(self, at: int, message: str, rule: str, hint: str = "") -> None:
        """A problem of the word, of which nobody is told if the command is not wanted."""
        self.word.problems += (Problem(Mark(self.file, *self.place(at)), message, rule, hint),)


class _Word:
    """A word in the making."""

    def __init__(self, start: Place = (1, 1)) -> None:
        self.start = start
        self.text: list[str] = []
        self.places: list[Place] = []
        self.problems: tuple[Problem, ...] = ()
        self.begun = False  # it is a word, maybe an empty one
        self.bare = True

    def add(self, char: str, place: Place) -> None:
        self.text.append(char)
        self.places.append(place)
        self.begun = True

    def done(self, end: Place) -> Word:
        return Word("".join(self.text), (*self.places, end), self.start, self.bare, self.problems)
