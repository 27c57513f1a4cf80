"""Spelling: words, names and numbers that the API server refuses though schemas accept them."""

import re
from binascii import Error
from collections.abc import Iterator, Sequence

from chartgen.errors import Problem
from chartgen.k8s.limits import DNS_LABEL, DNS_SUBDOMAIN, PORT_NAME
from chartgen.k8s.objects import Fields, Object, ObjectField, Pod, entries, fields, place, pod
from chartgen.startup.typing import Any
from chartgen.words import either

_LABEL = re.compile(rf"(?=.{{1,{DNS_LABEL}}}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_PORT = re.compile(rf"(?=.{{1,{PORT_NAME}}}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_KEY = re.compile(rf"[-._a-zA-Z0-9]{{1,{DNS_SUBDOMAIN}}}")
_PORTS = range(1, 65536)

_SERVICE_TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
_CONCURRENCY = ("Allow", "Forbid", "Replace")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_PROTOCOLS = ("TCP", "UDP", "SCTP")
_RESTART_POLICIES = {
    "Job": ("Never", "OnFailure"),
    "CronJob": ("Never", "OnFailure"),
    "Deployment": ("Always",),
    "StatefulSet": ("Always",),
    "DaemonSet": ("Always",),
    "ReplicaSet": ("Always",),
    "ReplicationController": ("Always",),
    "Pod": ("Always", "OnFailure", "Never"),
}


def check(objects: Sequence[Object]) -> Iterator[Problem]:
    """Every misspelling in every object."""
    for obj in objects:
        kind, inner, spec = obj["kind"], pod(obj), place(obj).below("spec")
        data = fields(obj, "spec")
        if kind == "CronJob":
            policy = data.get("concurrencyPolicy")
            yield from _word(spec.below("concurrencyPolicy"), policy, _CONCURRENCY)
        if kind == "Service":
            yield from _word(spec.below("type"), data.get("type"), _SERVICE_TYPES)
            yield from _ports(spec, data, "port")
            yield from _unnamed_ports(spec, entries(data, "ports"))
        if kind in ("ConfigMap", "Secret"):
            yield from _data(obj)
        if inner:
            yield from _pod(inner, _RESTART_POLICIES[kind])


def _word(
    where: ObjectField, word: Any, words: Sequence[str], rule: str = "object-word-refused"
) -> Iterator[Problem]:
    if isinstance(word, str) and word not in words:
        yield where.problem(f"Kubernetes refuses {word!r}; expected {either(words)}", rule)


def _pod(inner: Pod, restart_policies: Sequence[str]) -> Iterator[Problem]:
    spec = inner.place.below("spec")
    policy = inner.spec.get("restartPolicy", "Always")  # the default
    yield from _word(
        spec.below("restartPolicy"), policy, restart_policies, "restart-policy-refused"
    )
    for index, volume in enumerate(entries(inner.spec, "volumes")):
        yield from _name(spec.below("volumes", index), volume)
    for where, container in inner.containers():
        yield from _name(where, container)
        policy = container.get("imagePullPolicy")
        yield from _word(where.below("imagePullPolicy"), policy, _PULL_POLICIES)
        yield from _ports(where, container, "containerPort")


def _name(where: ObjectField, named: Fields) -> Iterator[Problem]:
    name = named.get("name")
    if isinstance(name, str) and not _LABEL.fullmatch(name):
        yield _bad_name(where, name, DNS_LABEL)


def _bad_name(where: ObjectField, name: str, most: int) -> Problem:
    expected = f"at most {most} lowercase letters, digits and '-'"
    return where.below("name").problem(
        f"Kubernetes refuses {name!r}; expected {expected}", "name-malformed"
    )


def _ports(where: ObjectField, holder: Fields, field: str) -> Iterator[Problem]:
    pattern, most = (_PORT, PORT_NAME) if field == "containerPort" else (_LABEL, DNS_LABEL)
    for index, port in enumerate(entries(holder, "ports")):
        here, number, name = where.below("ports", index), port.get(field), port.get("name")
        if isinstance(number, int) and number not in _PORTS:
            yield here.below(field).problem(
                f"{number} is not a port; expected 1 to 65535", "port-out-of-range"
            )
        if isinstance(name, str) and not pattern.fullmatch(name):
            yield _bad_name(here, name, most)
        yield from _word(here.below("protocol"), port.get("protocol"), _PROTOCOLS)


def _unnamed_ports(spec: ObjectField, ports: Sequence[Fields]) -> Iterator[Problem]:
    """The ports of a Service need names if there are several."""
    for index, port in enumerate(ports if len(ports) > 1 else ()):
        if not port.get("name"):
            message = "a Service with several ports must name each of them"
            yield spec.below("ports", index).problem(message, "service-port-unnamed")


def _data(obj: Object) -> Iterator[Problem]:
    for field in ("data", "binaryData", "stringData"):
        where = place(obj).below(field)
        encoded = field == "binaryData" or (obj["kind"], field) == ("Secret", "data")
        for key, value in fields(obj, field).items():
            if not _KEY.fullmatch(str(key)):
                expected = "letters, digits, '-', '_' and '.'"
                message = f"Kubernetes refuses the key {key!r}; expected {expected}"
                yield where.problem(message, "data-key-malformed")
            if encoded and isinstance(value, str) and not _is_base64(value):
                hint = ""
                if obj["kind"] == "Secret":
                    hint = "encode it, as `| b64enc` does, or put it into stringData"
                message = "not base64; expected encoded bytes"
                yield where.below(str(key)).problem(message, "secret-not-base64", hint)


def _is_base64(text: str) -> bool:
    from base64 import b64decode

    try:
        b64decode("".join(text.splitlines()), validate=True)
    except (Error, ValueError):
        return False
    return True
