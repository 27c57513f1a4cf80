"""values.schema.json: the job description's schema, for the roles and options of one chart."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from chartgen import frameworks
from chartgen.chart.values import schema_text
from chartgen.job.model import Job
from chartgen.k8s.quantities import WHOLE
from chartgen.plan.model import Plan
from chartgen.startup.json import loads
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

# Fields of a job description that name the chart, and so are not values.
_CHART_FIELDS = ("name", "framework", "description", "version", "chart")


_GLOBAL = {
    "type": "object",
    "description": "Values an umbrella chart shares with all its charts.",
    "examples": [{"imageRegistry": "registry.example.com"}],
    "properties": {
        "imageRegistry": {
            "type": "string",
            # A host, and perhaps a path on it; a scheme would be part of no image reference.
            "pattern": r"^([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9._/-]*)?)?$",
            "x-expect": "the host of a registry, such as registry.example.com:5000/team",
            "description": "The host of the registry that all images come from.",
        }
    },
}
_GROUPS = ("rbac", "cleanup")  # values that every chart has, with defaults
_OPTIONAL = {"helperImagePullPolicy", "networkPolicy", "priorityClasses"}
# As the API server reads them. Devices are counted in whole ones.
_QUANTITY = r"^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
_DEVICES = {"type": ["string", "integer"], "minimum": 0, "pattern": f"^{WHOLE}$"}
# Helm's record of a release holds about half as many replicas, and rendering more takes minutes.
_MOST_REPLICAS = 20_000
MOST_SHAPES = 200  # whose schemas are kept: a program may check jobs for as long as it likes


class RoleShape(NamedTuple):
    """What the schema of a role's values depends on."""

    name: str
    at_least: int
    at_most: int | None
    listens: bool
    accepts: tuple[str, ...]  # the only fields it has; empty for all


class Shape(NamedTuple):
    """What the schema of the values depends on; jobs of one shape share it."""

    framework: str
    fixed_options: tuple[str, ...]
    roles: tuple[RoleShape, ...]
    reserved_env: tuple[str, ...]
    clouds: bool  # whether the chart carries cloud data
    library: str  # the chart that it depends on, whose values Helm passes under its name
    absent: frozenset[str]  # fields that this job does not use, and the chart has no files for
    groups: tuple[tuple[str, str], ...] = ()  # of kits: their names and JSON Schemas


def shape(job: Job, plan: Plan, *, clouds: bool, library: str = "") -> Shape:
    """The shape of a job."""
    roles = []
    for role in plan.roles:
        listens = role.port is not None
        roles.append(RoleShape(role.name, role.at_least, role.at_most, listens, role.accepts))
    absent = _OPTIONAL - job.settings.keys()
    if not plan.waits:
        absent.add("wait")
    if frameworks.framework(job.framework).OPTIONS.keys() <= {*plan.fixed_options}:
        absent.add(job.framework)
    return Shape(
        framework=job.framework,
        fixed_options=plan.fixed_options,
        roles=tuple(roles),
        reserved_env=plan.reserved_env,
        clouds=clouds,
        library=library,
        absent=frozenset(absent),
        groups=tuple(job.groups.items()),
    )


@lru_cache(MOST_SHAPES)
def text(of: Shape) -> str:
    """values.schema.json; cached, because printing it is slow and many jobs share a shape.

    A chart of the thin layout describes its values here, because its values.yaml is short.
    """
    return schema_text.text(schema(of), described=bool(of.library))


@lru_cache(MOST_SHAPES)
def schema(of: Shape) -> dict[str, Any]:
    """The schema of the values: the job description's, for the roles and options of this job."""
    job_schema = frameworks.job_schema(of.framework)
    definitions = _definitions(job_schema["definitions"], of)
    other_frameworks = set(definitions["framework"]["enum"]) - {of.framework}
    left_out = {*_CHART_FIELDS, *of.absent, *other_frameworks}
    properties = {
        "global": _GLOBAL,
        **_without(job_schema["properties"], left_out),
    }
    for name, group in of.groups:
        properties[name] = loads(group)
    if of.library:
        properties[of.library] = {"type": "object", "description": "Not used."}
    values_schema = {
        "$schema": job_schema["$schema"],
        "title": "Values",
        "type": "object",
        "additionalProperties": False,
        # `--set tests=null` removes a value; what the templates read has to be there.
        "required": [name for name in _required(of) if name in properties],
        "properties": properties,
    }
    needed = referenced(values_schema, definitions)
    values_schema["definitions"] = {name: definitions[name] for name in needed}
    return values_schema


def _required(of: Shape) -> tuple[str, ...]:
    return ("roles", *_GROUPS, of.framework, *(name for name, _ in of.groups))


def _definitions(job_definitions: Mapping[str, Any], of: Shape) -> dict[str, Any]:
    """The definitions of the job description, as they are for values."""
    definitions = dict(job_definitions)
    env, clouds, options = (definitions[name] for name in ("env", "clouds", of.framework))
    definitions["env"] = {
        **definitions["envMap"],
        # As properties, because some validators name the wrong place for a refused propertyName.
        "properties": dict.fromkeys(of.reserved_env, False),
        "title": env["title"],
        "description": "Environment variables, by name.",
        "examples": env["examples"][:1],
    }
    # What the chart sets in replicas, it leaves alone in TensorBoard.
    board, board_env = definitions["tensorboard"], _without(definitions["env"], ("properties",))
    definitions["tensorboard"] = {**board, "properties": {**board["properties"], "env": board_env}}
    definitions[of.framework] = {
        **options,
        "properties": _without(options["properties"], of.fixed_options),
    }
    # `--set image.tag=2` passes a number.
    parts = definitions["imageParts"]
    tag = {**parts["properties"]["tag"], "type": ["string", "integer"]}
    definitions["imageParts"] = {**parts, "properties": {**parts["properties"], "tag": tag}}
    # A chart's cloud has a name, and its data may also be the text that --set-file passes.
    definitions["cloud"] = {**definitions["cloud"], **clouds["propertyNames"]}
    data = {"anyOf": [clouds["additionalProperties"], {"type": "string"}]}
    if not of.clouds:
        # Nothing is injected, so nothing of a custom cloud is read, and no device can be had.
        data = {"type": ["object", "string"]}
        inside = ("anyOf", "properties", "additionalProperties")
        definitions["accelerator"] = _without(definitions["accelerator"], inside)
    definitions["clouds"] = {**clouds, "additionalProperties": data}
    # ExitCode is short for two values, and expanded when a job description is read.
    restarts = definitions["restartPolicy"]
    definitions["restartPolicy"] = {**restarts, "enum": ["OnFailure", "Never"]}
    definitions["rbac"] = {**definitions["rbac"], "required": ["create"]}
    definitions["quantity"] = {**definitions["quantity"], "minimum": 0, "pattern": _QUANTITY}
    definitions["quantities"] = {**definitions["quantities"], "patternProperties": {"/": _DEVICES}}
    roles = {role.name: _role_schema(definitions, role) for role in of.roles}
    definitions["roles"] = {
        "type": "object",
        "description": definitions["roles"]["description"],
        "additionalProperties": False,
        "required": list(roles),
        "properties": roles,
    }
    return definitions


def _role_schema(definitions: Mapping[str, Any], role: RoleShape) -> dict[str, Any]:
    left_out = ("template",) if role.listens else ("template", "port")
    properties = _without(definitions["role"]["properties"], left_out)
    if role.accepts:
        known = ("replicas", *role.accepts)
        properties = {name: field for name, field in properties.items() if name in known}
    properties["replicas"] = {**definitions["replicas"], "minimum": role.at_least}
    if role.at_most is not None:
        properties["replicas"]["maximum"] = role.at_most
    elif not role.accepts:  # else the framework makes the pods, and the chart is as large as before
        properties["replicas"]["maximum"] = _MOST_REPLICAS
    if not role.listens and "overrides" in properties:
        keys, override = next(iter(definitions["overrides"]["patternProperties"].items()))
        no_port = {"allOf": [override, {"properties": {"port": False}}]}
        properties["overrides"] = {**definitions["overrides"], "patternProperties": {keys: no_port}}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["replicas", "port"] if role.listens else ["replicas"],
        "properties": properties,
    }


def _without(fields: Mapping[str, Any], names: Sequence[str] | set[str]) -> dict[str, Any]:
    return {name: field for name, field in fields.items() if name not in names}


def referenced(node: Any, definitions: Mapping[str, Any]) -> list[str]:
    """The definitions a schema refers to, in their own order."""
    names: set[str] = set()
    open_nodes = [node]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, dict):
            if isinstance(reference := node.get("$ref"), str):
                name = reference.removeprefix("#/definitions/")
                if name not in names:
                    names.add(name)
                    open_nodes.append(definitions[name])
            open_nodes += node.values()
        elif isinstance(node, list):
            open_nodes += node
    return [name for name in definitions if name in names]
