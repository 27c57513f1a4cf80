"""The flags of a command line as Python's argparse took them: apart or with '=', in full or cut short."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from chartgen.document import Path

_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Flag(NamedTuple):
    """A flag with its value, and where both stand: the word of the flag, and the first character of the value."""

    name: str
    value: str
    key: Path
    at: Path


class Remark(NamedTuple):
    """Something to say of a word: an error, unless argparse took it in silence and so do we."""

    at: Path
    message: str
    rule: str
    hint: str = ""
    warning: bool = False


def read(words: Sequence[str], start: int, known: Collection[str], exact: Collection[str]) -> Iterator[Flag | Remark]:
    """The flags from a word on; those known may be cut short, as argparse allows it, and the exact ones may not."""
    index = start
    while index < len(words):
        key: Path = ("words", index)
        written, equals, value = words[index].partition("=")
        at: Path = (*key, len(written) + 1)
        index += 1
        if not written.startswith("--") or " " in written or written == "--":
            yield _stray(words[index - 1], key, known)
            continue
        if not equals and index < len(words) and _is_value(words[index], [*known, *exact]):
            equals, value, at = " ", words[index], ("words", index)
            index += 1
        name = _named(written[2:], known, exact)
        if not isinstance(name, str):
            yield _unknown(written[2:], name, key, known)
        elif not equals:
            yield Remark(key, f"{written} has no value; expected one behind it", "flag-value")
        else:
            yield Flag(name, value, key, at)
            yield from _short(written[2:], name, key)


def _named(written: str, known: Collection[str], exact: Collection[str]) -> str | list[str]:
    """The flag that is meant; the flags that might be, if it is not plain which."""
    if written in known or written in exact:
        return written
    begun = [flag for flag in known if flag.startswith(written)] if written else []
    return begun[0] if len(begun) == 1 else begun


def _is_value(word: str, known: Collection[str]) -> bool:
    """Whether argparse takes a word for a value: not if it begins like a flag, unless it is a number or has blanks."""
    if not word.startswith("-") or word == "-":
        return True
    begin = word.partition("=")[0]
    if begin.startswith("--") and any(f"--{flag}".startswith(begin) for flag in known):
        return False
    return " " in word or _NUMBER.fullmatch(word) is not None


def _short(written: str, name: str, key: Path) -> Iterator[Remark]:
    if written != name:
        message = f"--{written} is short for --{name}, as long as no other flag begins with it"
        yield Remark(key, message, "short-flag", f"write --{name}", warning=True)


def _unknown(written: str, begun: list[str], key: Path, known: Collection[str]) -> Remark:
    if begun:
        message = f"--{written} may be short for {' or '.join(f'--{flag}' for flag in begun)}; expected one of them"
        return Remark(key, message, "short-flag")
    message = f"there is no flag --{written}; the client left it out without a word"
    return Remark(key, message, "flag", _near(written, known))


def _stray(word: str, key: Path, known: Collection[str]) -> Remark:
    message = f"{word[:60]!r} belongs to no flag; the client left it out without a word"
    hint = _near(word.lstrip("-").partition("=")[0], known) if word.startswith("-") else ""
    return Remark(key, message, "flag", hint)


def _near(written: str, known: Collection[str]) -> str:
    from chartgen.schema.suggest import near  # only who mistypes needs it

    found = near(written, known)
    return f"did you mean --{found}?" if found else ""
