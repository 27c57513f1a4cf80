"""Objects as an API server answers them, with the fields that are read in the types they have."""

from chartgen.k8s import limits, times
from chartgen.startup.typing import Any

_LARGEST = 2**63


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < _LARGEST


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and times.seconds(value) is not None
    except ValueError:
        return False


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= limits.DNS_LABEL


_NAMED = {"name": _is_text}
_WHY = {"reason": _is_text, "message": _is_text}
_STATE = {"waiting": _WHY, "running": {}, "terminated": {**_WHY, "exitCode": _is_number}}
_CONTAINER = {
    **_NAMED,
    "image": _is_text,
    "restartCount": _is_number,
    "state": _STATE,
    "lastState": _STATE,
}
_CONDITION = {**_WHY, "type": _is_text, "status": _is_text}
# A mapping with its fields, a list with its items, a mapping of any keys ("*"), or a check.
_OBJECT: dict[str, Any] = {
    "kind": _is_text,
    "metadata": {
        **_NAMED,
        "uid": _is_text,
        "namespace": _is_text,
        "resourceVersion": _is_text,
        "creationTimestamp": _is_time,
        "deletionTimestamp": _is_time,
        "labels": {"*": _is_label},
        "annotations": {"*": _is_text},
        "ownerReferences": [{**_NAMED, "uid": _is_text, "kind": _is_text}],
    },
    "spec": {
        "suspend": _is_flag,
        "nodeName": _is_text,
        "containers": [_NAMED],
        "initContainers": [{**_NAMED, "restartPolicy": _is_text}],
        "schedulingGates": [_NAMED],
    },
    "status": {
        **_WHY,
        "phase": _is_text,
        "failed": _is_number,
        "conditions": [_CONDITION],
        "containerStatuses": [_CONTAINER],
        "initContainerStatuses": [_CONTAINER],
    },
    # Events.
    **_WHY,
    "type": _is_text,
    "note": _is_text,
    "count": _is_number,
    "lastTimestamp": _is_time,
    "eventTime": _is_time,
    "involvedObject": {**_NAMED, "kind": _is_text},
    "series": {"count": _is_number, "lastObservedTime": _is_time},
}
# Without them an object is not one.
_NEEDED = ("name", "uid")


def sound(answer: Any) -> dict[str, Any] | None:
    """An object without fields of wrong types, which count as unset; None if it has no name.

    API servers check what they store. This is for answers of something that is in their place.
    """
    obj = _keep(answer, _OBJECT)
    if obj is None or any(name not in obj.get("metadata", {}) for name in _NEEDED):
        return None
    return dict(obj)


def _keep(value: Any, shape: Any) -> Any:
    """The value as far as it has the shape; None if it has not."""
    if isinstance(shape, dict):
        return _keep_fields(value, shape) if isinstance(value, dict) else None
    if isinstance(shape, list):
        if not isinstance(value, list):
            return None
        return [kept for item in value if (kept := _keep_item(item, shape[0])) is not None]
    return value if shape(value) else None


def _keep_item(item: Any, shape: dict[str, Any]) -> Any:
    """An item of a list; a container is known by its name."""
    kept = _keep(item, shape)
    return None if kept is None or ("name" in shape and "name" not in kept) else kept


def _keep_fields(value: dict[str, Any], shape: dict[str, Any]) -> dict[str, Any]:
    fields = {}
    for key, inner in value.items():
        wanted = shape.get(key, shape.get("*"))
        kept = inner if wanted is None else _keep(inner, wanted)
        if kept is not None:
            fields[key] = kept
    return fields
