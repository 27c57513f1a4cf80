"""Checks of what a job says about objects other than pods: its Jobs, and extra objects."""

import re
from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.k8s.rules.jobs import check_failure_rules, check_replacement
from chartgen.pods import DescribedPod, Pods

_QUEUE = "kueue.x-k8s.io/queue-name"
# The names of objects that charts/job makes beside those of the plan.
_SINGLE = (
    *("access", "cleanup", "helpers", "strays", "strays-delete", "strays-upgrade"),
    *("tensorboard", "test", "watch"),
)


def check_jobs(pods: Pods, document: Document) -> Iterator[Problem]:
    """What Kubernetes accepts only together, and what does not mean what it seems to."""
    for pod in pods.charted:
        if pod.plan and "podFailurePolicy" in pod.spec.get("job", {}):
            yield from _check_failure_policy(pod, document)
    layers: list[Path] = []
    if _QUEUE in pods.job.settings.get("commonLabels", {}):
        layers.append(("commonLabels",))
    for path, spec in pods.layers:
        if _QUEUE in spec.get("job", {}).get("labels", {}):
            layers.append((*path, "job", "labels"))
    for path in layers:
        message = "each replica is a Job of its own, and Kueue would admit each one alone"
        hint = "put the queue on the pods, with labels, and make them a pod group"
        yield document.warning((*path, _QUEUE), message, "job-queue-name", hint, key=True)


def _check_failure_policy(pod: DescribedPod, document: Document) -> Iterator[Problem]:
    path = pod.where("job", "podFailurePolicy")
    defaults = pod.plan.defaults if pod.plan else {}
    restarts = pod.spec.get("restartPolicy") or defaults.get("restartPolicy", "OnFailure")
    if restarts != "Never":
        message = (
            f"a podFailurePolicy needs restartPolicy Never, and roles.{pod.role} has {restarts}"
        )
        hint = "set restartPolicy: Never, so that a failed pod is replaced by the Job"
        yield document.problem(path, message, "job-failure-policy", hint, key=True)
    for _, problem in check_replacement(pod.spec["job"]):
        yield document.place(pod.where("job", "podReplacementPolicy"), problem, key=True)
    for inner, problem in check_failure_rules(pod.spec["job"]["podFailurePolicy"]):
        yield document.place((*path, *inner), problem)


def check_extra_objects(pods: Pods, document: Document) -> Iterator[Problem]:
    """No extra object has a name that the chart gives its own, and none is there twice."""
    extra_objects = pods.job.settings.get("extraObjects")
    if not extra_objects:
        return
    own = own_names(pods)
    seen = set()
    for index, extra in enumerate(extra_objects):
        metadata = extra["metadata"]
        name = metadata["name"]
        path = ("extraObjects", index, "metadata", "name")
        if own.fullmatch(name):
            message = f"the chart may name an object of its own {name!r}; expected another name"
            yield document.problem(path, message, "object-name-taken")
        group = extra["apiVersion"].rpartition("/")[0]
        identity = (group, extra["kind"], metadata.get("namespace", ""), name)
        if identity in seen:
            message = f"another extra object is the {extra['kind']} {name!r}; expected it once"
            yield document.problem(path, message, "object-duplicate")
        seen.add(identity)


def own_names(pods: Pods) -> re.Pattern[str]:
    """The names of the chart's own objects: with the runtime id, and an index or a hash."""
    settings, plan = pods.job.settings, pods.plan
    known = {*_SINGLE, *(role.name for role in plan.roles)}
    known |= {config.name for config in plan.configs}
    known |= {service.name for service in plan.services}
    prefix = re.escape(settings.get("namePrefix", ""))
    runtime_id = re.escape(str(settings.get("runtimeId", ""))) or "[0-9a-f]{8}"
    return re.compile(f"{prefix}({'|'.join(sorted(known))})-{runtime_id}(-[0-9a-f]+)?")
