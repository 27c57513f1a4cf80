"""Jobs, pods and events as an API server answers them, for tests of what is made of them."""

from typing import Any

Object = dict[str, Any]

NOW = 1_794_970_800.0  # 2026-11-18T03:00:00Z
CREATED = "2026-11-18T02:56:40Z"  # 200 seconds before


def job(role: str, index: int = 0, release: str = "mnist", **more: Any) -> Object:
    """A replica's Job; `more` has suspend, conditions, annotations, failed or labels."""
    name = f"{role}-76no-{index}"
    conditions = [
        {"type": kind, "status": "True", **why} for kind, why in more.get("conditions", {}).items()
    ]
    labels = {
        "app.kubernetes.io/instance": release,
        "chartgen/runtime-id": more.get("runtime_id", "76no"),
        "chartgen/role": role,
        "chartgen/index": str(index),
        "helm.sh/chart": "mnist-0.1.0",
        **more.get("labels", {}),
    }
    return {
        "kind": "Job",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "namespace": "research",
            "creationTimestamp": more.get("created", CREATED),
            "labels": labels,
            "annotations": more.get("annotations", {}),
        },
        "spec": {"suspend": more.get("suspend", False)},
        "status": {"conditions": conditions, "failed": more.get("failed", 0)},
    }


def pod(role: str, index: int = 0, status: Object | None = None, **more: Any) -> Object:
    """A pod of that Job, running unless its status says otherwise."""
    owner = f"{role}-76no-{index}"
    name = more.get("name", f"{owner}-x7k2p")
    labels = {
        "app.kubernetes.io/instance": more.get("release", "mnist"),
        "chartgen/runtime-id": "76no",
        "chartgen/role": role,
        "chartgen/index": str(index),
    }
    meta = {
        "name": name,
        "uid": f"uid-{name}",
        "namespace": "research",
        "creationTimestamp": more.get("created", CREATED),
        "labels": more.get("labels", labels),
        "ownerReferences": [{"kind": "Job", "name": owner, "uid": f"uid-{owner}"}],
    }
    spec: Object = {"containers": [{"name": "tensorflow"}], **more.get("spec", {})}
    if more.get("node", "node-a"):
        spec["nodeName"] = more.get("node", "node-a")
    return {"kind": "Pod", "metadata": meta, "spec": spec, "status": status or running()}


def running(restarts: int = 0, last: Object | None = None) -> Object:
    """The status of a pod whose program runs."""
    container = {"name": "tensorflow", "restartCount": restarts, "state": {"running": {}}}
    if last:
        container["lastState"] = {"terminated": last}
    return {"phase": "Running", "containerStatuses": [container]}


def ended(code: int, reason: str = "Error") -> Object:
    """The status of a pod whose program has ended."""
    state = {"terminated": {"exitCode": code, "reason": reason if code else "Completed"}}
    phase = "Failed" if code else "Succeeded"
    container = {"name": "tensorflow", "restartCount": 0, "state": state}
    return {"phase": phase, "containerStatuses": [container]}


def waits(reason: str, message: str = "", image: str = "mnist:1", **more: Any) -> Object:
    """The status of a pod whose container cannot start."""
    state = {"waiting": {"reason": reason, "message": message}}
    container = {"name": "tensorflow", "image": image, "restartCount": 0, "state": state, **more}
    return {"phase": "Pending", "containerStatuses": [container]}


def unscheduled(message: str) -> Object:
    """The status of a pod that has no node."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return {"phase": "Pending", "conditions": [{**condition, "message": message}]}


def warning(kind: str, name: str, reason: str, message: str, **more: Any) -> Object:
    """An event."""
    return {
        "metadata": {"name": f"{name}.1", "uid": f"uid-{name}-{reason}", "namespace": "research"},
        "involvedObject": {"kind": kind, "name": name},
        "type": more.get("type", "Warning"),
        "reason": reason,
        "message": message,
        "lastTimestamp": more.get("time", CREATED),
        "count": more.get("count", 1),
    }
