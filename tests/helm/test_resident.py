"""The Helm that stays says what a new process of the same Helm says, whatever came before."""

from pathlib import Path

import pytest

from tests.support import resident
from tests.support.charts import render, run_again
from tests.support.programs import require_built

JOB = "{name: j, framework: tensorflow, image: i, roles: {chief: {}, worker: {}}}"
COMMANDS = (
    ("template", "demo", "j"),
    ("template", "other", "./j", "--namespace", "other"),
    ("template", "demo", "j", "--set", "roles.worker.replicas=3", "--kube-version", "1.31.0"),
    ("template", "demo", "j"),  # nothing is left of what was set
    ("template", "demo", "j", "--set", "roles.worker.replicas=no"),  # refused by the schema
    ("template", "demo", "j", "--set", "cloud=gkee"),  # refused by a template
    ("template", "demo", "broken"),
    ("template", "demo", "missing"),
    ("template", "demo", "j", "--show-only", "templates/jobs.yaml", "--values", "values.yaml"),
    ("template", "demo", "j", "--no-such-flag"),
    ("template", "Not_A_Name", "j"),
    ("lint", "j"),
)


def test_it_says_what_a_process_says(
    helm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code, output and messages are the same to the byte."""
    require_built(resident.program(helm), "resident-helm")
    monkeypatch.chdir(tmp_path)
    render(JOB, tmp_path)
    broken = tmp_path / "broken/templates/broken.yaml"
    broken.parent.mkdir(parents=True)
    broken.write_text("kind: {{ .Values.a.b }}\n")
    (tmp_path / "broken/Chart.yaml").write_text("{apiVersion: v2, name: broken, version: 1.0.0}\n")
    (tmp_path / "values.yaml").write_text("{namePrefix: a-}\n")
    for command in COMMANDS:
        stayed, new = resident.run(helm, command), run_again(helm, *command)
        assert stayed, command
        for field in ("returncode", "stdout", "stderr"):
            assert getattr(stayed, field) == getattr(new, field), command
