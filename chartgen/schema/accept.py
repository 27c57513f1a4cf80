"""Accept: whether a value satisfies a JSON Schema, much faster than the schema library says so.

Each part of a schema becomes a test when a value first reaches it. A job is checked several times,
and a project checks thousands of jobs: what a schema says is then looked up once.
"""

import re
from collections.abc import Callable, Iterable, Sized
from functools import cache

from chartgen.schema.walk import Schema, matching, resolve
from chartgen.startup.typing import Any

_Test = Callable[[Any], bool]
_MOST = 64  # schemas whose tests are kept; those of a command are fewer


def accepts(schema: Schema, value: Any, root: Schema | None = None) -> bool:
    """Whether the value is valid; False also if the schema uses a keyword not implemented here."""
    try:
        return _tests_of(schema if root is None else root).of(schema)(value)
    except KeyError:  # a keyword, type or definition that the tables below lack
        return False  # the schema library decides


def pattern_found(pattern: str, text: str) -> bool:
    """Whether a text contains a match of a JSON Schema pattern."""
    return _compile(pattern).search(text) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    # In JSON Schema `$` is the end of the text. In Python it also matches before a last newline,
    # which YAML's `|` leaves.
    if pattern.endswith("$") and pattern.count("$") == 1 and not pattern.endswith(r"\$"):
        return re.compile(rf"{pattern[:-1]}\Z")
    at_end = re.sub(r"(\\.|\[(?:\\.|[^]\\])*\])|\$", lambda match: match[1] or r"\Z", pattern)
    return re.compile(at_end)


class _Tests:
    """The tests of a schema's parts, each by the part's identity, which the schema keeps alive."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._known: dict[int, tuple[Any, _Test]] = {}

    def of(self, schema: Any) -> _Test:
        """The test of a part."""
        known = self._known.get(id(schema))
        if known is None or known[0] is not schema:
            known = self._known[id(schema)] = (schema, self._make(schema))
        return known[1]

    def _make(self, schema: Any) -> _Test:
        if isinstance(schema, bool):
            return lambda _: schema
        if "$ref" in schema:
            return self.of(resolve(schema, self.root))
        tests = []
        for keyword, limit in schema.items():
            if keyword not in _ANNOTATIONS:
                make = _KEYWORDS.get(keyword, _unknown)
                tests.append(make(limit, schema, self))
        return _together(tests)


def _together(tests: list[_Test]) -> _Test:
    """One test that is passed if all are; most parts of a schema have one or two keywords."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) and second(value)

    def test(value: Any) -> bool:
        for each in tests:  # noqa: SIM110  (a generator takes twice as long)
            if not each(value):
                return False
        return True

    return test


_kept: dict[int, _Tests] = {}


def _tests_of(root: Schema) -> _Tests:
    tests = _kept.get(id(root))
    if tests is None or tests.root is not root:
        if len(_kept) >= _MOST:
            _kept.clear()
        tests = _kept[id(root)] = _Tests(root)
    return tests


def _unknown(_limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    def test(_value: Any) -> bool:
        raise KeyError("a keyword that is not implemented here")

    return test


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: dict[str, _Test] = {
    "string": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "number": _number,
    "integer": lambda value: _number(value) and (isinstance(value, int) or value.is_integer()),
    "null": lambda value: value is None,
}


def _type(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    if isinstance(limit, str):
        return _TYPES[limit]
    tests = [_TYPES[name] for name in limit]

    def test(value: Any) -> bool:
        for each in tests:  # noqa: SIM110  (as above)
            if each(value):
                return True
        return False

    return test


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, (dict, list)):
        raise KeyError("enum")  # in Python [1] equals [True], in JSON it does not
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _enum(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    if all(isinstance(choice, str) for choice in limit):
        words = frozenset(limit)
        return lambda value: isinstance(value, str) and value in words
    return lambda value: any(_same(choice, value) for choice in limit)


def _const(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    return lambda value: _same(limit, value)


def _properties(limit: Any, _schema: Schema, tests: _Tests) -> _Test:
    known: dict[str, _Test] = {}

    def test(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for key, item in value.items():
            inner = known.get(key)
            if inner is None:
                if key not in limit:
                    continue
                inner = known[key] = tests.of(limit[key])
            if not inner(item):
                return False
        return True

    return test


def _pattern_properties(_limit: Any, schema: Schema, tests: _Tests) -> _Test:
    def test(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for key, item in value.items():
            if not all(tests.of(inner)(item) for inner in matching(schema, key)):
                return False
        return True

    return test


def _additional(limit: Any, schema: Schema, tests: _Tests) -> _Test:
    known = schema.get("properties", {}).keys()
    patterns = "patternProperties" in schema

    def test(value: Any) -> bool:
        if not isinstance(value, dict) or value.keys() <= known:
            return True
        for key, item in value.items():
            if key in known or (patterns and any(True for _ in matching(schema, key))):
                continue
            if not tests.of(limit)(item):
                return False
        return True

    return test


def _names(limit: Any, _schema: Schema, tests: _Tests) -> _Test:
    return lambda value: not isinstance(value, dict) or _all(tests.of(limit), value)


def _items(limit: Any, schema: Schema, tests: _Tests) -> _Test:
    if isinstance(limit, list):
        return _unknown(limit, schema, tests)  # one schema per item: not needed so far
    return lambda value: not isinstance(value, list) or _all(tests.of(limit), value)


def _all(test: _Test, values: Iterable[Any]) -> bool:
    return all(map(test, values))


def _length(kind: type[Sized], *, most: bool) -> Callable[[Any, Schema, _Tests], _Test]:
    def make(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
        if most:
            return lambda value: not isinstance(value, kind) or len(value) <= limit
        return lambda value: not isinstance(value, kind) or len(value) >= limit

    return make


def _required(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    wanted = frozenset(limit)
    return lambda value: not isinstance(value, dict) or wanted <= value.keys()


def _pattern(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    return lambda value: not isinstance(value, str) or pattern_found(limit, value)


def _minimum(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    # Not `value >= limit`: that is False for NaN, which the library accepts.
    return lambda value: not (_number(value) and value < limit)


def _maximum(limit: Any, _schema: Schema, _tests: _Tests) -> _Test:
    return lambda value: not (_number(value) and value > limit)


def _any_of(limit: Any, _schema: Schema, tests: _Tests) -> _Test:
    return lambda value: any(tests.of(branch)(value) for branch in limit)


def _one_of(limit: Any, _schema: Schema, tests: _Tests) -> _Test:
    return lambda value: sum(tests.of(branch)(value) for branch in limit) == 1


def _all_of(limit: Any, _schema: Schema, tests: _Tests) -> _Test:
    return lambda value: all(tests.of(branch)(value) for branch in limit)


def _not(limit: Any, _schema: Schema, tests: _Tests) -> _Test:
    return lambda value: not tests.of(limit)(value)


_KEYWORDS: dict[str, Callable[[Any, Schema, _Tests], _Test]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "required": _required,
    "pattern": _pattern,
    "minimum": _minimum,
    "maximum": _maximum,
    "minLength": _length(str, most=False),
    "maxLength": _length(str, most=True),
    "minItems": _length(list, most=False),
    "maxItems": _length(list, most=True),
    "minProperties": _length(dict, most=False),
    "maxProperties": _length(dict, most=True),
    "anyOf": _any_of,
    "oneOf": _one_of,
    "allOf": _all_of,
    "not": _not,
}
_ANNOTATIONS = frozenset(
    (
        *("$schema", "title", "description", "examples", "default"),
        *("definitions", "$defs", "x-expect", "x-also"),
    )
)
