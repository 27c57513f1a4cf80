"""Records behave like typing's named tuples."""

import copy
import pickle
import typing

import pytest

from chartgen.startup.records import NamedTuple


class Point(NamedTuple):
    """A record."""

    x: int
    y: int = 2
    tags: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y


class Twin(typing.NamedTuple):
    """The same, by typing."""

    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


class Special(Point):
    """A kind of Point."""


class Empty(NamedTuple):
    """A record without fields."""


CALLS: tuple[tuple[tuple[typing.Any, ...], dict[str, typing.Any]], ...] = (
    ((1,), {}),
    ((1, 3), {}),
    ((1,), {"tags": ("a",)}),
    ((1, 2, ("b",)), {}),
    ((), {"y": 4, "x": 3}),
)


@pytest.mark.parametrize(("args", "named"), CALLS)
def test_calls(args: tuple[typing.Any, ...], named: dict[str, typing.Any]) -> None:
    """Values are given by place, by name, or by default."""
    record, twin = Point(*args, **named), Twin(*args, **named)
    assert tuple(record) == tuple(twin)
    assert repr(record) == repr(twin).replace("Twin", "Point")
    assert record._asdict() == twin._asdict()
    assert hash(record) == hash(twin)


@pytest.mark.parametrize(
    ("args", "named"),
    [((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((), {"y": 1})],
)
def test_wrong_calls(args: tuple[typing.Any, ...], named: dict[str, typing.Any]) -> None:
    """A missing, an unknown and a repeated value are errors."""
    for kind in (Point, Twin):
        with pytest.raises(TypeError):
            kind(*args, **named)


def test_many_objects() -> None:
    """A class of which many objects are made behaves as before, in all it accepts and refuses."""

    class Often(NamedTuple):
        x: int
        y: int = 2
        tags: tuple[str, ...] = ()

    made = {Often(1, tags=()) for _ in range(1_000)}
    assert made == {Often(x=1)}
    assert repr(Often(1)._replace(y=3)) == "Often(x=1, y=3, tags=())"
    for args, named in CALLS:
        assert tuple(Often(*args, **named)) == tuple(Twin(*args, **named))
    for wrong in ((), (1, 2, (), 4)):
        with pytest.raises(TypeError):
            Often(*wrong)
    with pytest.raises(TypeError):
        Often(1)._replace(z=3)  # type: ignore[call-arg]


def test_fields() -> None:
    """Fields are read only, replaced in a copy, and matched by place."""
    record = Point(1)
    assert record._replace(y=5) == Point(1, 5)
    assert (record._fields, Empty._fields) == (("x", "y", "tags"), ())
    with pytest.raises(AttributeError):
        record.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        record.other = 2  # type: ignore[attr-defined]
    match record:
        case Point(x, y, _):
            assert (x, y, record.sum) == (1, 2, 3)
    assert copy.deepcopy(record) == pickle.loads(pickle.dumps(record)) == record
    assert (Special(1, 2).y, repr(Special(1))) == (2, "Special(x=1, y=2, tags=())")
    assert repr(Empty()) == "Empty()"


def test_defaults_come_last() -> None:
    """A field without a default cannot follow one that has one."""
    with pytest.raises(TypeError, match="follows"):

        class Wrong(NamedTuple):
            a: int = 1
            b: int  # type: ignore[misc]
