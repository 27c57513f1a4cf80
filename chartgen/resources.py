"""Where schemas/, charts/ and values/ live: beside the package in a checkout, inside it (as _data/) in a wheel."""

import os
from functools import cache
from typing import Any

# Found from __file__ and not by importlib.resources, whose import is a good part of a cold start's time.
_HERE = os.path.dirname(os.path.abspath(__file__))
_DATA = os.path.join(_HERE, "_data")
_ROOT = _DATA if os.path.isdir(_DATA) else os.path.dirname(_HERE)
_FOLDERS = frozenset(("schemas", "charts", "values"))


@cache
def text(name: str) -> str:
    """The text of one resource, such as `charts/job/templates/_pod.tpl`."""
    with open(_path(name), encoding="utf-8") as file:
        return file.read()


@cache
def data(name: str) -> Any:
    """The data of a .json or .yaml resource; one copy for all callers, so read it and change nothing in it."""
    if name.endswith(".json"):
        import json  # both readers are imported late: a run needs one of them at most

        return json.loads(text(name))
    import yaml

    return yaml.load(text(name), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def names(folder: str) -> list[str]:
    """Every file below a folder, hidden ones too, as sorted paths relative to it; none if there is no such folder."""
    top = _path(folder)
    found = (os.path.join(place, file) for place, _, files in os.walk(top) for file in files)
    return sorted(os.path.relpath(path, top).replace(os.sep, "/") for path in found)


def _path(name: str) -> str:
    """The place of a resource on disk; a name that leads out of the three folders is no resource."""
    parts = name.split("/")
    if parts[0] not in _FOLDERS or ".." in parts:
        raise FileNotFoundError(f"no such resource: {name}")
    return os.path.join(_ROOT, *parts)


@cache
def kubernetes_versions() -> list[str]:
    """The Kubernetes versions, as "1.29", whose schemas the extra `schemas` brings, oldest first; none without it."""
    try:
        folders = os.listdir(_kubernetes())
    except OSError:
        return []
    found = (folder.removeprefix("v").removesuffix(".0-local-strict") for folder in folders if "-strict" in folder)
    return sorted(found, key=lambda version: [int(part) for part in version.split(".")])


def kubernetes(version: str) -> Any:
    """Kubernetes' own definitions of its objects, of one of those versions."""
    import json

    path = os.path.join(_kubernetes(), f"v{version}.0-local-strict", "_definitions.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)["$defs"]


def _kubernetes() -> str:
    """Where the package kubernetes-validate keeps them; its code is not used: it reads them anew for each object."""
    from importlib.util import find_spec

    spec = find_spec("kubernetes_validate")
    return os.path.join(os.path.dirname(spec.origin or ""), "kubernetes-json-schema") if spec else ""
