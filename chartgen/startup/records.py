"""NamedTuple as in typing, with classes that are made at a sixth of the cost.

typing compiles a constructor for each class. A run of chartgen defines seventy, makes few objects
of most of them, and spent a seventh of its time on that. Here a class gets its constructor when
many objects of it are made, as for a repository of jobs.
"""

from chartgen.startup.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # to mypy and editors they are the same
    from typing import NamedTuple
else:
    from collections import _tuplegetter, namedtuple

    _MANY = 100  # objects of a class; compiling takes as long as they save

    class _RecordType(type):
        """The type of the classes: their annotations become the fields of a tuple."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            if tuple not in (bases[0], bases[0].__base__):  # a special kind of a record
                return super().__new__(cls, name, bases, namespace)
            types = namespace.get("__annotations__")
            if types is None and "__annotate_func__" in namespace:  # since Python 3.14
                types = namespace["__annotate_func__"](1)
            fields = (*(types or ()),)
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            if fields[len(fields) - len(defaults) :] != (*defaults,):
                raise TypeError(f"{name}: a field without a default follows one that has one")
            for index, field in enumerate(fields):
                namespace[field] = _tuplegetter(index, "")
            namespace |= {"_fields": fields, "_field_defaults": defaults, "__slots__": ()}
            namespace["__match_args__"] = fields
            namespace["_made"] = 0
            return super().__new__(cls, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_RecordType):
        """A tuple whose items have names."""

        def __new__(cls, /, *args: Any, **named: Any) -> Any:
            cls._made += 1
            if cls._made == _MANY:
                defaults = cls._field_defaults.values()
                cls.__new__ = namedtuple(cls.__name__, cls._fields, defaults=defaults).__new__
            if named or len(args) != len(cls._fields):
                args = _arguments(cls, args, named)
            return tuple.__new__(cls, args)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, /, **changes: Any) -> Any:
            items = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise TypeError(f"{type(self).__name__}: no field {', '.join(changes)}")
            return items

        def __repr__(self) -> str:
            items = [f"{name}={value!r}" for name, value in self._asdict().items()]
            return f"{type(self).__name__}({', '.join(items)})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return (*self,)

    def _arguments(record: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The values of all fields of an object, as a call names them."""
        fields = record._fields
        given = dict(zip(fields, args))  # noqa: B905  checked below
        if len(args) > len(fields) or given.keys() & named.keys() or named.keys() - {*fields}:
            raise TypeError(f"{record.__name__}: too many values; expected {', '.join(fields)}")
        values = {**record._field_defaults, **given, **named}
        if len(values) < len(fields):
            missing = [field for field in fields if field not in values]
            raise TypeError(f"{record.__name__}: missing {', '.join(missing)}")
        return (*(values[field] for field in fields),)


__all__ = ["NamedTuple"]
