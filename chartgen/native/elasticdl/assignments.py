"""Texts such as `cpu=1,memory=4096Mi` inside a flag, with the place of every name and value in them."""

import re
from typing import NamedTuple

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

_BLANKS = "blanks around names and values were an error to the client until late 2019"


class Pair(NamedTuple):
    """A name and its value, and where both begin in the text."""

    name: str
    value: str
    name_at: int
    value_at: int


class Fault(NamedTuple):
    """What is wrong at a character of the text."""

    at: int
    message: str
    hint: str = ""
    warning: bool = False


def pairs(text: str, start: int = 0) -> tuple[list[Pair], list[Fault]]:
    """`name=value` with ',' between them: no comma or '=' in a value, and no name twice."""
    found: list[Pair] = []
    faults: list[Fault] = []
    for part in text.split(","):
        name, equals, value = part.partition("=")
        one = _pair(name, value, start)
        if not equals or "=" in value or not one.name:
            faults.append(Fault(start, f"{part!r} is not understood; expected NAME=VALUE, with ',' between several"))
        elif any(other.name == one.name for other in found):
            faults.append(Fault(one.name_at, f"{one.name} is given twice; expected it once"))
        else:
            found.append(one)
            if part != f"{one.name}={one.value}" and _BLANKS not in [fault.message for fault in faults]:
                faults.append(Fault(start, _BLANKS, warning=True))
        start += len(part) + 1
    return found, faults


def _pair(name: str, value: str, start: int) -> Pair:
    """A pair without the blanks around its parts."""
    name_at = start + len(name) - len(name.lstrip())
    value_at = start + len(name) + 1 + len(value) - len(value.lstrip())
    return Pair(name.strip(), value.strip(), name_at, value_at)


def variables(text: str) -> tuple[list[Pair], list[Fault]]:
    """Environment variables, in whose values commas may stand: a variable begins where `NAME=` follows a comma."""
    found: list[Pair] = []
    faults: list[Fault] = []
    starts = [match.start(1) for match in re.finditer(rf"(?:^|,)({_NAME.pattern}\s*=)", text)]
    if not starts or starts[0]:
        return [], [Fault(0, f"{text!r} is not understood; expected NAME=VALUE, with ',' between several")]
    for start, end in zip(starts, [*(start - 1 for start in starts[1:]), len(text)], strict=True):
        name, _, value = text[start:end].partition("=")
        one = _pair(name, value, start)
        found.append(one)
        if any(other.name == one.name for other in found[:-1]):
            faults.append(Fault(one.name_at, f"{one.name} is given twice; expected it once"))
        if "=" in one.value:
            faults.append(_equals(one, last=end == len(text)))
    return found, faults


def _equals(one: Pair, *, last: bool) -> Fault:
    """The client took any '=' for the end of a name: `A=b=c` gave A nothing, and b the c."""
    at = one.value_at + one.value.index("=")
    if last:
        return Fault(at, f"the value of {one.name} has a '=', which the client tore apart; read as meant", warning=True)
    return Fault(at, f"it is not plain where the value of {one.name} ends; expected no '=' in it, or {one.name} last")
