"""A plain chart and a rich one, as people get them: without cloud data that they cannot use."""

import json
from pathlib import Path
from typing import Any

from chartgen.chart import ChartOptions
from tests.support import charts

JOB = """
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {}
  worker: {replicas: 2}
  ps: {}
"""
# Everything that a chart can have beside its replicas.
RICH = (
    JOB
    + """
priorityClasses: {urgent: 1000}
tensorboard: {logDir: /logs}
cleanup: {enabled: true}
extraObjects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {team: own}}, data: {a: b}}
"""
)


def render(description: str, folder: Path) -> Path:
    """The chart of a job, as people get it."""
    return charts.render(description, folder, options=ChartOptions())


def values_file(folder: Path, values: Any) -> str:
    file = folder / "values-of-the-test.yaml"
    file.write_text(json.dumps(values, ensure_ascii=False), "utf-8")
    return str(file)
