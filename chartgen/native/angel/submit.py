"""angel-submit: the command line that starts a job of Angel, in the four forms that its arguments have."""

import re
from typing import NamedTuple

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.angel import job as angel
from chartgen.native.angel import warnings as angel_traps
from chartgen.native.draft import Adopted

_PROGRAM = re.compile(r"(?:.*/)?(angel|spark)-submit")


class _Property(NamedTuple):
    """A property, and where its value stands in the command."""

    key: str
    value: str
    origin: Path


def adopt(document: Document) -> Adopted:
    """The job description that a command line means."""
    words: list[str] = document.data["words"]
    start = next((index for index, word in enumerate(words) if _PROGRAM.fullmatch(word)), 0)
    program = _PROGRAM.fullmatch(words[start])
    if program and program[1] == "spark":
        return Adopted(None, (), (angel_traps.of_spark(document, ("words", start), "a spark-submit line"),))
    found, problems = _Arguments(document, start + 1).read()
    origins: dict[Path, Path] = {(): ("words", start)}
    for one in found:
        if (one.key,) in origins:
            problems.append(_again(document, one, origins[one.key,]))
        origins[one.key,] = one.origin
    origins |= {(angel.ENV, name): ("env", name) for name in document.data.get("env", ())}
    properties = document.moved({one.key: one.value for one in found}, origins)
    adopted = angel.adopt(properties, document.data.get("env", {}))
    return adopted._replace(problems=(*problems, *adopted.problems))


def _again(document: Document, one: _Property, before: Path) -> Problem:
    message = f"{one.key!r} is given a second time, and this one holds; the other stands at {document.mark(before)}"
    return document.warning(one.origin, message, "duplicate-key", key=True)


class _Arguments:
    """Goes through the words behind the program, as angel-submit does."""

    def __init__(self, document: Document, start: int) -> None:
        self.document = document
        self.words: list[str] = document.data["words"]
        self.at = start
        self.found: list[_Property] = []
        self.problems: list[Problem] = []

    def read(self) -> tuple[list[_Property], list[Problem]]:
        """What is said, and what cannot be said so."""
        while self.at < len(self.words):
            word = self.words[self.at]
            if word.startswith("-D"):
                self._defined(word)
            elif word.startswith("--"):
                self._option(word)
            elif word == "jar":
                self._pair("angel.job.jar")
            else:
                self._colon(word)
            self.at += 1
        return self.found, self.problems

    def _add(self, key: str, value: str, *place: str | int) -> None:
        self.found.append(_Property(key, value, ("words", *place)))

    def _refuse(self, message: str, hint: str = "") -> None:
        self.problems.append(self.document.problem(("words", self.at), message, "argument", hint))

    def _defined(self, word: str) -> None:
        """-Dkey=value."""
        key, equals, value = word[2:].partition("=")
        following = self.words[self.at + 1] if self.at + 1 < len(self.words) else ""
        if not equals and not key and "=" in following:
            self._refuse("nothing follows '-D' in this word; expected -Dkey=value", f"did you mean '-D{following}'?")
            self.at += 1
        elif not equals:
            self._refuse(f"{word!r} has no value; expected -Dkey=value")
        elif not key:
            self._refuse(f"{word!r} has no key, and sets a property without a name; expected -Dkey=value")
        else:
            self._add(key, value, self.at, len(word) - len(value))

    def _option(self, word: str) -> None:
        """--key value, in two words."""
        key, equals, value = word[2:].partition("=")
        if equals:
            message = f"{word!r} takes the word behind it as the value of a property called {word[2:]!r}"
            self._refuse(message, f"did you mean '-D{key}={value}'?")
        elif key == "conf":
            self._conf()
        else:
            self._pair(key)

    def _conf(self) -> None:
        """--conf key=value, which the manual of Angel has from Spark's."""
        key, equals, value = (self.words[self.at + 1] if self.at + 1 < len(self.words) else "").partition("=")
        if not equals or not key:
            self._refuse("'--conf' sets a property called 'conf', which Angel does not know; expected -Dkey=value")
        else:
            message = f"angel-submit knows no --conf and sets a property called 'conf'; read as -D{key}={value}"
            hint = f"write -D{key}={value}"
            self.problems.append(self.document.warning(("words", self.at), message, "conf", hint))
            self._add(key, value, self.at + 1, len(key) + 1)
        self.at += 1

    def _pair(self, key: str) -> None:
        word = self.words[self.at]
        if self.at + 1 == len(self.words):
            self._refuse(f"nothing follows {word!r}; expected a value")
        elif not key:
            self._refuse("'--' names no property; expected --key value")
        else:
            self._add(key, self.words[self.at + 1], self.at, len(word) + 1)
            self.at += 1

    def _colon(self, word: str) -> None:
        """key:value."""
        key, colon, value = word.partition(":")
        name, equals, rest = word.partition("=")
        if equals and name and (not colon or "=" in key):
            meant = f"sets a property called {key!r}" if colon else "is no argument of angel-submit"
            self._refuse(f"{word!r} {meant}; expected -Dkey=value", f"did you mean '-D{name}={rest}'?")
        elif not colon or not key or value.startswith("//"):
            self._refuse(f"{word!r} is no argument of angel-submit; expected -Dkey=value, --key value or key:value")
        else:
            self._add(key, value, self.at, len(key) + 1)
