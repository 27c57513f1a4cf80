"""Mars' volume objects, and directories of the nodes, as volumes of Kubernetes."""

from collections.abc import Mapping

from chartgen.document import Path
from chartgen.native.draft import Draft
from chartgen.native.mars.dialects import SCHEDULERS, Dialect
from chartgen.startup.typing import Any


def take_spill_paths(draft: Draft, spill: list[Any], dialect: Dialect) -> None:
    """Host directories and volumes for what does not fit into memory."""
    extra = draft.source.data.get("extra_volumes", [])
    # The list of a role takes the place of the job's, so a worker's has the extra volumes as well.
    objects = list(extra)
    places: list[Path] = [("extra_volumes", index) for index in range(len(extra))]
    for index, volume in enumerate(spill):
        if isinstance(volume, str):
            fields = {
                "name": f"host-path-vol-{index}",
                "mount_path": f"/mnt/hostpath{index}",
                "host_path": volume,
            }
            volume = {"HostPathVolumeConfig": fields}
        objects.append(volume)
        places.append(("worker_spill_paths", index))
    take_volumes(draft, ("roles", "worker"), objects, places, dialect)
    mounts = draft.data["roles"]["worker"]["volumeMounts"][len(extra) :]
    directories = [mount["mountPath"] for mount in mounts]
    draft.take(("mars",), {}, ())
    draft.take(("mars", "spillDirs"), directories, ("worker_spill_paths",))


def take_volumes(
    draft: Draft, path: Path, objects: list[Any], places: list[Path], dialect: Dialect
) -> None:
    """Mars' volume objects as Kubernetes volumes and mounts, each with the place of its object."""
    volumes, mounts = [], []
    for index, (volume, place) in enumerate(zip(objects, places, strict=True)):
        ((kind, fields),) = volume.items()
        volumes.append(_volume(kind, fields, dialect))
        mounts.append({"name": fields["name"], "mountPath": fields["mount_path"]})
        draft.origins[*path, "volumes", index] = place
        draft.origins[*path, "volumeMounts", index] = place
    draft.take((*path, "volumes"), volumes, places[0][:1])
    draft.take((*path, "volumeMounts"), mounts, places[0][:1])


def _volume(kind: str, fields: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    if kind == "HostPathVolumeConfig":
        type_ = fields.get("volume_type") or "DirectoryOrCreate"
        return {"name": fields["name"], "hostPath": {"path": fields["host_path"], "type": type_}}
    in_memory = fields.get("use_memory")
    if in_memory is None:
        in_memory = dialect is not SCHEDULERS  # from Mars 0.8 on
    directory: dict[str, Any] = {"medium": "Memory"} if in_memory else {}
    if fields.get("size_limit"):
        directory["sizeLimit"] = fields["size_limit"]
    return {"name": fields["name"], "emptyDir": directory}
