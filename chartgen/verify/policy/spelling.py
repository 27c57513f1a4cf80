"""Spellings: words, names and numbers of which the API server takes only some, though their schemas take any."""

import re
from binascii import Error
from collections.abc import Iterator, Sequence
from typing import Any

from chartgen.errors import Problem
from chartgen.k8s.objects import Fields, Object, Place, Pod, entries, fields, place, pod

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PORT = re.compile(r"(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
_PORTS = range(1, 65536)
_RUNS_FOR_EVER = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController")

# The words that a field takes, where it stands in an object of a kind, in a pod, and in a container.
_OBJECTS = {
    "Service": (("spec", "type"), ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
    "CronJob": (("spec", "concurrencyPolicy"), ("Allow", "Forbid", "Replace")),
}
_PULL = ("Always", "IfNotPresent", "Never")
_PROTOCOLS = ("TCP", "UDP", "SCTP")


def check(found: Sequence[Object]) -> Iterator[Problem]:
    """Every spelling of every object that would be refused."""
    for one in found:
        kind, inner = one["kind"], pod(one)
        if kind in _OBJECTS:
            steps, words = _OBJECTS[kind]
            yield from _word(place(one).below(*steps), fields(one, *steps[:-1]).get(steps[-1]), words)
        if kind == "Service":
            yield from _ports(place(one).below("spec"), fields(one, "spec"), "port")
            yield from _nameless(one)
        if kind in ("ConfigMap", "Secret"):
            yield from _data(one)
        if inner:
            yield from _pod(inner, _restarts(kind))


def _restarts(kind: str) -> tuple[str, ...]:
    if kind in _RUNS_FOR_EVER:
        return ("Always",)
    return ("Never", "OnFailure") if kind in ("Job", "CronJob") else ("Always", "OnFailure", "Never")


def _word(where: Place, word: Any, words: Sequence[str], rule: str = "word") -> Iterator[Problem]:
    if isinstance(word, str) and word not in words:
        yield where.problem(f"Kubernetes refuses {word!r}; expected {' or '.join(words)}", rule)


def _pod(one: Pod, restarts: Sequence[str]) -> Iterator[Problem]:
    spec = one.place.below("spec")
    default = one.spec.get("restartPolicy", "Always")  # which is what Kubernetes fills in
    yield from _word(spec.below("restartPolicy"), default, restarts, "restart-policy")
    for index, volume in enumerate(entries(one.spec, "volumes")):
        yield from _name(spec.below("volumes", index), volume)
    for where, container in one.containers():
        yield from _name(where, container)
        yield from _word(where.below("imagePullPolicy"), container.get("imagePullPolicy"), _PULL)
        yield from _ports(where, container, "containerPort")


def _name(where: Place, named: Fields) -> Iterator[Problem]:
    name = named.get("name")
    if isinstance(name, str) and not _LABEL.fullmatch(name):
        message = f"Kubernetes refuses {name!r}; expected at most 63 lower-case letters, digits and '-'"
        yield where.below("name").problem(message, "name")


def _ports(where: Place, holder: Fields, field: str) -> Iterator[Problem]:
    for index, port in enumerate(entries(holder, "ports")):
        here, number, name = where.below("ports", index), port.get(field), port.get("name")
        if isinstance(number, int) and number not in _PORTS:
            yield here.below(field).problem(f"{number} is no port; expected 1 to 65535", "port")
        if isinstance(name, str) and not (_PORT if field == "containerPort" else _LABEL).fullmatch(name):
            most = 15 if field == "containerPort" else 63
            message = f"Kubernetes refuses {name!r}; expected at most {most} lower-case letters, digits and '-'"
            yield here.below("name").problem(message, "name")
        yield from _word(here.below("protocol"), port.get("protocol"), _PROTOCOLS)


def _nameless(one: Object) -> Iterator[Problem]:
    """Ports of a Service need names as soon as there are two."""
    ports = entries(fields(one, "spec"), "ports")
    for index, port in enumerate(ports if len(ports) > 1 else ()):
        if not port.get("name"):
            where = place(one).below("spec", "ports", index)
            yield where.problem("a Service of several ports has to name each of them", "port-name")


def _data(one: Object) -> Iterator[Problem]:
    for field in ("data", "binaryData", "stringData"):
        for key, value in fields(one, field).items():
            where = place(one).below(field)
            if not _KEY.fullmatch(str(key)):
                message = f"Kubernetes refuses the key {key!r}; expected letters, digits, '-', '_' and '.'"
                yield where.problem(message, "data-key")
            coded = field == "binaryData" or (one["kind"], field) == ("Secret", "data")
            if coded and isinstance(value, str) and not _base64(value):
                hint = "encode it, as `| b64enc` does, or put it into stringData" if one["kind"] == "Secret" else ""
                yield where.below(str(key)).problem("this is no base64; expected encoded bytes", "base64", hint)


def _base64(text: str) -> bool:
    from base64 import b64decode

    try:
        b64decode("".join(text.splitlines()), validate=True)
    except (Error, ValueError):
        return False
    return True
