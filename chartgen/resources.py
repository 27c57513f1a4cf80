"""The files that ship with chartgen: beside the package, or inside it in a wheel."""

import os
import sys
from collections.abc import Iterator
from functools import cache

from chartgen.startup.typing import Any

# Found from __file__: importing importlib.resources takes a good part of a cold start.
_HERE = os.path.dirname(os.path.abspath(__file__))
_DATA = os.path.join(_HERE, "_data")
_ROOT = _DATA if os.path.isdir(_DATA) else os.path.dirname(_HERE)
_PROBLEMS = "problems" if _ROOT == _DATA else os.path.join("tests", "corpus", "problems")
_FOLDERS = {
    **{name: os.path.join(_ROOT, name) for name in ("schemas", "charts", "values")},
    "problems": os.path.join(_ROOT, _PROBLEMS),
    "pages": os.path.join(_HERE, "manual", "pages"),
}


@cache
def text(name: str) -> str:
    """The text of one resource, such as `charts/job/templates/lib/_pod.tpl`."""
    # As open() for texts does, which takes twice as long, and a chart is made of fifty of them.
    return content(name).decode().replace("\r\n", "\n")


def content(name: str) -> bytes:
    """The bytes of one resource, for those that are not UTF-8 on purpose."""
    with open(_path(name), "rb", buffering=0) as file:
        return file.read()


@cache
def data(name: str) -> Any:
    """The data of a .json or .yaml resource; all callers share it, so nobody may change it."""
    if name.endswith(".json"):
        import json  # both readers are imported late: a run needs one of them at most

        return json.loads(text(name))
    return parse(text(name))


def parse(source: str) -> Any:
    """The data of a YAML text that chartgen or another tool has written; ValueError if it fails."""
    import yaml

    try:
        return yaml.load(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


@cache
def names(folder: str) -> list[str]:
    """The sorted relative paths of all files below a folder; none if there is no such folder."""
    top = _path(folder)
    paths = []
    for folder_path, _, files in os.walk(top):
        below = folder_path[len(top) :].replace(os.sep, "/").strip("/")
        paths += [f"{below}/{file}" if below else file for file in files]
    return sorted(paths)


def _path(name: str) -> str:
    """The path of a resource on disk; a name may not lead out of its folder."""
    folder, *parts = name.split("/")
    if folder not in _FOLDERS or ".." in parts:
        raise FileNotFoundError(f"no such resource: {name}")
    return os.path.join(_FOLDERS[folder], *parts)


def package_names(package: str, folder: str) -> list[str]:
    """The entries of a folder of an installed package; none if it is not installed."""
    try:
        return os.listdir(_package_path(package, folder))
    except OSError:
        return []


def package_data(package: str, name: str) -> Any:
    """The data of a .json file of an installed package."""
    import json

    with open(_package_path(package, name), encoding="utf-8") as file:
        return json.load(file)


def _package_path(package: str, name: str) -> str:
    """The place of a package's file, found without importing the package; "" if there is none."""
    from importlib.util import find_spec

    spec = find_spec(package)
    return os.path.join(os.path.dirname(spec.origin or ""), *name.split("/")) if spec else ""


def entry_points(group: str) -> Iterator[tuple[str, str, str]]:
    """What installed packages offer in a group: a name, a module, and the package with its version.

    importlib.metadata would know it too, but its import takes longer than a cold start.
    """
    seen = set()
    for folder in dict.fromkeys(sys.path):
        for name in _entries(folder or "."):
            package = name.removesuffix(".dist-info").replace("-", " ")
            if name.endswith(".dist-info") and package.partition(" ")[0] not in seen:
                seen.add(package.partition(" ")[0])  # of two, the first on the path is imported
                for word, module in _in_group(os.path.join(folder, name), group):
                    yield word, module, package


def _entries(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:  # a path that is not there, or is an archive
        return []


def _in_group(folder: str, group: str) -> Iterator[tuple[str, str]]:
    """The lines `NAME = MODULE` of a group in a package's entry_points.txt."""
    try:
        with open(os.path.join(folder, "entry_points.txt"), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    section = ""
    for line in lines:
        if line.startswith("["):
            section = line.strip("[] ")
        elif section == group and "=" in line:
            name, _, module = line.partition("=")
            yield name.strip(), module.partition("[")[0].strip()
