"""The life of a job with faults: what status, logs, events, stop and start say and do."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import api
from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes
from tests.e2e.life import argocd, chartgen, replica, reported, status
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Object, Release, merged, outcome
from tests.e2e.test_end import SUCCEEDS, suspended
from tests.e2e.waiting import stays, until

NEVER = {"restartPolicy": "Never", "exitCodes": "tfjob", "backoffLimit": 1}
GATE = "until [ -e /tmp/end ]; do sleep 1; done; echo trained"
GATED = {"command": ["/bin/sh", "-c", GATE]}  # ends when it is told to
SMALL = {"roles": {"worker": {"replicas": 1}}}
# Each fault before the start, and what status must say about it.
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "image": (
        {"image": "local/none:9", "imagePullPolicy": "Never"},
        r"worker-0 cannot start: the image local/none:9 cannot be pulled \(ErrImageNeverPull\)",
    ),
    "claim": ({"volumes": [CLAIM]}, "the PersistentVolumeClaim data does not exist"),
    "device": (
        {"resources": {"limits": {"example.com/dev": 1}}},
        "no node fits: 1 of 1 nodes have too little example.com/dev",
    ),
    "secret": (
        {"env": {"KEY": {"valueFrom": {"secretKeyRef": {"name": "key", "key": "k"}}}}},
        "the Secret key does not exist",
    ),
    "account": ({"serviceAccountName": "nobody"}, "the ServiceAccount nobody does not exist"),
}


def small(framework: Framework) -> dict[str, Any]:
    return merged(probes(framework), SMALL)


def says(release: Release, pattern: str) -> bool:
    """Whether that is the reason that status gives."""
    return bool(re.search(pattern, status(release)[1]["reason"]))


def decider_runs(release: Release) -> bool:
    return bool(status(release)[1]["phase"] == "Running")


def failed_workers(release: Release) -> list[Object]:
    return [job for job in release.jobs("worker") if outcome(job) == "Failed"]


@FIRST
def test_the_cause_behind_pending_is_told(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """By status in words and JSON, and by helm test at once where waiting cannot help.

    All else runs on: only the chief decides, and so nothing is released.
    """
    for name, (fault, _) in FAULTS.items():
        values = merged(
            small(framework), {"roles": {"worker": fault}, "cleanup": {"policy": "none"}}
        )
        namespace.release(helm3, name).install(chart, values)
    for name, (_, reason) in FAULTS.items():
        release = namespace.release(helm3, name)
        until(partial(says, release, reason), f"{name}: {reason}")
        assert replica(release, "worker-0")["state"] == "Running"  # as TfJob calls what is to come
        until(partial(decider_runs, release), f"{name}: the chief runs")
        assert reported(release, "--wait=1s")[:3] == (4, "Running", "Running")
        assert not any(map(outcome, release.jobs()))
    assert "FailedCreate" in chartgen(namespace.release(helm3, "account"), "events").out
    with pytest.raises(Failure, match=r"FAILED  pods: .*persistentvolumeclaim 'data' not found"):
        namespace.release(helm3, "claim").test("--logs")


def quota_concerns_all(release: Release) -> bool:
    replicas = status(release)[1]["replicas"]
    return all("quota team is full" in replica["reason"] for replica in replicas)


@FIRST
def test_a_full_quota_is_told(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "team"},
        "spec": {"hard": {"pods": "0"}},
    }
    place = f"/api/v1/namespaces/{namespace.name}/resourcequotas"
    api.ask(namespace.cluster, "POST", place, quota)
    release = namespace.release(helm3)
    release.install(chart, small(framework))
    until(partial(quota_concerns_all, release), "the quota is told for all replicas")
    code, phase, state, reason = reported(release, "--wait=1s")
    assert (code, phase, state) == (4, "Creating", "Running")
    assert "quota team is full" in reason
    assert "has not ended" in status(release, "--wait=1s")[2]
    # Nothing runs, nothing has failed, and nothing is released.
    assert release.pods() == []
    assert not any(map(outcome, release.jobs()))
    assert not any(job["spec"].get("suspend") for job in release.jobs())


@FIRST
def test_exit_codes_and_kills(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """1 is permanent, a kill is retried, an OOM kill is named."""
    shell = ["/bin/sh", "-c"]
    eat = ["python", "-c", "x = []\nwhile True: x.append(bytes(10_000_000))"]
    programs = {
        "one": [*shell, "exit 1"],
        "kill": [*shell, "exit 137"],
        "oom": eat,
    }
    for name, program in programs.items():
        own = {**NEVER, "command": program}
        values = merged(small(framework), {"roles": {"worker": own}, "cleanup": {"policy": "none"}})
        namespace.release(helm3, name).install(chart, values)
    expected = {"one": (1, 1, "exit code 1"), "kill": (137, 2, ""), "oom": (137, 2, "OOMKilled")}
    for name, (code, pods, said) in expected.items():
        release = namespace.release(helm3, name)
        (job,) = until(
            partial(failed_workers, release),
            f"{name}: the worker's Job fails",
        )
        assert job["status"]["failed"] == pods
        worker = replica(release, "worker-0")
        assert (worker["state"], worker["exitCode"]) == ("Failed", code)
        assert said in worker["reason"]
        # Only the chief decides, and nothing else is released.
        until(partial(decider_runs, release), f"{name}: the chief runs")
        assert reported(release)[:3] == (0, "Running", "Running")
        assert not any(job["spec"].get("suspend") for job in release.jobs())
        assert argocd(release).health == "Degraded"


@FIRST
def test_stop_start_and_the_end(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """A stop is no end to the clean-up; a killed chief or server goes on; an end is final."""
    release = namespace.release(helm3)
    values = merged(small(framework), {"roles": {"chief": GATED, "worker": SUCCEEDS}})
    release.install(chart, values)
    until(lambda: replica(release, "chief-0")["status"] == "Running", "the chief runs")
    until(lambda: outcome(release.jobs("worker")[0]), "the worker's Job has ended")
    kill(release, "chief")
    kill(release, "ps")
    assert reported(release) == (0, "Running", "Running", "2 of 3 replicas run")
    seen = argocd(release)
    assert (seen.health, seen.drift()) == ("Progressing", {})
    assert chartgen(release, "stop").err == "stopped demo: 2 Jobs\n"
    until(
        lambda: not [pod for pod in release.pods() if pod["status"]["phase"] == "Running"], "no pod"
    )
    assert status(release)[1]["controlPaused"] is True
    until(lambda: argocd(release).health == "Suspended", "Argo CD sees it as suspended")
    assert argocd(release).drift() == {}
    stays(lambda: [outcome(job) for job in release.jobs("chief")], "the chief's Job", 8)
    assert chartgen(release, "start").err == "started demo: 2 Jobs\n"
    finish(release)
    code, job_status, _ = status(release, "--wait=2m")
    assert (code, job_status["state"], job_status["reason"]) == (
        0,
        "Succeeded",
        "chief-0 succeeded",
    )
    until(lambda: suspended(release.jobs("ps")), "ps is released")
    until(lambda: status(release)[1]["phase"] == "Done", "all is done")
    assert reported(release) == (0, "Done", "Succeeded", "chief-0 succeeded")
    seen = argocd(release)
    assert (seen.health, seen.drift()) == ("Healthy", {})
    assert {replica["name"]: replica["status"] for replica in status(release)[1]["replicas"]} == {
        "chief-0": "Succeeded",
        "ps-0": "Released",
        "worker-0": "Succeeded",
    }
    refused = chartgen(release, "start")
    assert (refused.code, suspended(release.jobs("ps"))) == (1, True)
    assert chartgen(release, "logs", "chief").out == "trained\n"
    lines = chartgen(release, "logs", "-f").out.splitlines()  # in the order in which they come
    assert sorted(lines) == ["chief-0 trained", "worker-0 trained"]


def kill(release: Release, role: str) -> None:
    """Kill a replica's program, and wait until its container runs again."""
    (pod,) = release.pods(role)
    release.namespace.cluster.kill(pod["status"]["containerStatuses"][0]["containerID"])

    def runs_again() -> bool:
        row = replica(release, f"{role}-0")
        words = row["status"], row["restarts"], row["exitCode"]
        return words == ("Running", 1, 137)

    until(runs_again, f"{role} was killed, and runs again")


def finish(release: Release) -> None:
    """Tell a gated chief to end."""
    (pod,) = until(lambda: [pod for pod in release.pods("chief") if running(pod)], "the chief runs")
    release.namespace.kubectl("exec", pod["metadata"]["name"], "--", "touch", "/tmp/end")


def running(pod: Object) -> bool:
    return pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]


@FIRST
def test_without_rights_the_cleanup_says_so_and_the_job_runs_on(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    release = namespace.release(helm3)
    release.install(chart, merged(small(framework), {"rbac": {"create": False}}))
    release.running(3)
    selector = "app.kubernetes.io/component=cleanup"
    until(
        lambda: outcome(namespace.objects("jobs", selector)[0]) == "Complete", "the clean-up ends"
    )
    (pod,) = namespace.objects("pods", selector)
    said = namespace.logs(pod["metadata"]["name"])
    assert said.startswith("nothing will be released when the job has ended: GET ")
    assert "403" in said
    assert said.count("nothing will be released") == 1
    assert not any(outcome(job) for job in release.jobs())
