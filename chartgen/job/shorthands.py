"""Spell out a job description's shorthands: the result is what a person could have written in full."""

from collections.abc import Iterator
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.pod_template import take_apart

Origins = dict[Path, Path]

_TEXT_LISTS = ("command", "args")
_TEXT_MAPS = ("labels", "annotations", "nodeSelector")


def desugar(document: Document, container: str) -> tuple[Document, list[Problem]]:
    """The description in full; problems found on the way keep their place in what the person wrote."""
    origins: Origins = {}
    data = dict(document.data)
    problems: list[Problem] = []
    data["roles"] = dict(data["roles"])
    for name, role in data["roles"].items():
        data["roles"][name], found = _without_template(document, ("roles", name), role, container, origins)
        problems += found
    if "tensorboard" in data:
        data["tensorboard"] = dict(data["tensorboard"])
    for path, holder in _holders(data):
        problems += _spell_out(document, path, holder, origins)
    _hoist_image(data, origins)
    return document.moved(without_nulls(data), origins), problems


def _without_template(
    document: Document, path: Path, role: dict[str, Any], container: str, origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    """A role with its template taken apart; what stands beside the template wins over it."""
    own = {field: value for field, value in role.items() if field != "template"}
    if "overrides" in own:
        own["overrides"] = {key: dict(override) for key, override in own["overrides"].items()}
    problems = _spell_out(document, path, own, origins)
    if "template" not in role:
        return own, problems
    fields, places, found = take_apart(document, path, role["template"], container)
    found += _spell_out(document, path, fields, places)
    whole = _over(own, fields, path, origins)
    # A list that lost to the role's own leaves no places of its items behind.
    origins |= {at: place for at, place in places.items() if not any(at[:end] in origins for end in range(len(at) + 1))}
    return whole, problems + found


def _over(own: dict[str, Any], below: dict[str, Any], path: Path, origins: Origins) -> dict[str, Any]:
    """Merge as Helm merges values; each word of one's own that wins is found where it stands."""
    result = dict(below)
    for key, value in own.items():
        at = (*path, key)
        under = below.get(key)
        if isinstance(under, dict) and isinstance(value, dict):
            result[key] = _over(value, under, at, origins)
        else:
            result[key] = value
            origins.setdefault(at, at)
    return result


def _holders(data: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every mapping outside of roles that may hold a pod's fields, with its path."""
    yield (), data
    for name, role in data["roles"].items():
        for key, override in role.get("overrides", {}).items():
            yield ("roles", name, "overrides", key), override
    if "tensorboard" in data:
        yield ("tensorboard",), data["tensorboard"]


def _spell_out(document: Document, path: Path, holder: dict[str, Any], origins: Origins) -> list[Problem]:
    problems: list[Problem] = []
    if isinstance(holder.get("env"), list):
        holder["env"], problems = _env_map(document, (*path, "env"), holder["env"], origins)
    elif "env" in holder:
        holder["env"] = {name: _env_value(value) for name, value in holder["env"].items()}
    for field in _TEXT_LISTS:
        if field in holder:
            holder[field] = [as_text(item) for item in holder[field]]
    for field in _TEXT_MAPS:
        if field in holder:
            holder[field] = {key: as_text(value) for key, value in holder[field].items()}
    if "sidecars" in holder:
        # A side-car that does not end with its pod's main container would keep the Job running for ever.
        holder["sidecars"] = [{"restartPolicy": "Always", **sidecar} for sidecar in holder["sidecars"]]
    return problems


def _env_map(
    document: Document, path: Path, entries: list[dict[str, Any]], origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    """Kubernetes' list as a map, which merges, so that one variable can be set at install."""
    env: dict[str, Any] = {}
    problems = []
    source = origins.get(path, path)
    for index, entry in enumerate(entries):
        name = entry["name"]
        if name in env:
            problems.append(
                document.problem(
                    (*source, index), f"env names {name!r} a second time; expected it once", "duplicate-env"
                )
            )
        rest = {key: value for key, value in entry.items() if key not in ("name", "value")}
        env[name] = rest if rest else as_text(entry.get("value", ""))
        origins[*path, name] = (*source, index)
    return env, problems


def _env_value(value: Any) -> Any:
    return value if isinstance(value, dict) else as_text(value)


def as_text(value: Any) -> str:
    """A scalar as the text a person wrote; what would not print back as written was refused when it was read."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _hoist_image(data: dict[str, Any], origins: Origins) -> None:
    """One image for all roles becomes the job's, so that `--set image=` works whatever the input was."""
    images = [role.get("image") for role in data["roles"].values()]
    first = images[0]
    if "image" in data or first is None or any(image != first for image in images):
        return
    source: Path = ("roles", next(iter(data["roles"])), "image")
    origins["image",] = origins.get(source, source)
    data["image"] = first
    for role in data["roles"].values():
        del role["image"]


def without_nulls(value: Any) -> Any:
    """Data without its null entries: Kubernetes takes null for absent, and Helm 3 and 4 differ on a null in values."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return value
