"""Kubernetes quantities: what the API server accepts, and how much it is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

_QUANTITY = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?[0-9]+))?")
_UNITS = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip
_MARS_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_MOST = 2.0**63  # Kubernetes cuts off what is more


def amount(quantity: str | float) -> float | None:
    """A quantity as a number: "500m" is 0.5 and "16Gi" is 17179869184; None if Kubernetes would refuse it."""
    found = _QUANTITY.fullmatch(str(quantity))
    if found is None:
        return None
    number, unit, exponent = found.groups()
    size = float(f"{number}e{exponent}") if exponent else float(number) * _UNITS.get(unit or "", 1.0)
    return max(-_MOST, min(size, _MOST))


def mars_size(size: str | float) -> float:
    """A size in Mars' words, in bytes: "16g", "16Gi" and "16 GB" are the same, for a unit's first letter counts."""
    if not isinstance(size, str):
        return size
    number = re.match(r"[0-9.]*", size.strip())
    assert number, "a pattern that fits anything"
    return float(number[0]) * _MARS_UNITS[size.strip()[number.end() :].strip().lower()[:1]]


def in_units(size: float) -> str | int:
    """So many bytes, in the largest unit that has them whole: 16Gi, 1536Mi, or the number of bytes."""
    whole = int(size)
    units = ((f"{whole // int(_UNITS[unit])}{unit}", int(_UNITS[unit])) for unit in ("Gi", "Mi", "Ki"))
    return next((text for text, unit in units if whole and whole % unit == 0), whole)


def suggestion(quantity: str | float) -> str:
    """What a refused quantity probably meant, or nothing."""
    text = re.sub(r"[\s_]|,(?=[0-9]{3}(?![0-9]))", "", str(quantity)).replace(",", ".")
    unit = re.search(r"([kmgtpe])(i?)b?$", text, re.IGNORECASE)
    if unit and unit[0] not in ("m", "e"):  # a thousandth, and half an exponent
        text = text[: unit.start()] + unit[1].upper() + unit[2].lower()
    text = re.sub(r"K$", "k", text)
    return text if amount(text) is not None else ""


class Containers(NamedTuple):
    """The containers of a pod: those that run side by side, and those that are started before them, in their order."""

    beside: Sequence[Mapping[str, Any]]
    before: Sequence[Mapping[str, Any]] = ()


def sums(parts: Iterable[tuple[int, Containers]]) -> dict[str, float]:
    """What so many pods with these containers ask for together."""
    total: dict[str, float] = {"pods": 0.0}
    for count, containers in parts:
        total["pods"] += count
        for name, number in _of_pod(containers).items() if count else ():
            total[name] = total.get(name, 0.0) + count * number
    return total


def _of_pod(containers: Containers) -> dict[str, float]:
    """What a pod asks for: all that runs at once, or an init container with what lasts beside it, if that is more."""
    lasting: dict[str, float] = {}
    most: dict[str, float] = {}
    for container in containers.before:
        if container.get("restartPolicy") == "Always":
            lasting = _more(lasting, _asked(container))
            now = lasting
        else:
            now = _more(lasting, _asked(container))
        most |= {name: max(most.get(name, 0.0), number) for name, number in now.items()}
    for container in containers.beside:
        lasting = _more(lasting, _asked(container))
    return most | {name: max(most.get(name, 0.0), number) for name, number in lasting.items()}


def _asked(container: Mapping[str, Any]) -> dict[str, float]:
    """What a container asks for; a limit stands for a request that is not made."""
    resources = container.get("resources", {})
    asked = {**resources.get("limits", {}), **resources.get("requests", {})}
    return {name: amount(quantity) or 0.0 for name, quantity in asked.items()}


def _more(some: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    return {**some, **{name: some.get(name, 0.0) + number for name, number in more.items()}}


def in_words(total: dict[str, float]) -> str:
    """A sum for people, as the chart's notes print it: "6 pods, 12 CPUs, 48 GiB memory, 3 nvidia.com/gpu"."""
    words = [_many(_number(total["pods"], 0), "pod")]
    if "cpu" in total:
        words.append(_many(_number(total["cpu"], 3), "CPU"))
    if "memory" in total:
        words.append(f"{_number(total['memory'] / 2**30, 2)} GiB memory")
    return ", ".join(words + [_counted(name, total[name]) for name in sorted(set(total) - {"pods", "cpu", "memory"})])


def _many(number: str, noun: str) -> str:
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def _counted(name: str, value: float) -> str:
    """So many devices, or so much of what is counted in bytes."""
    if name == "ephemeral-storage" or name.startswith("hugepages-"):
        return f"{_number(value / 2**30, 2)} GiB {name}"
    return f"{_number(value, 2)} {name}"


def _number(value: float, places: int) -> str:
    rounded = round(value, places)
    return str(int(rounded)) if rounded.is_integer() else str(rounded)
