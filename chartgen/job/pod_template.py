"""Take a pod template apart into the fields of a role, so that values look alike for all inputs."""

from collections.abc import Mapping, Sequence

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.startup.typing import Any

# Fields of Kubernetes and the role's fields for them; all others go to `container` and `pod`.
_METADATA = {"labels": "labels", "annotations": "annotations"}
_CONTAINER = {
    "image": "image",
    "imagePullPolicy": "imagePullPolicy",
    "command": "command",
    "args": "args",
    "workingDir": "workingDir",
    "env": "env",
    "envFrom": "envFrom",
    "ports": "ports",
    "resources": "resources",
    "volumeMounts": "volumeMounts",
    "securityContext": "securityContext",
}
_POD = {
    "volumes": "volumes",
    "nodeSelector": "nodeSelector",
    "tolerations": "tolerations",
    "affinity": "affinity",
    "priorityClassName": "priorityClassName",
    "imagePullSecrets": "imagePullSecrets",
    "restartPolicy": "restartPolicy",
    "initContainers": "initContainers",
    "securityContext": "podSecurityContext",
    "serviceAccount": "serviceAccountName",  # its deprecated name; the current one wins
    "serviceAccountName": "serviceAccountName",
}

TemplateFields = dict[str, tuple[Any, Path]]
Taken = tuple[dict[str, Any], dict[Path, Path], list[Problem]]


def take_apart(
    document: Document, path: Path, template: Mapping[str, Any], container: str
) -> Taken:
    """The fields of a role that its template means, and where each of them came from."""
    source: Path = (*path, "template", "spec", "containers")
    containers = template["spec"]["containers"]
    main = _main(containers, container)
    if main is None:
        names = ", ".join(repr(item["name"]) for item in containers)
        message = f"no container is named {container!r}, as the main one must be; there are {names}"
        hint = f"rename the container that trains to {container!r}"
        return {}, {}, [document.problem(source, message, "container-main-missing", hint, key=True)]
    fields = _fields(template, main, (*path, "template"))
    origins = {(*path, field): origin for field, (_, origin) in fields.items()}
    others = [index for index in range(len(containers)) if index != main]
    if others:
        # The Job waits for each, unless its restartPolicy says that it ends with the main one.
        sidecars = [{"restartPolicy": "", **containers[index]} for index in others]
        fields["sidecars"] = (sidecars, source)
        origins[*path, "sidecars"] = source
        for place, index in enumerate(others):
            origins[*path, "sidecars", place] = (*source, index)
    return {field: value for field, (value, _) in fields.items()}, origins, []


def _main(containers: Sequence[Mapping[str, Any]], container: str) -> int | None:
    """The index of the main container: the one with this name, or the only one."""
    for index, item in enumerate(containers):
        if item["name"] == container:
            return index
    return 0 if len(containers) == 1 else None


def _fields(template: Mapping[str, Any], main: int, source: Path) -> TemplateFields:
    spec = template["spec"]
    trains = spec["containers"][main]
    at: Path = (*source, "spec", "containers", main)
    return {
        **_take_named(template.get("metadata", {}), _METADATA, (*source, "metadata")),
        **_take_named(trains, _CONTAINER, at),
        **_take_named(spec, _POD, (*source, "spec")),
        **_raw("container", trains, {*_CONTAINER, "name"}, at),
        **_raw("pod", spec, {*_POD, "containers"}, (*source, "spec")),
    }


def _take_named(node: Mapping[str, Any], fields: Mapping[str, str], at: Path) -> TemplateFields:
    return {field: (node[key], (*at, key)) for key, field in fields.items() if key in node}


def _raw(field: str, node: Mapping[str, Any], known: set[str], at: Path) -> TemplateFields:
    rest = {key: value for key, value in node.items() if key not in known}
    return {field: (rest, at)} if rest else {}
