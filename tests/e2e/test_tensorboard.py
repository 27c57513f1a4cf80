"""TensorBoard answers over its Service, also where only restricted pods are admitted."""

import json
from pathlib import Path

from tests.e2e.conftest import NewNamespace
from tests.e2e.images import tag
from tests.e2e.process import Failure
from tests.e2e.waiting import until
from tests.support.charts import render

JOB = f"""
name: board
framework: tensorflow
image: {tag("tensorflow")}
podSecurity: restricted
resources: {{requests: {{cpu: 100m}}}}
roles:
  worker: {{image: {tag("python")}, command: [python, /app/probe.py, "2222"]}}
tensorboard: {{logDir: /tmp, resources: {{requests: {{cpu: 200m}}}}}}
"""


def test_tensorboard_answers_over_its_service(
    helm3: str, new_namespace: NewNamespace, tmp_path: Path
) -> None:
    """A replica reaches it by its Service's name on port 80, as does helm test with each image."""
    namespace = new_namespace(enforce="restricted")
    release = namespace.release(helm3)
    chart = render(JOB, tmp_path)
    release.install(chart, {})
    (worker,) = release.running(1)
    (service,) = namespace.objects("services", "app.kubernetes.io/component=tensorboard")
    url = f"http://{service['metadata']['name']}/data/environment"

    def answer() -> str:
        try:
            return namespace.kubectl(
                "exec", worker["metadata"]["name"], "--", "wget", "-q", "-O", "-", url
            )
        except Failure:
            return ""

    assert json.loads(until(answer, f"{url} answers"))["version"].startswith("2.")
    release.test()
    release.upgrade(chart, {"tests": {"image": tag("python")}})
    release.test()
