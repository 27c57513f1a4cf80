"""Times on the command line, as Helm and kubectl take them."""

import re

from chartgen.errors import UsageError
from chartgen.words import short

_LONGEST = 10 * 366 * 86400.0
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def parse_duration(text: str, option: str) -> float:
    """Seconds, from a duration as Helm reads it: 90s, 5m, 1h30m; a bare number is seconds."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        text += "s"
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if "".join(map("".join, parts)) != text or not seconds:
        raise UsageError(f"{option} {text}: expected a time such as 90s, 5m or 1h30m")
    if seconds > _LONGEST:
        raise UsageError(f"{option} {short(text)}: expected a time of at most ten years")
    return seconds
