"""Checks of what a role's pods add up to: images, volumes, env, resources, labels and container names."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job import Job
from chartgen.plan import Plan, RolePlan
from chartgen.quantities import amount, suggestion

_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LABEL_KEY = re.compile(r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_REFERENCE = re.compile(r"\$\(([^()]+)\)")


class Layer(NamedTuple):
    """What one place of the description says about pods, and the place."""

    path: Path
    spec: Mapping[str, Any]


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """Every problem of every role's pods, once, at the place that says it."""
    for layer in _layers(job):
        yield from _resources(layer, document)
        yield from _labels(layer, document)
        yield from _reserved(layer, plan, document)
    found: dict[Problem, None] = {}
    for role in plan.roles:
        found.update(dict.fromkeys(_image(job, role, document)))
        for key in ("", *job.roles[role.name].overrides):
            spec = job.spec(role.name, key)
            layers = _of(job, role.name, key)
            found.update(dict.fromkeys(_volumes(spec, layers, role, document)))
            found.update(dict.fromkeys(_env_order(spec, layers, document)))
            found.update(dict.fromkeys(_containers(spec, layers, role, document)))
    yield from found
    yield from _tensorboard(job, document)


def _layers(job: Job) -> Iterator[Layer]:
    """Every place that speaks about pods."""
    yield Layer((), job.shared)
    for name, role in job.roles.items():
        yield Layer(("roles", name), role.spec)
        for key, override in role.overrides.items():
            yield Layer(("roles", name, "overrides", key), override)
    if "tensorboard" in job.settings:
        yield Layer(("tensorboard",), job.settings["tensorboard"])


def _of(job: Job, role: str, override: str) -> list[Layer]:
    """The places that speak about some replicas, the last word first."""
    layers = [Layer(("roles", role), job.roles[role].spec), Layer((), job.shared)]
    if override:
        layers.insert(0, Layer(("roles", role, "overrides", override), job.roles[role].overrides[override]))
    return layers


def _where(layers: list[Layer], *keys: str) -> Path:
    """The place that has the last word on a field, or on a key of it."""
    for path, spec in layers:
        node: Any = spec
        for key in keys:
            node = node.get(key) if isinstance(node, Mapping) else None
        if node is not None:
            return (*path, *keys)
    return layers[0].path


def _image(job: Job, role: RolePlan, document: Document) -> Iterator[Problem]:
    spec = job.roles[role.name]
    every = len(job.roles[role.name].overrides) > 0 and spec.replicas == len(spec.overrides)
    if not every and "image" not in job.spec(role.name):
        message = f"roles.{role.name} has no image: give the job an image, or the role"
        yield document.problem(("roles", role.name), message, "image", key=True)


def _volumes(spec: Mapping[str, Any], layers: list[Layer], role: RolePlan, document: Document) -> Iterator[Problem]:
    """Volumes have names of their own, and a mount names one of them."""
    known = {role.start.volume} if role.start and not {"command", "args"} & spec.keys() else set()
    for index, volume in enumerate(spec.get("volumes", ())):
        if volume["name"] in known:
            path = (*_where(layers, "volumes"), index, "name")
            yield document.problem(path, f"a second volume is named {volume['name']!r}", "duplicate-volume")
        known.add(volume["name"])
    yield from _mounts(spec.get("volumeMounts", ()), _where(layers, "volumeMounts"), known, document)
    for field in ("initContainers", "sidecars"):
        for index, container in enumerate(spec.get(field, ())):
            path = (*_where(layers, field), index, "volumeMounts")
            yield from _mounts(container.get("volumeMounts", ()), path, known, document)


def _mounts(mounts: Any, path: Path, known: set[str], document: Document) -> Iterator[Problem]:
    paths: set[str] = set()
    for index, mount in enumerate(mounts):
        name, place = mount["name"], mount["mountPath"]
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            message = f"no volume is named {name!r}; there is: {there}"
            yield document.problem((*path, index, "name"), message, "unknown-volume")
        if place in paths:
            yield document.problem((*path, index, "mountPath"), f"a second mount at {place!r}", "duplicate-mount")
        paths.add(place)


def _resources(layer: Layer, document: Document) -> Iterator[Problem]:
    """Quantities are such as Kubernetes takes, whole for devices, and requests stay within limits."""
    resources = layer.spec.get("resources", {})
    for part in ("limits", "requests"):
        for name, quantity in resources.get(part, {}).items():
            path: Path = (*layer.path, "resources", part, name)
            number = amount(quantity)
            if number is None:
                guess = suggestion(quantity)
                hint = f"did you mean {guess}?" if guess else "write a number with a unit, such as 500m, 4, 16Gi or 1.5"
                yield document.problem(path, f"{quantity!r} is not a quantity Kubernetes takes", "quantity", hint)
            elif number < 0:
                yield document.problem(path, f"{quantity!r} is negative", "quantity")
            elif "/" in name and number != int(number):
                yield document.problem(path, f"{quantity!r}: {name} is counted in whole devices", "quantity")
    for name, request in resources.get("requests", {}).items():
        limit = resources.get("limits", {}).get(name)
        asked, allowed = amount(request), amount(limit) if limit is not None else None
        if asked is not None and allowed is not None and asked > allowed:
            path = (*layer.path, "resources", "requests", name)
            yield document.problem(path, f"requests {request} of {name}, over its limit of {limit}", "quantity")


def _labels(layer: Layer, document: Document) -> Iterator[Problem]:
    """Label keys and values are such as Kubernetes takes; an annotation's value is free."""
    for field in ("labels", "nodeSelector", "annotations"):
        for key, value in layer.spec.get(field, {}).items():
            path: Path = (*layer.path, field, key)
            if not _LABEL_KEY.fullmatch(key):
                message = f"{key!r} is not a label key: letters, digits, '-', '_', '.', behind a prefix and '/' if any"
                yield document.problem(path, message, "label", key=True)
            if field != "annotations" and not _LABEL_VALUE.fullmatch(value):
                message = f"{value!r} is not a label value: at most 63 letters, digits, '-', '_' and '.'"
                yield document.problem(path, message, "label", "free text fits in an annotation")


def _reserved(layer: Layer, plan: Plan, document: Document) -> Iterator[Problem]:
    if layer.path == ("tensorboard",):
        return
    for name in plan.reserved_env:
        if name in layer.spec.get("env", {}):
            message = f"{name} is set by the chart, from the replicas there are at install"
            yield document.problem((*layer.path, "env", name), message, "reserved-env", "remove it", key=True)


def _env_order(spec: Mapping[str, Any], layers: list[Layer], document: Document) -> Iterator[Problem]:
    """$(NAME) works only behind NAME; the chart prints plain entries first, then the referring ones by name."""
    env = spec.get("env", {})
    referring = {name: text for name, text in env.items() if isinstance(text, str) and "$(" in text}
    for name, text in referring.items():
        for other in _REFERENCE.findall(text):
            if other in referring and other >= name:
                message = f"{name} refers to $({other}), which refers to others itself and comes after it by name"
                hint = f"write out what {other} stands for, or rename {name} so that it sorts behind {other}"
                yield document.problem(_where(layers, "env", name), message, "env-order", hint)


def _containers(spec: Mapping[str, Any], layers: list[Layer], role: RolePlan, document: Document) -> Iterator[Problem]:
    """Containers of a pod have names of their own."""
    taken = {role.container}
    for field in ("initContainers", "sidecars"):
        for index, container in enumerate(spec.get(field, ())):
            if container["name"] in taken:
                path = (*_where(layers, field), index, "name")
                message = f"a second container is named {container['name']!r}"
                yield document.problem(path, message, "duplicate-container")
            taken.add(container["name"])


def _tensorboard(job: Job, document: Document) -> Iterator[Problem]:
    board = job.settings.get("tensorboard")
    if board is None:
        return
    if "image" not in board and "image" not in job.shared:
        message = "tensorboard has no image: give it one, or the job"
        yield document.problem(("tensorboard",), message, "image", key=True)
    known = {volume["name"] for volume in board.get("volumes", ())}
    yield from _mounts(board.get("volumeMounts", ()), ("tensorboard", "volumeMounts"), known, document)
