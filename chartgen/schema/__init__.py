"""JSON Schema -> Problems: the only door to the schema library, which a valid document never opens."""

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.accept import Schema, accepts, at, choices, found, types

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    from chartgen.schema.messages import Finding

__all__ = ["Schema", "accepts", "at", "check", "sound_part"]

_ROUNDS = 5  # taking one thing away may show another; a document worse than that is judged by its schema alone


def check(document: Document, schema: Schema) -> list[Problem]:
    """Every problem of the document, sorted by place; none if it is valid and no reader could mistake it."""
    valid = accepts(schema, document.data)
    if valid and not document.traps:
        return []
    quotes = _quotes(document, schema)
    problems = list(quotes.values())
    if not valid:
        problems += _complaints(document, schema, quotes)
    return sorted(problems, key=lambda problem: (problem.mark, problem.message))


def sound_part(document: Document, schema: Schema, stand_ins: Mapping[str, Any]) -> Document | None:
    """The document without what the schema refuses, so that deeper checks can go on; None if the rest cannot stand.

    A refused top-level value without which nothing else can be judged may have a stand-in.
    """
    data = document.data
    for _ in range(_ROUNDS):
        if accepts(schema, data):
            return document._replace(data=data, traps=())
        for path in _refused(data, schema):
            if not path:
                return None
            data = _without(data, path)
        if isinstance(data, dict):
            data = {**{key: value for key, value in stand_ins.items() if key in document.data}, **data}
    return None


def _refused(data: Any, schema: Schema) -> Iterator[Path]:
    """Where something is refused; a list is refused whole, for without an item the others would change their places."""
    from chartgen.schema.messages import strangers  # as below

    for finding in list(_findings(data, schema)):
        unknown = strangers(finding) if finding.keyword == "additionalProperties" else None
        for path in [(*finding.path, key) for key in unknown] if unknown else [finding.path]:
            yield next((path[:end] for end, step in enumerate(path) if isinstance(step, int)), path)


def _without(data: Any, path: Path) -> Any:
    """Data without what stands at a path; the data itself stays as it is."""
    if not isinstance(data, dict) or path[0] not in data:
        return data
    rest = {key: value for key, value in data.items() if key != path[0]}
    return rest if len(path) == 1 else data | {path[0]: _without(data[path[0]], path[1:])}


def _quotes(document: Document, schema: Schema) -> dict[Path, Problem]:
    """A problem for each trap that stands where the schema reads text."""
    from chartgen.schema import messages as wording  # no word is needed for a valid document

    return {
        trap.path: document.problem(trap.path, *wording.ambiguous(trap.text))
        for trap in document.traps
        if _reads_text(schema, trap.path)
    }


def _reads_text(schema: Schema, path: Path) -> bool:
    """Whether free text may stand at a path; a closed list of words (enum) has a better message of its own."""
    place = at(schema, path)
    return place is not None and any(
        "string" in types(choice) and "enum" not in choice for choice in choices(place, schema)
    )


def _complaints(document: Document, schema: Schema, said: Container[Path]) -> Iterator[Problem]:
    """A problem for each thing the library finds, but where one is said already: a trap often has a wrong type, too."""
    from chartgen.schema import messages as wording  # as above

    findings = list(_findings(document.data, schema))
    beside: dict[Path, set[str]] = {}
    for finding in findings:
        beside.setdefault(finding.path, set()).add(finding.keyword)
    for finding in findings:
        if finding.is_key or finding.path not in said:
            for remark in wording.remarks(finding, beside[finding.path], schema):
                yield document.problem(*remark[:4], key=remark.key)


def _findings(data: Any, schema: Schema) -> Iterator["Finding"]:
    """What the library finds wrong, each thing once."""
    known = set()
    for error in _library(schema).iter_errors(data):
        for leaf in _leaves(error):
            finding = _finding(leaf, data)
            once = (finding.path, finding.keyword, repr(finding.limit))
            if once not in known:
                known.add(once)
                yield finding


def _library(schema: Schema) -> "Validator":
    from jsonschema import Draft7Validator, ValidationError, validators  # 70 ms, which only an invalid document pays

    def pattern(_validator: Any, limit: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not found(limit, value):
            yield ValidationError(f"{value!r} does not match {limit!r}")

    judge: type[Validator] = validators.extend(Draft7Validator, {"pattern": pattern})  # type: ignore[no-untyped-call]
    return judge(schema)


def _leaves(error: "ValidationError") -> Iterator["ValidationError"]:
    """The errors of the one alternative that the value's type points to; the error itself if there is none."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [inners for inners in branches.values() if not any(_wrong_type(inner) for inner in inners)]
    if not fitting:
        yield error
        return
    for inner in min(fitting, key=len):
        yield from _leaves(inner)


def _wrong_type(error: "ValidationError") -> bool:
    return error.validator == "type" and not error.path


def _finding(error: "ValidationError", data: Any) -> "Finding":
    from chartgen.schema.messages import Finding  # as above

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
    keyword = str(error.validator or "not")  # `false` stands for {"not": {}}
    return Finding(path, keyword, error.validator_value, value, schema, is_key)
