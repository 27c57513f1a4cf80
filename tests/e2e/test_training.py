"""The real frameworks, in pods, train to the expected number, and the job ends as it should."""

from functools import partial
from pathlib import Path

import pytest

from tests.e2e.frameworks import FRAMEWORKS
from tests.e2e.images import needs
from tests.e2e.jobs import Training
from tests.e2e.releases import Namespace, Object, Release, outcome
from tests.e2e.waiting import until
from tests.support.charts import render

PATIENCE = 400  # seconds; a framework's own start is slow, and all replicas share this machine
CASES = [
    pytest.param(
        training,
        id=f"{framework.name}-{name}",
        marks=needs(training.image or framework.name),
    )
    for framework in FRAMEWORKS
    for name, training in framework.trainings.items()
]


@pytest.mark.parametrize("training", CASES)
def test_training(training: Training, helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    """The number is right, what ends is complete, servers are released, and helm test passes."""
    chart = render(training.job.read_text(encoding="utf-8"), tmp_path / "charts")
    release = namespace.release(helm3)
    release.install(chart, training.values)

    def ended() -> list[Object]:
        jobs = [job for role in training.ends for job in release.jobs(role)]
        return jobs if jobs and all(outcome(job) for job in jobs) else []

    jobs = until(ended, f"{', '.join(training.ends)} end", PATIENCE)
    assert {
        job["metadata"]["name"]: outcome(job) for job in jobs if outcome(job) != "Complete"
    } == {}
    assert training.says in release.logs(jobs[0]["metadata"]["name"]).splitlines()
    for role in training.serves:
        until(partial(no_pods, release, role), f"the pods of {role} are gone")
        assert {outcome(job) for job in release.jobs(role)} == {""}
    release.test()


def no_pods(release: Release, role: str) -> bool:
    return not release.pods(role)
