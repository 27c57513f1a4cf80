"""The stand-in for ElasticDL that pods run in tests/e2e behaves like the real one."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.programs.elasticdl.python import args
from tests.e2e.programs.elasticdl.python.master import k8s_worker_manager
from tests.e2e.programs.elasticdl.python.master.k8s_worker_manager import WorkerManager
from tests.e2e.programs.elasticdl.python.master.task_queue import TaskQueue
from tests.support.paths import ROOT

PROGRAMS = ROOT / "tests/e2e/programs"
MODEL = f"--model_def={PROGRAMS / 'model_zoo/sums'}"
PATIENCE = 30


def start(module: str, *words: str) -> "subprocess.Popen[str]":
    """An ElasticDL process, started as a chart starts it."""
    command = [sys.executable, "-m", f"elasticdl.python.{module}.main", *words]
    environment = {**os.environ, "PYTHONPATH": str(PROGRAMS), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def end(process: "subprocess.Popen[str]") -> tuple[int, str]:
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


@pytest.fixture
def port() -> int:
    """A port that is free just now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        number: int = server.getsockname()[1]
        return number


def worker(port: int, number: int) -> "subprocess.Popen[str]":
    return start("worker", MODEL, f"--worker_id={number}", f"--master_addr=localhost:{port}")


def test_two_workers_process_every_record_once_per_epoch(tmp_path: Path, port: int) -> None:
    """They read the records themselves and end when none is left; the master ends with the sum."""
    (tmp_path / "a").write_text("".join(f"{n}\n" for n in range(1, 8)))
    (tmp_path / "b").write_text("100\n")
    sizes = ("--records_per_task=2", "--minibatch_size=1", "--num_epochs=2")
    master = start(
        "master",
        MODEL,
        "--job_name=fit",
        f"--port={port}",
        f"--training_data_dir={tmp_path}",
        *sizes,
    )
    assert master.stdout
    assert master.stdout.readline() == f"serving on port {port}\n"
    workers = [worker(port, number) for number in (0, 7)]
    ends = [end(process) for process in workers]
    code, output = end(master)
    assert (code, output.splitlines()[-1]) == (0, "records 16, sum 256")
    assert {code for code, _ in ends} <= {
        0,
        1,
    }  # a worker may ask once more when the master has ended
    assert sum(line.startswith("task ") for _, output in ends for line in output.splitlines()) == 10


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (
            "master",
            ("--job_name=fit", "--records_per_task=1", "--minibatch_size=1", "--num_workers=0"),
        ),
        ("master", ("--job_name=fit", "--records_per_task=1")),
        ("worker", ("--worker_id=0", "--master_addr=localhost:1", "--minibatch_size=1")),
    ],
)
def test_unknown_arguments_end_it_with_exit_code_2(module: str, words: tuple[str, ...]) -> None:
    code, output = end(start(module, MODEL, *words))
    assert code == 2
    assert output.startswith("error: ")


def test_a_worker_without_a_master_fails(port: int) -> None:
    code, output = end(worker(port, 0))
    assert code == 1
    assert "ConnectionRefusedError" in output


class Cluster:
    """What a WorkerManager needs from the API."""

    def __init__(self, master: dict[str, Any] | None) -> None:
        self.made: list[dict[str, Any]] = []
        self.master = lambda: master

    def __call__(self, namespace: str, job_name: str) -> "Cluster":
        assert (namespace, job_name) == ("research", "fit")
        return self

    def name(self, role: str) -> str:
        return f"elasticdl-fit-{role}"

    def labels(self) -> dict[str, str]:
        return {"elasticdl_job_name": "fit"}

    def say_status(self, status: str) -> None:
        pass

    def create(self, pod: dict[str, Any]) -> None:
        self.made.append(pod)

    def events(self) -> list[dict[str, Any]]:
        return []

    def names(self) -> list[str]:
        return [pod["metadata"]["name"] for pod in self.made]


def flags() -> Any:
    words = (
        "--job_name=fit --records_per_task=1 --minibatch_size=1 --training_data_dir=/data"
        " --log_level=debug"
    )
    pods = (
        "--num_workers=2 --worker_image=image:1 --namespace=research"
        " --worker_resource_request=cpu=1,gpu=2"
        " --volume=volume_name=data,claim_name=a,mount_path=/data --worker_pod_priority=low"
        " --restart_policy=OnFailure"
    )
    return args.master([MODEL, *words.split(), *pods.split()])


def managed(monkeypatch: pytest.MonkeyPatch, cluster: Cluster, tasks: TaskQueue) -> WorkerManager:
    """Two workers on a cluster."""
    monkeypatch.setattr(k8s_worker_manager, "Client", cluster)
    monkeypatch.setenv("MY_POD_IP", "198.51.100.1")
    manager = WorkerManager(flags(), tasks)
    manager.start_workers()
    return manager


def test_the_pods_of_workers_follow_the_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster({"metadata": {"name": "elasticdl-fit-master", "uid": "1-2-3"}})
    managed(monkeypatch, cluster, TaskQueue({}, 1, 1))
    assert cluster.names() == ["elasticdl-fit-worker-0", "elasticdl-fit-worker-1"]
    pod = cluster.made[1]
    (owner,) = pod["metadata"]["ownerReferences"]
    assert (owner["uid"], owner["blockOwnerDeletion"]) == ("1-2-3", True)
    (container,) = pod["spec"]["containers"]
    assert (
        container["resources"]["limits"]
        == container["resources"]["requests"]
        == {"cpu": "1", "nvidia.com/gpu": "2"}
    )
    assert (container["image"], container["volumeMounts"]) == (
        "image:1",
        [{"name": "data", "mountPath": "/data"}],
    )
    assert pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] == "a"
    assert (pod["spec"]["priorityClassName"], pod["spec"]["restartPolicy"]) == ("low", "OnFailure")
    words = args.worker(container["args"][2:])
    assert (words.worker_id, words.master_addr, words.log_level) == (
        1,
        "198.51.100.1:50001",
        "DEBUG",
    )


def test_a_deleted_worker_is_replaced_under_the_next_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its task goes to others; one that failed, or is deleted after success, is not replaced."""
    cluster, tasks = Cluster(None), TaskQueue({"a": 3}, 1, 1)
    manager = managed(monkeypatch, cluster, tasks)
    assert [tasks.get(number)["id"] for number in (0, 1, 1)] == [1, 2, 3]
    first, second = cluster.made
    assert first["metadata"]["ownerReferences"] == []
    for what, pod, phase in (("MODIFIED", second, "Failed"), ("DELETED", first, "Running")):
        manager.happened(what, {**pod, "status": {"phase": phase}})
    assert cluster.names()[2:] == ["elasticdl-fit-worker-2"]
    assert tasks.get(2)["task"].start == 0
    assert tasks.get(2) == {"wait": True}
    manager.happened("DELETED", {**cluster.made[2], "status": {"phase": "Succeeded"}})
    assert len(cluster.made) == 3
    assert tasks.get(1)["task"].start == 0
