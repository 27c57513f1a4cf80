"""The names that stand for typing's, in everything that Python itself does with annotations."""

import typing
from collections.abc import Callable, Mapping

import pytest

from chartgen.startup import typing as startup

Item = startup.TypeVar("Item")


@pytest.mark.parametrize("name", startup.__all__)
def test_each_name_is_one_of_typing(name: str) -> None:
    assert hasattr(typing, name)
    assert hasattr(startup, name)


def test_annotations_are_evaluated() -> None:
    """A type can have parameters, be a parameter, and be one of several."""

    def annotated(
        one: startup.Any | None,
        two: Mapping[str, startup.Any] | str,
        three: Callable[[startup.Any], startup.Literal["a", "b"]],
        four: str | startup.TextIO,
        five: list[Item],
    ) -> startup.NoReturn:
        raise NotImplementedError(one, two, three, four, five)

    assert repr(annotated.__annotations__["one"]) == "Any"
    assert repr(annotated.__annotations__["five"]) == "list[Item]"


def test_base_classes() -> None:
    class Plugin(startup.Protocol):
        NAME: str

    class Box(startup.Generic[Item]):
        inside: Item

    class Fields(startup.TypedDict, total=False):
        image: str

    assert Plugin.__annotations__ == {"NAME": str}
    assert isinstance(Box[int](), Box)
    assert Fields(image="a") == {"image": "a"}


def test_cast_returns_the_value() -> None:
    assert startup.cast(str, 1) == 1  # type: ignore[comparison-overlap]
