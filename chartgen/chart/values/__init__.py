"""A chart's values: the fields of the job description, as values.yaml and as a table."""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache

from chartgen.chart.values.schema import MOST_SHAPES, Shape
from chartgen.chart.values.schema import schema as schema_of
from chartgen.job.model import Job, merge
from chartgen.k8s.secrets import is_literal_secret
from chartgen.plan.model import Plan, RolePlan
from chartgen.startup.json import JSONEncoder
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.yaml.writer import mapping, scalar
from chartgen.words import short

# Mappings each field of which is described.
_GROUPS = (
    *("global", "accelerator", "tensorboard", "rbac", "cleanup", "networkPolicy", "tests", "wait"),
)
_NAMES = 6  # in a line of a comment
_as_json = JSONEncoder(ensure_ascii=False).encode


class Row(NamedTuple):
    """One value in the chart's README."""

    key: str
    set_by_job: bool  # whether the job sets it
    default: str


def values(job: Job, plan: Plan, properties: Mapping[str, Any]) -> dict[str, Any]:
    """The default values of a chart, in the schema's order."""
    settings = job.settings
    fixed = plan.fixed_options
    options = {name: value for name, value in job.options.items() if name not in fixed}
    roles = {role.name: _role(job, role) for role in plan.roles}
    defaults: dict[str, Any] = {
        "cloud": "none",
        "namePrefix": "",
        "restartPolicy": "OnFailure",
        "rbac": {"create": True},
        "podSecurity": "none",
        **job.shared,
        **settings,
        "cleanup": {
            "policy": "suspend" if plan.cleanup else "none",
            **settings.get("cleanup", {}),
        },
        job.framework: options,
        "roles": roles,
    }
    return {key: defaults[key] for key in properties if key in defaults}


def _role(job: Job, planned: RolePlan) -> dict[str, Any]:
    role = job.roles[planned.name]
    fields: dict[str, Any] = {"replicas": role.replicas}
    if planned.port:
        fields["port"] = role.port or planned.port
    defaults = {
        field: value for field, value in planned.defaults.items() if field not in job.shared
    }
    fields |= merge(defaults, role.spec)
    if role.overrides:
        fields["overrides"] = dict(role.overrides)
    return fields


def names_set_by(job: Job) -> set[str]:
    """The values that the job description itself sets; the others have defaults, or none."""
    return {*job.shared, *job.settings, job.framework, "roles"}


def text(
    defaults: Mapping[str, Any],
    shape: Shape,
    roles: Mapping[str, str],
    set_by_job: Set[str],
    *,
    others: bool = True,
) -> str:
    """values.yaml: what the job sets, then everything else, each value with a comment.

    Without the others there are still their defaults, without which the templates do not work.
    """
    lines = ["# yaml-language-server: $schema=values.schema.json"]
    values_schema, options = schema_of(shape), _options(shape)
    examples = _examples(shape)

    def value_text(key: str) -> Iterable[str]:
        if key not in defaults:
            return examples[key]
        return _value_text(key, defaults, roles, values_schema, options)

    keys = [*values_schema["properties"]]
    for key in keys:
        if key in set_by_job:
            lines += value_text(key)
    rest = [key for key in keys if key not in set_by_job]
    if others:
        lines += ["", "# Everything else that can be set."]
        for key in rest:
            lines += value_text(key)
    else:
        lines += ["", "# Defaults; values.schema.json has everything that can be set."]
        lines += mapping({key: defaults[key] for key in rest if key in defaults})
    return "\n".join(lines) + "\n"


def _options(shape: Shape) -> tuple[str, ...]:
    """The groups of values that a framework and kits add."""
    return (shape.framework, *(name for name, _ in shape.groups))


def _value_text(
    key: str,
    defaults: Mapping[str, Any],
    roles: Mapping[str, str],
    values_schema: Mapping[str, Any],
    options: tuple[str, ...],
) -> Iterator[str]:
    """A value with its comment; fields of a group, each with its own."""
    described = _resolve(values_schema["properties"][key], values_schema)
    yield from ("", f"# -- {described['description']}")
    if key == "roles":
        yield from _roles_text(defaults["roles"], roles)
    elif key in options or (key in _GROUPS and defaults[key]):
        yield from _group_text(key, defaults[key], described, values_schema)
    else:
        yield from mapping({key: defaults[key]})


@lru_cache(MOST_SHAPES)
def _examples(shape: Shape) -> dict[str, list[str]]:
    """The values that may have no default; cached, because jobs of one shape share them."""
    values_schema = schema_of(shape)
    texts = {}
    for key, node in values_schema["properties"].items():
        described = _resolve(node, values_schema)
        if "examples" not in described:
            continue
        example = described["examples"][0]
        if "properties" in described and key in _GROUPS:
            lines = _group_text(key, example, described, values_schema)
        else:
            lines = mapping({key: example})
        texts[key] = ["", f"# -- {described['description']}", *(f"# {line}" for line in lines)]
    return texts


def _group_text(
    key: str,
    group: Mapping[str, Any],
    described: Mapping[str, Any],
    values_schema: Mapping[str, Any],
) -> Iterator[str]:
    """Options of a framework, or fields of a group, each with a comment."""
    yield f"{key}:" if group else f"{key}: {{}}"
    fields = {name: _resolve(node, values_schema) for name, node in described["properties"].items()}
    unset = [name for name in fields if name not in group]
    alike = [name for name in unset if _is_pod_field(name, fields, values_schema)]
    if alike:
        yield "  # These can be set too, as for replicas:"
        for start in range(0, len(alike), _NAMES):
            yield f"  # {', '.join(alike[start : start + _NAMES])}"
    # What is set comes last: yamllint wants comments indented like the line that follows.
    for name, field in sorted(fields.items(), key=lambda item: item[0] in group):
        if name in alike:
            continue
        yield f"  # -- {field['description']}"
        if name in group:
            yield from mapping({name: group[name]}, 2)
        else:
            yield from (f"  # {line}" for line in mapping({name: field["examples"][0]}))


def _is_pod_field(
    name: str, fields: Mapping[str, Mapping[str, Any]], values_schema: Mapping[str, Any]
) -> bool:
    """Whether a field of a group is described as a value of the job with the same name."""
    of_job = _resolve(values_schema["properties"].get(name, {}), values_schema)
    return bool(of_job.get("description") == fields[name]["description"])


def _roles_text(defaults: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[str]:
    yield "# A role has replicas, port, overrides and all pod fields of this file; its values win."
    yield "roles:"
    for name, role in defaults.items():
        yield f"  # -- {name}: {roles[name]}"
        yield from mapping({name: role}, 2)


def rows(defaults: Mapping[str, Any], shape: Shape, set_by_job: Set[str]) -> Iterator[Row]:
    """The values of the chart for its README, roles field by field.

    Fields that a group has of pods are among them if they are set.
    """
    for key, fields in _listed(shape):
        by_job = key in set_by_job
        if key == "roles":
            for name, role in defaults["roles"].items():
                for field, value in role.items():
                    yield Row(f"roles.{name}.{field}", True, _shorten(value))
        elif fields is None:
            yield Row(key, by_job, _shorten(defaults.get(key)))
        else:
            group = defaults.get(key, {})
            for name in dict.fromkeys((*fields, *group)):
                yield Row(f"{key}.{name}", by_job and name in group, _shorten(group.get(name)))


@lru_cache(MOST_SHAPES)
def _listed(shape: Shape) -> list[tuple[str, list[str] | None]]:
    """Every value, and the fields of its own if it is a group."""
    values_schema = schema_of(shape)
    listed: list[tuple[str, list[str] | None]] = []
    for key, node in values_schema["properties"].items():
        value = _resolve(node, values_schema)
        group = (key in _GROUPS and "properties" in value) or key in _options(shape)
        fields = {
            name: _resolve(field, values_schema)
            for name, field in (value["properties"].items() if group else ())
        }
        own = [name for name in fields if not _is_pod_field(name, fields, values_schema)]
        listed.append((key, own if group else None))
    return listed


def _resolve(node: Mapping[str, Any], values_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = str(node.get("$ref", "")).removeprefix("#/definitions/")
    return values_schema["definitions"][reference] if reference else node


def _shorten(value: Any) -> str:
    """A default for a table: on one line, shortened; empty if there is none."""
    if value is None:
        return ""
    shown = scalar(value) if isinstance(value, int) else _as_json(_without_secrets(value))
    return short(shown)


def _without_secrets(value: Any) -> Any:
    """What a README may repeat: people send it around more freely than values."""
    if not isinstance(value, dict):
        return value
    return {
        key: "..." if is_literal_secret(key, inner) else _without_secrets(inner)
        for key, inner in value.items()
    }
