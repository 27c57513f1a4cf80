"""A chart's README and notes: the real Helm does what they say."""

from pathlib import Path

import pytest

from tests.support.charts import named, read_objects, render, run
from tests.unit.chart.test_readme import HEAD, JOBS


def tune(chart: Path) -> list[str]:
    """The settings of the command under Tune."""
    part = (chart / "README.md").read_text(encoding="utf-8").partition("## Tune")[2]
    (command,) = [line for line in part.splitlines() if line.startswith("helm upgrade")]
    return command.split("./mnist ", 1)[1].split()


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS.keys())
def test_the_command_in_the_readme_changes_the_image_and_every_name(
    job: str, helm3: str, tmp_path: Path
) -> None:
    """No Job keeps its name while its pod changes, which Kubernetes would refuse."""
    chart = render(HEAD + job, tmp_path)
    before = named(read_objects(helm3, chart), "Job")
    after = named(read_objects(helm3, chart, *tune(chart)), "Job")
    assert "registry.example.com/other:2" in str(after)
    assert {manifest["metadata"]["name"] for manifest in before}.isdisjoint(
        manifest["metadata"]["name"] for manifest in after
    )


def test_readme_and_notes_explain_a_given_runtime_id(helm4: str, tmp_path: Path) -> None:
    chart = render(HEAD + JOBS["a given id"], tmp_path)
    text = (chart / "README.md").read_text(encoding="utf-8")
    assert "hash" not in text.partition("## Tune")[2].partition("## Values")[0]
    assert "runtime id `76no`, which was given" in text
    said = "The runtime id 76no is set"
    dry = ("install", "demo", chart, "--dry-run=client")
    assert said in run(helm4, *dry).stdout
    assert "The runtime id" not in run(helm4, *dry, "--set", "runtimeId=").stdout
