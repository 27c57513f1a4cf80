"""Read command lines as a shell reads them: words, with the place of each character; nothing is run or looked up.

A document is one command of a script: `words`, the program first, and `env`, the assignments that stand before it. The
path ("words", 2, 7) leads to the eighth character of the third word; counting goes on in the words behind it, one for
the blank between.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.syntax.shell import Scanner, Value, Word
from chartgen.syntax.text import Comment, Part, controls, decode, without_controls

_BEFORE = {"$", "%", "{", "}", "!"}  # prompts, groups and a negation
_OPEN = {"if", "for", "while", "until", "case"}
_CLOSE = {"fi", "done", "esac"}
_BETWEEN = {"then", "elif", "else", "do"}
_DECLARE = {"export", "readonly", "declare", "typeset", "local"}


class Command(NamedTuple):
    """A command with its arguments, and the assignments before it."""

    env: dict[str, Word]
    words: list[Word]
    problems: list[Problem]


def read(data: bytes, file: str, defines: Mapping[str, str] | None = None, program: str = "") -> list[Document]:
    """The commands of a script that a pattern fits, all if it fits none; or InputError with every problem found."""
    text, problems = without_controls(decode(data, file), file)
    scanner = Scanner(text, file, _values(defines or {}))
    commands = _commands(scanner)
    wanted = [one for one in commands if re.search(program, " ".join(word.text for word in one.words))] or commands
    problems += scanner.problems
    problems += [problem for one in wanted for problem in _problems(one, program)]
    if not wanted and not problems:
        problems.append(Problem(Mark(file), "there is no command in this text; expected a command line", "empty"))
    if problems:
        raise InputError(sorted(set(problems)))
    return [_document(file, command) for command in wanted]


def parts(text: str) -> list[Part]:
    """The comments of a script, but for the line that says what runs it."""
    scanner = Scanner(text, "", {})
    for _ in scanner.tokens():
        pass
    return [Part(0, [comment for at in scanner.comments if (comment := _comment(scanner, at)).text[:2] != "#!"])]


def _comment(scanner: Scanner, at: int) -> Comment:
    line, column = scanner.place(at)
    lines = scanner.text.split("\n")
    return Comment(line, column, lines[line - 1][column - 1 :].rstrip(), not lines[line - 1][: column - 1].strip())


def _values(defines: Mapping[str, str]) -> dict[str, Value]:
    return {name: Value(text, (), tuple(controls(text))) for name, text in defines.items()}


def _problems(command: Command, program: str) -> Iterator[Problem]:
    yield from command.problems
    for index, word in enumerate((*command.words, *command.env.values())):
        if not _is_place(word, index == 0 or bool(program and re.search(program, word.text))):
            yield from word.problems


def _is_place(word: Word, runs: bool) -> bool:
    """Whether only the directory of a program is unknown: `$HOME/bin/submit` is told by its name."""
    directory, _, name = word.text.rpartition("/")
    return runs and "$" in directory and "$" not in name


def _document(file: str, command: Command) -> Document:
    data: dict[str, Any] = {"words": [word.text for word in command.words]}
    if command.env:
        data["env"] = {name: word.text for name, word in command.env.items()}

    def locate(path: Path, key: bool) -> Mark:
        return Mark(file, *_place(command, path, key))

    return Document(file, data, locate)


def _place(command: Command, path: Path, key: bool) -> tuple[int, int]:
    """Where something of a command stands; as a key, where its word begins."""
    root, index, offset, *_ = (*path, 0, 0, 0)[:3]
    if root == "env" and index in command.env:
        word = command.env[str(index)]
        return word.start if key else word.places[0]
    if root != "words" or not isinstance(index, int) or not 0 <= index < len(command.words):
        return next(iter(command.env.values()), command.words[0]).start
    word = command.words[index]
    offset = 0 if key or not isinstance(offset, int) else offset
    while offset > len(word.text) and index + 1 < len(command.words):
        offset -= len(word.text) + 1
        index += 1
        word = command.words[index]
    return word.places[min(offset, len(word.text))] if offset else word.start


def _commands(scanner: Scanner) -> list[Command]:
    """The commands of a script; what it assigns is known to the scanner from there on."""
    script = _Script(scanner)
    words: list[Word] = []
    for token in scanner.tokens():
        if isinstance(token, Word):
            words.append(token)
        else:
            script.end(words)
            words = []
    return script.commands


class _Script:
    """What was found so far, and which ifs and loops are open."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.commands: list[Command] = []
        self.open: list[str] = []

    def end(self, words: list[Word]) -> None:
        """Tell what a finished command is: an assignment, a command, or a line that belongs to the one before it."""
        words = self._inner(words)
        env: dict[str, Word] = {}
        while words and (assigned := words[0].assigned()):
            env[assigned[0]] = assigned[1]
            words = words[1:]
        if not words:
            self.scanner.assign(env)
        elif words[0].text in _DECLARE:
            self.scanner.assign(dict(filter(None, (word.assigned() for word in words[1:]))))
        elif words[0].text.startswith("-") and self.commands:
            self._stray(words[0])
        else:
            self.commands.append(Command(env, words, self._compound(words[0])))

    def _inner(self, words: list[Word]) -> list[Word]:
        """The words without those that belong to the script around them."""
        while words and words[0].bare and words[0].text in _BEFORE | _OPEN | _CLOSE | _BETWEEN:
            if words[0].text in _OPEN:
                self.open.append(words[0].text)
            elif words[0].text in _CLOSE and self.open:
                self.open.pop()
            words = words[1:]
        return words

    def _compound(self, word: Word) -> list[Problem]:
        if not self.open:
            return []
        message = f"a command inside {self.open[-1]!r} may run once, often or never; expected the command line alone"
        return [self.scanner.problem(word, message, "shell", "take it out, with its values filled in")]

    def _stray(self, word: Word) -> None:
        last = self.commands[-1]
        message = f"{word.text[:40]!r} is no command, and the one before it ended in line {last.words[-1].end[0]}"
        hint = "end each line but the last with '\\'; no comment or empty line may stand between"
        last.problems.append(self.scanner.problem(word, message, "continuation", hint))
