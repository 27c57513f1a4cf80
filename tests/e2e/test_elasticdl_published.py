"""The published ElasticDLs, 0.1.0rc0 and 0.2.0rc3, train a line to its known answer.

Records wait for a file, which a test writes when it has seen what it checks.
"""

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import NewClaim
from tests.e2e.images import needs, tag
from tests.e2e.jobs import rendered
from tests.e2e.life import reported, status
from tests.e2e.releases import Namespace, Release, outcome
from tests.e2e.waiting import until

OLDER, NEWER = "elasticdl01", "elasticdl02"
pytestmark = needs(OLDER)

PATIENCE = 400  # seconds; TensorFlow's own start is slow, and all replicas share this machine
# As people have them, but small; the first client built the image, the second is given it.
LINE = """\
elasticdl train --job_name=line --model_zoo=/model_zoo --model_def=line.line.custom_model \\
  --training_data=/data/train --minibatch_size=20 --num_minibatches_per_task=2 --num_epochs=6 \\
  --evaluation_steps=20 --num_workers=2 --volume="claim_name=lines,mount_path=/data" \\
  --master_resource_request="cpu=100m,memory=600Mi" --master_resource_limit="cpu=1,memory=900Mi" \\
  --worker_resource_request="cpu=100m,memory=600Mi" --worker_resource_limit="cpu=1,memory=900Mi" \\
  --image_pull_policy=IfNotPresent """
FLAGS = {
    OLDER: "--evaluation_data=/data/test --docker_image_repository=local --image_base=python:3",
    NEWER: "--validation_data=/data/test --num_ps_pods=1 "
    f"--ps_resource_request=cpu=100m,memory=300Mi --image_name={tag(NEWER)}",
}
ANSWER = re.compile(r"Evaluation metrics.*'answer': (?:array\(\[)?([\d.]+)")
LIKELY = pytest.approx(5, abs=0.05)  # 3x + 2 where x is 1
NO_REGISTRY = {"wait": {"image": tag("busybox")}}
BOARD = {"tensorboard": {"logDir": "/data/log", "image": tag("tensorflow")}}


def test_workers_of_the_chart_train_with_0_1(
    helm3: str, namespace: Namespace, new_claim: NewClaim, tmp_path: Path
) -> None:
    """Static: the master and each worker are Jobs, and all of them complete."""
    (records(new_claim("lines")) / "go").touch()
    release = namespace.release(helm3)
    static = ("--image", tag(OLDER), "--set", "elasticdl.expansion=static")
    release.install(chart(tmp_path, OLDER, *static), NO_REGISTRY)
    until(lambda: all(map(outcome, release.jobs())), "all Jobs end", PATIENCE)
    assert {outcome(job) for job in release.jobs()} == {"Complete"}
    assert answer(release.logs(release.jobs("master")[0]["metadata"]["name"])) == LIKELY
    until(lambda: status(release)[1]["phase"] == "Done", "the clean-up ends")
    assert reported(release)[:3] == (0, "Done", "Succeeded")
    release.test()


@pytest.mark.parametrize("version", [OLDER, NEWER])
def test_a_killed_worker_is_replaced_and_its_task_is_done(
    version: str, helm4: str, namespace: Namespace, new_claim: NewClaim, tmp_path: Path
) -> None:
    """Native: the master is a pod, creates the others, and ends well although one was killed.

    It only ends when all tasks are done, also the one that was taken back. 0.2 also has a parameter
    server, written in Go, and events for TensorBoard, after which its master ends all the same. An
    uninstall leaves nothing but the claim.
    """
    folder = records(new_claim("lines"))
    release = namespace.release(helm4)
    options = ("--image", tag(OLDER)) if version == OLDER else ()
    release.install(chart(tmp_path, version, *options), BOARD if version == NEWER else {})
    name = f"elasticdl-line-{runtime_id(release)}"
    until(lambda: "waiting" in log(namespace, f"{name}-worker-0"), "worker 0 has a task", PATIENCE)
    namespace.kubectl("delete", "pod", f"{name}-worker-0", "--grace-period=1")
    until(lambda: "Relaunching" in log(namespace, f"{name}-master"), "the master replaces it")
    until(lambda: "waiting" in log(namespace, f"{name}-worker-2"), "worker 2 has a task", PATIENCE)
    (folder / "go").touch()
    until(
        lambda: phase(namespace, f"{name}-master") in ("Succeeded", "Failed"), "it ends", PATIENCE
    )
    assert answer(log(namespace, f"{name}-master")) == LIKELY
    assert reported(release, "--wait=60s")[:3] == (0, "Done", "Succeeded")
    until(lambda: "Running" not in phases(namespace).values(), "all others end, too")
    if version == NEWER:
        assert [*folder.glob("log/*/*.tfevents.*")]
    release.test()
    release.uninstall()
    until(
        lambda: namespace.everything() == {"persistentvolumeclaims/lines"},
        "nothing is left but the claim",
    )


def chart(folder: Path, version: str, *options: str) -> Path:
    """The chart of a client's command line."""
    line = folder / "train.sh"
    line.write_text(f"{LINE}{FLAGS[version]}\n")
    return rendered(line, folder, *options)


def records(folder: Path) -> Path:
    """Points of the line to train with, and the one to evaluate."""
    points = ((index % 20) / 10 - 1 for index in range(400))
    for name, lines in (
        ("train", "".join(f"{x} {3 * x + 2} /data/go\n" for x in points)),
        ("test", "1 5\n" * 20),
    ):
        (folder / name).mkdir()
        (folder / name / "points").write_text(lines)
    return folder


def answer(master: str) -> float:
    """The last answer that the master's log tells."""
    return float(ANSWER.findall(master)[-1])


def runtime_id(release: Release) -> str:
    (master,) = release.pods("master")
    return str(master["metadata"]["labels"]["chartgen/runtime-id"])


def log(namespace: Namespace, pod: str) -> str:
    """What a pod has said, if it runs."""
    return namespace.logs(pod) if phase(namespace, pod) not in ("", "Pending") else ""


def phase(namespace: Namespace, pod: str) -> str:
    return phases(namespace).get(pod, "")


def phases(namespace: Namespace) -> dict[str, str]:
    """The phases of ElasticDL's pods, by name."""
    pods = namespace.objects("pods", "app=elasticdl")
    return {pod["metadata"]["name"]: pod["status"]["phase"] for pod in pods}
