"""A replica of PyTorch or JAX is killed while it trains, and the job still ends as it should."""

from pathlib import Path

from tests.e2e.frameworks import jax, pytorch
from tests.e2e.images import needs
from tests.e2e.jobs import rendered
from tests.e2e.releases import Namespace, Release, outcome
from tests.e2e.waiting import until

PATIENCE = 500  # seconds; those that remain wait a minute for the lost one, and then start again
SLOW = ("/app/train_pytorch.py", "--steps=200", "--pause=0.1")
ELASTIC = """
name: elastic
framework: pytorch
image: local/pytorch:1
pytorch: {minReplicas: 2, maxReplicas: 2, rdzvConf: "timeout=300,last_call_timeout=1"}
roles:
  worker:
    replicas: 2
    command: [torchrun]
"""


@needs("pytorch")
def test_static_workers_of_pytorch_all_start_again(
    helm3: str, namespace: Namespace, tmp_path: Path
) -> None:
    """Each Job retries its own, until all meet again."""
    chart = rendered(pytorch.FRAMEWORK.job, tmp_path)
    release = namespace.release(helm3)
    release.install(chart, pytorch.trains("torchrun", *SLOW))
    kill(release, 1, "rank 1 of 2 has met the others")
    ends(release, "processes 2, sum 3, weight 3.000")
    assert restarts(release, 0) > 0


@needs("pytorch")
def test_a_worker_of_an_elastic_job_joins_again(
    helm4: str, namespace: Namespace, tmp_path: Path
) -> None:
    """The pod of worker 0 goes on; torchrun in it starts its process anew."""
    job = tmp_path / "elastic.yaml"
    job.write_text(ELASTIC)
    release = namespace.release(helm4)
    release.install(rendered(job, tmp_path), pytorch.trains("torchrun", *SLOW))
    kill(release, 1, " of 2 has met the others")
    ends(release, "processes 2, sum 3, weight 3.000")
    assert restarts(release, 0) == 0


@needs("jax")
def test_processes_of_jax_all_start_again(helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    """Those that remain abort when the lost one comes back, and each Job retries its own."""
    release = namespace.release(helm3)
    release.install(rendered(jax.FRAMEWORK.job, tmp_path), jax.gathers("numbers", "20"))
    kill(release, 1, "met [1, 2]")
    ends(release, "processes 2, gathered [1, 2]")
    assert restarts(release, 0) > 0


def kill(release: Release, index: int, says: str) -> None:
    """Kill the processes of a worker's container once it has said something."""
    (name,) = (
        job["metadata"]["name"]
        for job in release.jobs("worker")
        if job["metadata"]["labels"]["chartgen/index"] == str(index)
    )
    until(lambda: says in release.logs(name), f"{name} says: {says}", PATIENCE)
    (pod,) = release.namespace.objects("pods", f"job-name={name}")
    (container,) = pod["status"]["containerStatuses"]
    release.namespace.cluster.kill(container["containerID"])


def ends(release: Release, says: str) -> None:
    """All workers end well, and the first says what it must."""

    def outcomes() -> list[str]:
        ends = [outcome(job) for job in release.jobs("worker")]
        return ends if all(ends) else []

    assert until(outcomes, "all workers end", PATIENCE) == ["Complete", "Complete"]
    assert says in release.logs(release.jobs("worker")[0]["metadata"]["name"]).splitlines()


def restarts(release: Release, index: int) -> int:
    """How often a worker started again, in its pod or in another one."""
    name = release.jobs("worker")[index]["metadata"]["name"]
    pods = release.namespace.objects("pods", f"job-name={name}")
    again: list[int] = [
        status["restartCount"] for pod in pods for status in pod["status"]["containerStatuses"]
    ]
    return len(pods) - 1 + sum(again)
