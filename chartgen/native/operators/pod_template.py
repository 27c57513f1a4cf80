"""Describe the pod template of a native object as the role that a person would write."""

from collections.abc import Mapping

from chartgen.document import Path
from chartgen.job.pod_template import take_apart
from chartgen.native.draft import Draft
from chartgen.startup.typing import Any

Template = Mapping[str, Any]

_NO_LIMIT = "requested without a limit, but Kubernetes assigns devices by their limit"


def take_template(
    draft: Draft,
    role: str,
    source: Path,
    template: Template,
    container: str,
    *,
    restart: bool = True,
) -> bool:
    """Describe a template in a role; False if it lacks the container that trains.

    `restart` is whether the template must say what happens to a pod that ends.
    """
    containers = template["spec"]["containers"]
    names = [described["name"] for described in containers]
    if container not in names:
        others = ", ".join(map(repr, names))
        message = (
            f"no container is named {container!r}, only {others}; "
            "expected the one that trains to have this name"
        )
        hint = f"name it {container!r}" if len(containers) == 1 else ""
        path: Path = (*source, "template", "spec", "containers")
        draft.problem(path, message, "container-main-missing", hint, key=True)
        return False
    template = _with_limits(draft, role, source, template)
    if len(containers) > 1:
        # The others stay as they are: as `sidecars` they would end with the one that trains.
        draft.take(("roles", role, "template"), template, (*source, "template"))
    else:
        _take_fields(draft, role, source, template, container)
    if restart and "restartPolicy" not in template["spec"]:
        _set_restart_policy(draft, role, source)
    if "name" in template.get("metadata", {}):
        draft.note(("roles", role), "template.metadata.name: Kubernetes names the pods of a Job")
    return True


def has_command(template: Template, container: str) -> bool:
    """Whether the container that trains has a command or arguments."""
    for described in template["spec"]["containers"]:
        if described["name"] == container and (described.get("command") or described.get("args")):
            return True
    return False


def _with_limits(draft: Draft, role: str, source: Path, template: Template) -> Template:
    """The template with a limit for every requested device.

    A request was enough for the operator; Kubernetes assigns devices by their limits.
    """
    containers = []
    for index, container in enumerate(template["spec"]["containers"]):
        resources = container.get("resources", {})
        requests, limits = dict(resources.get("requests", {})), dict(resources.get("limits", {}))
        for name in resources.get("requests", {}):
            if "/" not in name or name in limits:
                continue
            limits[name] = requests.pop(name)
            path: Path = ("template", "spec", "containers", index, "resources")
            origin: Path = (*source, *path, "requests", name)
            message = f"{name} is {_NO_LIMIT}; read as its limit"
            draft.warning(origin, message, "device-read-as-limit", key=True)
            draft.note(("roles", role), f"{name} was {_NO_LIMIT}")
            draft.origins["roles", role, *path, "limits", name] = origin
            draft.origins["roles", role, "resources", "limits", name] = origin
        fields = {**resources, "requests": requests, "limits": limits}
        fields = {field: value for field, value in fields.items() if value}
        containers.append({**container, "resources": fields} if fields else container)
    return {**template, "spec": {**template["spec"], "containers": containers}}


def _take_fields(draft: Draft, role: str, source: Path, template: Template, container: str) -> None:
    """Describe a template of one container by the role's own fields."""
    fields, origins, _ = take_apart(draft.source, source, template, container)
    for path, origin in origins.items():
        draft.origins["roles", role, *path[len(source) :]] = origin
    for field, value in fields.items():
        if field == "env":
            value = _env_as_map(draft, ("roles", role, "env"), value)
        if value not in ("", [], {}):
            draft.data["roles"][role][field] = value


def _env_as_map(draft: Draft, path: Path, entries: list[dict[str, Any]]) -> Any:
    """Kubernetes' list as the map that a person would write; as it is if a name occurs twice."""
    if len({entry["name"] for entry in entries}) < len(entries):
        return entries
    env: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        name = entry["name"]
        draft.origins[*path, name] = (*draft.origins[path], index)
        if "valueFrom" in entry:
            env[name] = {"valueFrom": entry["valueFrom"]}
        else:
            env[name] = entry.get("value", "")
    return env


def _set_restart_policy(draft: Draft, role: str, source: Path) -> None:
    why = "Kubernetes treats that as Always and refuses it in a Job"
    message = f"restartPolicy is missing; {why}; read as OnFailure"
    hint = "write restartPolicy: OnFailure, or Never"
    draft.warning((*source, "template", "spec"), message, "restart-policy-missing", hint, key=True)
    draft.data["roles"][role]["restartPolicy"] = "OnFailure"
    draft.note(("roles", role, "restartPolicy"), f"restartPolicy was missing; {why}")
