"""Regular expressions of other packages, compiled at their first use and not at import.

PyYAML compiles one that is needed only where libyaml is missing, and argparse one for plurals.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from chartgen.startup.typing import Any

_compile = re.compile


class _LatePattern:
    """A regular expression that is compiled at its first use."""

    def __init__(self, *args: Any) -> None:
        self._args = args

    def __getattr__(self, name: str) -> Any:
        value = getattr(_compile(*self._args), name)
        setattr(self, name, value)  # found without us the next time
        return value


@contextmanager
def compile_late() -> Iterator[None]:
    """What is imported meanwhile compiles its patterns when it uses them."""
    re.compile = _LatePattern  # type: ignore[assignment]
    try:
        yield
    finally:
        re.compile = _compile
