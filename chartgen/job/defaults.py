"""Defaults of job descriptions, of a project or a kit: what fits a job is laid under it."""

from collections.abc import Collection, Mapping

from chartgen.document import Document
from chartgen.job import layers
from chartgen.startup.typing import Any


def lay_defaults(
    document: Document, defaults: Document, registry: str, frameworks: Collection[str]
) -> Document:
    """The description with what it does not say itself; each value with its place.

    `frameworks` are the names under which options of frameworks stand.
    """
    if not isinstance(document.data, dict):
        return document
    if registry:
        document = document._replace(data=_with_registry(document.data, registry))
    fitting = _fitting(defaults.data, document.data, frameworks)
    return layers.lay_under(document, defaults._replace(data=fitting))


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
    """The same description, with the registry before every image that names none."""
    result = dict(data)
    for key, value in data.items():
        if key == "image":
            result[key] = _image(value, registry)
        elif key in ("roles", "tensorboard", "overrides") and isinstance(value, dict):
            result[key] = _with_registry(value, registry)
    roles = result.get("roles")
    if isinstance(roles, dict):
        for name, role in roles.items():
            if isinstance(role, dict):
                roles[name] = _with_registry(role, registry)
    return result


def _image(image: Any, registry: str) -> Any:
    if isinstance(image, dict) and isinstance(image.get("repository"), str):
        return {**image, "repository": _image(image["repository"], registry)}
    if not isinstance(image, str) or not image:
        return image
    host, slash, _ = image.partition("/")
    named = slash and ("." in host or ":" in host or host == "localhost")
    return image if named else f"{registry}/{image}"
