"""Volume claims: folders of this machine that pods can mount and tests can read."""

import json
from pathlib import Path

from tests.e2e.releases import Namespace


def make(namespace: Namespace, claim: str) -> Path:
    """Create a claim, and give the folder behind it."""
    volume = _volume(namespace, claim)
    folder = namespace.cluster.parts.folder / f"volume-{volume}"
    size = {"storage": "1Mi"}
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": volume}
    objects = [
        {
            "kind": "PersistentVolume",
            "metadata": {"name": volume},
            "spec": {
                "capacity": size,
                "accessModes": spec["accessModes"],
                "hostPath": {"path": str(folder)},
            },
        },
        {
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim},
            "spec": {**spec, "resources": {"requests": size}},
        },
    ]
    file = namespace.folder / f"{claim}.json"
    items = [{"apiVersion": "v1", **item} for item in objects]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    folder.mkdir()
    namespace.kubectl("create", "--filename", str(file))
    return folder


def remove(namespace: Namespace, claim: str) -> None:
    """Delete a claim's volume; the namespace removes the claim, the cluster the folder."""
    namespace.cluster.kubectl(
        "delete", "persistentvolume", _volume(namespace, claim), "--wait=false"
    )


def _volume(namespace: Namespace, claim: str) -> str:
    return f"{namespace.name}-{claim}"
