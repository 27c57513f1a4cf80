"""PyYAML, whose regular expressions are compiled when they are first used, not when it is imported.

One of them, which is needed only where libyaml is missing, takes a fifteenth of a cold start.
"""

import re
from typing import Any

_compile = re.compile


class _LatePattern:
    """A regular expression that is compiled at its first use."""

    def __init__(self, *args: Any) -> None:
        self._args = args

    def __getattr__(self, name: str) -> Any:
        value = getattr(_compile(*self._args), name)
        setattr(self, name, value)  # found without us the next time
        return value


re.compile = _LatePattern  # type: ignore[assignment]
try:
    import yaml
    from yaml import MappingNode, Node, ScalarNode, SequenceNode
finally:
    re.compile = _compile

__all__ = ["MappingNode", "Node", "ScalarNode", "SequenceNode", "yaml"]
