"""Every object of every golden chart and example, against Kubernetes' own strict schemas, old and new."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from tests.support.charts import objects, render

ROOT = Path(__file__).parents[1]
JOBS = sorted([*ROOT.glob("corpus/golden/*/job.yaml"), *ROOT.parent.glob("values/jobs/*.yaml")])
VERSIONS = ("1.29", kubernetes_validate.latest_version())
SETTINGS = (
    "cleanup.enabled=false",
    "cleanup.enabled=true",
    "podSecurity=restricted",
    "cleanup.enabled=true,rbac.create=false",
)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("job", JOBS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_objects_are_such_as_kubernetes_takes(job: Path, version: str, helm3: str, tmp_path: Path) -> None:
    """No object has a field that Kubernetes does not know or of a type that it does not take."""
    chart = render(job.read_text(encoding="utf-8"), tmp_path)
    for setting in SETTINGS:
        found = objects(helm3, chart, "--set", ",".join((setting, *few(chart))))
        assert found
        for one in found:
            kubernetes_validate.validate(one, version, strict=True)
            assert list(nulls(one)) == [], "Kubernetes takes them; people and tools that compare do not"


def nulls(part: Any, path: str = "") -> Iterator[str]:
    """Where there is a key that says nothing."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        if value is None:
            yield f"{path}.{key}"
        yield from nulls(value, f"{path}.{key}")


def few(chart: Path) -> list[str]:
    """Settings that leave only a few replicas: they differ in numbers alone, and each takes 10 ms to judge."""
    roles = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))["roles"]
    return [f"roles.{name}.replicas={min(role['replicas'], 6)}" for name, role in roles.items()]


def test_the_schemas_can_refuse(helm3: str, tmp_path: Path) -> None:
    """The check above is no formality: a field in the wrong place is found."""
    chart = render((ROOT / "corpus/golden/minimal/job.yaml").read_text(encoding="utf-8"), tmp_path)
    job = next(one for one in objects(helm3, chart) if one["kind"] == "Job")
    job["spec"]["template"]["spec"]["replicas"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, VERSIONS[0], strict=True)
