"""Rendered objects: their fields, read so that no odd shape breaks anything, and their pods."""

from collections.abc import Iterator, Mapping, Sequence

from chartgen.errors import NOWHERE, Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

Object = dict[str, Any]
Fields = Mapping[str, Any]

HOOK = "helm.sh/hook"

_TEMPLATE = ("spec", "template")
_TEMPLATES = {
    "Job": _TEMPLATE,
    "Deployment": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "DaemonSet": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "ReplicationController": _TEMPLATE,
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}

# The fields that the API server does not let anyone change in an existing object.
_IMMUTABLE = {
    "Job": (
        "spec.template",
        "spec.selector",
        "spec.completionMode",
        "spec.podFailurePolicy",
        "spec.successPolicy",
        "spec.backoffLimitPerIndex",
        "spec.managedBy",
    ),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "ReplicaSet": ("spec.selector",),
    "StatefulSet": (
        "spec.selector",
        "spec.serviceName",
        "spec.podManagementPolicy",
        "spec.volumeClaimTemplates",
    ),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "PersistentVolumeClaim": (
        "spec.accessModes",
        "spec.storageClassName",
        "spec.selector",
        "spec.volumeName",
    ),
    "StorageClass": ("provisioner", "parameters"),
    "PriorityClass": ("value",),
}


class ObjectField(NamedTuple):
    """A field of an object, or the object itself."""

    object: str
    path: str = ""

    def below(self, *steps: str | int) -> "ObjectField":
        """A field inside this one."""
        words = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        return self._replace(path=(self.path + "".join(words)).removeprefix("."))

    def problem(self, message: str, rule: str, hint: str = "", severity: str = "error") -> Problem:
        """A problem of this field."""
        return self.place(Problem(NOWHERE, message, rule, hint, severity))

    def place(self, problem: Problem) -> Problem:
        """The same problem as one of this field; objects have no lines, so the mark has none."""
        text = f"{self.path}: {problem.message}" if self.path else problem.message
        return problem._replace(mark=Mark(self.object, 0, 0), message=text)

    def warning(self, message: str, rule: str, hint: str = "") -> Problem:
        """A warning: it may be intended, but is seldom wise."""
        return self.problem(message, rule, hint, "warning")


class Pod(NamedTuple):
    """A pod, or a pod template: where it is, its labels, and its spec."""

    place: ObjectField
    labels: Fields
    spec: Fields

    def containers(self) -> Iterator[tuple[ObjectField, Fields]]:
        """All containers with their places."""
        for field in ("initContainers", "containers"):
            for index, container in enumerate(entries(self.spec, field)):
                yield self.place.below("spec", field, index), container


def fields(value: Any, *steps: str) -> Fields:
    """The mapping below these fields; an empty one if there is none, which schemas report."""
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def changed_immutable_fields(old: Object, new: Object) -> Iterator[str]:
    """The immutable fields that differ."""
    for field in _IMMUTABLE.get(new["kind"], ()):
        *steps, last = field.split(".")
        if fields(old, *steps).get(last) != fields(new, *steps).get(last):
            yield field


def entries(value: Fields, field: str) -> list[Fields]:
    """The mappings in a list."""
    items = value.get(field)
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, Mapping)]


def place(obj: Object) -> ObjectField:
    """The place of an object."""
    return ObjectField(f"{obj['kind']}/{obj['metadata']['name']}")


def is_hook(obj: Fields) -> bool:
    """Whether Helm creates an object only for a while, and again each time."""
    return HOOK in fields(obj, "metadata", "annotations")


def pod(obj: Object) -> Pod | None:
    """The pod of an object that has one."""
    steps = _TEMPLATES.get(obj["kind"])
    if steps is None:
        return None
    template = fields(obj, *steps)
    labels = fields(template, "metadata", "labels")
    return Pod(place(obj).below(*steps), labels, fields(template, "spec"))


def pods(objects: Sequence[Object]) -> Iterator[Pod]:
    """The pods of all objects that have one."""
    for obj in objects:
        inner = pod(obj)
        if inner:
            yield inner
