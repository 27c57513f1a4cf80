"""Checks of a pod's variables and annotations: what they refer to, and how long they are."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.pods import Pod, pods

ENV_STRING = 131_072  # Linux refuses a longer single string of environment or arguments, with its last zero byte
ANNOTATIONS = 262_144  # the API server refuses more in the annotations of one object, keys and values together

# A doubled $ stands for one $, and $(NAME) for the value of an earlier variable.
_REFERENCE = re.compile(r"\$(?:\$|\(([^()]+)\))")


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """Every problem of variables and annotations, once, at the place that says them."""
    found: dict[Problem, None] = {}
    for pod in pods(job, plan):
        for judge in (_order, _sizes, _annotations):
            found |= dict.fromkeys(judge(pod, document))
    yield from found


def references(text: Any) -> list[str]:
    """The variables that a text refers to."""
    return [name for name in _REFERENCE.findall(text) if name] if isinstance(text, str) else []


def _order(pod: Pod, document: Document) -> Iterator[Problem]:
    """$(NAME) works only behind NAME: the chart orders variables by what they refer to, and sets its own last."""
    env = pod.spec.get("env", {})
    ours = {entry.name for entry in pod.role.env if entry.name not in env} if pod.role else set()
    for name, text in env.items():
        for other in references(text):
            if other in ours:
                message = (
                    f"{name} refers to $({other}), which the chart sets after it; only command and args can refer to it"
                )
                yield document.problem(pod.where("env", name), message, "env-order")
            elif other != name and name in _behind(other, env):
                message = (
                    f"{name} refers to $({other}), which refers back to it; expected an order that they can stand in"
                )
                hint = f"write out what {other} stands for"
                yield document.problem(pod.where("env", name), message, "env-order", hint)


def _behind(name: str, env: Mapping[str, Any]) -> set[str]:
    """All that a variable refers to, by way of others too."""
    found: set[str] = set()
    open_names = [name]
    while open_names:
        new = [other for other in references(env.get(open_names.pop())) if other in env and other not in found]
        found.update(new)
        open_names += new
    return found


def _sizes(pod: Pod, document: Document) -> Iterator[Problem]:
    """Variables as the process sees them are short enough for Linux to start it."""
    env = pod.spec.get("env", {})
    if sum(len(text) for text in env.values() if isinstance(text, str)) * 4 < ENV_STRING and not any(
        map(references, env.values())
    ):
        return  # as good as always
    known: dict[str, int] = {}
    for name in env:
        size = len(name.encode()) + _length(name, env, known) + 2
        if size > ENV_STRING:
            message = f"{name} would have {size:,} bytes; Linux allows {ENV_STRING:,} for one env string"
            hint = "put the text into a ConfigMap of your own and mount it as a file"
            yield document.problem(pod.where("env", name), message, "env-size", hint)


def _length(name: str, env: Mapping[str, Any], known: dict[str, int]) -> int:
    """How many bytes a variable's value has, what it refers to put in; of what is known only in the cluster, none."""
    if name not in known:
        text = env[name]
        known[name] = 0  # for one that refers to itself
        size = len(text.encode()) if isinstance(text, str) else 0
        for other in references(text):
            if other in env:
                size += _length(other, env, known) - len(f"$({other})")
        known[name] = size
    return known[name]


def _annotations(pod: Pod, document: Document) -> Iterator[Problem]:
    said = pod.spec.get("annotations", {})
    size = sum(len(key.encode()) + len(value.encode()) for key, value in said.items())
    if size > ANNOTATIONS:
        message = f"the annotations of a pod would have {size:,} bytes in sum; Kubernetes allows {ANNOTATIONS:,}"
        hint = "put long texts into a ConfigMap of your own"
        yield document.problem(pod.where("annotations"), message, "annotation-size", hint, key=True)
