"""JSON Schema -> Problems: the only user of the schema library, which valid input never needs."""

from collections.abc import Container, Iterator, Mapping, Set
from itertools import islice

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.accept import accepts, pattern_found
from chartgen.schema.walk import Schema, at, choices, types
from chartgen.startup.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    from chartgen.schema.messages import Violation

__all__ = ["Schema", "accepts", "at", "check", "sound_part"]

_MOST = 1_000  # violations to report; a file with more is not what somebody meant to write
_ROUNDS = 5  # removing one thing may reveal another; then only the schema's problems are reported


def check(document: Document, schema: Schema) -> list[Problem]:
    """Find all problems of the document, ambiguous scalars included, sorted by place."""
    valid = accepts(schema, document.data)
    if valid and not document.traps:
        return []
    ambiguous = _ambiguous_scalars(document, schema)
    problems = list(ambiguous.values())
    if not valid:
        problems += _refusals(document, schema, ambiguous)
    return sorted(problems, key=lambda problem: (problem.mark, problem.message))


def sound_part(document: Document, schema: Schema, stand_ins: Mapping[str, Any]) -> Document | None:
    """The document without what the schema refuses, for further checks; None if nothing is left.

    A refused top-level value that all other checks need may be replaced by a valid one.
    """
    data = document.data
    for _ in range(_ROUNDS):
        if accepts(schema, data):
            return document._replace(data=data, traps=())
        refused = {*_refused_paths(data, schema)}
        if () in refused:
            return None
        data = _without(data, refused)
        if isinstance(data, dict):
            needed = {key: value for key, value in stand_ins.items() if key in document.data}
            data = {**needed, **data}
    return None


def _refused_paths(data: Any, schema: Schema) -> Iterator[Path]:
    """Where something is refused; a list as a whole, because its items are known by their index."""
    from chartgen.schema.messages import unknown_keys  # as below

    for number, violation in enumerate(_violations(data, schema)):
        if number == _MOST:
            yield ()  # nothing of it is worth a further look
            return
        paths = [violation.path]
        if violation.keyword == "additionalProperties":
            paths = [(*violation.path, key) for key in unknown_keys(violation)] or paths
        for path in paths:
            yield next((path[:end] for end, step in enumerate(path) if isinstance(step, int)), path)


def _without(data: Any, paths: Set[Path]) -> Any:
    """A copy of the data without the values at these paths."""
    below: dict[str | int, set[Path]] = {}
    for first, *rest in paths:
        below.setdefault(first, set()).add(tuple(rest))
    kept = {}
    for key, value in data.items():
        inside = below.get(key, set())
        if () not in inside:
            kept[key] = _without(value, inside) if inside and isinstance(value, dict) else value
    return kept


def _ambiguous_scalars(document: Document, schema: Schema) -> dict[Path, Problem]:
    """A problem for each ambiguous scalar where the schema expects text."""
    from chartgen.schema import messages  # a valid document needs no messages

    problems = {}
    for trap in document.traps:
        if _expects_text(schema, trap.path):
            problem = document.problem(trap.path, *messages.describe_ambiguous(trap.text))
            problems[trap.path] = problem
    return problems


def _expects_text(schema: Schema, path: Path) -> bool:
    """Whether any text is valid at a path; an enum has a better message of its own."""
    place = at(schema, path)
    if place is None:
        return False
    return any("string" in types(part) and "enum" not in part for part in choices(place, schema))


def _refusals(document: Document, schema: Schema, known: Container[Path]) -> Iterator[Problem]:
    """A problem for each violation, except at ambiguous scalars: those often have a wrong type."""
    from chartgen.schema import messages  # as above

    violations = list(islice(_violations(document.data, schema), _MOST))
    beside: dict[Path, set[str]] = {}
    for violation in violations:
        beside.setdefault(violation.path, set()).add(violation.keyword)
    for violation in violations:
        if violation.is_key or violation.path not in known:
            yield from messages.problems(violation, beside[violation.path], document, schema)


def _violations(data: Any, schema: Schema) -> Iterator["Violation"]:
    """What the library finds wrong, each thing once."""
    known = set()
    for error in _library(schema).iter_errors(data):
        for leaf in _leaves(error):
            violation = _violation(leaf, data)
            once = (violation.path, violation.keyword, repr(violation.limit))
            if once not in known:
                known.add(once)
                yield violation


def _library(schema: Schema) -> "Validator":
    # 70 ms, which only an invalid document pays.
    from jsonschema import Draft7Validator, ValidationError, validators

    def pattern(_validator: Any, limit: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not pattern_found(limit, value):
            yield ValidationError(f"{value!r} does not match {limit!r}")

    extend: Any = validators.extend
    judge: type[Validator] = extend(Draft7Validator, {"pattern": pattern})
    return judge(schema)


def _leaves(error: "ValidationError") -> Iterator["ValidationError"]:
    """The errors of the alternative that fits the value's type; the error itself if none does."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = []
    for inners in branches.values():
        if not any(inner.validator == "type" and not inner.path for inner in inners):
            fitting.append(inners)
    if not fitting:
        yield error
        return
    for inner in min(fitting, key=len):
        yield from _leaves(inner)


def _violation(error: "ValidationError", data: Any) -> "Violation":
    from chartgen.schema.messages import Violation  # as above

    path: Path = tuple(error.absolute_path)
    value: Any = error.instance
    held = data
    for step in path:
        held = held[step]
    # The library reports a bad key (propertyNames) at its mapping, with the key as the value.
    is_key = isinstance(held, dict) and isinstance(value, str)
    schema = error.schema if isinstance(error.schema, dict) else {}
    if is_key:
        path = (*path, value)
    keyword = str(error.validator or "not")  # the schema `false` is {"not": {}}
    return Violation(path, keyword, error.validator_value, value, schema, is_key)
