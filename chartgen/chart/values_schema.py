"""A chart's values: one tree, the job description's own words, folded into values.yaml, its schema and its table."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from json import dumps
from typing import Any, NamedTuple

from chartgen import resources
from chartgen.frameworks import MODULES
from chartgen.job.model import Job, merged
from chartgen.plan.model import Plan, RolePlan
from chartgen.syntax.yaml_writer import mapping

_GROUPS = ("accelerator", "tensorboard", "rbac", "cleanup", "tests", "wait")  # each field of these is told of
_SMALL_IMAGE = "busybox:1.37.0"
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
        "cleanup": {},
        "tests": {},
        "wait": {},
        **job.shared,
        **job.settings,
    }
    for key, fallback in (("cleanup", _CLEANUP_IMAGE), ("tests", _SMALL_IMAGE), ("wait", _SMALL_IMAGE)):
        found[key] = {**({"enabled": plan.cleanup} if key == "cleanup" else {}), "image": fallback, **found[key]}
    found[job.framework] = {name: value for name, value in job.options.items() if name not in plan.settled}
    found["roles"] = {role.name: _role(job, role) for role in plan.roles}
    return {key: found[key] for key in properties if key in found}


def _role(job: Job, planned: RolePlan) -> dict[str, Any]:
    role = job.roles[planned.name]
    port = {"port": role.port or planned.port} if planned.port else {}
    defaults = {word: value for word, value in planned.defaults.items() if word not in job.shared}
    found: dict[str, Any] = {"replicas": role.replicas, **port, **merged(defaults, role.spec)}
    if role.overrides:
        found["overrides"] = dict(role.overrides)
    return found


class RoleShape(NamedTuple):
    """What the schema of a role's values depends on."""

    name: str
    at_least: int
    at_most: int | None
    listens: bool
    takes: tuple[str, ...]


class Shape(NamedTuple):
    """What the schema of the values depends on; jobs of one shape share it."""

    framework: str
    settled: tuple[str, ...]
    roles: tuple[RoleShape, ...]
    reserved_env: tuple[str, ...]
    absent: frozenset[str]  # words of a job description that this job does without, as far as files depend on them


def shape(job: Job, plan: Plan) -> Shape:
    """The shape of a job."""
    roles = tuple(
        RoleShape(role.name, role.at_least, role.at_most, role.port is not None, role.takes) for role in plan.roles
    )
    absent = {"tensorboard", "priorityClasses"} - job.settings.keys()
    if not plan.waits:
        absent.add("wait")
    if job.options.keys() <= {*plan.settled}:
        absent.add(job.framework)
    return Shape(job.framework, plan.settled, roles, plan.reserved_env, frozenset(absent))


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
    options = definitions[of.framework]
    definitions[of.framework] = {**options, "properties": _without(options["properties"], of.settled)}
    # By now a cloud has a name, and its data may also come as the text that --set-file gives.
    definitions["cloud"] = {**definitions["cloud"], **definitions["clouds"]["propertyNames"]}
    own_cloud = {"anyOf": [definitions["clouds"]["additionalProperties"], {"type": "string"}]}
    definitions["clouds"] = {**definitions["clouds"], "additionalProperties": own_cloud}
    definitions["roles"] = {
        "type": "object",
        "description": definitions["roles"]["description"],
        "additionalProperties": False,
        "required": [role.name for role in of.roles],
        "properties": {role.name: _role_schema(definitions, role) for role in of.roles},
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


def _role_schema(definitions: Mapping[str, Any], role: RoleShape) -> dict[str, Any]:
    properties = _without(definitions["role"]["properties"], ("template",) if role.listens else ("template", "port"))
    if role.takes:
        properties = {name: field for name, field in properties.items() if name in ("replicas", *role.takes)}
    properties["replicas"] = {**definitions["replicas"], "minimum": role.at_least}
    if role.at_most is not None:
        properties["replicas"]["maximum"] = role.at_most
    if not role.listens and "overrides" in properties:
        keys, override = next(iter(definitions["overrides"]["patternProperties"].items()))
        deaf = {"allOf": [override, {"properties": {"port": False}}]}
        properties["overrides"] = {**definitions["overrides"], "patternProperties": {keys: deaf}}
    required = ["replicas", "port"] if role.listens else ["replicas"]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _without(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: field for name, field in fields.items() if name not in names}


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
        elif key in MODULES:
            lines += [
                f"{key}:" if found[key] else f"{key}: {{}}",
                *_options_text(found[key], described["properties"], value_schema),
            ]
        elif key in _GROUPS and found.get(key):
            # What is not set comes first: yamllint wants a comment indented like what follows it.
            fields = dict(sorted(described["properties"].items(), key=lambda field: field[0] in found[key]))
            lines += [f"{key}:", *_options_text(found[key], fields, value_schema)]
        elif key in found:
            lines += mapping({key: found[key]})
        elif key in _GROUPS:
            example = _options_text(described["examples"][0], described["properties"], value_schema)
            lines += (f"# {line}" for line in (f"{key}:", *example))
        else:
            lines += (f"# {line}" for line in mapping({key: described["examples"][0]}))
    return "\n".join(lines) + "\n"


def _options_text(
    found: Mapping[str, Any], properties: Mapping[str, Any], value_schema: Mapping[str, Any]
) -> Iterator[str]:
    """Options of a framework, or fields of a group, each with what it does."""
    # Those that are set come last: comments below what they do not belong to would be out of line to yamllint.
    for name, node in sorted(properties.items(), key=lambda item: item[0] in found):
        described = _resolved(node, value_schema)
        yield f"  # -- {described['description']}"
        if name in found:
            yield from mapping({name: found[name]}, 2)
        else:
            yield from (f"  # {line}" for line in mapping({name: described["examples"][0]}))


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
        elif key in _GROUPS or (key in found and key in MODULES):
            given = found.get(key, {})
            for field, below in described["properties"].items():
                yield Row(f"{key}.{field}", _default(given.get(field)), _resolved(below, value_schema)["description"])
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
