"""A job ends as it should: it fails when its program does, and servers are stopped."""

from pathlib import Path

import pytest

from tests.e2e.frameworks import SEVERAL_JOBS
from tests.e2e.jobs import Framework, probes
from tests.e2e.life import argocd, reported, status
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Object, Release, merged, outcome
from tests.e2e.waiting import stays, until

# Everything is in the command, because some frameworks add arguments.
FAILS = {
    "command": ["/bin/sh", "-c", "echo no data >&2; exit 1"],
    "backoffLimit": 1,
    "restartPolicy": "Never",
}
ENABLED = {"enabled": True}  # the default, except that Mars' other tests turn it off
SUCCEEDS = {"command": ["/bin/sh", "-c", "echo trained"]}


def test_a_replica_that_fails_fails_its_job(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """After the retries of backoffLimit its Job fails; others run on, and helm test names it."""
    release = namespace.release(helm3)
    role = framework.member
    release.install(chart, merged(probes(framework), {"roles": {role: FAILS}}))
    until(
        lambda: all(outcome(job) == "Failed" for job in release.jobs(role)), f"every {role} fails"
    )
    assert {job["status"]["failed"] for job in release.jobs(role)} == {2}
    others = [job for job in release.jobs() if job["metadata"]["labels"]["chartgen/role"] != role]
    assert not any(outcome(job) for job in others)
    with pytest.raises(
        Failure, match=f"(?s)FAILED +jobs: failed or missing: {role}-{release.id()}-0"
    ):
        release.test("--logs")


def serving(release: Release) -> list[Object]:
    """The Jobs of roles that only serve, which Argo CD need not wait for."""
    mark = "argocd.argoproj.io/ignore-healthcheck"
    return [job for job in release.jobs() if mark in (job["metadata"].get("annotations") or {})]


@SEVERAL_JOBS
def test_servers_are_released_once_the_job_is_done(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Suspended Jobs stay without pods; helm test passes, an empty upgrade changes nothing.

    Roles that neither decide nor serve may still end by themselves, which the clean-up waits for.
    Argo CD sees no drift, and a healthy application once all have ended.
    """
    release = namespace.release(helm)
    decides = next(iter(framework.roles))
    values = merged(probes(framework), {"cleanup": ENABLED, "roles": {decides: SUCCEEDS}})
    release.install(chart, values)
    until(
        lambda: {outcome(job) for job in release.jobs(decides)} == {"Complete"},
        f"{decides} completes",
    )
    until(lambda: suspended(serving(release)), "all that only serves is suspended")
    roles = {job["metadata"]["labels"]["chartgen/role"] for job in serving(release)}
    until(lambda: not any(release.pods(role) for role in roles), "their pods are gone")
    over = roles | {decides} == {*framework.roles}
    phase, health = ("Done", "Healthy") if over else ("CleanUp", "Progressing")
    until(lambda: status(release)[1]["phase"] == phase, f"the phase is {phase}")
    assert reported(release, "--wait=60s")[:3] == (0, phase, "Succeeded")
    seen = argocd(release)
    assert (seen.health, seen.drift()) == (health, {})
    release.test()
    release.upgrade(chart, values)
    stays(lambda: [suspended(serving(release)), *map(release.pods, roles)], "what is released", 3)


@SEVERAL_JOBS
def test_after_a_failure_all_others_are_released(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """The clean-up ends; Jobs and the logs of what failed stay; `status` says why it failed."""
    release = namespace.release(helm3)
    decides, *others = framework.roles
    failing = {**FAILS, "backoffLimit": 0, "exitCodes": "tfjob"}
    values = {"cleanup": ENABLED, "roles": {decides: failing}}
    release.install(chart, merged(probes(framework), values))
    until(lambda: all(suspended(release.jobs(role)) for role in others), "all others are suspended")
    until(lambda: not any(release.pods(role) for role in others), "their pods are gone")
    until(
        lambda: outcome(namespace.objects("jobs", "app.kubernetes.io/component=cleanup")[0]),
        "the clean-up ends",
    )
    code, phase, state, reason = reported(release, "--wait=60s")
    assert (code, phase, state) == (1, "Done", "Failed")
    assert "failed: exit code 1" in reason
    seen = argocd(release)
    assert (seen.health, seen.drift()) == ("Degraded", {})
    assert "no data" in release.logs(release.jobs(decides)[0]["metadata"]["name"])


def suspended(jobs: list[Object]) -> bool:
    return all(job["spec"].get("suspend") for job in jobs)
