"""Kubernetes quantities: what the API server accepts, and how much it is."""

import re
from collections.abc import Iterable, Mapping, Sequence

from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?[0-9]+))?"
)
_UNITS = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip
_MOST = 2.0**63  # Kubernetes cuts off what is more
# Whole numbers, as a pattern, which cannot tell the whole ones among 1.5k, 20e-1 and 3000000u.
WHOLE = r"\+?([0-9]+(\.0*)?([eE]\+?[0-9]+|[KMGTPE]i|[kMGTPE])?|[0-9]+000m)"


def amount(quantity: str | float) -> float | None:
    """A quantity as a number, "500m" as 0.5; None if Kubernetes would refuse it."""
    match = _QUANTITY.fullmatch(str(quantity))
    if match is None:
        return None
    number, unit, exponent = match.groups()
    size = (
        float(f"{number}e{exponent}") if exponent else float(number) * _UNITS.get(unit or "", 1.0)
    )
    return max(-_MOST, min(size, _MOST))


def in_units(size: float) -> str | int:
    """A number of bytes in the largest unit that divides it: 16Gi, 1536Mi, or the plain number."""
    whole = int(size)
    for unit in ("Gi", "Mi", "Ki"):
        factor = int(_UNITS[unit])
        if whole and whole % factor == 0:
            return f"{whole // factor}{unit}"
    return whole


def suggestion(quantity: str | float) -> str:
    """What a refused quantity probably meant, or nothing."""
    text = re.sub(r"[\s_]|,(?=[0-9]{3}(?![0-9]))", "", str(quantity)).replace(",", ".")
    unit = re.search(r"([kmgtpe])(i?)b?$", text, re.IGNORECASE)
    if unit and unit[0] not in ("m", "e"):  # a thousandth, and half an exponent
        text = text[: unit.start()] + unit[1].upper() + unit[2].lower()
    text = re.sub(r"K$", "k", text)
    return text if amount(text) is not None else ""


class Containers(NamedTuple):
    """The containers of a pod: those that run side by side, and the init containers, in order."""

    beside: Sequence[Mapping[str, Any]]
    before: Sequence[Mapping[str, Any]] = ()


def sums(parts: Iterable[tuple[int, Containers]]) -> dict[str, float]:
    """What numbers of pods with these containers request together."""
    total: dict[str, float] = {"pods": 0.0}
    for count, containers in parts:
        total["pods"] += count
        for name, number in _of_pod(containers).items() if count else ():
            total[name] = total.get(name, 0.0) + count * number
    return total


def _of_pod(containers: Containers) -> dict[str, float]:
    """What a pod requests, as Kubernetes computes it.

    That is the sum of all that runs at once, or an init container with the sidecars that were
    started before it, if that is more.
    """
    lasting: dict[str, float] = {}
    most: dict[str, float] = {}
    for container in containers.before:
        now = _add(lasting, _requests(container))
        if container.get("restartPolicy") == "Always":
            lasting = now
        most = _maximum(most, now)
    for container in containers.beside:
        lasting = _add(lasting, _requests(container))
    return _maximum(most, lasting)


def _requests(container: Mapping[str, Any]) -> dict[str, float]:
    """What a container requests; a limit counts as the request where there is none."""
    resources = container.get("resources", {})
    quantities = {**resources.get("limits", {}), **resources.get("requests", {})}
    return {name: amount(quantity) or 0.0 for name, quantity in quantities.items()}


def _add(some: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    total = dict(some)
    for name, number in more.items():
        total[name] = total.get(name, 0.0) + number
    return total


def _maximum(some: Mapping[str, float], others: Mapping[str, float]) -> dict[str, float]:
    most = dict(some)
    for name, number in others.items():
        most[name] = max(most.get(name, 0.0), number)
    return most


def in_words(total: dict[str, float]) -> str:
    """A total for people, as in the notes: "6 pods, 12 CPUs, 48 GiB memory, 3 amd.com/gpu"."""
    parts = [_plural(_number(total["pods"], 0), "pod")]
    if "cpu" in total:
        parts.append(_plural(_number(total["cpu"], 3), "CPU"))
    if "memory" in total:
        parts.append(f"{_number(total['memory'] / 2**30, 2)} GiB memory")
    for name in sorted(total.keys() - {"pods", "cpu", "memory"}):
        if name == "ephemeral-storage" or name.startswith("hugepages-"):
            parts.append(f"{_number(total[name] / 2**30, 2)} GiB {name}")
        else:
            parts.append(f"{_number(total[name], 2)} {name}")
    return ", ".join(parts)


def _plural(number: str, noun: str) -> str:
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def _number(value: float, places: int) -> str:
    rounded = round(value, places)
    return str(int(rounded)) if rounded.is_integer() else str(rounded)
