"""A plan as data: what the chart's templates read from files/framework.yaml, late values and all."""

from collections.abc import Mapping
from typing import Any, cast

from chartgen.plan.model import (
    Account,
    Asked,
    Asks,
    Chosen,
    Config,
    ConfigKey,
    Count,
    Env,
    Fact,
    Field,
    Given,
    Host,
    Image,
    JobName,
    Mount,
    Namespace,
    Only,
    Option,
    Ordinal,
    Part,
    Peers,
    Pick,
    Plan,
    Port,
    Release,
    RolePlan,
    Rule,
    RuntimeId,
    Service,
    ShippedFile,
    Size,
    Start,
    Text,
    Tree,
    Volume,
    Wait,
    When,
    Words,
)


def framework_data(plan: Plan) -> dict[str, Any]:
    """All of a plan that the chart needs at install."""
    return {
        "framework": plan.title,
        "decides": plan.decides,
        **({"decidesAll": True} if plan.decides_all else {}),
        "peersHint": plan.peers_hint,
        "roles": {role.name: _role(role) for role in plan.roles},
        "configs": [_config(config) for config in plan.configs],
        "tensorboard": {"labels": {key: _parts(text) for key, text in plan.tensorboard_labels.items()}},
        **_beside(plan),
    }


def _beside(plan: Plan) -> dict[str, Any]:
    """What is not about replicas, as far as there is any."""
    data: dict[str, Any] = {
        "rules": [_rule(rule) for rule in plan.rules],
        "services": [_service(service) for service in plan.services],
        "strays": _parts(plan.strays),
        "reserved": _parts(plan.reserved),
        "notes": list(plan.notes),
    }
    return {key: value for key, value in data.items() if value}


def _rule(rule: Rule) -> dict[str, Any]:
    allowed = {"apiGroups": [rule.group], "resources": list(rule.resources), "verbs": list(rule.verbs)}
    return {"rule": allowed, **_when(rule.when)}


def _service(service: Service) -> dict[str, Any]:
    data = {"name": service.name, "role": service.role, "type": _parts(service.type), "about": service.about}
    return {**data, **_when(service.when)}


def _role(role: RolePlan) -> dict[str, Any]:
    data: dict[str, Any] = {
        "container": role.container,
        "portName": role.port_name,
        "service": role.service,
        "labels": {key: _parts(text) for key, text in role.labels.items()},
        "env": [_env(env) for env in role.env],
    }
    more: dict[str, Any] = {
        "mounts": [_mount(mount) for mount in role.mounts],
        "start": _start(role.start) if role.start else {},
        "command": [_parts(word) for word in role.command],
        "args": [_word(word) for word in role.args],
        "fields": _tree(role.fields),
        "volumes": [_volume(volume) for volume in role.volumes],
        "waits": [_wait(wait) for wait in role.waits],
        "api": role.api,
        "noJobs": not role.jobs,
        "rescalable": role.rescalable,
    }
    return data | {key: value for key, value in more.items() if value}


def _word(word: Text | Words | Only) -> Any:
    match word:
        case Words(name):
            return {"words": name}
        case Only():
            return _tree(word)
        case _:
            return _parts(word)


def _start(start: Start) -> dict[str, Any]:
    data: dict[str, Any] = {"command": [_parts(word) for word in start.command]}
    return data | ({"mount": _mount(start.mount)} if start.mount else {})


def _mount(mount: Mount) -> dict[str, Any]:
    return {"config": mount.config, "volume": mount.volume, "path": mount.path, **_when(mount.when)}


def _volume(volume: Volume) -> dict[str, Any]:
    return {"name": volume.name, "source": _tree(volume.source), "path": volume.path, **_when(volume.when)}


def _wait(wait: Wait) -> dict[str, Any]:
    return {"name": wait.name, "env": [_env(env) for env in wait.env], **_when(wait.when)}


def _env(env: Env) -> dict[str, Any]:
    match env.value:
        case ConfigKey(config, key):
            return {"name": env.name, "config": config, "key": _parts(key), **_when(env.when)}
        case Field(path):
            return {"name": env.name, "field": path, **_when(env.when)}
        case _:
            return {"name": env.name, "value": _parts(env.value), **_when(env.when)}


def _when(condition: When) -> dict[str, Any]:
    match condition:
        case None:
            return {}
        case Chosen(option, case):
            return {"when": {**_option(option), "case": case}}
        case Given(option):
            return {"when": _option(option)}
        case Asks(resource):
            return {"when": {"asks": resource}}


def _option(name: str) -> dict[str, Any]:
    owner, _, option = name.partition(".")
    return {"of": owner, "option": option}


def _tree(tree: Tree) -> Any:
    """Kubernetes' own fields as data; a text with late parts says so."""
    if isinstance(tree, Only):
        return {"late": "only", "tree": _tree(tree.part), **_when(tree.when)}
    match tree:
        case Port():
            return _part(tree)[0]
        case tuple():
            return {"late": "text", "parts": _parts(cast(Text, tree))}
        case list():
            return [_tree(item) for item in tree]
        case Mapping():
            return {key: _tree(value) for key, value in tree.items()}
        case _:
            return tree


def _config(config: Config) -> dict[str, Any]:
    data: dict[str, Any] = {
        key: {"file": value.name} if isinstance(value, ShippedFile) else _parts(value)
        for key, value in config.data.items()
    }
    more: dict[str, Any] = {"startOf": config.start_of} if config.start_of else {}
    more |= {"from": _option(config.option)} if config.option else {}
    return {"name": config.name, "data": data, **more}


def _parts(text: Text) -> list[Any]:
    return [item for part in text for item in _part(part)]


# The facts that need no more than their name; templates/_late.tpl knows all these names.
_PLAIN = {
    Ordinal: "index",
    RuntimeId: "id",
    JobName: "job",
    Release: "release",
    Namespace: "namespace",
    Account: "account",
}


def _part(part: Part) -> list[Any]:
    match part:
        case str():
            return [part]
        case Count(role, at_most):
            return [{"late": "count", "role": role} | ({"atMost": _option(at_most)} if at_most else {})]
        case Port("", _):
            return [{"late": "ownPort"}]
        case Port(role, number):
            return [{"late": "port", "role": role} | ({} if number is None else {"number": number})]
        case Host():
            return _host(part)
        case Peers(roles, form):
            return [{"late": "peers", "roles": list(roles), "form": form}]
        case Pick(option, cases):
            return [{"late": "pick", **_option(option), "cases": {case: _parts(text) for case, text in cases}}]
        case _:
            return [_fact(part)]


def _fact(fact: Ordinal | Fact) -> dict[str, Any]:
    match fact:
        case Image(role):
            return {"late": "image", "role": role}
        case Asked(resource, least):
            return {"late": "asked", "resource": resource} | ({} if least is None else {"least": least})
        case Option(name, between):
            return {"late": "option", **_option(name), "between": between}
        case Size(option, of, percent):
            return {"late": "size", **_option(option)} | ({"resource": of, "percent": percent} if of else {})
        case _:
            return {"late": _PLAIN[type(fact)]}


def _host(host: Host) -> list[Any]:
    name: dict[str, Any] = {"late": "host", "role": host.role}
    if host.number is not None:
        name["number"] = host.number
    if not host.port:
        return [name]
    return [name, ":", {"late": "ownPort"} if host.number is None else {**name, "late": "port"}]
