"""Read command lines as a shell does, with the place of each character; nothing is run.

A document is one command of a script: `words`, the program first, and `env`, the assignments before
it. The path ("words", 2, 7) leads to the eighth character of the third word; counting continues in
the words after it, with one for the space between.
"""

import re
from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.shell import Scanner, Value, Word
from chartgen.syntax.text import (
    DEFAULTS,
    Comment,
    ReadOptions,
    TextPart,
    controls,
    decode,
    without_controls,
)

_BEFORE = {"$", "%", "{", "}", "!"}  # prompts, groups and a negation
_OPEN = {"if", "for", "while", "until", "case"}
_CLOSE = {"fi", "done", "esac"}
_BETWEEN = {"then", "elif", "else", "do"}
_DECLARE = {"export", "readonly", "declare", "typeset", "local"}


class ShellCommand(NamedTuple):
    """A command with its arguments, and the assignments before it."""

    env: dict[str, Word]
    words: list[Word]
    problems: list[Problem]


def read(data: bytes, file: str, options: ReadOptions = DEFAULTS) -> list[Document]:
    """The commands of a script that the pattern matches, or all if it matches none."""
    text, problems = without_controls(decode(data, file), file)
    values = {}
    for name, value in (options.defines or {}).items():
        values[name] = Value(value, (), tuple(controls(value)))
    scanner = Scanner(text, file, values)
    commands = _read_script(scanner)
    matching = []
    for command in commands:
        if re.search(options.pattern, " ".join(word.text for word in command.words)):
            matching.append(command)
    wanted = matching or commands
    problems += scanner.problems
    for command in wanted:
        problems += _check_command(command, options.pattern)
    if not wanted and not problems:
        message = "there is no command in this text; expected a command line"
        problems.append(Problem(Mark(file), message, "file-empty"))
    if problems:
        raise InputError(sorted(set(problems)))
    documents = [_document(file, command) for command in wanted]
    documents[0] = documents[0]._replace(problems=tuple(scanner.warnings))
    return documents


def parts(text: str) -> list[TextPart]:
    """The comments of a script, without its `#!` line."""
    scanner = Scanner(text, "", {})
    for _ in scanner.tokens():
        pass
    lines = scanner.text.split("\n")
    comments = []
    for at in scanner.comments:
        line, column = scanner.place(at)
        before, comment = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
        if not comment.startswith("#!"):
            comments.append(Comment(line, column, comment.rstrip(), alone=not before.strip()))
    return [TextPart(0, comments)]


def _check_command(command: ShellCommand, program: str) -> Iterator[Problem]:
    yield from command.problems
    for index, word in enumerate((*command.words, *command.env.values())):
        is_program = index == 0 or (program and re.search(program, word.text))
        directory, _, name = word.text.rpartition("/")
        # The directory of a program may be unknown: `$HOME/bin/submit` is recognized by its name.
        if not (is_program and "$" in directory and "$" not in name):
            yield from word.problems


def _document(file: str, command: ShellCommand) -> Document:
    data: dict[str, Any] = {"words": [word.text for word in command.words]}
    if command.env:
        data["env"] = {name: word.text for name, word in command.env.items()}

    def locate(path: Path, key: bool) -> Mark:
        return Mark(file, *_place(command, path, key))

    return Document(file, data, locate)


def _place(command: ShellCommand, path: Path, key: bool) -> tuple[int, int]:
    """The place of a value of a command; as a key, where its word begins."""
    root, index, offset, *_ = (*path, 0, 0, 0)[:3]
    if root == "env" and index in command.env:
        word = command.env[str(index)]
        return word.start if key else word.place(0)
    if root != "words" or not isinstance(index, int) or not 0 <= index < len(command.words):
        return next(iter(command.env.values()), command.words[0]).start
    word = command.words[index]
    offset = 0 if key or not isinstance(offset, int) else offset
    while offset > len(word.text) and index + 1 < len(command.words):
        offset -= len(word.text) + 1
        index += 1
        word = command.words[index]
    return word.place(offset) if offset else word.start


def _read_script(scanner: Scanner) -> list[ShellCommand]:
    """The commands of a script; the scanner learns what the script assigns."""
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
    """The commands so far, and the ifs and loops that are open."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.commands: list[ShellCommand] = []
        self.open: list[str] = []

    def end(self, words: list[Word]) -> None:
        """End a command: an assignment, a command, or a line that belongs to the one before it."""
        words = self._strip_keywords(words)
        env: dict[str, Word] = {}
        while words and (assigned := words[0].assigned()):
            env[assigned[0]] = assigned[1]
            words = words[1:]
        if not words:
            self.scanner.assign(env)
        elif words[0].text in _DECLARE:
            self.scanner.assign(dict(filter(None, (word.assigned() for word in words[1:]))))
        elif words[0].text.startswith("-") and self.commands:
            self._report_lost_line(words[0])
        else:
            self.commands.append(ShellCommand(env, words, self._check_compound(words[0])))

    def _strip_keywords(self, words: list[Word]) -> list[Word]:
        """The words of a command without the keywords before it."""
        while words and words[0].bare and words[0].text in _BEFORE | _OPEN | _CLOSE | _BETWEEN:
            if words[0].text in _OPEN:
                self.open.append(words[0].text)
            elif words[0].text in _CLOSE and self.open:
                self.open.pop()
            words = words[1:]
        return words

    def _check_compound(self, word: Word) -> list[Problem]:
        if not self.open:
            return []
        message = (
            f"a command inside {self.open[-1]!r} may run never, once or many times; "
            "expected the command line alone"
        )
        hint = "take it out, with its values filled in"
        return [self.scanner.problem(word, message, "shell-unsupported", hint)]

    def _report_lost_line(self, word: Word) -> None:
        last = self.commands[-1]
        line = last.words[-1].end[0]
        message = f"{word.text[:40]!r} is not a command; the one before it ends on line {line}"
        hint = "end each line but the last with '\\', without comments or empty lines between"
        last.problems.append(self.scanner.problem(word, message, "shell-continuation", hint))
