"""The TfJob operator's configuration becomes a cloud that injects what the operator injected."""

from pathlib import Path

import pytest
import yaml

from chartgen.devices import catalog
from chartgen.errors import InputError
from chartgen.native.operators import config as controller
from tests.support.command_line import Typist

AZURE = """\
grpcServerFilePath: /opt/mlkube/grpc_tensorflow_server/grpc_tensorflow_server.py
accelerators:
  alpha.kubernetes.io/nvidia-gpu:
    volumes:
      - name: lib
        mountPath: /usr/lib/nvidia
        hostPath:  /usr/lib/nvidia-384
      - name: bin
        mountPath: /usr/local/nvidia/bin
        hostPath: /usr/lib/nvidia-384/bin
      - name: libcuda
        mountPath: /usr/lib/x86_64-linux-gnu/libcuda.so.1
        hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.1
    envVars:
      - name: LD_LIBRARY_PATH
        value: /usr/lib/nvidia:/usr/lib/x86_64-linux-gnu
"""
GKE = """\
Accelerators:
  alpha.kubernetes.io/nvidia-gpu:
    Volumes:
      - name: nvidia-libraries
        mountPath: /usr/local/nvidia/lib64
        hostPath: /home/kubernetes/bin/nvidia/lib
      - name: nvidia-debug-tools
        mountPath: /usr/local/bin/nvidia
        hostPath: /home/kubernetes/bin/nvidia/bin
"""


def in_map(text: str, style: str = "|") -> str:
    """A configuration in the ConfigMap that the operator's chart made of it."""
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tf-job-operator-config}\ndata:\n"
    if style != "|":
        scalar = yaml.dump(text, default_style=style, width=10_000)
        return f"{head}  controller_config_file.yaml: {scalar}"
    block = "".join(f"    {line}\n" for line in text.splitlines())
    return f"{head}  other: x\n  controller_config_file.yaml: |\n\n{block}"


def converted(text: str) -> controller.OperatorConfig:
    document = controller.read(text.encode(), "config.yaml")
    assert document is not None
    return controller.cloud(document)


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        converted(text)
    return [
        f"{problem.mark}: {problem.message} ({problem.rule})" for problem in caught.value.problems
    ]


@pytest.mark.parametrize(
    "wrap", [str, in_map, lambda text: in_map(text, '"')], ids=["alone", "block", "quoted"]
)
@pytest.mark.parametrize(("name", "text"), [("azure-2017", AZURE), ("gke-2017", GKE)])
def test_the_operators_own_configurations_become_the_built_in_clouds(
    name: str, text: str, wrap: object
) -> None:
    """Alone or in a ConfigMap; keys in any case, as Go read them."""
    assert callable(wrap)
    cloud = converted(wrap(text)).cloud
    shipped = catalog.data("cloud", name)
    assert {key: cloud[key] for key in ("devices", "types")} == {
        key: shipped[key] for key in ("devices", "types")
    }


def test_what_is_left_out_is_reported() -> None:
    config = converted(f"{AZURE}tfImage: tensorflow/tensorflow:1.3.0\n")
    text = controller.text(config, "config.yaml")
    assert "# grpcServerFilePath was left out: the chart brings" in text
    assert "# tfImage was left out:" in text
    assert yaml.safe_load(text) == config.cloud


def test_the_current_resource_name_is_what_gpu_means_anyway() -> None:
    config = converted(
        "accelerators: {nvidia.com/gpu: {envVars: [{name: A}]}, example.com/other: {}}"
    )
    assert config.cloud["devices"] == {
        "nvidia.com/gpu": {"env": {"A": ""}},
        "example.com/other": {},
    }
    assert "types" not in config.cloud


@pytest.mark.parametrize(
    "text",
    [
        "{name: j, framework: tensorflow, roles: {}, accelerators: {}}",
        "{kind: ConfigMap, data: {x: 'accelerator: {}'}, note: 'accelerators:'}",
        "{kind: ConfigMap, note: 'accelerators:'}",
        "{kind: Other, note: 'accelerators:'}",
        "accelerators: {}\n---\naccelerators: {}",
        "accelerators: [",
        "- accelerators: x",
        "name: mnist",
    ],
)
def test_other_texts_are_left_to_others(text: str) -> None:
    assert controller.read(text.encode(), "config.yaml") is None


def test_problems_have_their_places_in_the_file() -> None:
    """Also inside the block scalar of a ConfigMap, for which YAML gives no places."""
    text = AZURE.replace("hostPath:  ", "hostPaths: ").replace("name: bin", "Name: bin")
    inner = [
        "7:9: unknown key 'hostPaths'"
        ' in accelerators["alpha.kubernetes.io/nvidia-gpu"].volumes[0] (key-unknown)',
        "8:9: 'Name' is spelt 'name'; the operator ignored the case of keys (key-spelling)",
    ]
    assert sorted(refused(text)) == [f"config.yaml:{line}" for line in inner]
    outer = [line.replace("7:9:", "14:13:").replace("8:9:", "15:13:") for line in inner]
    assert sorted(refused(in_map(text))) == [f"config.yaml:{line}" for line in outer]
    assert {message.partition(": ")[0] for message in refused(in_map(text, '"'))} == {
        "config.yaml:5:32"
    }


def test_what_a_cloud_cannot_express_is_a_problem_of_the_configuration() -> None:
    (*_, message) = refused("accelerators: {gpu: {}}")
    assert message.startswith(
        "config.yaml:1:16: devices: expected a resource name such as nvidia.com/gpu as a key"
    )


def test_configurations_and_jobs_can_be_converted_together(typed: Typist, tmp_path: Path) -> None:
    """Problems of both are reported together, and --strict makes a spelling one."""
    config, job = tmp_path / "config.yaml", tmp_path / "job.yaml"
    config.write_text(GKE, "utf-8")
    job.write_text("{name: j, framework: tensorflow, image: i, roles: {worker: {}}}\n", "utf-8")
    code, out, err = typed("convert", str(config), str(job), "-q")
    assert (code, err) == (0, "")
    cloud, description = out.split("---\n")
    assert "devices" in yaml.safe_load(cloud)
    assert yaml.safe_load(description)["name"] == "j"
    code, out, _ = typed("convert", str(config), "--output", "json", "-q")
    assert (code, yaml.safe_load(out)) == (0, yaml.safe_load(cloud))
    assert typed("convert", str(config), "--strict").code == 1
    config.write_text("accelerators: {gpu: {}}", "utf-8")
    job.write_text("{name: J, framework: tensorflow, image: i, roles: {worker: {}}}", "utf-8")
    code, out, err = typed("convert", str(config), str(job))
    assert (code, out) == (1, "")
    assert f"{config}:1:16" in err
    assert f"{job}:1:8" in err


def test_a_job_is_made_of_jobs_only(typed: Typist, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(in_map(AZURE), "utf-8")
    code, _, err = typed("render", str(config), "-o", "-")
    assert code == 1
    assert "ConfigMap" in err


def test_a_render_names_the_file_that_is_missing_and_goes_on(typed: Typist, tmp_path: Path) -> None:
    """A cloud file is looked for beside its job, or for standard input in the working directory."""
    (tmp_path / "sub").mkdir()
    job = tmp_path / "sub/job.yaml"
    job.write_text(
        "{name: j, framework: tensorflow, image: i, cloud: ours.yaml, roles: {worker: {}}}", "utf-8"
    )
    code, out, err = typed("validate", str(job))
    assert code == 1
    assert f"{tmp_path / 'sub/ours.yaml'}: no such file (file-missing)" in out + err
    (tmp_path / "sub/ours.yaml").write_text("{}", "utf-8")
    assert typed("validate", str(job)).code == 0
    assert typed("validate", "-", stdin=job.read_text("utf-8")).code == 1
