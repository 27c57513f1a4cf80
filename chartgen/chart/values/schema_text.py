"""values.schema.json as text: the schema of the values as Helm needs it, with each part once."""

from collections.abc import Mapping, Set

from chartgen.startup.typing import Any
from chartgen.syntax.json_writer import emit_json

SchemaNode = dict[str, Any]
_PARTS = (dict, list)  # of a schema; all else in it are words and numbers

_FOR_PEOPLE = ("title", "description", "examples", "default", "x-expect")
_KEY_WORDS = {"pattern", "not", "x-expect"}  # of names of keys that a pattern can say
_DEFINITIONS = "#/definitions/"
_SHORT = 50  # a part that is shorter is not worth a reference
_FEW = 4  # no parts with more properties are the same
_MANY = 2  # so many fields of one type are named in one pattern
# Kubernetes' own types: the fields that they have, but not which of their values are right.
_KUBERNETES = (
    *("envFrom", "ports", "volumes", "volumeMounts", "tolerations", "affinity", "valueFrom"),
    *("resources", "securityContext", "podSecurityContext", "kubernetesContainer"),
    *("container", "pod", "service"),
)
_LIMITS = (
    *("enum", "minimum", "maximum", "minLength", "maxLength"),
    *("properties", "additionalProperties", "required"),
)


def text(schema: Mapping[str, Any], *, described: bool) -> str:
    """The schema of a chart's values, as values.schema.json has it."""
    definitions = dict(schema["definitions"])
    properties = {}
    for name, field in schema["properties"].items():
        # A value is described in its place, and roles refer to that.
        properties[name] = definitions.pop(name) if name in definitions else field
    properties["roles"] = _share_fields(properties["roles"], definitions)
    whole = {**schema, "properties": properties, "definitions": definitions}
    bare = _for_helm(whole, properties.keys())
    for fields in (bare["properties"], bare["definitions"]):
        for name, field in fields.items():
            fields[name] = _group(_outline(field) if name in _KUBERNETES else field)
    if described:
        for name, field in bare["properties"].items():
            bare["properties"][name] = {"description": properties[name]["description"], **field}
    return emit_json(_share(bare, "#", {}))


def _share_fields(roles: SchemaNode, definitions: dict[str, Any]) -> SchemaNode:
    """The schema of the roles, with one list of fields if all of them have the same.

    Beside it is what differs: which fields a role must have, and how many replicas.
    """
    each: dict[str, SchemaNode] = roles["properties"]
    first, *others = each.values()
    fields = _without(first["properties"], "replicas")
    if any(_without(other["properties"], "replicas") != fields for other in others):
        return roles
    own = {}
    for name, role in each.items():
        replicas = _pick(role["properties"]["replicas"], "minimum", "maximum")
        own[name] = {"required": role["required"], "properties": {"replicas": replicas}}
    replicas = _without(first["properties"]["replicas"], "minimum", "maximum")
    definitions["role"] = {**first, "properties": {"replicas": replicas, **fields}}
    del definitions["role"]["required"]
    if fields.keys() - {"overrides"} == definitions["override"]["properties"].keys():
        (keys,) = definitions["overrides"]["patternProperties"]
        never = {"properties": {"replicas": False, "overrides": False}}
        # The same keys twice: a second pattern adds to the first without an allOf in messages.
        shared = {keys: {"$ref": f"{_DEFINITIONS}role"}, f"({keys})": never}
        definitions["overrides"] = {**definitions["overrides"], "patternProperties": shared}
        del definitions["override"]
    names = f"^({'|'.join(each)})$"
    shared = {names: {"$ref": f"{_DEFINITIONS}role"}}
    return {**roles, "properties": own, "patternProperties": shared}


def _without(fields: SchemaNode, *names: str) -> SchemaNode:
    return {name: field for name, field in fields.items() if name not in names}


def _pick(fields: SchemaNode, *names: str) -> SchemaNode:
    return {name: field for name, field in fields.items() if name in names}


def _for_helm(node: SchemaNode, values: Set[str]) -> SchemaNode:
    """The schema as Helm needs it: without what only people, or our messages, use."""
    bare: SchemaNode = {}
    for key, value in _with_named_keys(node).items():
        if isinstance(value, dict):
            if key == "properties":
                value = _without_repeated(value, node.get("additionalProperties", True))
                if not value:
                    continue
            value = _for_helm(value, values)
        elif key in _FOR_PEOPLE:  # the keyword; a field of this name is a schema itself
            continue
        elif isinstance(value, list):
            value = [_for_helm(item, values) if isinstance(item, dict) else item for item in value]
        elif key == "$ref" and value.removeprefix(_DEFINITIONS) in values:
            value = f"#/properties/{value.removeprefix(_DEFINITIONS)}"
        bare[key] = value
    return bare


def _with_named_keys(node: SchemaNode) -> SchemaNode:
    """The same with patternProperties: Helm 4 names the wrong place for a refused propertyName."""
    if "propertyNames" not in node:
        return node
    names, values = node["propertyNames"], node.get("additionalProperties")
    if not isinstance(names, dict) or not {"pattern"} <= names.keys() <= _KEY_WORDS:
        return node
    patterns = {names["pattern"]: values, **node.get("patternProperties", {})}
    if "not" in names:
        patterns[names["not"]["pattern"]] = False
    plain = {key: value for key, value in node.items() if key != "propertyNames"}
    return {**plain, "patternProperties": patterns, "additionalProperties": False}


def _without_repeated(properties: SchemaNode, others: Any) -> SchemaNode:
    """The fields that a mapping must name, because its others are not the same."""
    kept = {}
    for name, field in properties.items():
        refused = isinstance(field, dict) and field.get("not") == {}
        if not (refused and others is False) and field != others:
            kept[name] = field
    return kept


def _outline(node: SchemaNode) -> SchemaNode:
    """A type of Kubernetes' with the names and types of its fields, and nothing below them.

    Names stay, because the API server only warns about a field that it does not know; what their
    values may be, it knows best.
    """
    if "items" in node:
        return {**node, "items": _outline(node["items"])}
    fields = {name: _bare_type(field) for name, field in node["properties"].items()}
    return {**node, "properties": fields}


def _bare_type(field: SchemaNode) -> SchemaNode:
    if field.get("type") == "array":
        return {**_without(field, "items"), "items": _bare_type(field["items"])}
    if field.get("type") in ("object", "string", "integer"):
        return _without(field, *_LIMITS)
    return field


def _group(node: Any) -> Any:
    """A schema whose closed mappings name fields of one type in one pattern."""
    if isinstance(node, list):
        return [_group(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {
        key: _group(value) if isinstance(value, _PARTS) else value for key, value in node.items()
    }
    if node.get("additionalProperties") is not False or "patternProperties" in node:
        return node
    fields = node["properties"]
    names: dict[str, list[str]] = {}
    for name, field in fields.items():
        if isinstance(field, dict) and "$ref" not in field:
            names.setdefault(repr(field), []).append(name)
    patterns: SchemaNode = {}
    for alike in names.values():
        if len(alike) >= _MANY:
            patterns[f"^({'|'.join(alike)})$"] = fields[alike[0]]
            fields = _without(fields, *alike)
    named = {"properties": fields, "patternProperties": patterns}
    return {**_without(node, "properties"), **{key: part for key, part in named.items() if part}}


def _share(node: Any, place: str, known: dict[str, str]) -> Any:
    """A schema whose parts refer to the first that is the same except for its description."""
    if not isinstance(node, dict):
        return node
    if "$ref" not in node and len(node.get("properties", ())) <= _FEW:
        bare = _without(node, "description") if "description" in node else node
        rest = repr(bare)  # faster than JSON, and as long
        if rest in known:
            return {**_pick(node, "description"), "$ref": known[rest]}
        if len(rest) > _SHORT:
            known[rest] = place
    shared = {}
    for key, value in node.items():
        if key in ("properties", "definitions"):
            parts = value.items()
            value = {name: _share(part, f"{place}/{key}/{name}", known) for name, part in parts}
        elif key == "items":
            value = _share(value, f"{place}/{key}", known)
        shared[key] = value
    return shared
