"""TensorBoard answers over its Service."""

from pathlib import Path

from tests.e2e.releases import Namespace
from tests.real_helm import render

JOB = """
name: board
framework: tensorflow
image: local/tensorflow:1
roles:
  worker: {command: [sleep, "600"], container: {lifecycle: {}}}
tensorboard: {logDir: /tmp}
"""


def test_tensorboard_answers_over_its_service(helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    release = namespace.release(helm3)
    release.install(render(JOB, tmp_path), {}, "--wait", "--timeout=4m")
    (service,) = namespace.objects("services", "app.kubernetes.io/component=tensorboard")
    name = service["metadata"]["name"]
    release.running(1)
    (worker,) = release.pods("worker")
    fetch = ("exec", worker["metadata"]["name"], "--", "wget", "-q", "-O", "-", f"http://{name}/data/environment")
    assert "TensorBoard" in namespace.kubectl(*fetch) or "window_title" in namespace.kubectl(*fetch)
