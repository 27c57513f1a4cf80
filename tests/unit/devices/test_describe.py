"""Clouds and devices in words: `list`, `explain cloud`, and the chart's README."""

import json
from pathlib import Path

import pytest

from chartgen.devices import catalog, describe
from tests.support.charts import render
from tests.support.command_line import Typist


def test_clouds_accelerators_and_fabrics_are_listed(typed: Typist) -> None:
    listed = json.loads(typed("list", "clouds", "--output=json").out)
    assert [row["name"] for row in listed] == catalog.names("cloud")
    rows = {
        row["name"]: row for row in json.loads(typed("list", "accelerators", "--output=json").out)
    }
    assert rows["tpu"]["clouds"] == "gke"
    assert rows["h100"]["resource"] == "nvidia.com/gpu"
    assert "azure" in rows["mi300x"]["clouds"].split(",")
    fabrics = json.loads(typed("list", "fabrics", "--output=json").out)
    assert {"cloud": "aws", "name": "efa", "about": "AWS Elastic Fabric Adapter"} in fabrics


@pytest.mark.parametrize("name", catalog.names("cloud"))
def test_a_cloud_is_explained(typed: Typist, name: str) -> None:
    """What is added, for which devices, types and fabrics, and where the data come from."""
    code, out, err = typed("explain", "cloud", name)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    data = catalog.data("cloud", name)
    assert lines[0] == f"{name}: {data['description']}"
    for part in ("devices", "types", "fabrics", "machines"):
        assert {f"  {key}" for key in data.get(part, {})} <= {
            "  " + line.split()[0] for line in lines if line.strip()
        }
    assert f"  {next(describe.sources('cloud', name))}" in lines[lines.index("Sources") :]


def test_the_explanation_of_a_cloud_in_full(typed: Typist) -> None:
    assert typed("explain", "cloud", "mxnet-2017").out.splitlines() == [
        "mxnet-2017: The paths of the MxJob operator's chart (December 2017)",
        "",
        "Pods that request",
        "  alpha.kubernetes.io/nvidia-gpu",
        "    the volume nvidia-libraries"
        " (hostPath /var/lib/nvidia-docker/volumes/nvidia_driver/current) at",
        "      /usr/local/nvidia",
        "",
        "With accelerator.type",
        "  nvidia-gpu",
        "    the resource alpha.kubernetes.io/nvidia-gpu",
        "",
        "Sources",
        *(f"  {line}" for line in describe.sources("cloud", "mxnet-2017")),
        "",
        "See also",
        "  chartgen explain devices",
    ]


def readme(roles: str, folder: Path, cloud: str) -> str:
    text = f"{{name: j, framework: tensorflow, image: i, cloud: {cloud}, roles: {roles}}}"
    return (render(text, folder) / "README.md").read_text("utf-8")


def test_the_readme_of_a_chart_says_what_its_cloud_adds(tmp_path: Path) -> None:
    """Role by role, and for overrides that differ; each thing is named once."""
    overrides = "{'0': {}, '1': {gpu: 2}, '2': {workingDir: /x}}"
    roles = f"{{chief: {{}}, worker: {{replicas: 3, gpu: 1, overrides: {overrides}}}}}"
    text = readme(roles, tmp_path, "gke")
    devices = text.partition("## Devices\n")[2].partition("## Use\n")[0]
    assert (
        "This chart is made for the cloud `gke`; `--set cloud=NAME` selects another:"
        " `ack`, `amd-operator`," in devices
    )
    given = (
        "- `LD_LIBRARY_PATH=/usr/local/nvidia/lib64`\n"
        "- `a toleration of nvidia.com/gpu=present:NoSchedule`\n"
        "- `a toleration of cloud.google.com/impending-node-termination`\n\n"
    )
    asks = [
        f"worker{which} requests {count} nvidia.com/gpu and gets:\n\n{given}"
        for which, count in (("", 1), (" 1", 2))
    ]
    assert devices.endswith("".join(asks))


def test_the_readme_says_nothing_about_devices_that_no_role_requests(tmp_path: Path) -> None:
    assert "## Devices" not in readme("{chief: {}}", tmp_path / "one", "gke")
    assert "chief requests 1 nvidia.com/gpu and gets nothing more." in readme(
        "{chief: {gpu: 1}}", tmp_path / "two", "none"
    )


def test_everything_a_fabric_adds_is_described() -> None:
    """A key of the data that no sentence mentions would be added silently."""
    for name in catalog.names("fabric"):
        adds = catalog.data("fabric", name)
        text = "\n".join(describe.describe_layers([adds]))
        for field in ("env", "annotations", "pod"):
            assert all(key in text for key in adds.get(field, {}))
        assert all(
            entry["name"] in text
            for field in ("volumes", "sidecars")
            for entry in adds.get(field, ())
        )
        assert adds.get("securityContext", {}).keys() <= {"capabilities", "privileged"}
        assert all(
            capability in text
            for capability in adds.get("securityContext", {}).get("capabilities", {}).get("add", ())
        )
        assert ("a privileged container" in text) == adds.get("securityContext", {}).get(
            "privileged", False
        )
