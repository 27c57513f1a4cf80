"""What flags say about pods: priorities, resources and volumes."""

import re
from collections.abc import Mapping, MutableMapping, Sequence

from chartgen.document import Path
from chartgen.native.draft import Draft
from chartgen.startup.typing import Any

_DEFAULTS = {
    "master": {"cpu": "0.1", "memory": "1024Mi"},
    "worker": {"cpu": "1", "memory": "4096Mi"},
    "ps": {"cpu": "1", "memory": "4096Mi"},
}
_RESOURCES = {"gpu": "nvidia.com/gpu", "disk": "ephemeral-storage"}
UNSENT = "the client of July 2019 ignored it; here it takes effect"

FlagValues = Mapping[str, Any]


def take_priority(draft: Draft, at: Path, role: str, values: FlagValues) -> None:
    """The priority class of a role."""
    flag = f"{role}_pod_priority"
    if flag in values:
        draft.take(("roles", role, "priorityClassName"), values[flag], (*at, flag))


def take_resources(draft: Draft, at: Path, role: str, values: FlagValues) -> None:
    """What a role requests; a limit that is not given equals the request."""
    request, limit = f"{role}_resource_request", f"{role}_resource_limit"
    limit_origin: Path = (*at, limit if limit in values else request)
    path: Path = ("roles", role, "resources")
    draft.take(path, {}, limit_origin)
    requested = values.get(request, _DEFAULTS[role])
    requests = _take_quantities(draft, (*path, "requests"), (*at, request), requested)
    limits = _take_quantities(draft, (*path, "limits"), limit_origin, values.get(limit, requests))
    resources = {"requests": requests, "limits": limits}
    if requests == limits:
        del resources["requests"]
    draft.data["roles"][role]["resources"] = resources
    if request not in values:
        draft.note(path, f"--{request}: the client's default")


def _take_quantities(
    draft: Draft, path: Path, origin: Path, values: Mapping[str, Any]
) -> dict[str, Any]:
    quantities: dict[str, Any] = {}
    for name, value in values.items():
        resource = _RESOURCES.get(name, name)
        place: Path = (*origin, name)
        if resource in quantities:
            short = next(short for short, full in _RESOURCES.items() if full == resource)
            message = (
                f"{short} and {resource} are the same, and the client used the last; "
                "expected one of them"
            )
            draft.problem(place, message, "elasticdl-pairs-unclear", key=True)
        if name == "disk":
            message = "Kubernetes refuses the unknown resource 'disk'; read as ephemeral-storage"
            draft.warning(
                place, message, "elasticdl-resource-renamed", "write ephemeral-storage", key=True
            )
        quantities[resource] = int(value) if re.fullmatch("[0-9]{1,18}", str(value)) else value
        draft.origins[*path, resource] = place
    return quantities


def take_volumes(draft: Draft, at: Path, volumes: Sequence[FlagValues]) -> None:
    """What is mounted in all pods; a volume without a name gets a number."""
    if not volumes:
        return
    draft.take(("volumes",), [], (*at, "volume"))
    draft.take(("volumeMounts",), [], (*at, "volume"))
    names: dict[str, str] = {}  # of volumes, by what they mount
    for index, fields in enumerate(volumes):
        origin: Path = (*at, "volume", index)
        if ("claim_name" in fields) == ("host_path" in fields):
            message = "a volume is a claim or a host path; expected either claim_name or host_path"
            draft.problem(origin, message, "elasticdl-volume-source")
        else:
            fields = {"volume_name": f"volume-{index}", **fields}
            _take_volume(draft, origin, fields, names)


def _take_volume(
    draft: Draft, origin: Path, fields: FlagValues, names: MutableMapping[str, str]
) -> None:
    """One volume and its mount; an existing volume is only mounted again."""
    volumes, mounts = draft.data["volumes"], draft.data["volumeMounts"]
    if "claim_name" in fields:
        source: dict[str, Any] = {"persistentVolumeClaim": {"claimName": fields["claim_name"]}}
    else:
        source = {"hostPath": {"path": fields["host_path"]}}
        if fields.get("type"):
            source["hostPath"]["type"] = fields["type"]
    name = names.setdefault(repr(source), fields["volume_name"])
    if len(names) > len(volumes):
        draft.origins["volumes", len(volumes)] = origin
        volumes.append({"name": name, **source})
    mount = {"name": name, "mountPath": fields["mount_path"]}
    if "sub_path" in fields:
        mount["subPath"] = fields["sub_path"]
    draft.origins["volumeMounts", len(mounts)] = origin
    mounts.append(mount)
