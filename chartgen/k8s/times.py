"""Times as Kubernetes writes them: 2026-11-18T03:16:24Z, with or without a fraction."""

_DAY = 86400
_UNITS = (("d", _DAY), ("h", 3600), ("m", 60), ("s", 1))


def seconds(text: str) -> float:
    """Seconds since 1970; ValueError if the text is not a time."""
    date, _, clock = text.partition("T")
    year, month, day = map(int, date.split("-"))
    clock, offset = _without_offset(clock)
    hours, minutes, rest = clock.split(":")
    of_day = int(hours) * 3600 + int(minutes) * 60 + float(rest)
    return _days(year, month, day) * _DAY + of_day - offset


def _without_offset(clock: str) -> tuple[str, int]:
    """The time of the day, and how many seconds it is ahead of UTC."""
    if clock.endswith("Z"):
        return clock[:-1], 0
    sign = "-" if "-" in clock else "+"
    clock, _, zone = clock.partition(sign)
    hours, minutes = map(int, zone.split(":"))
    return clock, (hours * 3600 + minutes * 60) * (-1 if sign == "-" else 1)


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01, in years that begin with March, so that leap days come last."""
    year -= month <= 2
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + of_year - 719468


def text(moment: float) -> str:
    """A time in seconds since 1970 as Kubernetes writes it, without a fraction."""
    days, of_day = divmod(int(moment // 1), _DAY)
    year = (days + 719468) * 400 // 146097 + 1  # or one or two before it
    while _days(year, 3, 1) > days:
        year -= 1
    month, day = divmod(5 * (days - _days(year, 3, 1)) + 2, 153)
    if month >= 10:
        year += 1
    date = f"{year:04}-{(month + 2) % 12 + 1:02}-{day // 5 + 1:02}"
    return f"{date}T{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}Z"


def age(elapsed: float) -> str:
    """A duration as kubectl shows it: 12s, 3m20s, 4h, 2d."""
    left = max(0, int(elapsed))
    if left >= 3 * _DAY:
        return f"{left // _DAY}d"
    parts = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts[:2]) or "0s"
