"""Objects: their names, labels and selectors, and what they say of each other."""

import re
from collections.abc import Iterable, Iterator, Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Fields, Object, Place, Pod, entries, fields, hooked, place, pod, pods

LABEL, SUBDOMAIN = 63, 253
CONFIG = 2**20  # bytes of a ConfigMap or Secret that etcd takes

_DNS = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_DNS_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_PATH = re.compile(r"[^/%]+")
_LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")

# How long names may be: some kinds' become labels of their pods, with something behind them.
_LONGEST = {"Service": LABEL, "Namespace": LABEL, "Job": LABEL, "CronJob": 52, "StatefulSet": 52}
_RIGHTS = ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
_DATA = ("data", "binaryData", "stringData")
_SOURCES = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}
_SELECTING = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")


def check(found: Sequence[Object]) -> Iterator[Problem]:
    """Every problem of the objects, but for their pods."""
    yield from _twice(found)
    for one in found:
        for judge in (_name, _labels, _selector, _job, _size):
            yield from judge(one)
    yield from _services(found)
    yield from _keys(found)


def _twice(found: Sequence[Object]) -> Iterator[Problem]:
    seen = set()
    for one in found:
        group, metadata = one["apiVersion"].rpartition("/")[0], one["metadata"]
        who = (group, one["kind"], str(metadata.get("namespace")), metadata["name"])
        if who in seen and not hooked(one):  # of hooks, one may be gone before the other comes
            yield place(one).problem("the chart makes two of this kind and name; expected one", "duplicate-object")
        seen.add(who)


def _name(one: Object) -> Iterator[Problem]:
    kind, name = one["kind"], one["metadata"]["name"]
    longest = _LONGEST.get(kind, SUBDOMAIN)
    if len(name) > longest:
        message = f"the name has {len(name)} characters; a {kind}'s may have {longest}"
        yield place(one).problem(message, "name-length", "use a shorter release name, or shorten the name in the chart")
    pattern, expected = _DNS, "lower-case letters, digits, '-' and '.', with a letter or digit at both ends"
    if kind in _RIGHTS:
        pattern, expected = _PATH, "neither '/' nor '%'"
    elif kind == "Service":
        pattern, expected = _DNS_LABEL, "lower-case letters, digits and '-', starting with a letter"
    if not pattern.fullmatch(name):
        yield place(one).problem(f"Kubernetes refuses this name; expected {expected}", "name")


def _labels(one: Object) -> Iterator[Problem]:
    yield from _label_map(place(one).below("metadata", "labels"), fields(one, "metadata", "labels"))
    # To Kubernetes, capitals in the domain of an annotation are small letters; in that of a label they are none.
    keys = (key.lower() for key in fields(one, "metadata", "annotations"))
    yield from _keyed(place(one).below("metadata", "annotations"), keys)
    inner = pod(one)
    if inner and one["kind"] != "Pod":
        yield from _label_map(inner.place.below("metadata", "labels"), inner.labels)


def _keyed(where: Place, keys: Iterable[str]) -> Iterator[Problem]:
    for key in keys:
        prefix, slash, name = key.rpartition("/")
        sound = not slash or (len(prefix) <= SUBDOMAIN and _DNS.fullmatch(prefix))
        if not sound or len(name) > LABEL or not _LABEL_NAME.fullmatch(name):
            yield where.problem(f"Kubernetes refuses the key {key!r}; expected name or domain/name", "label")


def _label_map(where: Place, labels: Fields) -> Iterator[Problem]:
    yield from _keyed(where, labels)
    for key, value in labels.items():
        if isinstance(value, str) and value and (len(value) > LABEL or not _LABEL_NAME.fullmatch(value)):
            expected = f"at most {LABEL} letters, digits, '-', '_' and '.', from a letter or digit to a letter or digit"
            yield where.problem(f"Kubernetes refuses the value {value!r} of {key}; expected {expected}", "label")


def _selector(one: Object) -> Iterator[Problem]:
    """What selects its own pods must fit them, or the API server refuses it."""
    inner = pod(one)
    if one["kind"] not in _SELECTING or not inner:
        return
    wanted = fields(one, "spec", "selector", "matchLabels")
    missing = [key for key, value in wanted.items() if inner.labels.get(key) != value]
    if missing:
        message = f"the selector does not fit the pods it makes, which differ in {', '.join(missing)}"
        yield place(one).below("spec", "selector").problem(message, "selector")


def _job(one: Object) -> Iterator[Problem]:
    if one["kind"] != "Job":
        return
    if "ttlSecondsAfterFinished" in fields(one, "spec") and not hooked(one):
        message = "a Job that removes itself is run again by the next `helm upgrade`, and by Argo CD and Flux at once"
        yield place(one).below("spec", "ttlSecondsAfterFinished").warning(message, "ttl", "leave it out")


def _size(one: Object) -> Iterator[Problem]:
    if one["kind"] in _SOURCES:
        items = [item for field in _DATA for item in fields(one, field).items()]
        size = sum(len(f"{key}{text}".encode(errors="surrogatepass")) for key, text in items)
        if size > CONFIG:
            yield place(one).problem(f"it holds {size:,} bytes; Kubernetes takes {CONFIG:,}", "size")


def _services(found: Sequence[Object]) -> Iterator[Problem]:
    """A Service that reaches nothing of this chart is most often a label that was changed in one place only."""
    by_label: dict[tuple[str, str], list[Pod]] = {}
    for inner in pods([one for one in found if not hooked(one)]):
        for item in _words(inner.labels):
            by_label.setdefault(item, []).append(inner)
    for one in found:
        wanted = _words(fields(one, "spec", "selector"))
        if one["kind"] == "Service" and wanted:
            near = min((by_label.get(item, []) for item in wanted), key=len)  # thousands share the other labels
            yield from _service(one, [inner for inner in near if wanted <= _words(inner.labels)])


def _words(labels: Fields) -> set[tuple[str, str]]:
    return {(key, str(value)) for key, value in labels.items()}


def _service(one: Object, chosen: Sequence[Pod]) -> Iterator[Problem]:
    if not chosen:
        yield place(one).below("spec", "selector").warning("it selects no pod of this chart", "selector")
        return
    ports = [port for inner in chosen for _, each in inner.containers() for port in entries(each, "ports")]
    names = {str(port.get("name")) for port in ports}
    for index, port in enumerate(entries(one["spec"], "ports")):
        target = port.get("targetPort")
        if isinstance(target, str) and target not in names:
            where = place(one).below("spec", "ports", index, "targetPort")
            yield where.warning(f"no container that it selects has a port named {target!r}", "target-port")


def _keys(found: Sequence[Object]) -> Iterator[Problem]:
    """A key asked of a ConfigMap or Secret that the chart itself makes has to be in it, or the pod never starts."""
    held = {(one["kind"], one["metadata"]["name"]): _held(one) for one in found if one["kind"] in _SOURCES}
    for inner in pods(found):
        for where, container in inner.containers():
            for entry in entries(container, "env"):
                for lacks in _lacking(entry, held):
                    yield where.below("env").problem(f"{entry.get('name')} asks for {lacks}", "missing-key")


def _lacking(entry: Fields, held: dict[tuple[str, str], set[str]]) -> Iterator[str]:
    for kind, field in _SOURCES.items():
        wanted = fields(entry, "valueFrom", field)
        name, key = str(wanted.get("name")), str(wanted.get("key"))
        if key not in held.get((kind, name), {key}) and not wanted.get("optional"):
            yield f"the key {key!r}, which {kind}/{name} of this chart lacks"


def _held(one: Object) -> set[str]:
    return {key for field in _DATA for key in fields(one, field)}
