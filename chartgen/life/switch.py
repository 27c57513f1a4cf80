"""Stop a job and start it again: which Jobs to suspend or to resume, or why that cannot be."""

from typing import NamedTuple

from chartgen.k8s.objects import Object
from chartgen.life import find
from chartgen.life.find import ANGEL_ROLE, ROLE, label
from chartgen.life.status import deciding_jobs, end


class Switch(NamedTuple):
    """The Jobs to change, by name; or why there are none."""

    jobs: list[str]
    why_not: str = ""
    refused: bool = False  # whether that is a failure, and not the state that was asked for


def stop(objects: find.Objects, release: str) -> Switch:
    """Suspend every Job that has not ended; the clean-up goes on waiting."""
    jobs = find.replica_jobs(objects.jobs)
    if why := _ended(jobs, release):
        return Switch([], why)
    angel = any(label(pod, ANGEL_ROLE) for pod in objects.pods)
    if angel or {label(job, ROLE) for job in jobs} == {"client"}:
        why = "Angel cannot be stopped and started: its client makes the other pods at run time, "
        why += f"and a new client would not know them; remove it: helm uninstall {release}"
        return Switch([], why, refused=True)
    running = [job for job in jobs if not end(job) and not _suspended(job)]
    return Switch(_names(running), "" if running else f"{release} is stopped already")


def start(objects: find.Objects, release: str) -> Switch:
    """Resume every Job that was stopped, unless the job has ended: its servers stay released."""
    jobs = find.replica_jobs(objects.jobs)
    if why := _ended(jobs, release):
        why += "; to run it again, uninstall and install it, or upgrade it with another image"
        return Switch([], why, refused=True)
    stopped = [job for job in jobs if not end(job) and _suspended(job)]
    return Switch(_names(stopped), "" if stopped else f"{release} is not stopped")


def _ended(jobs: list[Object], release: str) -> str:
    deciding = deciding_jobs(jobs)
    ends = [end(job) for job in deciding]
    if ends and (all(ends) or "Failed" in ends):
        how = "failed" if "Failed" in ends else "succeeded"
        return f"{release} has {how} already"
    return ""


def _suspended(job: Object) -> bool:
    return bool((job.get("spec") or {}).get("suspend"))


def _names(jobs: list[Object]) -> list[str]:
    return [str(job["metadata"]["name"]) for job in jobs]
