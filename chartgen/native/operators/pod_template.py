"""A pod template of a native object, as the role of a job description that a person would write."""

from collections.abc import Mapping
from typing import Any

from chartgen.document import Path
from chartgen.job.pod_template import take_apart
from chartgen.native.draft import Draft

Template = Mapping[str, Any]


def take_template(draft: Draft, role: str, source: Path, template: Template, container: str) -> bool:
    """Put what a set of replicas' template says into a role; False if it lacks the container that trains."""
    containers = template["spec"]["containers"]
    if not any(one["name"] == container for one in containers):
        named = ", ".join(repr(one["name"]) for one in containers)
        message = f"no container is named {container!r}, only {named}; expected it to be the one that trains"
        hint = f"name it {container!r}" if len(containers) == 1 else ""
        draft.problem((*source, "template", "spec", "containers"), message, "main-container", hint, key=True)
        return False
    template = _with_limits(draft, role, source, template)
    if len(containers) > 1:
        # The others are left as they are: as `sidecars` they would end with the one that trains.
        draft.take(("roles", role, "template"), template, (*source, "template"))
    else:
        _take_apart(draft, role, source, template, container)
    _restart_policy(draft, role, source, template)
    if "name" in template.get("metadata", {}):
        draft.note(("roles", role), "template.metadata.name: Kubernetes names a Job's pods itself")
    return True


def _with_limits(draft: Draft, role: str, source: Path, template: Template) -> Template:
    """The template with every device in limits: the operator took a request for asking, Kubernetes gives by limits."""
    containers = []
    for index, container in enumerate(template["spec"]["containers"]):
        resources = container.get("resources", {})
        requests, limits = dict(resources.get("requests", {})), dict(resources.get("limits", {}))
        for name in [name for name in requests if "/" in name and name not in limits]:
            limits[name] = requests.pop(name)
            at: Path = ("template", "spec", "containers", index, "resources")
            origin: Path = (*source, *at, "requests", name)
            draft.warning(origin, f"{name} is {_REQUESTED}; read as its limit", "limit", key=True)
            draft.note(("roles", role), f"{name} was {_REQUESTED}")
            for path in (("roles", role, *at), ("roles", role, "resources")):
                draft.origins[*path, "limits", name] = origin
        rest = {"requests": requests, "limits": limits}
        parts = {part: value for part, value in {**resources, **rest}.items() if value}
        containers.append({**container, **({"resources": parts} if parts else {})})
    return {**template, "spec": {**template["spec"], "containers": containers}}


_REQUESTED = "requested without a limit, by which Kubernetes gives devices"


def starts(template: Template, container: str) -> bool:
    """Whether the container that trains says what it runs."""
    trains = [one for one in template["spec"]["containers"] if one["name"] == container]
    return any(one.get("command") or one.get("args") for one in trains)


def _take_apart(draft: Draft, role: str, source: Path, template: Template, container: str) -> None:
    fields, origins, _ = take_apart(draft.source, source, template, container)
    at: Path = ("roles", role)
    for path, origin in origins.items():
        draft.origins[*at, *path[len(source) :]] = origin
    if "env" in fields:
        fields["env"] = _env(draft, (*at, "env"), fields["env"])
    draft.data["roles"][role] |= {field: value for field, value in fields.items() if value not in ("", [], {})}


def _env(draft: Draft, path: Path, entries: list[dict[str, Any]]) -> Any:
    """Kubernetes' list as the map that a person would write; as it is, if it names a variable twice."""
    names = [entry["name"] for entry in entries]
    if len(set(names)) < len(names):
        return entries
    for index, name in enumerate(names):
        draft.origins[*path, name] = (*draft.origins[path], index)
    return {entry["name"]: _value(entry) for entry in entries}


def _value(entry: Mapping[str, Any]) -> Any:
    return {"valueFrom": entry["valueFrom"]} if "valueFrom" in entry else entry.get("value", "")


def _restart_policy(draft: Draft, role: str, source: Path, template: Template) -> None:
    if "restartPolicy" in template["spec"]:
        return
    message = "restartPolicy is missing, which Kubernetes takes for Always and refuses in a Job; read as OnFailure"
    hint = "write restartPolicy: OnFailure, or Never"
    draft.warning((*source, "template", "spec"), message, "restart-policy", hint, key=True)
    draft.data["roles"][role]["restartPolicy"] = "OnFailure"
    text = "restartPolicy was missing, which Kubernetes takes for Always and refuses in a Job"
    draft.note(("roles", role, "restartPolicy"), text)
