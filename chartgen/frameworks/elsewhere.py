"""Frameworks of other installed packages: found, held to the Protocol, and blamed by name."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from chartgen import extensions, resources
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.extensions import FRAMEWORKS, Extension, blame, broken
from chartgen.frameworks.base import Framework
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.schema.walk import Schema
from chartgen.startup.typing import Any

_SCHEMA = "schemas/job.schema.json"
_NAME = re.compile(r"[a-z][a-z0-9]{0,29}")
_ROLE = re.compile(r"[a-z][a-z0-9]{0,19}")
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}


class _Guarded:
    """A module of another package as a Framework; whatever it raises names the package."""

    def __init__(self, module: Any, extension: Extension) -> None:
        self._module, self._extension = module, extension
        self.__doc__ = module.__doc__
        self.NAME: str = module.NAME
        self.TITLE: str = module.TITLE
        self.ROLES: Mapping[str, str] = module.ROLES
        self.FIRST: tuple[str, ...] = module.FIRST
        self.OPTIONS: Mapping[str, Any] = module.OPTIONS
        self.CONTAINER: str = module.CONTAINER

    def check(self, job: Job, document: Document) -> Iterable[Problem]:
        """What the module finds."""
        with blame(self._extension, "failed to check a job"):
            return [*self._module.check(job, document)]

    def plan(self, job: Job) -> Plan:
        """What the module plans."""
        with blame(self._extension, "failed to plan a job"):
            plan = self._module.plan(job)
        if not isinstance(plan, Plan):
            raise broken(self._extension, f"plans a {type(plan).__name__}; expected a Plan")
        return plan


def names() -> list[str]:
    """The names of all frameworks of other packages."""
    ours = resources.data(_SCHEMA)["definitions"]["framework"]["enum"]
    return [name for name in extensions.installed(FRAMEWORKS) if name not in ours]


@cache
def framework(name: str) -> Framework:
    """Load one of them."""
    extension = extensions.installed(FRAMEWORKS)[name]
    module = extensions.load(extension)
    for reason in _why_not(module, name):
        raise broken(extension, f"is not a framework: {reason}")
    return _Guarded(module, extension)


def _why_not(module: Any, name: str) -> Iterator[str]:
    """What keeps a module from being a framework."""
    if not _NAME.fullmatch(name) or name in resources.data(_SCHEMA)["properties"]:
        yield "its name must be lowercase letters and digits, and not a field of job descriptions"
    expected: dict[str, Callable[[Any], bool]] = {
        "__doc__": lambda text: isinstance(text, str),
        "NAME": lambda text: bool(text == name),
        "TITLE": lambda text: isinstance(text, str),
        "ROLES": _are_roles,
        "FIRST": lambda roles: isinstance(roles, tuple),
        "OPTIONS": lambda options: isinstance(options, Mapping),
        "CONTAINER": lambda text: isinstance(text, str),
        "check": callable,
        "plan": callable,
    }
    for attribute, is_right in expected.items():
        if not hasattr(module, attribute):
            yield f"{attribute} is missing"
        elif not is_right(getattr(module, attribute)):
            yield f"{attribute} is {getattr(module, attribute)!r}"


def _are_roles(roles: Any) -> bool:
    if not isinstance(roles, Mapping) or not roles:
        return False
    return all(isinstance(role, str) and _ROLE.fullmatch(role) for role in roles)


@cache
def job_schema() -> Schema:
    """The schema of job descriptions, with the frameworks of all installed packages."""
    schema = resources.data(_SCHEMA)
    definitions, properties = dict(schema["definitions"]), dict(schema["properties"])
    for name in names():
        definitions[name] = _options_schema(framework(name))
        properties[name] = {"$ref": f"#/definitions/{name}"}
    known = definitions["framework"]
    definitions["framework"] = {**known, "enum": [*known["enum"], *names()]}
    return {**schema, "properties": properties, "definitions": definitions}


def _options_schema(module: Framework) -> Schema:
    """The schema of a framework's options, by their defaults."""
    options: dict[str, Any] = {}
    for name, default in module.OPTIONS.items():
        about = f"An option of {module.TITLE}; see `chartgen explain {module.NAME}`."
        first = default[0] if isinstance(default, tuple) else default
        options[name] = {"description": about, "examples": ["..." if first is None else first]}
        if isinstance(default, tuple):
            options[name]["enum"] = [*default]
        elif default is not None:
            options[name]["type"] = _TYPES.get(type(default), "string")
    return {
        "title": module.TITLE,
        "description": f"Options for {module.TITLE}.",
        "type": "object",
        "additionalProperties": False,
        "examples": [{}],
        "properties": options,
    }
