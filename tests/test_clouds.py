"""Clouds: what each adds to the pods that ask for its devices, by the real Helm."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import clouds
from chartgen.emit import emit
from tests.real_helm import objects, pods, render

GOLDEN = Path(__file__).parent / "clouds"
CASES = sorted(path.stem for path in GOLDEN.glob("*.yaml"))
OURS = ("TF_CONFIG", "CHARTGEN_CLUSTER")
SAME = ("restartPolicy", "enableServiceLinks", "automountServiceAccountToken")


def job(cloud: str, roles: list[dict[str, Any]], **more: Any) -> str:
    """A job whose replica N is the Nth role."""
    overrides = {str(index): role for index, role in enumerate(roles)}
    worker = {"replicas": len(roles), "command": ["train"], "overrides": overrides}
    described = {"name": "j", "framework": "tensorflow", "image": "i", "cloud": cloud, "roles": {"worker": worker}}
    return emit({**described, "runtimeId": "x", **more})


def bare(pod: dict[str, Any]) -> dict[str, Any]:
    """A pod without what every pod of this job has, cloud or not."""
    spec = {key: value for key, value in pod["spec"].items() if key not in SAME}
    main = spec["containers"][0]
    for key in ("command", "image", "name", "ports"):
        del main[key]
    main["env"] = [entry for entry in main["env"] if entry["name"] not in OURS]
    spec["containers"] = [{key: value for key, value in main.items() if value}, *spec["containers"][1:]]
    labels = {key: value for key, value in pod["metadata"]["labels"].items() if key == "chartgen/fabric"}
    annotations = pod["metadata"].get("annotations", {})
    return {key: value for key, value in {"labels": labels, "annotations": annotations, **spec}.items() if value}


@pytest.mark.parametrize("cloud", CASES)
def test_golden_pods(cloud: str, helm3: str, bless: bool, tmp_path: Path) -> None:
    """What a role asks for, and the pod that comes of it; read against the sources that the cloud's file names."""
    place = GOLDEN / f"{cloud}.yaml"
    roles = [case["role"] for case in yaml.safe_load_all(place.read_text("utf-8"))]
    found = objects(helm3, render(job(cloud, roles), tmp_path))
    made = [{"role": role, "pod": bare(pod)} for role, pod in zip(roles, pods(found, "worker"), strict=True)]
    text = "---\n".join(map(emit, made))
    if bless:
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


def test_every_cloud_has_golden_pods() -> None:
    assert clouds.names("cloud") == CASES
