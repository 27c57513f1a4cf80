"""Every object of every golden chart and example satisfies Kubernetes' strict schemas."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import ValidationError

from tests.support.charts import read_objects, render
from tests.support.kubernetes_schemas import VERSIONS, validate
from tests.support.paths import CORPUS, ROOT

JOBS = sorted([*CORPUS.glob("golden/*/job.yaml"), *ROOT.glob("values/jobs/*.yaml")])
# Each object that a value adds or changes is in one of them.
SETTINGS = (
    "cleanup.enabled=false,podSecurity=restricted",
    "cleanup.enabled=true",
    "cleanup.enabled=true,rbac.create=false",
)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("job", JOBS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_kubernetes_accepts_the_objects(
    job: Path, version: str, helm3: str, tmp_path: Path
) -> None:
    """No object has an unknown field, or a field of a wrong type."""
    chart = render(job.read_text(encoding="utf-8"), tmp_path)
    for setting in SETTINGS:
        objects = read_objects(helm3, chart, "--set", ",".join((setting, *few(chart))))
        assert objects
        for manifest in objects:
            validate(manifest, version)
            assert list(nulls(manifest)) == [], (
                "Kubernetes takes them; people and tools that compare do not"
            )


def nulls(part: Any, path: str = "") -> Iterator[str]:
    """The paths of keys without a value."""
    items = (
        part.items()
        if isinstance(part, dict)
        else enumerate(part)
        if isinstance(part, list)
        else ()
    )
    for key, value in items:
        if value is None:
            yield f"{path}.{key}"
        yield from nulls(value, f"{path}.{key}")


def few(chart: Path) -> list[str]:
    """Settings that leave a few replicas: others differ only in numbers, and each takes 10 ms."""
    roles = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))["roles"]
    return [f"roles.{name}.replicas={min(role['replicas'], 6)}" for name, role in roles.items()]


def test_the_schemas_refuse_what_is_wrong(helm3: str, tmp_path: Path) -> None:
    """The check above is effective: a field in the wrong place is found."""
    chart = render((CORPUS / "golden/minimal/job.yaml").read_text(encoding="utf-8"), tmp_path)
    job = next(manifest for manifest in read_objects(helm3, chart) if manifest["kind"] == "Job")
    job["spec"]["template"]["spec"]["replicas"] = 1
    with pytest.raises(ValidationError):
        validate(job, VERSIONS[0])
