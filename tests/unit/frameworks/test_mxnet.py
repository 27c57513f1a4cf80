"""MXNet: what a chart's README says, and what there are warnings about."""

from pathlib import Path

from chartgen import pipeline
from tests.support.charts import render

DIST = """\
name: cifar10
framework: mxnet
image: registry.example.com/cifar10:1.9
runtimeId: 76no
roles:
  scheduler: {env: {PS_VERBOSE: 2}}
  server: {replicas: 2}
  worker: {replicas: 3, command: [python, train.py]}
"""
LOCAL = """\
name: alone
framework: mxnet
image: registry.example.com/cifar10:1.9
mxnet: {mode: local}
roles: {worker: {command: [python, train.py]}}
"""


def test_the_readme_of_a_chart_scales_a_role_that_can_be_scaled(tmp_path: Path) -> None:
    dist, local = render(DIST, tmp_path), render(LOCAL, tmp_path)
    assert "--set roles.worker.replicas=4 --set image=" in (dist / "README.md").read_text("utf-8")
    assert "./alone --set image=" in (local / "README.md").read_text("utf-8")


def test_having_no_server_is_only_a_warning() -> None:
    (document,) = pipeline.read(DIST.replace("replicas: 2", "replicas: 0").encode(), "job.yaml")
    assert [problem.rule for problem in pipeline.check(document).warnings] == ["mxnet-no-server"]
