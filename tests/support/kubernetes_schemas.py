"""Kubernetes' own strict schemas, as kubernetes-validate ships them and judges by them.

That package reads all its schemas again for each object, which takes twenty times as long as the
validation. Here they are read once.
"""

import re
from functools import cache
from typing import Any

import jsonschema
import kubernetes_validate  # type: ignore[import-untyped]
from kubernetes_validate.utils import schema_contents  # type: ignore[import-untyped]
from referencing import Registry, Resource

# The oldest version that charts are made for, and the newest there is.
VERSIONS = ("1.29.0", kubernetes_validate.latest_version())


def validate(manifest: dict[str, Any], version: str) -> None:
    """Raise jsonschema.ValidationError if a version of Kubernetes would refuse the object."""
    _validator(version, manifest["apiVersion"], manifest["kind"]).validate(manifest)


@cache
def _validator(version: str, api_version: str, kind: str) -> jsonschema.Draft202012Validator:
    # The schema of a RoleBinding is in rolebinding-rbac-v1.json.
    group = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    schema = _contents(version, f"{kind.lower()}-{group}.json")
    registry = Resource.from_contents(schema) @ _definitions(version)
    return jsonschema.Draft202012Validator(schema, registry=registry)


@cache
def _definitions(version: str) -> Registry[Any]:
    registry: Registry[Any] = Registry()
    return Resource.from_contents(_contents(version, "_definitions.json")) @ registry


def _contents(version: str, file: str) -> Any:
    return schema_contents(f"kubernetes-json-schema/v{version}-local-strict/{file}", version)
