"""Sizes of memory as Mars reads them, and the Kubernetes quantities that they are."""

import re

from chartgen.k8s.quantities import in_units

# Mars looks only at the first letter of a unit: 16g, 16Gi and 16 GB are the same.
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def in_bytes(size: str | float) -> float:
    """A size that the schema accepts, in bytes."""
    if not isinstance(size, str):
        return size
    number = re.sub(r"[^0-9.]", "", size)
    unit = re.sub(r"[0-9.\s]", "", size).lower()[:1]
    return float(number) * _UNITS[unit]


def quantity(size: str | float) -> str | int:
    """A size as a Kubernetes quantity."""
    return in_units(in_bytes(size))


def quantity_or_percentage(size: str | float) -> str | int:
    """A size as a Kubernetes quantity, or a percentage of the memory as it is."""
    if isinstance(size, str) and size.strip().endswith("%"):
        return f"{size.strip()[:-1].strip()}%"
    return quantity(size)
