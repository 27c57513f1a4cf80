"""A plan as data: what the chart's templates read from files/framework.yaml, late values and all."""

from typing import Any

from chartgen.plan import (
    Config,
    ConfigKey,
    Count,
    Env,
    Host,
    JobName,
    Mount,
    Ordinal,
    Part,
    Peers,
    Pick,
    Plan,
    Port,
    RolePlan,
    RuntimeId,
    ShippedFile,
    Text,
)


def framework_data(plan: Plan) -> dict[str, Any]:
    """All of a plan that the chart needs at install."""
    return {
        "framework": plan.title,
        "decides": plan.decides,
        "peersHint": plan.peers_hint,
        "roles": {role.name: _role(role) for role in plan.roles},
        "configs": [_config(config) for config in plan.configs],
        "tensorboard": {"labels": {key: _parts(text) for key, text in plan.tensorboard_labels.items()}},
    }


def _role(role: RolePlan) -> dict[str, Any]:
    data: dict[str, Any] = {
        "container": role.container,
        "portName": role.port_name,
        "service": role.service,
        "labels": {key: _parts(text) for key, text in role.labels.items()},
        "env": [_env(env) for env in role.env],
    }
    if role.mounts:
        data["mounts"] = [_mount(mount) for mount in role.mounts]
    if role.start:
        command = [_parts(word) for word in role.start.command]
        data["start"] = {"command": command, "mount": _mount(role.start.mount)}
    return data


def _mount(mount: Mount) -> dict[str, Any]:
    data: dict[str, Any] = {"config": mount.config, "volume": mount.volume, "path": mount.path}
    if mount.option:
        owner, _, option = mount.option.partition(".")
        data["when"] = {"of": owner, "option": option, "case": mount.case}
    return data


def _env(env: Env) -> dict[str, Any]:
    if isinstance(env.value, ConfigKey):
        return {"name": env.name, "config": env.value.config, "key": _parts(env.value.key)}
    return {"name": env.name, "value": _parts(env.value)}


def _config(config: Config) -> dict[str, Any]:
    data: dict[str, Any] = {
        key: {"file": value.name} if isinstance(value, ShippedFile) else _parts(value)
        for key, value in config.data.items()
    }
    return {"name": config.name, "data": data} | ({"startOf": config.start_of} if config.start_of else {})


def _parts(text: Text) -> list[Any]:
    return [item for part in text for item in _part(part)]


def _part(part: Part) -> list[Any]:
    """One part; templates/_framework.tpl knows the same names."""
    match part:
        case str():
            return [part]
        case Ordinal():
            return [{"late": "index"}]
        case RuntimeId():
            return [{"late": "id"}]
        case JobName():
            return [{"late": "job"}]
        case Count(role):
            return [{"late": "count", "role": role}]
        case Port(role):
            return [{"late": "port", "role": role}]
        case Host():
            return _host(part)
        case Peers(roles, form):
            return [{"late": "peers", "roles": list(roles), "form": form}]
        case Pick(option, cases):
            owner, _, name = option.partition(".")
            return [
                {"late": "pick", "of": owner, "option": name, "cases": {case: _parts(text) for case, text in cases}}
            ]


def _host(host: Host) -> list[Any]:
    name: dict[str, Any] = {"late": "host", "role": host.role}
    if host.number is not None:
        name["number"] = host.number
    if not host.port:
        return [name]
    return [name, ":", {"late": "ownPort"} if host.number is None else {"late": "port", "role": host.role}]
