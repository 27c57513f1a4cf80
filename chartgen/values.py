"""A chart's values: one tree, the job description's own words, folded into values.yaml, its schema and its table."""

from collections.abc import Iterator, Mapping
from functools import cache
from json import dumps
from typing import Any, NamedTuple

from chartgen import resources
from chartgen.emit import mapping
from chartgen.job import Job
from chartgen.plan import Plan

_GROUPS = ("rbac", "cleanup", "tests")  # switches of ours that have a row each in the table of values
_TESTS_IMAGE = "busybox:1.37.0"
_CLEANUP_IMAGE = "python:3.13-alpine"


class Row(NamedTuple):
    """One value for people: where it stands, what it is unless changed, and what it does."""

    key: str
    default: str
    description: str


def values(job: Job, plan: Plan, properties: Mapping[str, Any]) -> dict[str, Any]:
    """The values a chart is installed with unless a user says otherwise, in the schema's order."""
    found: dict[str, Any] = {
        "cloud": "none",
        "namePrefix": "",
        "restartPolicy": "OnFailure",
        "rbac": {"create": True},
        "podSecurity": "none",
        "cleanup": {"enabled": False, "image": _CLEANUP_IMAGE},
        "tests": {"image": _TESTS_IMAGE},
        **job.shared,
        **job.settings,
    }
    for key, fallback in (("cleanup", _CLEANUP_IMAGE), ("tests", _TESTS_IMAGE)):
        found[key] = {**({"enabled": False} if key == "cleanup" else {}), "image": fallback, **found[key]}
    if job.options:
        found[job.framework] = dict(job.options)
    found["roles"] = {role.name: _role(job, role.name, role.port) for role in plan.roles}
    return {key: found[key] for key in properties if key in found}


def _role(job: Job, name: str, port: int) -> dict[str, Any]:
    role = job.roles[name]
    found: dict[str, Any] = {"replicas": role.replicas, "port": role.port or port, **role.spec}
    if role.overrides:
        found["overrides"] = dict(role.overrides)
    return found


class Shape(NamedTuple):
    """What the schema of the values depends on; jobs of one shape share it."""

    framework: str
    roles: tuple[tuple[str, int, int | None], ...]  # name, and how many replicas there are at least and at most
    reserved_env: tuple[str, ...]
    absent: frozenset[str]  # words of a job description that this job does without, as far as files depend on them


def shape(job: Job, plan: Plan) -> Shape:
    """The shape of a job."""
    roles = tuple((role.name, role.at_least, role.at_most) for role in plan.roles)
    return Shape(job.framework, roles, plan.reserved_env, frozenset({"tensorboard"} - job.settings.keys()))


@cache
def schema_text(of: Shape) -> str:
    """values.schema.json; a run over a thousand jobs writes it once per shape, for indenting is slow."""
    return dumps(schema(of), indent=2, ensure_ascii=False) + "\n"


@cache
def schema(of: Shape) -> dict[str, Any]:
    """The schema of the values: the job description's, for this job's roles and without what is settled by now."""
    job_schema = resources.data("schemas/job.schema.json")
    definitions = dict(job_schema["definitions"])
    definitions["env"] = {
        **definitions["envMap"],
        # As properties, for some of Helm's validators name the wrong place for a refused propertyName.
        "properties": dict.fromkeys(of.reserved_env, False),
        "title": definitions["env"]["title"],
        "description": "Environment variables, by name.",
        "examples": definitions["env"]["examples"][:1],
    }
    # By now a cloud has a name, and its data may also come as the text that --set-file gives.
    definitions["cloud"] = {**definitions["cloud"], **definitions["clouds"]["propertyNames"]}
    own_cloud = {"anyOf": [definitions["clouds"]["additionalProperties"], {"type": "string"}]}
    definitions["clouds"] = {**definitions["clouds"], "additionalProperties": own_cloud}
    definitions["roles"] = {
        "type": "object",
        "description": definitions["roles"]["description"],
        "additionalProperties": False,
        "required": [name for name, _, _ in of.roles],
        "properties": {name: _role_schema(definitions, least, most) for name, least, most in of.roles},
    }
    # What names the chart is no value, nor is what this job does without.
    others = set(job_schema["definitions"]["framework"]["enum"]) - {of.framework}
    settled = {"name", "framework", "description", "version", *of.absent, *others}
    found = {
        "$schema": job_schema["$schema"],
        "title": "Values",
        "type": "object",
        "additionalProperties": False,
        "required": ["roles"],
        "properties": {
            "global": {"type": "object", "description": "Values an umbrella chart shares with all its charts."},
            **{key: value for key, value in job_schema["properties"].items() if key not in settled},
        },
    }
    found["definitions"] = {name: definitions[name] for name in _reachable(found, definitions)}
    return found


def _role_schema(definitions: Mapping[str, Any], at_least: int, at_most: int | None) -> dict[str, Any]:
    role = definitions["role"]
    properties = {key: value for key, value in role["properties"].items() if key != "template"}
    properties["replicas"] = {**definitions["replicas"], "minimum": at_least}
    if at_most is not None:
        properties["replicas"]["maximum"] = at_most
    return {"type": "object", "additionalProperties": False, "required": ["replicas", "port"], "properties": properties}


def _reachable(node: Any, definitions: Mapping[str, Any]) -> list[str]:
    """The definitions a schema needs, in their own order."""
    found: set[str] = set()
    open_nodes = [node]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, list):
            open_nodes += node
        elif isinstance(node, dict):
            name = str(node.get("$ref", "")).removeprefix("#/definitions/")
            if name and name not in found:
                found.add(name)
                open_nodes.append(definitions[name])
            open_nodes += node.values()
    return [name for name in definitions if name in found]


def text(found: Mapping[str, Any], value_schema: Mapping[str, Any], roles: Mapping[str, str]) -> str:
    """values.yaml: what is set stands there, what could be set is named with an example, and all of it is explained."""
    lines = ["# yaml-language-server: $schema=values.schema.json"]
    for key in value_schema["properties"]:
        if key == "global":
            continue
        described = _resolved(value_schema["properties"][key], value_schema)
        lines += ["", f"# -- {described['description']}"]
        if key == "roles":
            lines += _roles_text(found["roles"], roles)
        elif key in found:
            lines += mapping({key: found[key]})
        else:
            lines += (f"# {line}" for line in mapping({key: described["examples"][0]}))
    return "\n".join(lines) + "\n"


def _roles_text(found: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[str]:
    yield "# A role takes replicas, port, overrides, and of the fields here all those about pods; its own word wins."
    yield "roles:"
    for name, role in found.items():
        yield f"  # -- {name}: {roles[name]}"
        yield from mapping({name: role}, 2)


def rows(found: Mapping[str, Any], value_schema: Mapping[str, Any]) -> Iterator[Row]:
    """Every value of the chart for its README, roles field by field."""
    for key, node in value_schema["properties"].items():
        described = _resolved(node, value_schema)
        if key == "roles":
            yield from _role_rows(found["roles"], value_schema)
        elif key in found and key in _GROUPS:
            for field, below in described["properties"].items():
                yield Row(
                    f"{key}.{field}", _default(found[key].get(field)), _resolved(below, value_schema)["description"]
                )
        else:
            yield Row(key, _default(found.get(key)), described["description"])


def _role_rows(found: Mapping[str, Any], value_schema: Mapping[str, Any]) -> Iterator[Row]:
    roles = value_schema["definitions"]["roles"]["properties"]
    for name, role in found.items():
        for field, node in roles[name]["properties"].items():
            if field in role:
                described = _resolved(node, value_schema)
                yield Row(f"roles.{name}.{field}", _default(role[field]), described["description"])


def _resolved(node: Mapping[str, Any], value_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = str(node.get("$ref", "")).removeprefix("#/definitions/")
    return value_schema["definitions"][reference] if reference else node


def _default(value: Any) -> str:
    """A default as it stands in a table: short, on one line, empty if there is none."""
    if value is None:
        return ""
    shown = dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 60 else shown[:57] + "..."
