"""Take a pod template apart into a role's fields, so that values read the same whatever the input was."""

from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem

# Container fields that a role has under the same name; everything else of a container is raw.
_CONTAINER = (
    "image", "imagePullPolicy", "command", "args", "workingDir", "env", "envFrom", "ports", "resources",
    "volumeMounts", "securityContext",
)  # fmt: skip
_POD = {
    "volumes": "volumes", "nodeSelector": "nodeSelector", "tolerations": "tolerations", "affinity": "affinity",
    "priorityClassName": "priorityClassName", "imagePullSecrets": "imagePullSecrets", "restartPolicy": "restartPolicy",
    "initContainers": "initContainers", "serviceAccountName": "serviceAccountName", "securityContext": "podSecurityContext",
}  # fmt: skip


def take_apart(
    document: Document, path: Path, role: dict[str, Any], container: str, origins: dict[Path, Path]
) -> list[Problem]:
    """Replace a role's template by the fields it means; a field beside the template wins over it."""
    source: Path = (*path, "template")
    template = role.pop("template")
    containers = template["spec"]["containers"]
    main = _main(containers, container)
    if main is None:
        names = ", ".join(repr(item["name"]) for item in containers)
        message = f"no container is named {container!r}: one of {names} must be, to be the one that trains"
        return [document.problem((*source, "spec", "containers"), message, "main-container")]
    fields = _fields(template, main, source)
    for field, (value, origin) in fields.items():
        if field not in role:
            role[field] = value
            origins[*path, field] = origin
        elif isinstance(value, dict) and isinstance(role[field], dict):
            role[field] = {**value, **role[field]}
    return []


def _main(containers: list[dict[str, Any]], container: str) -> int | None:
    """The container that trains: the one so named, or the only one there is."""
    named = [index for index, item in enumerate(containers) if item["name"] == container]
    if named:
        return named[0]
    return 0 if len(containers) == 1 else None


def _fields(template: dict[str, Any], main: int, source: Path) -> dict[str, tuple[Any, Path]]:
    metadata = template.get("metadata") or {}
    spec = dict(template["spec"])
    containers = spec.pop("containers")
    fields: dict[str, tuple[Any, Path]] = {}
    for field in ("labels", "annotations"):
        if metadata.get(field):
            fields[field] = (metadata[field], (*source, "metadata", field))
    raw = {key: value for key, value in containers[main].items() if key != "name"}
    at: Path = (*source, "spec", "containers", main)
    for field in _CONTAINER:
        if raw.get(field) is not None:
            fields[field] = (raw[field], (*at, field))
        raw.pop(field, None)
    for key, field in _POD.items():
        if spec.get(key) is not None:
            fields[field] = (spec[key], (*source, "spec", key))
        spec.pop(key, None)
    others = [item for index, item in enumerate(containers) if index != main]
    leftovers: dict[str, tuple[Any, Path]] = {
        "container": (raw, at),
        "pod": (spec, (*source, "spec")),
        "sidecars": (others, (*source, "spec", "containers")),
    }
    return fields | {field: left for field, left in leftovers.items() if left[0]}
