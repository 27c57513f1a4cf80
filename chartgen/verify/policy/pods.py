"""Pods: what Kubernetes refuses, strings that Linux refuses, and privileges on the node."""

from collections.abc import Iterable, Iterator, Sequence

from chartgen.document import FieldProblem
from chartgen.errors import Problem
from chartgen.k8s.limits import ENV_STRING_BYTES
from chartgen.k8s.objects import (
    Fields,
    Object,
    ObjectField,
    Pod,
    entries,
    fields,
    is_hook,
    pod,
    pods,
)
from chartgen.k8s.rules import pods as pod_rules


def check(objects: Sequence[Object]) -> Iterator[Problem]:
    """Every problem of every pod."""
    for inner in pods(objects):
        spec = inner.place.below("spec")
        yield from _pod_rules(spec, inner)
        yield from _host_paths(spec, inner.spec)
        for (field, *_), _ in pod_rules.forbidden_in_pod(inner.spec):
            message = "the pod shares this with the node and everything that runs there"
            yield spec.below(field).warning(message, "pod-host-namespace")
        for where, container in inner.containers():
            yield from _strings(where, container)
            context = fields(container, "securityContext")
            yield from _privileges(where.below("securityContext"), context)
    yield from _best_effort(objects)


def _pod_rules(spec: ObjectField, inner: Pod) -> Iterator[Problem]:
    """The rules that the pods of a job description follow, too."""
    volumes: pod_rules.TakenNames = {}
    names = pod_rules.check_names(
        "volume", entries(inner.spec, "volumes"), "volume-duplicate", volumes
    )
    yield from _at(spec.below("volumes"), names)
    if inner.place.object.startswith("StatefulSet/"):
        # Its claims are volumes too, and the API server knows which there are.
        for _, container in inner.containers():
            for mount in entries(container, "volumeMounts"):
                volumes[str(mount.get("name"))] = True
    taken: pod_rules.TakenNames = {}
    for where, container in inner.containers():
        names = pod_rules.check_names("container", [container], "container-duplicate", taken)
        yield from _at(where, ((path[1:], problem) for path, problem in names))
        mounts = entries(container, "volumeMounts")
        yield from _at(where.below("volumeMounts"), pod_rules.check_mounts(mounts, volumes, set()))
        ports, env = entries(container, "ports"), entries(container, "env")
        yield from _at(where.below("ports"), pod_rules.check_ports(ports, {}))
        yield from _at(where.below("env"), pod_rules.check_env(env))
        resources = {}
        for part in ("limits", "requests"):
            resources[part] = fields(container, "resources", part)
        quantities = (*pod_rules.check_resources(resources), *pod_rules.check_requests(resources))
        yield from _at(where.below("resources"), quantities)


def _at(where: ObjectField, problems: Iterable[FieldProblem]) -> Iterator[Problem]:
    for path, problem in problems:
        yield where.below(*path).place(problem)


def _host_paths(spec: ObjectField, pod_spec: Fields) -> Iterator[Problem]:
    for index, volume in enumerate(entries(pod_spec, "volumes")):
        if "hostPath" in volume:
            path = fields(volume, "hostPath").get("path")
            message = f"mounts {path} of the node, which the pod can then read and perhaps change"
            hint = "use a PersistentVolumeClaim or an emptyDir"
            yield spec.below("volumes", index, "hostPath").warning(message, "pod-host-path", hint)


def _best_effort(objects: Sequence[Object]) -> Iterator[Problem]:
    """Pods without resources are evicted first; those of hooks live for seconds."""
    for obj in objects:
        inner = None if is_hook(obj) else pod(obj)
        if inner and not any(fields(each, "resources") for _, each in inner.containers()):
            message = "no container requests CPU or memory; such pods are evicted first"
            hint = "set resources.requests and resources.limits"
            yield inner.place.below("spec").warning(message, "pod-no-resources", hint)


def _strings(where: ObjectField, container: Fields) -> Iterator[Problem]:
    """Strings that Linux refuses to start a process with."""
    texts: list[tuple[str, str, str]] = []
    for entry in entries(container, "env"):
        name = str(entry.get("name"))
        texts.append(("env", name, f"{name}={entry.get('value')}"))
    for field in ("command", "args"):
        words = container.get(field)
        for index, word in enumerate(words if isinstance(words, list) else ()):
            texts.append((field, f"[{index}]", str(word)))
    for field, name, text in texts:
        size = len(text.encode(errors="surrogatepass")) + 1
        if size > ENV_STRING_BYTES:
            message = f"{name} has {size:,} bytes; Linux limits one string to {ENV_STRING_BYTES:,}"
            hint = "put it into a ConfigMap, and mount that"
            yield where.below(field).problem(message, "env-too-long", hint)


def _privileges(where: ObjectField, context: Fields) -> Iterator[Problem]:
    if context.get("privileged"):
        message = "the container can do on the node whatever root can"
        yield where.below("privileged").warning(message, "container-privileged")
    if context.get("allowPrivilegeEscalation"):
        message = "a program in the container can gain more privileges than it started with"
        field = where.below("allowPrivilegeEscalation")
        yield field.warning(message, "container-privilege-escalation", "set it to false")
    added = fields(context, "capabilities").get("add")
    if added and isinstance(added, list):
        message = f"adds {', '.join(map(str, added))}, which containers do not have by default"
        yield where.below("capabilities", "add").warning(message, "container-capabilities")
