"""Kubernetes' schemas, and where the package kubernetes-validate keeps them."""

import json
from importlib.metadata import version
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from chartgen import resources
from chartgen.k8s import schemas


def test_the_package_is_laid_out_as_in_version_1_37_0() -> None:
    """chartgen reads its files directly; if this fails, look at what this version ships."""
    folder = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
    file = folder / "v1.29.0-local-strict/_definitions.json"
    assert file.is_file(), f"kubernetes-validate {version('kubernetes-validate')} has no {file}"
    job = json.loads(file.read_text("utf-8"))["$defs"]["io.k8s.api.batch.v1.Job"]
    assert job["x-kubernetes-group-version-kind"] == [
        {"group": "batch", "kind": "Job", "version": "v1"}
    ]


def test_versions_sort_as_numbers() -> None:
    versions = schemas.versions()
    assert versions[0] == "1.25"
    assert "1.29" in versions
    minors = [int(version.partition(".")[2]) for version in versions]
    assert minors == list(range(25, 25 + len(versions)))


def test_without_the_package_there_are_no_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resources.package_names("no_such_package", "schemas") == []
    monkeypatch.setattr(resources, "package_names", lambda *_: [])
    assert schemas.versions.__wrapped__() == []


def test_kinds_are_found_by_version_and_name_without_annotations() -> None:
    known = schemas.kinds("1.29")
    name = known.names["batch/v1", "Job"]
    assert "description" not in known.definitions[name]
    assert {"", "apps", "batch"} <= known.groups
