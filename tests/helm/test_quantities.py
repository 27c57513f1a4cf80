"""The totals in the README and in the notes are the same."""

from pathlib import Path

import pytest

from chartgen import pipeline
from chartgen.k8s.quantities import in_words
from tests.support.charts import render, template
from tests.support.paths import ROOT


@pytest.mark.parametrize("replicas", [1, 7, 2345])
def test_the_readme_and_the_notes_have_the_same_total(
    replicas: int, helm3: str, tmp_path: Path
) -> None:
    """One is computed in Python when the chart is made, the other in Go when it is installed."""
    text = f"""
name: summed
framework: tensorflow
image: a:1
resources:
  requests: {{cpu: 100m, memory: 1.5Gi}}
  limits: {{cpu: 1, memory: "2e9", example.com/card: 2}}
tensorflow: {{cluster: sparse}}
cleanup: {{enabled: true}}
roles:
  evaluator:
    initContainers:
      - {{name: fetch, image: "a:1", resources: {{limits: {{cpu: 64, memory: 8Gi}}}}}}
  chief:
    sidecars:
      - {{name: log, image: "a:1", resources: {{limits: {{cpu: 0.3, memory: 300M}}}}}}
  worker:
    replicas: {replicas}
    overrides: {{0: {{resources: {{requests: {{cpu: 3}}, limits: {{cpu: 3}}}}}}}}
  ps:
    replicas: 0
    initContainers: [{{name: wait, image: "a:1", resources: {{limits: {{cpu: 64}}}}}}]
tensorboard: {{logDir: /logs, resources: {{limits: {{memory: 1Gi}}}}}}
"""
    assert_equal_totals(text, helm3, tmp_path)


# Of init containers that wait, of ssh, and of what a cloud injects.
ADDED = ["tests/corpus/golden/mars", "tests/corpus/golden/mpi", "values/jobs/gpu.yaml"]


@pytest.mark.parametrize("place", ADDED)
def test_what_the_chart_adds_counts_in_both(place: str, helm3: str, tmp_path: Path) -> None:
    path = ROOT / place
    file = path / "job.yaml" if path.is_dir() else path
    assert_equal_totals(file.read_text("utf-8"), helm3, tmp_path)


def test_sidecars_of_a_cloud_count_once(helm3: str, tmp_path: Path) -> None:
    """Whichever containers request the device; one of the job's own takes the place of another."""
    sidecar = "{name: NAME, image: 'a:1', resources: {requests: {cpu: 1}}}"
    adds = f"[{sidecar.replace('NAME', 'agent')}, {sidecar.replace('NAME', 'log')}]"
    limits = "resources: {limits: {example.com/card: 1}}"
    text = f"""
name: summed
framework: tensorflow
image: a:1
cloud: ours
clouds: {{ours: {{devices: {{example.com/card: {{sidecars: {adds}}}}}}}}}
roles:
  chief:
    sidecars: [{{name: beside, image: "a:1", {limits}}}]
  worker:
    {limits}
    sidecars: [{{name: log, image: "a:1", {limits}}}]
"""
    assert_equal_totals(text, helm3, tmp_path)


def assert_equal_totals(text: str, helm3: str, tmp_path: Path) -> None:
    checked = pipeline.check(pipeline.read(text.encode(), "job.yaml")[0])
    folder = render(text, tmp_path)
    text = (
        '{{ include "NAME.job" . }}total: '
        '{{ include "NAME.total" (dict "root" . "job" .Job) | quote }}\n'
    )
    text = text.replace("NAME", checked.job.name)
    (folder / "templates" / "sum.yaml").write_text(text, "utf-8")
    notes = (
        template(helm3, folder, "--show-only", "templates/sum.yaml")
        .partition('total: "')[2]
        .rstrip('"\n')
    )
    assert notes == in_words(pipeline.totals(checked))
