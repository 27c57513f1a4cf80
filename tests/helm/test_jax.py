"""JAX's charts: what processes learn follows values at install."""

from pathlib import Path

import pytest

from tests.support.charts import env, pods, read_objects, render

JOB = """
name: gemma
framework: jax
image: a:1
runtimeId: 76no
roles:
  worker: {replicas: 2, overrides: {1: {gpu: 2}}}
"""


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ((), ["0", "0,1"]),
        (("--set", "roles.worker.gpu=4"), ["0,1,2,3", "0,1"]),
        (("--set", "jax.detect=slurm"), ["0", "0,1"]),
        (("--set-string", "roles.worker.env.JAX_LOCAL_DEVICE_IDS=3"), ["3", "3"]),
    ],
)
def test_processes_learn_which_devices_are_theirs(
    helm3: str, tmp_path: Path, arguments: tuple[str, ...], ids: list[str]
) -> None:
    """If JAX had to find out, it would ask the Kubernetes API, for which pods have no token."""
    objects = read_objects(helm3, render(JOB, tmp_path), *arguments)
    assert [env(pod)["JAX_LOCAL_DEVICE_IDS"] for pod in pods(objects, "worker")] == ids
