"""Kinds: whether objects are such as a version of Kubernetes takes, by its own strict schemas."""

from collections.abc import Iterable, Mapping, Set
from typing import Any, NamedTuple

from chartgen import schema
from chartgen.document import Document, Path, Trap
from chartgen.errors import Mark, Problem
from chartgen.schema.accept import at, choices, types
from chartgen.schema.messages import dotted
from chartgen.schema.suggest import near

# What says nothing about validity here; without it our own judge understands the rest, at a tenth of the cost.
_NOTES = ("description", "format", "x-kubernetes-")
_NUMBERS = {"integer", "number"}


class Kinds(NamedTuple):
    """The kinds that a version of Kubernetes knows."""

    version: str
    definitions: Mapping[str, Any]
    names: Mapping[tuple[str, str], str]  # of a definition, by apiVersion and kind
    groups: Set[str]  # that are its own; the others are for custom kinds


class Judgement(NamedTuple):
    """What is wrong with objects, and which kinds among them could not be judged."""

    problems: list[Problem]
    unknown: set[str]


def kinds(version: str, definitions: Mapping[str, Any]) -> Kinds:
    """What a version's definitions say, made ready for many objects."""
    names = {
        (f"{one['group']}/{one['version']}".removeprefix("/"), one["kind"]): name
        for name, definition in definitions.items()
        for one in definition.get("x-kubernetes-group-version-kind", ())
    }
    groups = {_group(version) for version, _ in names}
    return Kinds(version, {name: _lean(one) for name, one in definitions.items()}, names, groups)


def _group(version: str) -> str:
    return version.rpartition("/")[0]


def _lean(node: Any) -> Any:
    """A schema without notes; a field may have the name of a note."""
    if isinstance(node, list):
        return [_lean(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {name: _lean(inner) for name, inner in value.items()} if key == "properties" else _lean(value)
        for key, value in node.items()
        if not key.startswith(_NOTES)
    }


def check(objects: Iterable[Document], known: Kinds) -> Judgement:
    """Every problem of every object; objects of custom kinds cannot be judged."""
    judgement = Judgement([], set())
    for one in objects:
        version, kind = one.data["apiVersion"], one.data["kind"]
        name = known.names.get((version, kind))
        if name:
            rules = {"$ref": f"#/$defs/{name}", "$defs": known.definitions}
            judgement.problems.extend(_problems(one, rules))
        elif _group(version) in known.groups:
            judgement.problems.append(_unserved(one, known))
        else:
            judgement.unknown.add(f"{kind} ({version})")
    return judgement


def _unserved(one: Document, known: Kinds) -> Problem:
    """An object of a group that is Kubernetes' own, but of a version that is gone or not yet there, or misspelt."""
    version, kind = one.data["apiVersion"], one.data["kind"]
    elsewhere = sorted((given for given, named in known.names if named == kind), key=_newness)
    expected = f"; expected {elsewhere[0]}" if elsewhere else ""
    meant = None if elsewhere else near(kind, {named for given, named in known.names if given == version})
    hint = f"did you mean {meant!r}?" if meant else ""
    message = f"Kubernetes knows no {kind} in {version}{expected}"
    return Problem(Mark(one.file, 0, 0), message, "api-version", hint)


def _newness(version: str) -> tuple[bool, bool, str]:
    """What sorts stable versions before beta, and beta before alpha."""
    return "alpha" in version, "beta" in version, version


def _problems(one: Document, rules: schema.Schema) -> Iterable[Problem]:
    """What the schema finds, at places of the object: its lines are Helm's, and say nothing to who wrote the chart."""
    traps = tuple(trap for trap in one.traps if _text_only(trap, rules))
    for problem in schema.check(one._replace(locate=_at, traps=traps), rules):
        said = f"{problem.mark.file}: {problem.message}" if problem.rule == "quote" else problem.message
        yield problem._replace(mark=Mark(one.file, 0, 0), message=said)


def _at(path: Path, _key: bool) -> Mark:
    return Mark(dotted(path), 0, 0)


def _text_only(trap: Trap, rules: schema.Schema) -> bool:
    """Whether a number would be refused there: where one is welcome, as in a quantity, readers may well differ."""
    place = at(rules, trap.path)
    return place is not None and not any(_NUMBERS & {*types(choice)} for choice in choices(place, rules))
