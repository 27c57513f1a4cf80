"""Lines of logs, as people read them: which replica wrote each, and when."""

import re
from zlib import crc32

from chartgen.errors import UsageError
from chartgen.life.logs import LogSource
from chartgen.report.problems import safe
from chartgen.startup.records import NamedTuple

# Colours that can be read on light and on dark ground; red is left for failures.
_COLOURS = ("32", "34", "35", "36", "94", "95")
_RED = "31"


class LineOptions(NamedTuple):
    """Which lines are shown, and what is shown beside them."""

    pattern: re.Pattern[str]  # what a line has to match
    timestamps: bool = False
    colour: bool = False
    alone: bool = False  # there is one container, so that its name says nothing


def pattern(expression: str) -> re.Pattern[str]:
    """The regular expression of --grep."""
    try:
        return re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"--grep {expression}: {error}") from error


def line(source: LogSource, time: str, text: str, options: LineOptions) -> str:
    """A line with what is to be seen beside it; nothing if it is not asked for."""
    if not options.pattern.search(text):
        return ""
    name = "" if options.alone else source.name
    if name and options.colour:
        name = f"\x1b[{_RED if source.failed else _colour(name)}m{name}\x1b[0m"
    words = [name, time if options.timestamps else "", text if options.alone else safe(text)]
    return " ".join(word for word in words if word) + "\n"


def _colour(name: str) -> str:
    """The same for a replica in every run."""
    return _COLOURS[crc32(name.encode()) % len(_COLOURS)]
