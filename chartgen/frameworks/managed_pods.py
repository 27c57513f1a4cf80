"""Checks of pods that a framework creates at run time: what it cannot pass on to them."""

from collections.abc import Iterator, Mapping

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import either

# Fields of a pod that no framework passes on, and that the job may set for all its roles.
OUT_OF_REACH = (
    "envFrom",
    "gpu",
    "accelerator",
    "fabric",
    "nodeSelector",
    "tolerations",
    "affinity",
    "priorityClassName",
    "securityContext",
    "podSecurityContext",
    "initContainers",
    "sidecars",
    "container",
    "pod",
)


class Reach(NamedTuple):
    """What a framework can give to the pods it creates."""

    title: str
    volumes: tuple[str, ...]  # kinds of volumes
    mount: tuple[str, ...]  # fields of a volumeMount; a volume can be mounted once
    sources: tuple[str, ...]  # of env's valueFrom
    labels: tuple[str, ...]  # labels that the framework sets itself


def where(job: Job, role: str, *keys: str) -> Path:
    """The place of a field that applies to a role: in the role, or at the top level."""
    node: Any = job.roles[role].spec
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return ("roles", role, *keys) if node is not None else keys


def check(job: Job, document: Document, role: str, reach: Reach) -> Iterator[Problem]:
    """Find everything that the pods of a role cannot be given."""
    spec = job.spec(role)
    for name, value in spec.get("env", {}).items():
        if isinstance(value, dict) and not value["valueFrom"].keys() & set(reach.sources):
            sources = either(reach.sources)
            message = f"{reach.title} cannot set {name} from this; expected a value or {sources}"
            yield document.problem(where(job, role, "env", name), message, "role-field-unsupported")
    for key in spec.get("labels", {}):
        if key in reach.labels:
            message = f"{reach.title} sets the label {key!r} itself; expected another name"
            yield document.problem(
                where(job, role, "labels", key), message, "role-field-unsupported", key=True
            )
    volumes = {volume["name"]: volume for volume in spec.get("volumes", ())}
    seen: set[str] = set()
    for index, mount in enumerate(spec.get("volumeMounts", ())):
        name = mount["name"]
        path = (*where(job, role, "volumeMounts"), index)
        yield from _check_mount(document, path, mount, volumes.get(name, {}), reach)
        if name in seen:
            message = f"{reach.title} can mount a volume only once, and {name!r} is already mounted"
            yield document.problem(path, message, "role-field-unsupported")
        seen.add(name)


def _check_mount(
    document: Document,
    path: Path,
    mount: Mapping[str, Any],
    volume: Mapping[str, Any],
    reach: Reach,
) -> Iterator[Problem]:
    for kind in volume:
        if kind not in ("name", *reach.volumes):
            expected = either(reach.volumes)
            message = f"{reach.title} cannot mount a {kind} in its pods; expected {expected}"
            hint = "volumes that only pods of the chart need belong under their role"
            yield document.problem(path, message, "role-field-unsupported", hint)
    for field in mount:
        if field not in reach.mount:
            expected = either(reach.mount)
            message = f"{reach.title} cannot mount a volume with {field!r}; expected {expected}"
            yield document.problem((*path, field), message, "role-field-unsupported", key=True)


def check_shared(job: Job, document: Document, reach: Reach, role: str) -> Iterator[Problem]:
    """Warn about each field that is set for all pods, but only reaches those of one role."""
    for field in OUT_OF_REACH:
        if field in job.shared:
            message = f"{reach.title} cannot pass {field!r} to its pods; only roles.{role} has it"
            hint = f"if that is intended, write it under roles.{role}"
            yield document.warning((field,), message, "role-field-not-applied", hint, key=True)
