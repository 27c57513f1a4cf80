"""A cloud is one YAML file: the real Helm makes its pods, without a line of Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.charts import pods, read_objects
from tests.support.paths import ROOT


def test_adding_a_cloud_needs_one_yaml_file_and_no_python(helm3: str, tmp_path: Path) -> None:
    """With one file more, a copy of chartgen lists, explains, checks and injects the new cloud."""
    for folder in ("chartgen", "charts", "schemas", "values"):
        shutil.copytree(
            ROOT / folder, tmp_path / "copy" / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    new = "# Made up.\ndescription: New\ndevices: {nvidia.com/gpu: {env: {NEW: here}}}\n"
    (tmp_path / "copy/values/clouds/new.yaml").write_text(new, "utf-8")
    job = "{name: j, framework: tensorflow, image: i, cloud: new, roles: {worker: {gpu: 1}}}"
    (tmp_path / "job.yaml").write_text(job, "utf-8")

    def typed(*words: str) -> str:
        command = [sys.executable, "-m", "chartgen", *words]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "copy")}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert "new              New" in typed("list", "clouds")
    assert "NEW=here" in typed("explain", "cloud", "new")
    typed("render", "job.yaml", "-o", "out")
    for arguments in ((), ("--set", "cloud=new")):
        pod = pods(read_objects(helm3, tmp_path / "out/j", *arguments), "worker")[0]
        assert {"name": "NEW", "value": "here"} in pod["spec"]["containers"][0]["env"]
