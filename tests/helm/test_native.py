"""The corpus of native jobs, rendered by the real Helm."""

import re
from pathlib import Path

import pytest
import yaml as yaml_library

from tests.support.charts import render, template
from tests.support.golden import compare, refer_to_scripts
from tests.support.kubernetes_schemas import VERSIONS, validate
from tests.unit.native.test_native import CASES

# --- every case


def abridged(text: str) -> str:
    """Manifests with a few replicas of each role: the others differ only in numbers."""
    parts = text.split("---\n# Source: ")
    numbers = [
        re.search(r"^kind: Job\nmetadata:\n  name: .*-([0-9]{1,5})$", part, re.MULTILINE)
        for part in parts
    ]
    kept = [
        part
        for part, number in zip(parts, numbers, strict=True)
        if not number or int(number[1]) < 3
    ]
    return "---\n# Source: ".join(kept)


@pytest.mark.parametrize(
    "job", sorted(CASES.glob("*/*/job.yaml")), ids=lambda path: path.parent.name
)
def test_golden_manifests(job: Path, helm3: str, bless: bool, tmp_path: Path) -> None:
    """A native job's objects are as reviewed, and old and new Kubernetes accept them."""
    chart = render(job.read_text("utf-8"), tmp_path)
    made = abridged(template(helm3, chart))
    compare(job.with_name("manifests.yaml"), refer_to_scripts(made), bless)
    for manifest in filter(None, yaml_library.load_all(made, Loader=yaml_library.CSafeLoader)):
        for version in VERSIONS:
            validate(manifest, version)
