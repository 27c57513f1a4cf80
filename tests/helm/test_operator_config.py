"""The TfJob operator's configuration as a cloud, in pods made by the real Helm."""

from pathlib import Path

from tests.support.charts import pods, read_objects
from tests.support.command_line import Typist
from tests.unit.native.test_operator_config import AZURE, in_map


def test_the_cloud_adds_what_the_operator_injected(
    typed: Typist, helm3: str, tmp_path: Path
) -> None:
    """`chartgen convert` writes the file, a job names it; pods are those of the built-in cloud."""
    (tmp_path / "config.yaml").write_text(in_map(AZURE), "utf-8")
    code, out, err = typed("convert", str(tmp_path / "config.yaml"))
    assert (code, err) == (0, "")
    (tmp_path / "ours.yaml").write_text(out, "utf-8")
    workers = []
    for cloud in ("./ours.yaml", "azure-2017"):
        text = (
            f"{{name: j, framework: tensorflow, image: i, cloud: {cloud}, runtimeId: x,"
            " roles: {worker: {gpu: 1}}}"
        )
        (tmp_path / "job.yaml").write_text(text, "utf-8")
        assert (
            typed(
                "render", str(tmp_path / "job.yaml"), "-o", str(tmp_path / "out"), "--force", "-q"
            ).code
            == 0
        )
        workers.append(pods(read_objects(helm3, tmp_path / "out/j"), "worker"))
    assert workers[0] == workers[1]
