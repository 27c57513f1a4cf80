"""A job outlives the drain of its node and a restart of the API server, and is cleaned up."""

from pathlib import Path

import pytest

from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes
from tests.e2e.life import argocd, finished, replica, reported, start, status
from tests.e2e.releases import Namespace, Object, Release, merged, outcome
from tests.e2e.test_end import suspended
from tests.e2e.test_life import GATED, SMALL, finish
from tests.e2e.waiting import until

ONCE = {"restartPolicy": "Never", "backoffLimit": 0}  # one failure would end it
CORDONED = "no node fits: 1 of 1 are cordoned"
CLEANUP = "app.kubernetes.io/component=cleanup"


@pytest.mark.alone
@FIRST
def test_neither_a_drain_nor_a_new_api_server_is_a_failure(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    release = namespace.release(helm3, "disrupted")
    roles = {"chief": {**GATED, **ONCE}, "worker": ONCE}
    release.install(chart, merged(merged(probes(framework), SMALL), {"roles": roles}))
    before = release.running(3) + namespace.objects("pods", CLEANUP)
    drained(release)
    after = release.running(3) + until(lambda: cleans(namespace), "the clean-up is back")
    assert uids(before).isdisjoint(uids(after))
    assert not any(map(outcome, release.jobs()))
    for role in roles:
        assert [job["status"].get("failed", 0) for job in release.jobs(role)] == [0]
    waiting = start(release, "status", "--watch", "--wait=4m")
    assert waiting.stdout
    assert waiting.stdout.readline().startswith("disrupted in ")  # it has seen the job run
    finish(release)
    namespace.cluster.restart_api_server()
    assert finished(waiting).code == 0
    until(lambda: suspended(release.jobs("ps")), "ps is released")
    until(lambda: not release.pods("ps"), "its pod is gone")
    assert reported(release)[0::2] == (0, "Succeeded")
    assert replica(release, "ps-0")["status"] == "Released"
    assert cleans(namespace)[0]["metadata"]["uid"] == after[-1]["metadata"]["uid"]
    assert release.logs(release.jobs("chief")[0]["metadata"]["name"]) == "trained\n"
    assert argocd(release).drift() == {}


@pytest.mark.alone
@FIRST
def test_a_taint_is_told_until_it_goes(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    release, cluster = namespace.release(helm3), namespace.cluster
    reason = "no node fits: 1 of 1 have taints that it does not tolerate"
    try:
        cluster.kubectl("taint", "node", "node", "example.com/team=ml:NoSchedule")
        release.install(chart, merged(probes(framework), SMALL))
        until(lambda: causes(release) == {reason}, "the cause is told for all replicas")
        assert reported(release, "--wait=1s")[:3] == (4, "Creating", "Running")
    finally:
        cluster.kubectl("taint", "node", "node", "example.com/team-")
    release.running(3)
    assert reported(release)[:3] == (0, "Running", "Running")


def drained(release: Release) -> None:
    """Drain the node of a release's pods, look at what status says, and open the node again."""
    cluster = release.namespace.cluster
    options = ("--delete-emptydir-data", "--grace-period=1", "--timeout=2m")
    selector = f"--pod-selector=app.kubernetes.io/instance={release.name}"
    try:
        cluster.kubectl("drain", "node", selector, *options)
        until(lambda: causes(release) == {CORDONED}, "the cause is told for all replicas")
        code, _, state, reason = reported(release, "--wait=1s")
        assert (code, state) == (4, "Running")
        assert reason.endswith(f" cannot start: {CORDONED}")
    finally:
        cluster.kubectl("uncordon", "node")


def causes(release: Release) -> set[str]:
    return {replica["reason"] for replica in status(release)[1]["replicas"]}


def uids(pods: list[Object]) -> set[str]:
    return {pod["metadata"]["uid"] for pod in pods}


def cleans(namespace: Namespace) -> list[Object]:
    """The pod of the clean-up, unless it is about to go."""
    pods = namespace.objects("pods", CLEANUP)
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
