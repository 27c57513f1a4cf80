"""The notation for late values in texts of a job: %{index}, %{host scheduler}, %{peers worker}.

The chart reads the same notation at install (charts/job/templates/lib/_notation.tpl), because the
texts are values: here they are only checked, and forecast.
"""

import re
from collections.abc import Mapping
from json import loads

from chartgen.errors import NOWHERE, Problem
from chartgen.plan.late import (
    Devices,
    First,
    Host,
    JobName,
    Namespace,
    Ordinal,
    Part,
    PeerList,
    Port,
    Rank,
    ReleaseName,
    RuntimeId,
    Text,
    Total,
)
from chartgen.startup.records import NamedTuple
from chartgen.words import did_you_mean, either, short

# An even number of % before a brace is half as many that stay, and so is what precedes an odd one.
# What is not closed takes the rest of the text: to look there for others would take its square.
_HOLE = re.compile(
    r"""(?<!%)(?:(?:%%)+\{|%+(?P<closed>\{(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'{}])*\})|%+\{.*)""",
    re.S,
)
_WORD = re.compile(
    r""""(?:[^"\\]|\\.)*"|'[^']*'|[^\t\n\f\r "']+""", re.S
)  # white space as Go has it
_ESCAPE = re.compile(r'\\(?![nt"\\])')
_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}")  # the chart would read 010 as 8
_MOST = 100  # problems of a text; one that has more was not meant to have late values
_LARGEST = 999_999  # of all numbers after a *; longer products would not be exact

# What every replica has of its own, and what all have in common.
OWN: Mapping[str, Part] = {"index": Ordinal(), "rank": Rank(), "first": First()}
SHARED: Mapping[str, Part] = {
    "id": RuntimeId(),
    "job": JobName(),
    "release": ReleaseName(),
    "namespace": Namespace(),
}
NAMES = (*OWN, "role", *SHARED, "count", "devices", "host", "port", "peers")
_BLOCKS = {"if first": ("",), "else": ("if first",), "end": ("if first", "else")}
_STAYS = "to keep a %{ as it is, write %%{"
_NO_REPLICA = (
    "differs between replicas, but all of them have this file; expected the name of a role"
)


class Reader(NamedTuple):
    """Who reads a text: a replica of a role, or a file that all replicas have."""

    role: str  # empty for a file
    roles: Mapping[str, bool]  # all roles, and whether their replicas have names


class _Refused(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def read(text: str, reader: Reader) -> tuple[Text, list[Problem]]:
    """The parts of a text, without those that are wrong, and their problems, yet to be placed."""
    parts: list[Part] = []
    problems: list[Problem] = []
    end, before = 0, ""
    for hole in _HOLE.finditer(text):
        if len(problems) == _MOST:
            break
        bare = hole[0].lstrip("%")
        signs = len(hole[0]) - len(bare)
        parts.append(text[end : hole.start()] + "%" * (signs // 2))
        end = hole.end()
        if signs % 2 == 0:
            parts.append(bare)
            continue
        if not hole["closed"]:
            problems.append(_problem("%{ is not closed; expected %{NAME}", _STAYS))
            continue
        words = _WORD.findall(bare[1:-1])
        block = " ".join(words)
        try:
            if block in _BLOCKS:
                before = _follow(before, block, reader)
            else:
                parts.append(_value(words, reader))
        except _Refused as refused:
            problems.append(_problem(f"{short(f'%{bare}')} {refused}", refused.hint))
    parts.append(text[end:])
    if before:
        problems.append(_problem("%{if first} has no %{end}"))
    return tuple(part for part in parts if part != ""), problems


def _problem(message: str, hint: str = "") -> Problem:
    return Problem(NOWHERE, message, "late-value", hint)


def _follow(before: str, block: str, reader: Reader) -> str:
    """The block that is open after this one."""
    if not reader.role:
        raise _Refused("is out of place in a file, because all replicas have it")
    if before not in _BLOCKS[block]:
        raise _Refused("is out of place; expected %{if first}...%{else}...%{end}")
    return "" if block == "end" else block


def _value(words: list[str], reader: Reader) -> Part:
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name not in NAMES:
        message = f"is not a late value; expected one of {', '.join(NAMES)}"
        raise _Refused(message, did_you_mean(name, NAMES) or _STAYS)
    if name in SHARED or name in OWN or name == "role":
        if rest:
            raise _Refused(f"has too many words; expected %{{{name}}}")
        if name not in SHARED:
            _need_replica(reader)
        return reader.role if name == "role" else {**OWN, **SHARED}[name]
    if name == "count":
        return _count(rest, reader)
    return _peers(rest, reader) if name == "peers" else _of_replica(name, rest, reader)


def _need_replica(reader: Reader) -> None:
    if not reader.role:
        raise _Refused(_NO_REPLICA)


def _need_role(role: str, reader: Reader, *, name: bool = False) -> str:
    if role not in reader.roles:
        message = f"names no role of this job: {role!r}; expected {either(reader.roles)}"
        raise _Refused(message, did_you_mean(role, reader.roles))
    if name and not reader.roles[role]:
        message = f"cannot be filled in: roles.{role} has no port, and so no Service and no name"
        raise _Refused(message, f"set roles.{role}.port")
    return role


def _count(words: list[str], reader: Reader) -> Part:
    """The sum of some roles; what it is multiplied by adds few digits."""
    number = words.index("*") if "*" in words else len(words)
    roles = tuple(_need_role(word, reader) for word in words[:number])
    factors = [word for word in words[number:] if word != "*"]
    product = 1
    for word in factors:
        if word == "devices":
            _need_replica(reader)
        elif not _NUMBER.fullmatch(word):
            raise _Refused(f"multiplies by {word!r}; expected a number or devices")
        elif (product := product * int(word)) > _LARGEST:
            raise _Refused(f"multiplies by too much; expected at most {_LARGEST:,}")
    if factors.count("devices") > 1:
        raise _Refused("multiplies by devices twice")
    if words[-1:] == ["*"]:
        raise _Refused("ends with *; expected a number or devices after it")
    if not roles:
        _need_replica(reader)
    return Total(roles or (reader.role,))


def _peers(words: list[str], reader: Reader) -> Part:
    quoted = [_unquote(word) for word in words if word[0] in "\"'"]
    roles = tuple(word for word in words if word[0] not in "\"'")
    if not roles or len(quoted) > 2:
        expected = "roles, and optionally an item and separator in quotes"
        raise _Refused(f"is malformed; expected {expected}")
    item, between = (*quoted, *("{host}:{port}", ",")[len(quoted) :])
    item = item or "{host}:{port}"
    for role in roles:
        _need_role(role, reader, name="{host}" in item or "{port}" in item)
    return PeerList(roles, item, between)


def _unquote(word: str) -> str:
    if word[0] == "'":
        return word[1:-1]
    if _ESCAPE.search(word.replace("\\\\", "")):
        raise _Refused(f'has an escape other than \\n, \\t, \\" and \\\\ in {short(word)}')
    return str(loads(word, strict=False))


def _of_replica(name: str, words: list[str], reader: Reader) -> Part:
    """The name, port or devices of a replica; of the reader's own, if no role is named."""
    if not words:
        _need_replica(reader)
    role = _need_role(words[0] if words else reader.role, reader, name=name != "devices")
    if name == "devices":
        if words[1:]:
            raise _Refused("has too many words; expected %{devices ROLE}")
        return Devices()
    if words[2:] or (words[1:] and not _NUMBER.fullmatch(words[1])):
        raise _Refused(f"does not end with an index; expected a number, as in %{{{name} {role} 0}}")
    if not words:
        return Host(role) if name == "host" else Port()
    number = int(words[1]) if words[1:] else 0
    return Host(role, number) if name == "host" else Port(role, number)
