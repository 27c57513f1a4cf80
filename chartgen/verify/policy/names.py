"""Names, labels and selectors of objects, and whether objects that refer to each other match."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from chartgen.errors import Problem
from chartgen.k8s.limits import DNS_LABEL, DNS_SUBDOMAIN, OBJECT_BYTES
from chartgen.k8s.objects import (
    Fields,
    Object,
    ObjectField,
    Pod,
    entries,
    fields,
    is_hook,
    place,
    pod,
    pods,
)

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_PATH_SEGMENT = re.compile(r"[^/%]+")
_LABEL = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")

# The longest names: those of some kinds become labels of their pods, with something appended.
_LONGEST = {
    "Service": DNS_LABEL,
    "Namespace": DNS_LABEL,
    "Job": DNS_LABEL,
    "CronJob": 52,
    "StatefulSet": 52,
}
_RBAC = ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
_DATA = ("data", "binaryData", "stringData")
_KEY_REFERENCES = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}
_WITH_SELECTOR = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")


def check(objects: Sequence[Object]) -> Iterator[Problem]:
    """Every problem of the objects, apart from their pods."""
    yield from _duplicates(objects)
    for obj in objects:
        for check_object in (_name, _labels, _selector, _ttl, _size):
            yield from check_object(obj)
    yield from _services(objects)
    yield from _missing_keys(objects)


def _duplicates(objects: Sequence[Object]) -> Iterator[Problem]:
    seen = set()
    for obj in objects:
        group, metadata = obj["apiVersion"].rpartition("/")[0], obj["metadata"]
        identity = (group, obj["kind"], str(metadata.get("namespace")), metadata["name"])
        # One hook may be gone before another of the same name is created.
        if identity in seen and not is_hook(obj):
            message = "the chart renders two objects of this kind and name; expected one"
            yield place(obj).problem(message, "object-duplicate")
        seen.add(identity)


def _name(obj: Object) -> Iterator[Problem]:
    kind, name = obj["kind"], obj["metadata"]["name"]
    longest = _LONGEST.get(kind, DNS_SUBDOMAIN)
    if len(name) > longest:
        message = f"the name has {len(name)} characters; the limit for a {kind} is {longest}"
        hint = "use a shorter release name, or shorten the name in the chart"
        yield place(obj).problem(message, "name-too-long", hint)
    pattern = _SUBDOMAIN
    expected = "lowercase letters, digits, '-' and '.', with a letter or digit at both ends"
    if kind in _RBAC:
        pattern, expected = _PATH_SEGMENT, "neither '/' nor '%'"
    elif kind == "Service":
        pattern = _SERVICE_NAME
        expected = "lowercase letters, digits and '-', starting with a letter"
    if not pattern.fullmatch(name):
        yield place(obj).problem(
            f"Kubernetes refuses this name; expected {expected}", "name-malformed"
        )


def _labels(obj: Object) -> Iterator[Problem]:
    metadata = place(obj).below("metadata")
    yield from _label_map(metadata.below("labels"), fields(obj, "metadata", "labels"))
    # Kubernetes ignores case in the domain of an annotation, but not in that of a label.
    keys = [key.lower() for key in fields(obj, "metadata", "annotations")]
    yield from _keys(metadata.below("annotations"), keys)
    inner = pod(obj)
    if inner and obj["kind"] != "Pod":
        yield from _label_map(inner.place.below("metadata", "labels"), inner.labels)


def _label_map(where: ObjectField, labels: Fields) -> Iterator[Problem]:
    yield from _keys(where, labels)
    for key, value in labels.items():
        if not isinstance(value, str) or not value:
            continue
        if len(value) > DNS_LABEL or not _LABEL.fullmatch(value):
            message = (
                f"Kubernetes refuses the value {value!r} of {key}; expected at most {DNS_LABEL} "
                "letters, digits, '-', '_' and '.', with a letter or digit at both ends"
            )
            yield where.problem(message, "label-malformed")


def _keys(where: ObjectField, keys: Iterable[str]) -> Iterator[Problem]:
    for key in keys:
        domain, slash, name = key.rpartition("/")
        sound = len(name) <= DNS_LABEL and _LABEL.fullmatch(name)
        if slash:
            sound = sound and len(domain) <= DNS_SUBDOMAIN and _SUBDOMAIN.fullmatch(domain)
        if not sound:
            message = f"Kubernetes refuses the key {key!r}; expected NAME or DOMAIN/NAME"
            yield where.problem(message, "label-malformed")


def _selector(obj: Object) -> Iterator[Problem]:
    """The API server refuses a selector that does not match the object's own pods."""
    inner = pod(obj)
    if obj["kind"] not in _WITH_SELECTOR or not inner:
        return
    different = []
    for key, value in fields(obj, "spec", "selector", "matchLabels").items():
        if inner.labels.get(key) != value:
            different.append(key)
    if different:
        message = f"the selector does not match the pod template's labels: {', '.join(different)}"
        yield place(obj).below("spec", "selector").problem(message, "workload-selector-mismatch")


def _ttl(obj: Object) -> Iterator[Problem]:
    field = "ttlSecondsAfterFinished"
    if obj["kind"] == "Job" and field in fields(obj, "spec") and not is_hook(obj):
        message = (
            "a Job that deletes itself is run again by the next `helm upgrade`, "
            "and at once by Argo CD and Flux"
        )
        yield place(obj).below("spec", field).warning(message, "job-removes-itself", "leave it out")


def _size(obj: Object) -> Iterator[Problem]:
    if obj["kind"] not in _KEY_REFERENCES:
        return
    size = 0
    for field in _DATA:
        for key, text in fields(obj, field).items():
            size += len(f"{key}{text}".encode(errors="surrogatepass"))
    if size > OBJECT_BYTES:
        message = f"it holds {size:,} bytes; the limit is {OBJECT_BYTES:,}"
        yield place(obj).problem(message, "data-too-large")


def _services(objects: Sequence[Object]) -> Iterator[Problem]:
    """A Service without pods in its chart is most often a label changed in one place only."""
    by_label: dict[tuple[str, str], list[Pod]] = {}
    for inner in pods([obj for obj in objects if not is_hook(obj)]):
        for label in _label_set(inner.labels):
            by_label.setdefault(label, []).append(inner)
    for obj in objects:
        wanted = _label_set(fields(obj, "spec", "selector"))
        if obj["kind"] != "Service" or not wanted:
            continue
        # Thousands of pods may share a label: start from the label with the fewest.
        candidates = min((by_label.get(label, []) for label in wanted), key=len)
        selected = [inner for inner in candidates if wanted <= _label_set(inner.labels)]
        yield from _service(obj, selected)


def _label_set(labels: Fields) -> set[tuple[str, str]]:
    return {(key, str(value)) for key, value in labels.items()}


def _service(obj: Object, selected: Sequence[Pod]) -> Iterator[Problem]:
    spec = place(obj).below("spec")
    if not selected:
        yield spec.below("selector").warning(
            "it selects no pod of this chart", "service-selects-nothing"
        )
        return
    names = set()
    for inner in selected:
        for _, container in inner.containers():
            names |= {str(port.get("name")) for port in entries(container, "ports")}
    for index, port in enumerate(entries(obj["spec"], "ports")):
        target = port.get("targetPort")
        if isinstance(target, str) and target not in names:
            message = f"no container of the selected pods has a port named {target!r}"
            yield spec.below("ports", index, "targetPort").warning(
                message, "service-target-port-unknown"
            )


def _missing_keys(objects: Sequence[Object]) -> Iterator[Problem]:
    """A pod does not start if a ConfigMap or Secret of the chart lacks a key that it needs."""
    keys: dict[tuple[str, str], set[str]] = {}
    for obj in objects:
        if obj["kind"] in _KEY_REFERENCES:
            own = keys[obj["kind"], obj["metadata"]["name"]] = set()
            for field in _DATA:
                own |= {*fields(obj, field)}
    for inner in pods(objects):
        for where, container in inner.containers():
            for entry in entries(container, "env"):
                for missing in _missing(entry, keys):
                    message = f"{entry.get('name')} refers to {missing}"
                    yield where.below("env").problem(message, "data-key-missing")


def _missing(entry: Fields, keys: Mapping[tuple[str, str], set[str]]) -> Iterator[str]:
    for kind, field in _KEY_REFERENCES.items():
        reference = fields(entry, "valueFrom", field)
        name, key = str(reference.get("name")), str(reference.get("key"))
        known = keys.get((kind, name), {key})  # what the chart does not render may have any key
        if key not in known and not reference.get("optional"):
            yield f"the key {key!r}, which {kind}/{name} of this chart does not have"
