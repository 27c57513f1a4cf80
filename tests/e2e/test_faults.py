"""Faults where frameworks differ: who decides, what is not a Job, and who refuses a pod."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import api
from tests.e2e.conftest import NewClaim, NewNamespace
from tests.e2e.frameworks import FIRST, angel, mars, mxnet, only, pytorch
from tests.e2e.images import tag
from tests.e2e.jobs import HERE, Framework, probes, rendered
from tests.e2e.life import chartgen, replica, reported, status
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Release, merged, outcome
from tests.e2e.test_end import suspended
from tests.e2e.test_life import FAULTS, GATED, kill, says, small
from tests.e2e.waiting import until
from tests.support.charts import render

EAT = ["python", "-c", "x = []\nwhile True: x.append(bytes(10_000_000))"]
LITTLE = {"limits": {"cpu": 1, "memory": "64Mi"}}
EVERYTHING = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}


@only(mxnet.FRAMEWORK, mars.FRAMEWORK, angel.FRAMEWORK, pytorch.FRAMEWORK)
def test_a_replica_that_decides_cannot_start(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """The cause is told, in words and JSON; nothing has failed, and nothing is released."""
    decides = next(iter(framework.roles))
    faults = {name: FAULTS[name] for name in ("image", "claim", "device")}
    for name, (fault, _) in faults.items():
        values = merged(probes(framework), {"roles": {decides: fault}})
        namespace.release(helm3, name).install(chart, values)
    for name, (_, reason) in faults.items():
        release = namespace.release(helm3, name)
        until(partial(says, release, reason.replace("worker-0 ", "")), f"{name}: {reason}")
        assert reported(release, "--wait=1s")[:3] == (4, "Creating", "Running")
        assert not any(map(outcome, release.jobs()))
        assert not any(job["spec"].get("suspend") for job in release.jobs())


@only(mxnet.FRAMEWORK)
def test_one_worker_fails_where_all_decide(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """MXNet has no chief: a killed scheduler goes on, and the first failed worker is the end."""
    release = namespace.release(helm3)
    workers = {**GATED, "overrides": {"1": {**GATED, "restartPolicy": "Never", "backoffLimit": 0}}}
    release.install(chart, merged(probes(framework), {"roles": {"worker": workers}}))
    release.running(4)
    kill(release, "scheduler")
    assert reported(release)[:3] == (0, "Running", "Running")
    (pod,) = [pod for pod in release.pods("worker") if pod["metadata"]["name"].find("-1-") > 0]
    namespace.cluster.kill(pod["status"]["containerStatuses"][0]["containerID"])
    code, job_status, _ = status(release, "--wait=2m")
    assert (code, job_status["state"]) == (1, "Failed")
    assert job_status["reason"].startswith("worker-1 failed: exit code 137")
    until(
        lambda: suspended(release.jobs("server") + release.jobs("scheduler")), "they are released"
    )
    until(lambda: not release.pods("server"), "their pods are gone")
    assert replica(release, "worker-1")["exitCode"] == 137


@only(mars.FRAMEWORK)
def test_a_cluster_goes_on_without_a_worker(
    helm4: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """A driver that is killed starts again; a worker that runs out of memory is not the end."""
    release = namespace.release(helm4)
    never = {"restartPolicy": "Never", "backoffLimit": 0}
    hungry = {**never, "command": EAT, "resources": LITTLE}
    roles = {"worker": {"overrides": {"1": hungry}}, "driver": {**GATED, "backoffLimit": 2}}
    release.install(chart, merged(probes(framework), {"roles": roles}))
    until(lambda: replica(release, "worker-1")["state"] == "Failed", "worker 1 fails")
    assert "OOMKilled" in replica(release, "worker-1")["reason"]
    until(lambda: replica(release, "driver-0")["status"] == "Running", "the driver runs")
    kill(release, "driver")
    code, phase, state, reason = reported(release)
    assert (code, phase, state) == (0, "Running", "Running")
    assert reason.startswith("worker-1 failed: exit code 137 (OOMKilled)")
    assert not any(job["spec"].get("suspend") for job in release.jobs())


POD = f"""\
name: bare
framework: elasticdl
image: {tag("python")}
roles: {{master: {{resources: {{limits: {{memory: 64Mi}}}}}}, worker: {{replicas: 2}}}}
elasticdl:
  dialect: "0.2"
  expansion: native
  params: {{model_zoo: /zoo, model_def: a.b.c, training_data: /data, minibatch_size: 8}}
"""
ENDS: dict[str, tuple[list[str], tuple[int, str, str, str]]] = {
    "good": (["/bin/sh", "-c", "exit 0"], (0, "Done", "Succeeded", "master-0 succeeded")),
    "one": (["/bin/sh", "-c", "exit 1"], (1, "Done", "Failed", "master-0 failed: exit code 1")),
    "oom": (EAT, (1, "Done", "Failed", "master-0 failed: exit code 137 (OOMKilled)")),
}


def test_a_master_that_is_a_pod(helm4: str, namespace: Namespace, tmp_path: Path) -> None:
    """No Job stands behind it: each end is final, and status tells it all the same."""
    chart = render(POD, tmp_path)
    for name, (command, _) in ENDS.items():
        with_end: dict[str, Any] = {"roles": {"master": {"command": command}}}
        namespace.release(helm4, name).install(chart, with_end)
    faults = {name: FAULTS[name] for name in ("image", "claim", "device")}
    for name, (fault, _) in faults.items():
        namespace.release(helm4, name).install(chart, {"roles": {"master": fault}})
    for name, (_, words) in ENDS.items():
        assert reported(namespace.release(helm4, name), "--wait=2m") == words
    for name, (_, reason) in faults.items():
        release = namespace.release(helm4, name)
        until(partial(says, release, reason.replace("worker-0 ", "")), f"{name}: {reason}")
        assert reported(release, "--wait=1s")[:3] == (4, "Creating", "Running")
    assert chartgen(namespace.release(helm4, "one"), "stop").code == 0  # it has failed already
    refused = chartgen(namespace.release(helm4, "image"), "stop")
    assert (refused.code, "ElasticDL cannot be stopped" in refused.err) == (1, True)
    for name in (*ENDS, *faults):
        namespace.release(helm4, name).uninstall()
    until(lambda: namespace.everything() == set(), "nothing is left")


def test_a_master_cannot_start_its_workers(
    helm4: str, namespace: Namespace, new_claim: NewClaim, tmp_path: Path
) -> None:
    """The pods that it made are told of like replicas: none fits, for want of a device."""
    folder = new_claim("numbers")
    (folder / "train").mkdir()
    (folder / "train/numbers").write_text("1\n20\n300\n")
    release = namespace.release(helm4)
    device = {"roles": {"worker": {"resources": {"limits": {"example.com/gpu": 1}}}}}
    release.install(rendered(HERE / "native/elasticdl.sh", tmp_path), device)
    reason = "no node fits: 1 of 1 nodes have too little example.com/gpu"
    until(partial(says, release, f"worker-0 and worker-1 cannot start: {reason}"), reason)
    assert reported(release, "--wait=1s")[:3] == (4, "Running", "Running")
    release.uninstall()
    until(
        lambda: namespace.everything() == {"persistentvolumeclaims/numbers"},
        "nothing is left but the claim",
    )


@FIRST
def test_who_refuses_a_pod_is_told(
    helm3: str, framework: Framework, chart: Path, new_namespace: NewNamespace
) -> None:
    """A limit range, a policy of the cluster, and a quota; the last refuses a bare pod at once."""
    limited, governed, full = new_namespace(), new_namespace(), new_namespace()
    limit = {"type": "Container", "max": {"cpu": "10m"}}
    create(limited, "v1", "LimitRange", "small", {"limits": [limit]})
    create(full, "v1", "ResourceQuota", "team", {"hard": {"pods": "0"}})
    govern(governed)
    try:
        releases = [place.release(helm3) for place in (limited, governed)]
        for release in releases:
            release.install(chart, small(framework))
        check_refusal(releases[0], r"a limit range refuses it: maximum cpu usage per Container")
        check_refusal(releases[1], r"its pod is refused: .*no pods on Wednesdays")
        with pytest.raises(Failure, match="exceeded quota: team"):
            full.release(helm3).install(render(POD, full.folder / "pod"), {})
    finally:
        for kind in ("validatingadmissionpolicybinding", "validatingadmissionpolicy"):
            governed.cluster.kubectl("delete", kind, governed.name)


def check_refusal(release: Release, reason: str) -> None:
    """Status tells it, nothing runs, and nothing has failed."""
    until(partial(says, release, reason), reason)
    assert reported(release, "--wait=1s")[:3] == (4, "Creating", "Running")
    assert release.pods() == []
    assert not any(map(outcome, release.jobs()))


def create(namespace: Namespace, version: str, kind: str, name: str, spec: object) -> None:
    """Create an object in a namespace."""
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
    path = f"/api/{version}/namespaces/{namespace.name}/{kind.lower()}s"
    api.ask(namespace.cluster, "POST", path, body)


def govern(namespace: Namespace) -> None:
    """Let a policy of the cluster refuse all pods of a namespace."""
    group, name = "admissionregistration.k8s.io/v1", namespace.name
    only_here = {"matchLabels": {"kubernetes.io/metadata.name": name}}
    rule = {**EVERYTHING, "resources": ["pods"]}
    policy = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": "false", "message": "no pods on Wednesdays"}],
    }
    binding = {
        "policyName": name,
        "validationActions": ["Deny"],
        "matchResources": {"namespaceSelector": only_here},
    }
    for kind, spec in (
        ("ValidatingAdmissionPolicy", policy),
        ("ValidatingAdmissionPolicyBinding", binding),
    ):
        body = {"apiVersion": group, "kind": kind, "metadata": {"name": name}, "spec": spec}
        plural = "validatingadmissionpolic" + ("ies" if kind.endswith("Policy") else "ybindings")
        api.ask(namespace.cluster, "POST", f"/apis/{group}/{plural}", body)
    until(lambda: not accepts_pods(namespace), "the policy refuses pods")


def accepts_pods(namespace: Namespace) -> bool:
    """Whether a pod would be created."""
    try:
        namespace.kubectl("run", "probe", f"--image={tag('python')}", "--dry-run=server")
    except Failure:
        return False
    return True
