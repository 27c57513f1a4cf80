"""A starter job description, for `chartgen init`."""

from collections.abc import Mapping

from chartgen import frameworks, pipeline
from chartgen.scaffold.environment import render
from chartgen.startup.typing import Any
from chartgen.syntax.yaml.writer import mapping

_TEMPLATE = "init/job.yaml.j2"


def first_description(name: str, framework: str, image: str, roles: Mapping[str, int]) -> str:
    """A small valid description, with comments that say what else can be set.

    Raises InputError, as for any other description, if what was given is not valid.
    """
    module = frameworks.framework(framework)
    holes: dict[str, Any] = {
        "name": name,
        "framework": framework,
        "image": image,
        "roles": roles or dict.fromkeys(module.FIRST, 1),
        "about": dict.fromkeys(roles or module.FIRST, "a role of this job") | dict(module.ROLES),
        "options": _required_options(framework),
        "programs": (),
    }
    (document,) = pipeline.read(render(_TEMPLATE, holes).encode(), "job.yaml")
    plan = pipeline.check(document).plan
    # Only roles whose pods run nothing of the framework's need a command.
    holes["programs"] = [
        role.name
        for role in plan.roles
        if not (role.command or role.start or role.managed_by_framework)
    ]
    return render(_TEMPLATE, holes)


def _required_options(framework: str) -> list[str]:
    """The lines of the options that a framework requires, with the schema's examples."""
    schema = frameworks.job_schema(framework)["definitions"][framework]
    options = {}
    for name in schema.get("required", ()):
        options[name] = schema["properties"][name]["examples"][0]
    return [*mapping({framework: options})] if options else []
