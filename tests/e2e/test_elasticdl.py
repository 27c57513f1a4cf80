"""ElasticDL with workers of the chart and of its master; programs/elasticdl is a stand-in.

Records wait for a file, which a test writes when it has seen what it checks.
"""

from pathlib import Path

import pytest

from tests.e2e import images
from tests.e2e.conftest import NewClaim
from tests.e2e.frameworks import elasticdl
from tests.e2e.jobs import HERE, rendered
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Object, Release, identity, merged, outcome
from tests.e2e.waiting import until
from tests.support.charts import render

GO = "/data/go"
SMALL = {
    "resources": {
        "requests": {"cpu": "50m", "memory": "64Mi"},
        "limits": {"cpu": 1, "memory": "128Mi"},
    }
}
RESULT = "records 3, sum 321"


def test_workers_of_the_chart_do_all_tasks_and_one_asks_too_late(
    helm3: str, namespace: Namespace, new_claim: NewClaim, tmp_path: Path
) -> None:
    """A worker that asks for a task after the master has ended counts as done.

    Two workers have a task each; then one takes the last, of 2 seconds, and the other has to ask
    again in 5 seconds. By then the master has ended.
    """
    folder = new_claim("mnist")
    (folder / "mnist/train").mkdir(parents=True)
    (folder / "mnist/train/numbers").write_text(f"1 {GO}\n20 {GO}\n300 {GO} 2\n")
    values = {
        "image": images.tag("python"),
        "roles": {"master": SMALL, "worker": SMALL},
        "elasticdl": {"params": {"model_def": "/model_zoo/sums", "records_per_task": 1}},
    }
    release = namespace.release(helm3)
    chart = render(elasticdl.HELLO.read_text(encoding="utf-8"), tmp_path / "charts")
    release.install(chart, merged(elasticdl.HERE, values))
    release.running(3)
    wait_for_words(release, "task 2")
    (folder / "go").touch()
    assert {outcome(job) for job in until(lambda: ended(release), "all end")} == {"Complete"}
    wait_for_words(release, RESULT)
    logs = [release.logs(job["metadata"]["name"]) for job in release.jobs("worker")]
    assert sorted("the master has ended, so the worker is done" in log for log in logs) == [
        False,
        True,
    ]
    assert sorted("no more task" in log for log in logs) == [False, True]
    release.test()


def test_workers_of_the_master_are_replaced_and_removed(
    helm4: str, namespace: Namespace, new_claim: NewClaim, tmp_path: Path
) -> None:
    """A deleted worker is replaced, and its task is done.

    An upgrade, even to another name, and an uninstall remove the pods that the master created; an
    upgrade that changes nothing does not. A second release of the same client's command line is
    refused, because its workers would have the same names.
    """
    folder = new_claim("numbers")
    (folder / "train").mkdir()
    (folder / "train/numbers").write_text(f"1 {GO}\n20 {GO}\n300 {GO}\n")
    chart, release = rendered(HERE / "native/elasticdl.sh", tmp_path), namespace.release(helm4)
    assert chart.name == "fit"
    release.install(chart, {})
    workers(namespace, "fit-worker-0", "fit-worker-1")
    with pytest.raises(Failure, match=r'ConfigMap "elasticdl-fit".* cannot be imported'):
        namespace.release(helm4, "second").install(chart, {})
    check_rights(release)
    check_replacement(release)
    others = "app.kubernetes.io/component!=strays"  # Helm removes that Job, and its pod follows
    before = identity(namespace.objects("jobs,pods", others))
    release.upgrade(chart, {})
    assert identity(namespace.objects("jobs,pods", others)) == before
    release.upgrade(
        chart, {"roles": {"worker": {"replicas": 1}}, "elasticdl": {"jobName": "other"}}
    )
    assert namespace.objects("pods", "elasticdl_job_name=fit") == []
    workers(namespace, "other-worker-0")
    (folder / "go").touch()
    assert {outcome(job) for job in until(lambda: ended(release), "the master ends")} == {
        "Complete"
    }
    wait_for_words(release, RESULT)
    release.test()
    assert len(namespace.objects("pods", "elasticdl_job_name=other")) == 2
    release.uninstall()
    until(
        lambda: namespace.everything() == {"persistentvolumeclaims/numbers"},
        "nothing is left but the claim",
    )


def wait_for_words(release: Release, words: str) -> str:
    """The master's log, once it contains these words."""
    (master,) = release.jobs("master")

    def look() -> str:
        log = release.logs(master["metadata"]["name"])
        return log if words in log else ""

    return until(look, f"the master says {words!r}")


def ended(release: Release) -> list[Object]:
    """The release's Jobs, once all of them have ended."""
    jobs = release.jobs()
    return jobs if all(outcome(job) for job in jobs) else []


def workers(namespace: Namespace, *names: str) -> None:
    """Wait until exactly these workers of the master are running."""

    def running() -> list[str]:
        pods = namespace.objects("pods", "elasticdl_job_name,!chartgen/runtime-id")
        return [pod["metadata"]["name"] for pod in pods if pod["status"]["phase"] == "Running"]

    until(lambda: running() == [f"elasticdl-{name}" for name in names], f"{', '.join(names)} run")


def check_rights(release: Release) -> None:
    """The master's account may use pods as it needs to, and has no other rights."""
    account = f"--as=system:serviceaccount:{release.namespace.name}:access-{release.id()}"
    release.namespace.kubectl("get", "pods", account)
    for words in (
        "get secrets",
        "delete pod elasticdl-fit-worker-0",
        "get jobs",
        "get pods --namespace=default",
    ):
        with pytest.raises(Failure, match="Forbidden"):
            release.namespace.kubectl(*words.split(), account)


def check_replacement(release: Release) -> None:
    """A worker deleted during a task is replaced under the next number, and its task taken back."""
    log = wait_for_words(release, "task 2")
    task = next(
        line.partition(": task ")[2]
        for line in log.splitlines()
        if line.startswith("worker 0: task")
    )
    release.namespace.kubectl("delete", "pod", "elasticdl-fit-worker-0", "--grace-period=1")
    wait_for_words(release, f"worker 0: tasks taken back: [{task}]")
    workers(release.namespace, "fit-worker-1", "fit-worker-2")
