"""Take a pod template apart into a role's fields, so that values read the same whatever the input was."""

from collections.abc import Mapping, Sequence
from typing import Any

from chartgen.document import Document, Path
from chartgen.errors import Problem

# What a role has a field for, under the field's name; everything else of a container and of a pod is raw.
_METADATA = {"labels": "labels", "annotations": "annotations"}
_CONTAINER = {
    field: field
    for field in (
        "image", "imagePullPolicy", "command", "args", "workingDir", "env", "envFrom", "ports", "resources",
        "volumeMounts", "securityContext",
    )
}  # fmt: skip
_POD = {
    "volumes": "volumes", "nodeSelector": "nodeSelector", "tolerations": "tolerations", "affinity": "affinity",
    "priorityClassName": "priorityClassName", "imagePullSecrets": "imagePullSecrets", "restartPolicy": "restartPolicy",
    "initContainers": "initContainers", "securityContext": "podSecurityContext",
    "serviceAccount": "serviceAccountName",  # what Kubernetes called it once; the name of today wins
    "serviceAccountName": "serviceAccountName",
}  # fmt: skip

Fields = dict[str, tuple[Any, Path]]
Taken = tuple[dict[str, Any], dict[Path, Path], list[Problem]]


def take_apart(document: Document, path: Path, template: Mapping[str, Any], container: str) -> Taken:
    """The fields a role's template means, and for each path of them the one it came from."""
    source: Path = (*path, "template", "spec", "containers")
    containers = template["spec"]["containers"]
    main = _main(containers, container)
    if main is None:
        names = ", ".join(repr(item["name"]) for item in containers)
        message = f"none of these containers ({names}) is named {container!r}; expected one, to be the main container"
        hint = f"give the container that trains the name {container!r}"
        return {}, {}, [document.problem(source, message, "main-container", hint, key=True)]
    found = _fields(template, main, (*path, "template"))
    origins = {(*path, field): origin for field, (_, origin) in found.items()}
    others = [index for index in range(len(containers)) if index != main]
    if others:
        # Unless it says so itself, none of them is a side-car that ends with the main one: the Job waits for it.
        found["sidecars"] = ([{"restartPolicy": "", **containers[index]} for index in others], source)
        origins[*path, "sidecars"] = source
        origins |= {(*path, "sidecars", place): (*source, index) for place, index in enumerate(others)}
    return {field: value for field, (value, _) in found.items()}, origins, []


def _main(containers: Sequence[Mapping[str, Any]], container: str) -> int | None:
    """The container that trains: the one so named, or the only one there is."""
    named = [index for index, item in enumerate(containers) if item["name"] == container]
    if named:
        return named[0]
    return 0 if len(containers) == 1 else None


def _fields(template: Mapping[str, Any], main: int, source: Path) -> Fields:
    spec = template["spec"]
    trains = spec["containers"][main]
    at: Path = (*source, "spec", "containers", main)
    return {
        **_named(template.get("metadata", {}), _METADATA, (*source, "metadata")),
        **_named(trains, _CONTAINER, at),
        **_named(spec, _POD, (*source, "spec")),
        **_raw("container", trains, {*_CONTAINER, "name"}, at),
        **_raw("pod", spec, {*_POD, "containers"}, (*source, "spec")),
    }


def _named(node: Mapping[str, Any], fields: Mapping[str, str], at: Path) -> Fields:
    return {field: (node[key], (*at, key)) for key, field in fields.items() if key in node}


def _raw(field: str, node: Mapping[str, Any], known: set[str], at: Path) -> Fields:
    rest = {key: value for key, value in node.items() if key not in known}
    return {field: (rest, at)} if rest else {}
