"""Checks of a pod's variables and annotations: what they refer to, and how long they are."""

import re
from collections.abc import Iterator, Mapping

from chartgen.document import Document, FieldProblem, about
from chartgen.errors import Problem
from chartgen.k8s.limits import ANNOTATION_BYTES, ENV_STRING_BYTES
from chartgen.k8s.secrets import is_literal_secret
from chartgen.pods import DescribedPod, Pods
from chartgen.startup.typing import Any

_MOST_LOOPS = 20  # variables in loops to report; correcting one may well correct the others
# Variables that refer to others: charts sort them, by a template that takes the square of their
# number, and a person has a few. charts/job/templates/lib/_env.tpl has the same limit.
MOST_REFERRING = 500
_LONGEST = 10**9  # bytes of a variable, which grow tenfold with each that refers to the one before
# $$ is an escaped $, and $(NAME) the value of an earlier variable.
_REFERENCE = r"\$(?:\$|\(([^()]+)\))"


def check_env(pods: Pods, document: Document) -> Iterator[Problem]:
    """Variables and annotations of every pod."""
    for pod in pods.charted:
        yield from _check_order(pod, document)
        yield from _check_secrets(pod, document)
        for (name, *_), problem in check_variables(pod.spec.get("env", {})):
            yield document.place(pod.where("env", str(name)), problem)
        yield from _check_annotations(pod, document)


def find_references(text: Any) -> list[str]:
    """The variables that a text refers to."""
    if not isinstance(text, str) or "$" not in text:
        return []
    return [name for name in re.findall(_REFERENCE, text) if name]


def _check_secrets(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    """Everybody who can read the chart, the release or the pod can read a literal."""
    for name, text in pod.spec.get("env", {}).items():
        if is_literal_secret(name, text):
            message = f"{name} seems to be a secret, and is readable in the chart and in the pod"
            hint = "keep it in a Secret, and refer to it: "
            hint += f"{{valueFrom: {{secretKeyRef: {{name: SECRET, key: {name}}}}}}}"
            yield document.warning(pod.where("env", name), message, "env-secret", hint)


def _check_order(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    """$(NAME) works only after NAME, and charts set the framework's variables last."""
    env = pod.spec.get("env", {})
    ours = {entry.name for entry in pod.plan.env} - env.keys() if pod.plan else set()
    for name, text in env.items():
        for other in find_references(text):
            if other in ours:
                message = f"{name} refers to $({other}), which the chart sets after it"
                message += "; only command and args can refer to it"
                yield document.problem(pod.where("env", name), message, "env-reference-early")


def check_variables(env: Mapping[str, Any]) -> Iterator[FieldProblem]:
    """Variables, which charts sort, do not refer to each other in a loop, and are short enough."""
    lengths = (len(name) + len(text) for name, text in env.items() if isinstance(text, str))
    longest = max(lengths, default=0)
    if longest * 4 + 2 <= ENV_STRING_BYTES and not any(map(find_references, env.values())):
        return  # the usual case: short even if every character takes four bytes
    referring = [name for name, text in env.items() if isinstance(text, str) and "$(" in text]
    if len(referring) > MOST_REFERRING:
        message = f"{len(referring):,} variables refer to others; expected {MOST_REFERRING} at most"
        yield about((referring[MOST_REFERRING],), message, "value-too-large", "write some out")
        return
    ordered = _sort(env)
    in_order = set(ordered)
    rest = [name for name in env if name not in in_order]
    for name in rest[:_MOST_LOOPS]:
        for other in _referred(name, env):
            if name in _find_indirect(other, env):
                message = f"{name} refers to $({other}), which refers back to it"
                message += "; expected references in one direction"
                hint = f"write out the value of {other}"
                yield about((name,), message, "env-reference-loop", hint)
    yield from _check_sizes(env, ordered + rest)


def _referred(name: str, env: Mapping[str, Any]) -> list[str]:
    """The other variables that one refers to, each once."""
    names = dict.fromkeys(find_references(env[name]))
    return [other for other in names if other in env and other != name]


def _sort(env: Mapping[str, Any]) -> list[str]:
    """The variables, each after those that it refers to; without those that no order has."""
    waiting: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    for name in env:
        referred = _referred(name, env)
        waiting[name] = len(referred)
        for other in referred:
            users.setdefault(other, []).append(name)
    ordered = [name for name, count in waiting.items() if not count]
    for name in ordered:  # it grows
        for user in users.get(name, ()):
            waiting[user] -= 1
            if not waiting[user]:
                ordered.append(user)
    return ordered


def _find_indirect(name: str, env: Mapping[str, Any]) -> set[str]:
    """Everything that a variable refers to, directly or by way of others."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        for other in _referred(waiting.pop(), env):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def _check_sizes(env: Mapping[str, Any], ordered: list[str]) -> Iterator[FieldProblem]:
    """Variables with their references filled in are short enough for Linux to start the process."""
    lengths: dict[str, int] = {}
    for name in ordered:
        lengths[name] = min(_measure(name, env, lengths), _LONGEST)
        size = len(name.encode()) + lengths[name] + 2  # "=" and a zero byte
        if size > ENV_STRING_BYTES:
            more = "more than " if lengths[name] == _LONGEST else ""
            message = f"{name} would have {more}{size:,} bytes"
            message += f"; Linux allows {ENV_STRING_BYTES:,} for one env string"
            hint = "put the text into a ConfigMap of your own and mount it as a file"
            yield about((name,), message, "env-too-long", hint)


def _measure(name: str, env: Mapping[str, Any], lengths: Mapping[str, int]) -> int:
    """The bytes of a variable's value; what is known only in the cluster counts as empty.

    A variable that refers to itself keeps that reference as it is written.
    """
    text = env[name]
    size = len(text.encode()) if isinstance(text, str) else 0
    for other in find_references(text):
        if other in lengths:
            size += lengths[other] - len(f"$({other})")
    return size


def _check_annotations(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    annotations = pod.spec.get("annotations", {})
    for layer in pod.injected:
        annotations = {**layer.get("annotations", {}), **annotations}
    size = 0
    for key, value in annotations.items():
        size += len(key.encode()) + len(str(value).encode())
    if size > ANNOTATION_BYTES:
        message = f"the annotations of a pod would have {size:,} bytes in total"
        message += f"; Kubernetes allows {ANNOTATION_BYTES:,}"
        hint = "put long texts into a ConfigMap of your own"
        yield document.problem(
            pod.where("annotations"), message, "annotations-too-large", hint, key=True
        )
