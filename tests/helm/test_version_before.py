"""A release made by a chart of the version before is upgraded without replacing its Jobs.

tests/corpus/before holds charts of the examples, as chartgen made them before charts were compiled.
"""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.charts import Objects, named, read_objects, render
from tests.support.paths import CORPUS, ROOT

BEFORE = sorted((CORPUS / "before").glob("*.tgz"))


def replicas(objects: Objects) -> dict[str, Any]:
    """The pods of all replicas, by the names of their Jobs."""
    jobs = [job for job in named(objects, "Job") if "chartgen/role" in job["metadata"]["labels"]]
    return {job["metadata"]["name"]: job["spec"]["template"] for job in jobs}


def use_programs(package: Path, chart: Path) -> None:
    """Put the programs of a packaged chart in the place of a chart's own."""
    with tarfile.open(package) as archive:
        for member in archive:
            _, _, path = member.name.partition("/")
            if path.startswith("files/") and (chart / path).suffix in (".py", ".sh"):
                content = archive.extractfile(member)
                assert content
                (chart / path).unlink()  # it is one with that of other charts
                (chart / path).write_bytes(content.read())


@pytest.mark.parametrize("package", BEFORE, ids=lambda path: path.stem)
def test_an_upgrade_from_the_version_before_keeps_every_job(
    package: Path, helm3: str, tmp_path: Path
) -> None:
    """Names and pods are the same, except where a program that a chart brings was rewritten.

    Such a program is part of its pods, so the comparison is made with the one of before. Jobs of
    Mars' workers, which are never restarted in place, have a podFailurePolicy now. Kubernetes adds
    none to a Job that exists, so there the names change, and the pods do not.
    """
    description = (ROOT / f"values/jobs/{package.stem}.yaml").read_text("utf-8")
    chart = render(description, tmp_path)
    use_programs(package, chart)
    old, new = read_objects(helm3, package), read_objects(helm3, chart)
    before, after = replicas(old), replicas(new)
    assert before
    if any("podFailurePolicy" in job["spec"] for job in named(new, "Job", "worker-")):
        assert package.stem == "analysis"
        before, after = without_id(before), without_id(after)
    assert after == before


def without_id(pods: dict[str, Any]) -> Any:
    """The same with a word for the runtime id."""
    runtime_id = next(iter(pods.values()))["metadata"]["labels"]["chartgen/runtime-id"]
    return json.loads(json.dumps(pods).replace(runtime_id, "ID"))
