"""PyTorch's charts: lists of hosts and ranges of numbers that follow values at install."""

from pathlib import Path

import pytest

from tests.support.charts import env, named, pods, read_objects, refusal, render

JOB = """
name: ds
framework: pytorch
image: a:1
runtimeId: 76no
roles:
  master: {gpu: 4, command: [deepspeed]}
  worker: {replicas: 2, gpu: 4, command: [deepspeed], overrides: {1: {gpu: 2}}}
"""


@pytest.mark.parametrize(
    ("arguments", "slots"),
    [
        ((), [4, 4, 2]),
        (("--set", "roles.worker.replicas=3"), [4, 4, 2, 4]),
        (("--set", "pytorch.nprocPerNode=8"), [8, 8, 8]),
    ],
)
def test_deepspeed_finds_all_replicas_with_their_devices(
    helm3: str, tmp_path: Path, arguments: tuple[str, ...], slots: list[int]
) -> None:
    chart = render(JOB, tmp_path)
    objects = read_objects(helm3, chart, "--set", "pytorch.hostfile=deepspeed", *arguments)
    (config,) = named(objects, "ConfigMap", "hostfile-")
    hosts = ["master-76no-0", *(f"worker-76no-{index}" for index in range(len(slots) - 1))]
    lines = [f"{host} slots={count}\n" for host, count in zip(hosts, slots, strict=True)]
    assert config["data"] == {"hostfile": "".join(lines)}
    for role in ("master", "worker"):
        for pod in pods(objects, role):
            mounts = pod["spec"]["containers"][0]["volumeMounts"]
            assert {"name": "chartgen-hostfile", "mountPath": "/job"} in mounts


def test_without_it_there_is_no_list(helm3: str, tmp_path: Path) -> None:
    assert named(read_objects(helm3, render(JOB, tmp_path)), "ConfigMap", "hostfile-") == []


ELASTIC = """
name: el
framework: pytorch
image: a:1
pytorch: {minReplicas: 1, maxReplicas: 4}
roles:
  worker: {replicas: 2, command: [torchrun, train.py]}
"""


def test_the_numbers_of_an_elastic_job_follow_the_values(helm: str, tmp_path: Path) -> None:
    chart = render(ELASTIC, tmp_path)
    objects = read_objects(helm, chart, "--set", "pytorch.minReplicas=2,pytorch.maxReplicas=8")
    assert {env(pod)["PET_NNODES"] for pod in pods(objects, "worker")} == {"2:8"}


def test_an_elastic_job_that_could_never_begin_is_refused(helm: str, tmp_path: Path) -> None:
    message = refusal(helm, render(ELASTIC, tmp_path), "--set", "pytorch.minReplicas=9")
    assert "pytorch.minReplicas (9) is above pytorch.maxReplicas (4)" in message
