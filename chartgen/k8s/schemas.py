"""Kubernetes' own JSON Schemas, as the package kubernetes-validate ships them.

This is the one place that knows the layout of the package. Its code is not used, because it reads
the schemas again for each object.
"""

from collections.abc import Mapping, Set
from functools import cache

from chartgen import resources
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

# As in kubernetes-validate 1.37.0:
# kubernetes-json-schema/v1.29.0-local-strict/_definitions.json
_PACKAGE = "kubernetes_validate"
_FOLDER = "kubernetes-json-schema"
_STRICT = ".0-local-strict"  # the schemas that refuse unknown fields
_FILE = "_definitions.json"

# Annotations that say nothing about validity. Without them our own validator understands the rest,
# in a tenth of the time.
_ANNOTATIONS = ("description", "format", "x-kubernetes-")


class Kinds(NamedTuple):
    """The kinds that a version of Kubernetes serves."""

    version: str
    definitions: Mapping[str, Any]
    names: Mapping[tuple[str, str], str]  # of definitions, by apiVersion and kind
    groups: Set[str]  # that belong to Kubernetes itself; others are for custom kinds


@cache
def versions() -> list[str]:
    """The versions, as in "1.29", that have schemas, oldest first; none without the package."""
    names = []
    for folder in resources.package_names(_PACKAGE, _FOLDER):
        if folder.endswith(_STRICT):
            names.append(folder.removeprefix("v").removesuffix(_STRICT))
    return sorted(names, key=lambda version: [int(part) for part in version.split(".")])


@cache
def kinds(version: str) -> Kinds:
    """The kinds of one of those versions."""
    path = f"{_FOLDER}/v{version}{_STRICT}/{_FILE}"
    definitions = resources.package_data(_PACKAGE, path)["$defs"]
    names = {}
    for name, definition in definitions.items():
        for served in definition.get("x-kubernetes-group-version-kind", ()):
            api_version = f"{served['group']}/{served['version']}".removeprefix("/")
            names[api_version, served["kind"]] = name
    groups = {group(api_version) for api_version, _ in names}
    lean = {name: _without_annotations(definition) for name, definition in definitions.items()}
    return Kinds(version, lean, names, groups)


def group(api_version: str) -> str:
    """The API group of an apiVersion; the core group is empty."""
    return api_version.rpartition("/")[0]


def _without_annotations(node: Any) -> Any:
    """A schema without annotations; a property may have the name of an annotation."""
    if isinstance(node, list):
        return [_without_annotations(item) for item in node]
    if not isinstance(node, dict):
        return node
    lean = {}
    for key, value in node.items():
        if key == "properties":
            lean[key] = {name: _without_annotations(inner) for name, inner in value.items()}
        elif not key.startswith(_ANNOTATIONS):
            lean[key] = _without_annotations(value)
    return lean
