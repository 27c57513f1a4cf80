"""Defaults of job descriptions, of a project or a kit: what fits a job is laid under it."""

from collections.abc import Collection, Mapping

from chartgen.document import Document
from chartgen.job import layers
from chartgen.startup.typing import Any

# Fields of a description that are images, or have some inside, alone, by name, or in a list.
_IMAGES = ("image", "helperImage")
_PARTS = ("template", "spec", "tensorboard", "cleanup", "tests", "wait")
_NAMED_PARTS = ("roles", "overrides")
_CONTAINERS = ("containers", "initContainers", "sidecars")
_OWN_IMAGE = "none"  # of a helper: the job's own


def lay_defaults(
    document: Document, defaults: Document, registry: str, frameworks: Collection[str]
) -> Document:
    """The description with what it does not say itself; each value with its place.

    `frameworks` are the names under which options of frameworks stand.
    """
    if not isinstance(document.data, dict):
        return document
    fitting = _fitting(defaults.data, document.data, frameworks)
    document = layers.lay_under(document, defaults._replace(data=fitting))
    return document._replace(data=_with_registry(document.data, registry)) if registry else document


def _fitting(
    defaults: Mapping[str, Any], job: Mapping[str, Any], frameworks: Collection[str]
) -> dict[str, Any]:
    """The defaults that concern a job: its framework's options, and the roles it has."""
    fitting = {}
    given = job.get("chart")
    for key, value in defaults.items():
        if key in frameworks and key != job.get("framework", defaults.get("framework")):
            continue
        if key == "version" and isinstance(given, dict) and "version" in given:
            continue
        if key == "roles" and isinstance(value, dict) and isinstance(job.get("roles"), dict):
            value = {name: role for name, role in value.items() if name in job["roles"]}
        if key == "env" and isinstance(value, dict) and isinstance(job.get("env"), list):
            continue  # a list is compared as a whole: its order matters
        fitting[key] = value
    return fitting


def _with_registry(data: Mapping[str, Any], registry: str) -> dict[str, Any]:
    """The same part of a description, with the registry before every image that names none."""
    result = dict(data)
    for key, value in data.items():
        if key in _IMAGES:
            result[key] = _image(value, registry)
        elif key in _PARTS and isinstance(value, dict):
            result[key] = _with_registry(value, registry)
        elif key in _NAMED_PARTS and isinstance(value, dict):
            result[key] = {name: _of_part(part, registry) for name, part in value.items()}
        elif key in _CONTAINERS and isinstance(value, list):
            result[key] = [_of_part(container, registry) for container in value]
    return result


def _of_part(part: Any, registry: str) -> Any:
    return _with_registry(part, registry) if isinstance(part, dict) else part


def _image(image: Any, registry: str) -> Any:
    if isinstance(image, dict) and isinstance(image.get("repository"), str):
        return {**image, "repository": _image(image["repository"], registry)}
    if not isinstance(image, str) or image in ("", _OWN_IMAGE):
        return image
    host, slash, _ = image.partition("/")
    named = slash and ("." in host or ":" in host or host == "localhost" or host != host.lower())
    return image if named else f"{registry}/{image}"
