"""Stop a job and start it again: which Jobs to suspend or to resume, or why that cannot be."""

from chartgen.errors import MissingError
from chartgen.k8s.objects import Object
from chartgen.life import find
from chartgen.life.find import ANGEL_ROLE, ROLE, label
from chartgen.life.release import collect
from chartgen.life.replicas import end
from chartgen.life.status import deciding_jobs
from chartgen.startup.records import NamedTuple
from chartgen.words import count
from chartgen.world.cluster.api import JOBS, Api


class Switch(NamedTuple):
    """The Jobs to change, by name; or why there are none."""

    jobs: list[str]
    why_not: str = ""
    refused: bool = False  # whether that is a failure, and not the state that was asked for


def switch(api: Api, release: str, *, suspend: bool) -> str:
    """Suspend or resume the Jobs of a release; what was done, in words."""
    decided = (stop if suspend else start)(collect(api, release), release)
    if decided.refused:
        raise MissingError(decided.why_not)
    for name in decided.jobs:
        api.patch(api.path(JOBS, name=name), {"spec": {"suspend": suspend}})
    done = "stopped" if suspend else "started"
    return decided.why_not or f"{done} {release}: {count(len(decided.jobs), 'Job')}"


def stop(objects: find.Objects, release: str) -> Switch:
    """Suspend every Job that has not ended; the clean-up goes on waiting."""
    jobs = find.replica_jobs(objects.jobs)
    if why := _why_over(jobs, release):
        return Switch([], why)
    if why := _makes_pods(objects, jobs):
        return Switch([], f"{why}; remove it: helm uninstall {release}", refused=True)
    running = [job for job in jobs if not end(job) and not _suspended(job)]
    return Switch(_names(running), "" if running else f"{release} is already stopped")


def start(objects: find.Objects, release: str) -> Switch:
    """Resume every Job that was stopped, unless the job has ended: its servers stay released."""
    jobs = find.replica_jobs(objects.jobs)
    if why := _why_over(jobs, release):
        why += "; to run it again, uninstall and install it, or upgrade it with another image"
        return Switch([], why, refused=True)
    stopped = [job for job in jobs if not end(job) and _suspended(job)]
    return Switch(_names(stopped), "" if stopped else f"{release} is not stopped")


def _makes_pods(objects: find.Objects, jobs: list[Object]) -> str:
    """Why a job whose replicas are created at run time cannot be stopped."""
    roles = {label(job, ROLE) for job in jobs}
    if roles == {"client"} or any(label(pod, ANGEL_ROLE) for pod in objects.pods):
        who, maker = "Angel", "client"
    elif roles == {"master"} and find.elasticdl_names(jobs):
        who, maker = "ElasticDL", "master"
    else:
        return ""
    why = f"{who} cannot be stopped and started: its {maker} creates the other pods at run time"
    return f"{why}, and a new {maker} would not know them"


def _why_over(jobs: list[Object], release: str) -> str:
    deciding = deciding_jobs(jobs)
    ends = [end(job) for job in deciding]
    if ends and (all(ends) or "Failed" in ends):
        how = "failed" if "Failed" in ends else "succeeded"
        return f"{release} has already {how}"
    return ""


def _suspended(job: Object) -> bool:
    return bool((job.get("spec") or {}).get("suspend"))


def _names(jobs: list[Object]) -> list[str]:
    return [str(job["metadata"]["name"]) for job in jobs]
