"""The names of typing, without importing it: its import is a twentieth of a cold start.

Only mypy and editors read annotations, and to them these are typing's own names.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import (
        Any,
        BinaryIO,
        Generic,
        Literal,
        NoReturn,
        Protocol,
        TextIO,
        TypedDict,
        TypeVar,
        cast,
    )
else:

    class _Name:
        """A placeholder for a type: it can have parameters, and be one of several."""

        def __init__(self, name, **_):
            self.__name__ = name

        def __getitem__(self, _):
            return self

        def __or__(self, _):
            return self

        __ror__ = __or__

        def __repr__(self):
            return self.__name__

    class Protocol:
        """A base class of which nothing is asked."""

        def __init_subclass__(cls, **_):
            pass

        def __class_getitem__(cls, _):
            return cls

    class Generic(Protocol):
        """The same, for classes with parameters."""

    class TypedDict(dict, Protocol):
        """The same, for mappings."""

    Any, BinaryIO, Literal, NoReturn, TextIO = map(
        _Name, ("Any", "BinaryIO", "Literal", "NoReturn", "TextIO")
    )
    TypeVar = _Name

    def cast(_, value):
        """The value, whose type is known better than mypy knows it."""
        return value


__all__ = [
    "TYPE_CHECKING",
    "Any",
    "BinaryIO",
    "Generic",
    "Literal",
    "NoReturn",
    "Protocol",
    "TextIO",
    "TypeVar",
    "TypedDict",
    "cast",
]
