"""Places in rendered objects: what a problem of them is called by, and ways in that no odd shape can break."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chartgen.errors import Mark, Problem

Object = dict[str, Any]
Fields = Mapping[str, Any]

HOOK = "helm.sh/hook"
_TEMPLATES = {
    **dict.fromkeys(
        ("Job", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}


class Place(NamedTuple):
    """A field of an object, or the object itself."""

    object: str
    path: str = ""

    def below(self, *steps: str | int) -> "Place":
        """A field inside this one."""
        words = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        return self._replace(path=(self.path + "".join(words)).removeprefix("."))

    def problem(self, message: str, rule: str, hint: str = "", severity: str = "error") -> Problem:
        """Something wrong here; objects have no lines, so the mark has none."""
        said = f"{self.path}: {message}" if self.path else message
        return Problem(Mark(self.object, 0, 0), said, rule, hint, severity)

    def warning(self, message: str, rule: str, hint: str = "") -> Problem:
        """Something that may be meant, but is seldom wise."""
        return self.problem(message, rule, hint, "warning")


class Pod(NamedTuple):
    """A pod, or what pods are made from: where it stands, its labels, and its spec."""

    place: Place
    labels: Fields
    spec: Fields

    def containers(self) -> Iterator[tuple[Place, Fields]]:
        """All containers with their places."""
        for field in ("initContainers", "containers"):
            for index, container in enumerate(entries(self.spec, field)):
                yield self.place.below("spec", field, index), container


def fields(value: Any, *steps: str) -> Fields:
    """What stands below these fields, if it is a map; an empty one else, for schemas tell what has a wrong shape."""
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def entries(value: Fields, field: str) -> list[Fields]:
    """The maps in a list."""
    found = value.get(field)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def place(one: Object) -> Place:
    """The place of an object."""
    return Place(f"{one['kind']}/{one['metadata']['name']}")


def hooked(one: Object) -> bool:
    """Whether Helm makes it only for a while, and anew each time."""
    return HOOK in fields(one, "metadata", "annotations")


def pod(one: Object) -> Pod | None:
    """The pod of an object that has one."""
    steps = _TEMPLATES.get(one["kind"])
    if steps is None:
        return None
    template = fields(one, *steps)
    return Pod(place(one).below(*steps), fields(template, "metadata", "labels"), fields(template, "spec"))


def pods(found: Sequence[Object]) -> Iterator[Pod]:
    """The pods of all objects that have one."""
    return (one for one in map(pod, found) if one)
