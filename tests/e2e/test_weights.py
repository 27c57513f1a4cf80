"""A TfJob file goes in at one end, by the commands that people type, and trained weights come out at the other."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.jobs import HERE
from tests.e2e.process import run
from tests.e2e.releases import Namespace, outcome
from tests.e2e.waiting import until

PATIENCE = 400  # seconds; a framework's own start is slow, and all replicas share this machine


@pytest.fixture
def volume(namespace: Namespace) -> Iterator[Path]:
    """A folder of this machine, which pods know as the claim `weights`."""
    folder = namespace.cluster.parts.folder / f"weights-{namespace.name}"
    size = {"storage": "1Mi"}
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": namespace.name}
    objects = [
        {
            "kind": "PersistentVolume",
            "metadata": {"name": namespace.name},
            "spec": {"capacity": size, "accessModes": spec["accessModes"], "hostPath": {"path": str(folder)}},
        },
        {
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "weights"},
            "spec": {**spec, "resources": {"requests": size}},
        },
    ]
    file = namespace.folder / "volume.json"
    items = [{"apiVersion": "v1", **one} for one in objects]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    folder.mkdir()
    namespace.kubectl("create", "--filename", str(file))
    yield folder
    namespace.cluster.kubectl("delete", "persistentvolume", namespace.name, "--wait=false")


def test_weights_of_a_tfjob(helm4: str, namespace: Namespace, volume: Path, tmp_path: Path) -> None:
    """Rendered, installed, trained by a master, two workers and the chart's parameter server; read from a volume."""
    run(sys.executable, "-m", "chartgen", "render", HERE / "native/tfjob.yaml", "-o", tmp_path / "charts")
    release = namespace.release(helm4)
    release.install(tmp_path / "charts/fit", {"resources": {"requests": {"cpu": "200m", "memory": "300Mi"}}})
    trainers = ("master", "worker")
    until(lambda: all(outcome(job) for role in trainers for job in release.jobs(role)), "all trainers end", PATIENCE)
    assert {outcome(job) for role in trainers for job in release.jobs(role)} == {"Complete"}
    (master,) = release.jobs("master")
    assert "weight 3.000, steps 500" in release.logs(master["metadata"]["name"]).splitlines()
    assert json.loads((volume / "weights.json").read_text())["weight"] == pytest.approx(3, abs=0.001)
