"""Kubernetes quantities: what the API server accepts, and how much it is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_QUANTITY = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?[0-9]+))?")
_UNITS = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip
_MOST = 2.0**63  # Kubernetes cuts off what is more


def amount(quantity: str | float) -> float | None:
    """A quantity as a number: "500m" is 0.5 and "16Gi" is 17179869184; None if Kubernetes would refuse it."""
    found = _QUANTITY.fullmatch(str(quantity))
    if found is None:
        return None
    number, unit, exponent = found.groups()
    size = float(f"{number}e{exponent}") if exponent else float(number) * _UNITS.get(unit or "", 1.0)
    return max(-_MOST, min(size, _MOST))


def suggestion(quantity: str | float) -> str:
    """What a refused quantity probably meant, or nothing."""
    text = re.sub(r"[\s_]|,(?=[0-9]{3}(?![0-9]))", "", str(quantity)).replace(",", ".")
    unit = re.search(r"([kmgtpe])(i?)b?$", text, re.IGNORECASE)
    if unit and unit[0] not in ("m", "e"):  # a thousandth, and half an exponent
        text = text[: unit.start()] + unit[1].upper() + unit[2].lower()
    text = re.sub(r"K$", "k", text)
    return text if amount(text) is not None else ""


def sums(parts: Iterable[tuple[int, Sequence[Mapping[str, Any]]]]) -> dict[str, float]:
    """What so many pods with these containers ask for together; a limit stands for a request that is not made."""
    total: dict[str, float] = {"pods": 0.0}
    for count, containers in parts:
        total["pods"] += count
        for container in containers:
            resources = container.get("resources", {})
            asked = {**resources.get("limits", {}), **resources.get("requests", {})}
            for name, quantity in asked.items():
                total[name] = total.get(name, 0.0) + count * (amount(quantity) or 0.0)
    return total


def in_words(total: dict[str, float]) -> str:
    """A sum for people, as the chart's notes print it: "6 pods, 12 CPUs, 48 GiB memory, 3 nvidia.com/gpu"."""
    words = [f"{_number(total['pods'], 0)} pods"]
    if "cpu" in total:
        words.append(f"{_number(total['cpu'], 3)} CPUs")
    if "memory" in total:
        words.append(f"{_number(total['memory'] / 2**30, 2)} GiB memory")
    return ", ".join(words + [_counted(name, total[name]) for name in sorted(set(total) - {"pods", "cpu", "memory"})])


def _counted(name: str, value: float) -> str:
    """So many devices, or so much of what is counted in bytes."""
    if name == "ephemeral-storage" or name.startswith("hugepages-"):
        return f"{_number(value / 2**30, 2)} GiB {name}"
    return f"{_number(value, 2)} {name}"


def _number(value: float, places: int) -> str:
    rounded = round(value, places)
    return str(int(rounded)) if rounded.is_integer() else str(rounded)
