"""A job ends as it should: it fails when its program does, and what would serve for ever is stopped."""

from pathlib import Path

import pytest

from tests.e2e.frameworks import SEVERAL_JOBS
from tests.e2e.jobs import Framework, probes
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Object, merged, outcome
from tests.e2e.waiting import stays, until

# All in the command: some frameworks add arguments of their own.
FAILS = {
    "command": ["/bin/sh", "-c", "echo no data >&2; exit 1"],
    "backoffLimit": 1,
    "restartPolicy": "Never",
}
SUCCEEDS = {"command": ["/bin/sh", "-c", "echo trained"]}


def test_a_replica_that_fails_fails_its_job(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """It is tried again as backoffLimit says, then its Job counts as failed; the others are not touched, and helm test
    says who it is."""
    release = namespace.release(helm3)
    role = framework.member
    release.install(chart, merged(probes(framework), {"roles": {role: FAILS}}))
    until(lambda: all(outcome(job) == "Failed" for job in release.jobs(role)), f"every {role} fails")
    assert {job["status"]["failed"] for job in release.jobs(role)} == {2}
    others = [job for job in release.jobs() if job["metadata"]["labels"]["chartgen/role"] != role]
    assert not any(outcome(job) for job in others)
    with pytest.raises(Failure, match=f"(?s)FAILED +jobs: failed or gone: {role}-{release.id()}-0"):
        release.test("--logs")


@SEVERAL_JOBS
def test_cleanup_suspends_what_still_serves_once_the_job_is_done(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Suspended Jobs lose their pods and keep their record; helm test passes, and an upgrade with no change leaves
    them so."""
    release = namespace.release(helm)
    decides, *others = framework.roles
    values = merged(probes(framework), {"cleanup": {"enabled": True}, "roles": {decides: SUCCEEDS}})
    release.install(chart, values)
    until(lambda: {outcome(job) for job in release.jobs(decides)} == {"Complete"}, f"{decides} completes")
    until(lambda: all(suspended(release.jobs(role)) for role in others), "all others are suspended")
    until(lambda: not any(release.pods(role) for role in others), "their pods are gone")
    until(lambda: outcome(namespace.objects("jobs", "app.kubernetes.io/component=cleanup")[0]), "the clean-up ends")
    release.test()
    release.upgrade(chart, values)
    stays(lambda: [len(release.pods()), all(suspended(release.jobs(role)) for role in others)], "the pods", 3)


def suspended(jobs: list[Object]) -> bool:
    return all(job["spec"].get("suspend") for job in jobs)
