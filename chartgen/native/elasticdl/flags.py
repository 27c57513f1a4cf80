"""The flags of a command line as Python's argparse reads them: `--a=1` or `--a 1`, or abbreviated.

The client used parse_known_args, which ignores what it does not know. Here that is a problem.
"""

import re
from collections.abc import Collection, Iterator, Mapping

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.startup.records import NamedTuple
from chartgen.words import listed, nearest

_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Flag(NamedTuple):
    """A flag with its value, and where both start: a word, and a character of a word."""

    name: str
    value: str
    key: Path
    at: Path

    def character(self, offset: int) -> Path:
        """The place of a character of the value."""
        word, index, start = (*self.at, 0)[:3]
        return (word, index, int(start) + offset)


class Known(NamedTuple):
    """The flags that there are."""

    names: Collection[str]  # may be abbreviated, as argparse allows it
    exact: Collection[str] = ()  # may not: the parser never knew them
    elsewhere: Mapping[str, str] = {}  # what to say about those that this command does not have
    switches: Collection[str] = ()  # need no value


def read(source: Document, start: int, known: Known) -> Iterator[Flag | Problem]:
    """The flags of a command from a word on, and problems with words that are not flags."""
    words: list[str] = source.data["words"]
    index = start
    while index < len(words):
        word, key = words[index], ("words", index)
        written, equals, value = word.partition("=")
        at: Path = (*key, len(written) + 1)
        index += 1
        if not written.startswith("--") or " " in written or written == "--":
            yield _stray_word(source, key, word, known)
            continue
        if not equals and index < len(words) and _is_value(words[index], known):
            equals, value, at = " ", words[index], ("words", index)
            index += 1
        meant = _meant(written[2:], known)
        if len(meant) != 1:
            yield _unknown_flag(source, key, written, meant, known)
        elif not equals and meant[0] in known.switches:
            yield Flag(meant[0], "", key, key)
        elif not equals:
            message = f"{written} has no value; expected one after it"
            yield source.problem(key, message, "elasticdl-flag-no-value")
        else:
            yield Flag(meant[0], value, key, at)
            if written != f"--{meant[0]}":
                message = (
                    f"{written} is short for --{meant[0]} only if no other flag starts with it"
                )
                yield source.warning(key, message, "elasticdl-flag-short", f"write --{meant[0]}")


def _meant(written: str, known: Known) -> list[str]:
    """The flags that a word may mean."""
    if written in known.names or written in known.exact:
        return [written]
    return [name for name in known.names if written and name.startswith(written)]


def _is_value(word: str, known: Known) -> bool:
    """Whether argparse takes a word as the value of the flag before it.

    It does unless the word starts like a flag and is neither a number nor has blanks in it.
    """
    if not word.startswith("-") or word == "-":
        return True
    start = word.partition("=")[0]
    if start.startswith("--"):
        for name in (*known.names, *known.exact):
            if f"--{name}".startswith(start):
                return False
    return " " in word or _NUMBER.fullmatch(word) is not None


def _unknown_flag(
    source: Document, key: Path, written: str, meant: list[str], known: Known
) -> Problem:
    if meant:
        names = listed([f"--{name}" for name in meant])
        return source.problem(
            key, f"{written} is ambiguous; expected {names}", "elasticdl-flag-ambiguous"
        )
    if message := known.elsewhere.get(written[2:]):
        return source.warning(key, message, "elasticdl-flag-unknown", "remove it")
    message = f"unknown flag {written}; the client ignored it"
    return source.problem(key, message, "elasticdl-flag-unknown", _did_you_mean(written, known))


def _stray_word(source: Document, key: Path, word: str, known: Known) -> Problem:
    message = f"{word[:60]!r} belongs to no flag; the client ignored it"
    hint = _did_you_mean(word.partition("=")[0], known) if word.startswith("-") else ""
    return source.problem(key, message, "elasticdl-flag-unknown", hint)


def _did_you_mean(written: str, known: Known) -> str:
    meant = nearest(written.lstrip("-"), known.names)
    return f"did you mean --{meant}?" if meant else ""
