"""Upgrades: what `helm upgrade` and GitOps would stumble over, told from two renderings of one chart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chartgen.errors import Problem
from chartgen.k8s.objects import Object, fields, hooked, place

# What the API server lets nobody change in an object that is there.
_FIXED = {
    "Job": ("spec.template", "spec.selector", "spec.completionMode"),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "ReplicaSet": ("spec.selector",),
    "StatefulSet": ("spec.selector", "spec.serviceName", "spec.podManagementPolicy", "spec.volumeClaimTemplates"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.storageClassName", "spec.selector", "spec.volumeName"),
    "StorageClass": ("provisioner", "parameters"),
    "PriorityClass": ("value",),
}


def new_version(before: Sequence[Object], after: Sequence[Object]) -> Iterator[Problem]:
    """What keeps a chart from ever being upgraded, though nothing but its version is another."""
    return _immutable(before, after, "the chart's next version")


def new_image(before: Sequence[Object], after: Sequence[Object]) -> Iterator[Problem]:
    """The same for other images: a warning, for who names each run anew may well mean to install each anew."""
    return (one._replace(severity="warning") for one in _immutable(before, after, "another image"))


def _immutable(before: Sequence[Object], after: Sequence[Object], change: str) -> Iterator[Problem]:
    """Objects that keep their names while a change changes what cannot be changed in them."""
    there = {(one["kind"], one["metadata"]["name"]): one for one in before if not hooked(one)}
    for one in after:
        old = there.get((one["kind"], one["metadata"]["name"]))
        if old is None or hooked(one):
            continue
        for field in _FIXED.get(one["kind"], ()):
            if _at(old, field) != _at(one, field):
                message = f"`helm upgrade` to {change} would fail: this cannot be changed in a {one['kind']}"
                hint = f"keep it out of there, or make the {one['kind']}'s name change with it, by a hash in it"
                yield place(one).below(*field.split(".")).problem(message, "immutable-field", hint)


def unstable(first: Sequence[Object], second: Sequence[Object]) -> Iterator[Problem]:
    """Objects that differ though nothing was changed: GitOps would apply them again and again."""
    there = {(one["kind"], one["metadata"]["name"]): one for one in first}
    for one in second:
        if there.get((one["kind"], one["metadata"]["name"])) != one and not hooked(one):
            message = "it is another one each time the chart is rendered, so Argo CD and Flux never come to rest"
            hint = "leave out random values, times and certificates made on the way"
            yield place(one).warning(message, "unstable", hint)


def other_images(values: Any) -> dict[str, Any]:
    """Values that name other images than these do, wherever one is named; none if none is."""
    changed: dict[str, Any] = {}
    for key, value in values.items() if isinstance(values, Mapping) else ():
        if key == "image" and isinstance(value, str) and value and "@" not in value:
            changed[key] = _other(value)
        elif key == "image" and isinstance(fields(value).get("tag"), str) and value["tag"]:
            changed[key] = {"tag": f"{value['tag']}-next"}
        elif inner := other_images(value):
            changed[key] = inner
    return changed


def _other(image: str) -> str:
    return f"{image}-next" if ":" in image.rpartition("/")[2] else f"{image}:next"


def _at(one: Mapping[str, Any], field: str) -> Any:
    *steps, last = field.split(".")
    return fields(one, *steps).get(last)
