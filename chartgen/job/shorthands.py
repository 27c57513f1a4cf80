"""Expand the shorthands of a job description to what a person could have written in full."""

from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.startup.typing import Any

Origins = dict[Path, Path]

_TEXT_LISTS = ("command", "args")
_TEXT_MAPS = ("labels", "annotations", "nodeSelector")


def desugar(document: Document, container: str) -> tuple[Document, list[Problem]]:
    """Expand a description; problems keep their places in what the person wrote."""
    origins: Origins = {}
    data = dict(document.data)
    problems: list[Problem] = []
    data["roles"] = dict(data["roles"])
    for name, role in data["roles"].items():
        path: Path = ("roles", name)
        expanded, more = _without_template(document, path, role, container, origins)
        data["roles"][name] = expanded
        problems += more
    if "tensorboard" in data:
        data["tensorboard"] = dict(data["tensorboard"])
    for where, holder in _holders(data):
        problems += _expand(document, where, holder, origins)
    _expand_cleanup(data, origins)
    _hoist_image(data, origins)
    return document.moved(without_nulls(data), origins), problems


def _without_template(
    document: Document, path: Path, role: dict[str, Any], container: str, origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    """A role with its template taken apart; the role's own fields win over the template."""
    own = {field: value for field, value in role.items() if field != "template"}
    if "overrides" in own:
        own["overrides"] = {key: dict(override) for key, override in own["overrides"].items()}
    problems = _expand(document, path, own, origins)
    if "template" not in role:
        return own, problems
    from chartgen.job.pod_template import take_apart  # which few descriptions need

    fields, places, more = take_apart(document, path, role["template"], container)
    more += _expand(document, path, fields, places)
    whole = _merge_over(own, fields, path, origins)
    # What the role's own fields replaced keeps no places, items of lists included.
    own_places = set(origins)
    for at, place in places.items():
        if not any(at[:end] in own_places for end in range(len(at) + 1)):
            origins[at] = place
    return whole, problems + more


def _merge_over(
    own: dict[str, Any], below: dict[str, Any], path: Path, origins: Origins
) -> dict[str, Any]:
    """Merge as Helm merges values; each own field that wins keeps its place."""
    result = dict(below)
    for key, value in own.items():
        at = (*path, key)
        under = below.get(key)
        if isinstance(under, dict) and isinstance(value, dict):
            result[key] = _merge_over(value, under, at, origins)
        else:
            result[key] = value
            origins.setdefault(at, at)
    return result


def _holders(data: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every mapping, except roles, that may hold fields of pods, with its path."""
    yield (), data
    for name, role in data["roles"].items():
        for key, override in role.get("overrides", {}).items():
            yield ("roles", name, "overrides", key), override
    if "tensorboard" in data:
        yield ("tensorboard",), data["tensorboard"]


def _expand(
    document: Document, path: Path, holder: dict[str, Any], origins: Origins
) -> list[Problem]:
    problems: list[Problem] = []
    if isinstance(holder.get("env"), list):
        holder["env"], problems = _env_map(document, (*path, "env"), holder["env"], origins)
    elif "env" in holder:
        env = holder["env"].items()
        holder["env"] = {name: _env_value(value) for name, value in env}
    for field in _TEXT_LISTS:
        if field in holder:
            holder[field] = [as_text(item) for item in holder[field]]
    for field in _TEXT_MAPS:
        if field in holder:
            holder[field] = {key: as_text(value) for key, value in holder[field].items()}
    if holder.get("restartPolicy") == "ExitCode":  # of later operators
        holder["restartPolicy"] = "Never"
        holder.setdefault("exitCodes", "tf-operator")
    if "sidecars" in holder:
        # A sidecar that does not end with the main container would keep the Job running forever.
        sidecars = holder["sidecars"]
        holder["sidecars"] = [{"restartPolicy": "Always", **sidecar} for sidecar in sidecars]
    return problems


def _env_map(
    document: Document, path: Path, entries: list[dict[str, Any]], origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    """A list of variables as a mapping, so that single variables can be set at install."""
    env: dict[str, Any] = {}
    problems = []
    source = origins.get(path, path)
    for index, entry in enumerate(entries):
        name = entry["name"]
        if name in env:
            message = f"env {name!r} is set twice; expected it once"
            problems.append(document.problem((*source, index), message, "env-duplicate"))
        rest = {key: value for key, value in entry.items() if key not in ("name", "value")}
        env[name] = rest if rest else as_text(entry.get("value", ""))
        origins[*path, name] = (*source, index)
    return env, problems


def _env_value(value: Any) -> Any:
    return value if isinstance(value, dict) else as_text(value)


def as_text(value: Any) -> str:
    """A scalar as it was written; scalars that print differently were refused on reading."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _expand_cleanup(data: dict[str, Any], origins: Origins) -> None:
    """A policy for a bare word, and for `enabled`."""
    said = data.get("cleanup")
    if isinstance(said, str):
        origins["cleanup", "policy"] = ("cleanup",)
        data["cleanup"] = {"policy": said}
    elif said and "enabled" in said:
        policy = said.get("policy", "suspend") if said["enabled"] else "none"
        rest = {key: value for key, value in said.items() if key not in ("enabled", "policy")}
        origins.setdefault(("cleanup", "policy"), ("cleanup", "enabled"))
        data["cleanup"] = {"policy": policy, **rest}


def _hoist_image(data: dict[str, Any], origins: Origins) -> None:
    """Move an image that all roles share to the job, so that `--set image=` always works."""
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
    """Data without nulls: to Kubernetes null means absent; Helm 3 and 4 differ on it in values."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return value
