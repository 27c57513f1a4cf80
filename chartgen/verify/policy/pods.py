"""Pods: what their containers have twice, ask too much of, point at in vain, or may do to the node."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from chartgen.errors import Problem
from chartgen.k8s.objects import Fields, Object, Place, Pod, entries, fields, hooked, pod, pods
from chartgen.k8s.quantities import amount

STRING = 131_072  # bytes; Linux refuses a longer single string of environment or arguments, with its last zero byte

_HOST = ("hostNetwork", "hostPID", "hostIPC")


def check(found: Sequence[Object]) -> Iterator[Problem]:
    """Every problem of every pod."""
    for one in pods(found):
        yield from _names(one)
        yield from _volumes(one)
        yield from _node(one)
        for place, container in one.containers():
            yield from _lists(place, container)
            yield from _mounts(place, container, one)
            yield from _resources(place.below("resources"), fields(container, "resources"))
            yield from _strings(place, container)
            yield from _privileges(place.below("securityContext"), fields(container, "securityContext"))
    yield from _best_effort(found)


def _names(one: Pod) -> Iterator[Problem]:
    names = [str(container.get("name")) for _, container in one.containers()]
    for name in _twice(names):
        message = f"two containers are named {name!r}; Kubernetes expects each name once"
        yield one.place.below("spec").problem(message, "duplicate-container")


def _lists(place: Place, container: Fields) -> Iterator[Problem]:
    """Entries that a server-side apply, as Helm 4 does, cannot tell apart."""
    env = [str(entry.get("name")) for entry in entries(container, "env")]
    ports = [f"{one.get('containerPort')}/{one.get('protocol', 'TCP')}" for one in entries(container, "ports")]
    paths = [str(mount.get("mountPath")) for mount in entries(container, "volumeMounts")]
    for name in _twice(env):
        yield place.below("env").problem(f"{name} is set twice; expected it once", "duplicate-env")
    for port in _twice(ports):
        yield place.below("ports").problem(f"{port} is listed twice; expected it once", "duplicate-port")
    for path in _twice(paths):
        yield place.below("volumeMounts").problem(f"two volumes are mounted at {path}; expected one", "duplicate-mount")


def _twice(things: Iterable[str]) -> list[str]:
    """What stands there more than once, each thing once."""
    return [thing for thing, times in Counter(things).items() if times > 1]


def _volumes(one: Pod) -> Iterator[Problem]:
    volumes = entries(one.spec, "volumes")
    for name in _twice(str(volume.get("name")) for volume in volumes):
        yield one.place.below("spec", "volumes").problem(f"two are named {name!r}; expected one", "duplicate-volume")
    for index, volume in enumerate(volumes):
        if "hostPath" in volume:
            path = fields(volume, "hostPath").get("path")
            message = f"{path} of the node is mounted: pods see and may change what is not theirs"
            hint = "use a PersistentVolumeClaim or an emptyDir"
            yield one.place.below("spec", "volumes", index, "hostPath").warning(message, "host-path", hint)


def _mounts(place: Place, container: Fields, one: Pod) -> Iterator[Problem]:
    known = {str(volume.get("name")) for volume in entries(one.spec, "volumes")}
    for index, mount in enumerate(entries(container, "volumeMounts")):
        # A StatefulSet's claims are volumes, too, which this does not look for; the API server does.
        if str(mount.get("name")) not in known and not one.place.object.startswith("StatefulSet/"):
            message = f"no volume of the pod is named {mount.get('name')!r}"
            yield place.below("volumeMounts", index).problem(message, "unknown-volume")


def _resources(place: Place, resources: Fields) -> Iterator[Problem]:
    asked = {kind: fields(resources, kind) for kind in ("requests", "limits")}
    for kind, quantities in asked.items():
        for name, quantity in quantities.items():
            if amount(quantity) is None:
                message = f"{quantity!r} is no quantity; expected a number, with a unit such as m, Mi or Gi if any"
                yield place.below(kind, name).problem(message, "quantity")
    yield from _too_much(place.below("requests"), asked["requests"], asked["limits"])
    for name in asked["requests"].keys() - asked["limits"].keys():
        if "/" in name:
            message = "a device is asked for by its limit; Kubernetes refuses a request alone"
            yield place.below("requests", name).problem(message, "device-limit", f"put {name} into limits")


def _too_much(place: Place, requests: Mapping[str, Any], limits: Mapping[str, Any]) -> Iterator[Problem]:
    for name, quantity in requests.items():
        least, most = amount(quantity), amount(limits.get(name, quantity))
        if least is not None and most is not None and least > most:
            message = f"{quantity} is requested, and the limit is {limits[name]}; expected no more than that"
            yield place.below(name).problem(message, "request-above-limit")


def _best_effort(found: Sequence[Object]) -> Iterator[Problem]:
    """Pods that ask for nothing are the first to be killed when a node runs short; those of hooks live for seconds."""
    for one in found:
        inner = None if hooked(one) else pod(one)
        if inner and not any(fields(each, "resources") for _, each in inner.containers()):
            message = "no container says what CPU and memory it needs; such pods are the first to be evicted"
            yield inner.place.below("spec").warning(message, "no-resources", "set resources.requests and limits")


def _strings(place: Place, container: Fields) -> Iterator[Problem]:
    """What Linux would refuse to start a process with."""
    texts = {
        ("env", str(one.get("name"))): f"{one.get('name')}={one.get('value')}" for one in entries(container, "env")
    }
    for field in ("command", "args"):
        words = container.get(field)
        texts |= {(field, f"[{at}]"): str(word) for at, word in enumerate(words if isinstance(words, list) else ())}
    for (field, which), text in texts.items():
        size = len(text.encode(errors="surrogatepass")) + 1
        if size > STRING:
            message = f"{which} has {size:,} bytes; Linux takes {STRING:,} for one string"
            yield place.below(field).problem(message, "size", "put it into a ConfigMap, and mount that")


def _node(one: Pod) -> Iterator[Problem]:
    for field in _HOST:
        if one.spec.get(field):
            message = "the pod shares this with the node and all that runs there"
            yield one.place.below("spec", field).warning(message, "host-namespace")


def _privileges(place: Place, context: Fields) -> Iterator[Problem]:
    if context.get("privileged"):
        yield place.below("privileged").warning("the container may do to the node whatever root may", "privileged")
    if context.get("allowPrivilegeEscalation"):
        message = "a program in the container may gain more rights than it was started with"
        yield place.below("allowPrivilegeEscalation").warning(message, "privilege-escalation", "set it to false")
    added = fields(context, "capabilities").get("add")
    if added and isinstance(added, list):
        message = f"{', '.join(map(str, added))}: more than an ordinary container may do"
        yield place.below("capabilities", "add").warning(message, "capabilities")
