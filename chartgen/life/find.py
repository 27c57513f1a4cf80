"""Find the objects of a job by their labels, whoever installed it: Helm, Argo CD or Flux."""

from collections.abc import Iterable

from chartgen.k8s.objects import Object
from chartgen.startup.records import NamedTuple
from chartgen.words import did_you_mean

RELEASE, RUNTIME_ID = "app.kubernetes.io/instance", "chartgen/runtime-id"
ROLE, INDEX, CHART = "chartgen/role", "chartgen/index", "helm.sh/chart"
COMPONENT, CLEANUP = "app.kubernetes.io/component", "cleanup"
# The labels of pods that frameworks create at run time, which have none of ours; ElasticDL's of
# July 2019, and those of later versions.
ELASTICDL, ANGEL_ROLE = ("elasticdl_job_name", "elasticdl-job-name"), "angel-role"
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


def label(obj: Object, name: str) -> str:
    """A label of an object; nothing if it has none."""
    return str((obj["metadata"].get("labels") or {}).get(name) or "")


def elasticdl_names(jobs: Iterable[Object]) -> list[tuple[str, str]]:
    """The labels of the pods that ElasticDL's masters create, by key and value."""
    labels = {(key, label(job, key)) for job in jobs for key in ELASTICDL if label(job, key)}
    return sorted(labels)


def pods_as_jobs(objects: Objects) -> Objects:
    """The same, where a replica that is a pod without a Job counts as a Job that owns it.

    ElasticDL's master is one, except in July 2019.
    """
    jobs, pods = [*objects.jobs], []
    for pod in objects.pods:
        if label(pod, ROLE) and not pod["metadata"].get("ownerReferences"):
            jobs.append(_as_job(pod))
            owner = {"ownerReferences": [{"uid": pod["metadata"].get("uid")}]}
            pod = {**pod, "metadata": {**pod["metadata"], **owner}}
        pods.append(pod)
    return Objects(jobs, pods, objects.events)


def _as_job(pod: Object) -> Object:
    """A Job that has ended as its pod did."""
    status = pod.get("status") or {}
    ends = {"Succeeded": "Complete", "Failed": "Failed"}
    conditions = []
    if end := ends.get(str(status.get("phase"))):
        why = {
            "reason": status.get("reason") or "BackoffLimitExceeded",
            "message": status.get("message") or "",
        }
        conditions.append({"type": end, "status": "True", **why})
    return {"kind": "Pod", "metadata": pod["metadata"], "status": {"conditions": conditions}}


def replica_jobs(jobs: Iterable[Object]) -> list[Object]:
    """The Jobs of replicas of the newest runtime id; those of an older one are about to go."""
    ours = [job for job in jobs if label(job, ROLE)]
    if not ours:
        return []
    newest = max(ours, key=lambda job: (_created(job), job["metadata"]["name"]))
    runtime_id = label(newest, RUNTIME_ID)
    return [job for job in ours if label(job, RUNTIME_ID) == runtime_id]


def _created(obj: Object) -> str:
    return str(obj["metadata"].get("creationTimestamp") or "")


def made_pods(pods: Iterable[Object], jobs: Iterable[Object]) -> list[Object]:
    """The pods that the framework made at run time, and not a Job."""
    names = elasticdl_names(jobs)
    framework_pods = []
    for pod in pods:
        if label(pod, ROLE) or label(pod, COMPONENT) in ("test", CLEANUP, "strays"):
            continue
        if label(pod, ANGEL_ROLE) or any(label(pod, key) == name for key, name in names):
            framework_pods.append(pod)
    return framework_pods


def by_owner(pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Pods by the uid of what owns them, the oldest first."""
    pods_of: dict[str, list[Object]] = {}
    for pod in sorted(pods, key=_created):
        for owner in pod["metadata"].get("ownerReferences") or ():
            pods_of.setdefault(str(owner.get("uid")), []).append(pod)
    return pods_of


def releases(objects: Iterable[Object]) -> dict[tuple[str, str], list[Object]]:
    """Jobs or pods by the namespace and name of their release."""
    by_release: dict[tuple[str, str], list[Object]] = {}
    for obj in objects:
        if label(obj, RELEASE):
            key = str(obj["metadata"].get("namespace") or ""), label(obj, RELEASE)
            by_release.setdefault(key, []).append(obj)
    return dict(sorted(by_release.items()))


def why_missing(release: str, namespace: str, jobs: Iterable[Object]) -> str:
    """Why there is no such release: another was meant, or it is not one of ours."""
    ours = [job for job in jobs if label(job, ROLE)]
    known = [name for _, name in releases(ours)]
    hint = did_you_mean(release, known)
    if not hint:
        hint = f"its releases are {', '.join(known)}" if known else "it has none"
    return f"no release {release!r} of a chart by chartgen in namespace {namespace!r}; {hint}"
