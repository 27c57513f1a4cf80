"""Find the objects of a job by their labels, whoever installed it: Helm, Argo CD or Flux."""

from collections.abc import Iterable
from typing import NamedTuple

from chartgen.k8s.objects import Object
from chartgen.words import did_you_mean

RELEASE, RUNTIME_ID = "app.kubernetes.io/instance", "chartgen/runtime-id"
ROLE, INDEX, CHART = "chartgen/role", "chartgen/index", "helm.sh/chart"
COMPONENT, CLEANUP = "app.kubernetes.io/component", "cleanup"
# The labels of pods that frameworks create at run time, which have none of ours.
ELASTICDL, ANGEL_ROLE = "elasticdl_job_name", "angel-role"
# What selects everything that a chart of chartgen has made.
OURS = RUNTIME_ID


def of_release(release: str) -> str:
    """What selects the objects of a release, and the pods that Angel makes for it."""
    return f"{RELEASE}={release}"


class Objects(NamedTuple):
    """The Jobs and pods of a release, and the events of its namespace."""

    jobs: list[Object]
    pods: list[Object]
    events: list[Object]


def label(one: Object, name: str) -> str:
    """A label of an object; nothing if it has none."""
    return str((one["metadata"].get("labels") or {}).get(name) or "")


def replica_jobs(jobs: Iterable[Object]) -> list[Object]:
    """The Jobs of replicas of the newest runtime id; those of an older one are about to go."""
    ours = [job for job in jobs if label(job, ROLE)]
    if not ours:
        return []
    newest = max(ours, key=lambda job: (_created(job), job["metadata"]["name"]))
    runtime_id = label(newest, RUNTIME_ID)
    return [job for job in ours if label(job, RUNTIME_ID) == runtime_id]


def _created(one: Object) -> str:
    return str(one["metadata"].get("creationTimestamp") or "")


def made_pods(pods: Iterable[Object], jobs: Iterable[Object]) -> list[Object]:
    """The pods that the framework made at run time, and not a Job."""
    names = {label(job, ELASTICDL) for job in jobs} - {""}
    found = []
    for pod in pods:
        if label(pod, ROLE) or label(pod, COMPONENT) in ("test", CLEANUP, "strays"):
            continue
        if label(pod, ANGEL_ROLE) or label(pod, ELASTICDL) in names:
            found.append(pod)
    return found


def by_owner(pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Pods by the uid of what owns them, the oldest first."""
    found: dict[str, list[Object]] = {}
    for pod in sorted(pods, key=_created):
        for owner in pod["metadata"].get("ownerReferences") or ():
            found.setdefault(str(owner.get("uid")), []).append(pod)
    return found


def releases(objects: Iterable[Object]) -> dict[tuple[str, str], list[Object]]:
    """Jobs or pods by the namespace and name of their release."""
    found: dict[tuple[str, str], list[Object]] = {}
    for one in objects:
        if label(one, RELEASE):
            key = str(one["metadata"].get("namespace") or ""), label(one, RELEASE)
            found.setdefault(key, []).append(one)
    return dict(sorted(found.items()))


def why_missing(release: str, namespace: str, jobs: Iterable[Object]) -> str:
    """Why there is no such release: another was meant, or it is not one of ours."""
    ours = [job for job in jobs if label(job, ROLE)]
    known = [name for _, name in releases(ours)]
    hint = did_you_mean(release, known)
    if not hint:
        hint = f"there are {', '.join(known)}" if known else "chartgen's charts made none there"
    return f"no release {release!r} of a chart by chartgen in namespace {namespace!r}; {hint}"
