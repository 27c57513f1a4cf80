"""Values such as `cpu=1,memory=4096Mi` of a flag, with the place of every name and value."""

import re

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.elasticdl.flags import Flag
from chartgen.startup.records import NamedTuple

_VARIABLE = re.compile(r"(?:^|,)\s*([A-Za-z_][A-Za-z0-9_.-]*\s*=)")
_EXPECTED = "expected NAME=VALUE, separated by ','"


class Pair(NamedTuple):
    """A name and its value, and where both start."""

    name: str
    value: str
    key: Path
    at: Path


def pairs(
    source: Document, flag: Flag, text: str, start: int = 0
) -> tuple[list[Pair], list[Problem]]:
    """`name=value` separated by ','; no ',' or '=' in a value, and no name twice.

    The text starts at a character of the flag's value.
    """
    by_name: dict[str, Pair] = {}
    problems: list[Problem] = []
    blanks = False
    for part in text.split(","):
        name, equals, value = part.partition("=")
        pair = _pair(flag, name, value, start)
        if not equals or "=" in value or not pair.name:
            problems.append(_not_understood(source, flag, part, start))
        elif pair.name in by_name:
            problems.append(_twice(source, flag, pair))
        else:
            by_name[pair.name] = pair
            if part != f"{pair.name}={pair.value}" and not blanks:
                blanks = True
                message = "the client refused blanks around names and values until late 2019"
                at = flag.character(start)
                problems.append(
                    source.warning(at, f"--{flag.name}: {message}", "elasticdl-pairs-unclear")
                )
        start += len(part) + 1
    return list(by_name.values()), problems


def variables(source: Document, flag: Flag) -> tuple[list[Pair], list[Problem]]:
    """Environment variables, whose values may contain ',': `NAME=` after a ',' starts the next."""
    text = flag.value
    by_name: dict[str, Pair] = {}
    problems: list[Problem] = []
    matches = list(_VARIABLE.finditer(text))
    starts = [match.start(1) for match in matches]
    if not starts or text[: starts[0]].strip():
        return [], [_not_understood(source, flag, text, 0)]
    ends = [*(match.start() for match in matches[1:]), len(text)]
    for start, end in zip(starts, ends, strict=True):
        name, _, value = text[start:end].partition("=")
        pair = _pair(flag, name, value, start)
        if pair.name in by_name:
            problems.append(_twice(source, flag, pair))
        by_name.setdefault(pair.name, pair)
        if "=" in pair.value:
            problems.append(_equals_sign(source, flag, pair, last=end == len(text)))
    return list(by_name.values()), problems


def _pair(flag: Flag, name: str, value: str, start: int) -> Pair:
    """A pair without the blanks around its parts."""
    name_start = start + len(name) - len(name.lstrip())
    value_start = start + len(name) + 1 + len(value) - len(value.lstrip())
    key, at = flag.character(name_start), flag.character(value_start)
    return Pair(name.strip(), value.strip(), key, at)


def _not_understood(source: Document, flag: Flag, text: str, start: int) -> Problem:
    message = f"--{flag.name}: cannot read {text!r}; {_EXPECTED}"
    return source.problem(flag.character(start), message, "elasticdl-pairs-unclear")


def _twice(source: Document, flag: Flag, pair: Pair) -> Problem:
    message = f"--{flag.name}: {pair.name} is given twice; expected it once"
    return source.problem(pair.key, message, "elasticdl-pairs-unclear")


def _equals_sign(source: Document, flag: Flag, pair: Pair, *, last: bool) -> Problem:
    """The client took any '=' as the end of a name: `A=b=c` set A to nothing, and b to c."""
    word, index, start = pair.at
    at = (word, index, int(start) + pair.value.index("="))
    label = f"--{flag.name}: the value of {pair.name}"
    if last:
        message = f"{label} contains '=', at which the client cut it; read as one value"
        return source.warning(at, message, "elasticdl-pairs-unclear")
    message = f"{label} contains '=', so its end is unclear; expected no '=', or {pair.name} last"
    return source.problem(at, message, "elasticdl-pairs-unclear")
