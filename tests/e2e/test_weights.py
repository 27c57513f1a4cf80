"""From a TfJob file to trained weights, with the commands that people type."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import NewClaim
from tests.e2e.jobs import HERE, rendered
from tests.e2e.releases import Namespace, outcome
from tests.e2e.waiting import until

PATIENCE = 400  # seconds; a framework's own start is slow, and all replicas share this machine


def test_weights_of_a_tfjob(
    helm4: str, namespace: Namespace, new_claim: NewClaim, tmp_path: Path
) -> None:
    """Trained by a master, two workers and the chart's parameter server; read from a volume."""
    volume = new_claim("weights")
    chart = rendered(HERE / "native/tfjob.yaml", tmp_path)
    assert chart.name == "fit"
    release = namespace.release(helm4)
    release.install(chart, {"resources": {"requests": {"cpu": "200m", "memory": "300Mi"}}})
    trainers = ("master", "worker")
    until(
        lambda: all(outcome(job) for role in trainers for job in release.jobs(role)),
        "all trainers end",
        PATIENCE,
    )
    assert {outcome(job) for role in trainers for job in release.jobs(role)} == {"Complete"}
    (master,) = release.jobs("master")
    assert "weight 3.000, steps 500" in release.logs(master["metadata"]["name"]).splitlines()
    assert json.loads((volume / "weights.json").read_text())["weight"] == pytest.approx(
        3, abs=0.001
    )
