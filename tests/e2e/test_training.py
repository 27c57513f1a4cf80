"""The real frameworks, in pods, train to the number that must come out, and the job ends as it should."""

from pathlib import Path

import pytest

from tests.e2e.jobs import FRAMEWORKS, Framework, Training
from tests.e2e.releases import Namespace, Object, outcome
from tests.e2e.waiting import until
from tests.real_helm import render

PATIENCE = 300  # seconds; a framework's own start is slow, and all replicas share this machine
CASES = [
    pytest.param(framework, training, id=f"{framework.name}-{name}")
    for framework in FRAMEWORKS
    for name, training in framework.trainings.items()
]


@pytest.mark.parametrize(("framework", "training"), CASES)
def test_training(framework: Framework, training: Training, helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    """The expected number comes out, replicas that end are complete, and those that serve run on."""
    chart = render(framework.job.read_text(encoding="utf-8"), tmp_path / "charts")
    release = namespace.release(helm3)
    release.install(chart, training.values)
    ending = [role for role in framework.roles if role not in training.serves]

    def ended() -> list[Object]:
        jobs = [job for role in ending for job in release.jobs(role)]
        return jobs if all(outcome(job) for job in jobs) else []

    jobs = until(ended, f"{', '.join(ending)} end", PATIENCE)
    assert {job["metadata"]["name"]: outcome(job) for job in jobs if outcome(job) != "Complete"} == {}
    assert training.says in release.logs(release.jobs(training.role)[0]["metadata"]["name"]).splitlines()
    for role in training.serves:
        assert {outcome(job) for job in release.jobs(role)} == {""}
        assert {pod["status"]["phase"] for pod in release.pods(role)} == {"Running"}
