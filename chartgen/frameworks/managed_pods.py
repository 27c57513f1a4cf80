"""Checks of pods that a framework makes itself at run time: what there is no way to hand to it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.names import either

# Words about pods that no framework hands on, and that the job may say for all its roles.
_OUT_OF_REACH = (
    "envFrom", "gpu", "accelerator", "fabric", "nodeSelector", "tolerations", "affinity", "priorityClassName",
    "securityContext", "podSecurityContext", "initContainers", "sidecars", "container", "pod",
)  # fmt: skip


class Reach(NamedTuple):
    """What a framework can give to the pods that it makes."""

    title: str
    volumes: tuple[str, ...]  # kinds of volumes
    mount: tuple[str, ...]  # fields of a volumeMount; a volume is mounted once
    sources: tuple[str, ...]  # of env's valueFrom
    labels: tuple[str, ...]  # those that the framework sets itself


def where(job: Job, role: str, *keys: str) -> Path:
    """Where a word that holds for a role stands: with the role, or with the job."""
    node: Any = job.roles[role].spec
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return ("roles", role, *keys) if node is not None else keys


def check(job: Job, document: Document, role: str, reach: Reach) -> Iterator[Problem]:
    """Everything that a role's pods cannot be given."""
    spec = job.spec(role)
    for name, value in spec.get("env", {}).items():
        if isinstance(value, dict) and not value["valueFrom"].keys() & set(reach.sources):
            message = f"{reach.title} hands a value or {either(reach.sources)} to its pods; expected that for {name}"
            yield document.problem(where(job, role, "env", name), message, "not-taken")
    for key in [key for key in spec.get("labels", {}) if key in reach.labels]:
        message = f"{reach.title} sets the label {key!r} itself; expected another name"
        yield document.problem(where(job, role, "labels", key), message, "not-taken", key=True)
    volumes = {volume["name"]: volume for volume in spec.get("volumes", ())}
    seen: set[str] = set()
    for index, mount in enumerate(spec.get("volumeMounts", ())):
        path = (*where(job, role, "volumeMounts"), index)
        yield from _mount(document, path, mount, volumes.get(mount["name"], {}), reach)
        if mount["name"] in seen:
            message = f"{reach.title} mounts a volume once, and {mount['name']!r} is mounted already"
            yield document.problem(path, message, "not-taken")
        seen.add(mount["name"])


def _mount(
    document: Document, path: Path, mount: Mapping[str, Any], volume: Mapping[str, Any], reach: Reach
) -> Iterator[Problem]:
    for kind in [key for key in volume if key not in ("name", *reach.volumes)]:
        message = f"{reach.title} mounts no {kind} into the pods that it makes; expected {either(reach.volumes)}"
        hint = "what only the pods of the chart need goes under their role, as volumes and volumeMounts"
        yield document.problem(path, message, "not-taken", hint)
    for field in [field for field in mount if field not in reach.mount]:
        message = f"{reach.title} cannot mount a volume with {field!r}; expected {either(reach.mount)}"
        yield document.problem((*path, field), message, "not-taken", key=True)


def job_wide(job: Job, document: Document, reach: Reach, has: str) -> Iterator[Problem]:
    """A warning for each word that holds for all pods but reaches only those of one role."""
    for field in [field for field in _OUT_OF_REACH if field in job.shared]:
        message = f"{reach.title} cannot give {field!r} to the pods that it makes; only roles.{has} has it"
        hint = f"write it under roles.{has}, if that is what you mean"
        yield document.warning((field,), message, "out-of-reach", hint, key=True)
