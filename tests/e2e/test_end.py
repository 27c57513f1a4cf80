"""A job ends as it should: it fails when its program does, and what would serve for ever is stopped."""

from pathlib import Path

from tests.e2e.jobs import Framework, probes
from tests.e2e.releases import Namespace, merged, outcome
from tests.e2e.waiting import stays, until

FAILS = {"command": ["/bin/sh", "-c"], "args": ["echo no data >&2; exit 1"], "backoffLimit": 1}
SUCCEEDS = {"command": ["/bin/sh", "-c"], "args": ["echo trained"]}


def test_a_replica_that_fails_fails_its_job(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """It is tried again as backoffLimit says, then its Job counts as failed, and the others are not touched."""
    release = namespace.release(helm3)
    role = framework.grows
    release.install(chart, merged(probes(framework), {"roles": {role: FAILS}}))
    until(lambda: all(outcome(job) == "Failed" for job in release.jobs(role)), f"every {role} fails")
    others = [job for job in release.jobs() if job["metadata"]["labels"]["chartgen/role"] != role]
    assert {outcome(job) for job in others} == {""}


def test_cleanup_suspends_what_still_serves_once_the_job_is_done(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Suspended Jobs lose their pods and keep their record; an upgrade with no change leaves them so."""
    release = namespace.release(helm)
    decides = next(iter(framework.roles))
    values = merged(probes(framework), {"cleanup": {"enabled": True}, "roles": {decides: SUCCEEDS}})
    release.install(chart, values)
    until(lambda: [outcome(job) for job in release.jobs(decides)] == ["Complete"], f"{decides} completes")
    others = [role for role in framework.roles if role != decides]
    until(lambda: all(suspended(release.jobs(role)) for role in others), "all others are suspended")
    until(lambda: not any(release.pods(role) for role in others), "their pods are gone")
    (finisher,) = namespace.objects("jobs", "app.kubernetes.io/component=cleanup")
    until(lambda: outcome(namespace.objects("jobs", "app.kubernetes.io/component=cleanup")[0]), "the clean-up ends")
    assert finisher["metadata"]["name"].startswith("cleanup-")
    release.upgrade(chart, values)
    stays(lambda: [len(release.pods()), all(suspended(release.jobs(role)) for role in others)], "the pods", 3)


def suspended(jobs: list[dict[str, dict[str, object]]]) -> bool:
    return all(job["spec"].get("suspend") for job in jobs)
