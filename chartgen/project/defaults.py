"""The defaults of a project, laid under a job description."""

from collections.abc import Callable, Mapping
from typing import Any

from chartgen import frameworks
from chartgen.chart.metadata import AUTO
from chartgen.document import Document
from chartgen.job import layers
from chartgen.project.model import Project


def completer(project: Project) -> Callable[[Document], Document]:
    """The function that adds a project's defaults to a job description."""
    version = {} if "version" in project.defaults.data else {"version": AUTO}
    under = project.defaults._replace(data={**version, **project.defaults.data})

    def complete(document: Document) -> Document:
        if not isinstance(document.data, dict):
            return document
        if project.registry:
            document = document._replace(data=_with_registry(document.data, project.registry))
        fitting = under._replace(data=_fitting(under.data, document.data))
        return layers.lay_under(document, fitting)

    return complete


def _fitting(defaults: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that concern a job: its framework's options, and the roles it has."""
    fitting = {}
    given = job.get("chart")
    for key, value in defaults.items():
        if key in frameworks.MODULES and key != job.get("framework", defaults.get("framework")):
            continue
        if key == "version" and isinstance(given, dict) and "version" in given:
            continue
        if key == "roles" and isinstance(value, dict) and isinstance(job.get("roles"), dict):
            value = {name: role for name, role in value.items() if name in job["roles"]}
        if key == "env" and isinstance(value, dict) and isinstance(job.get("env"), list):
            continue  # a list stands for itself: its order matters
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
