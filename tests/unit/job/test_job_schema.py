"""schemas/job.schema.json, the single source of truth about a job description."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from jsonschema import Draft7Validator

from chartgen import resources, schema
from chartgen.document import Path

JOB: dict[str, Any] = resources.data("schemas/job.schema.json")
DEFINITIONS: dict[str, Any] = JOB["definitions"]
JOB_KEYS = set(JOB["properties"])
OURS = (
    *("role", "override", "accelerator", "cloudData", "tensorflow", "mxnet", "elasticdl", "angel"),
    *("mars", "pytorch", "jax", "custom", "mpi", "wait", "tensorboard", "rbac", "cleanup", "tests"),
)
ROLE_KEYS = set(DEFINITIONS["role"]["properties"])


def _nodes(node: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every mapping of the schema that is not just an example."""
    if isinstance(node, dict):
        yield path, node
        for key, inner in node.items():
            if key not in ("examples", "default"):
                yield from _nodes(inner, (*path, key))
    elif isinstance(node, list):
        for index, inner in enumerate(node):
            yield from _nodes(inner, (*path, index))


def test_it_is_a_self_contained_draft_07_schema() -> None:
    Draft7Validator.check_schema(JOB)
    assert JOB["$schema"] == "http://json-schema.org/draft-07/schema#"
    for _, node in _nodes(JOB):
        assert "$id" not in node
        if "$ref" in node:
            assert list(node) == ["$ref"], "draft-07 ignores what is beside a $ref"
            assert node["$ref"].removeprefix("#/definitions/") in DEFINITIONS


def test_every_definition_is_used() -> None:
    used = {
        node["$ref"].removeprefix("#/definitions/") for _, node in _nodes(JOB) if "$ref" in node
    }
    assert used == set(DEFINITIONS)


def test_every_field_that_is_not_kubernetes_own_is_explained() -> None:
    """Descriptions become the comments of values.yaml, so each is one line with a full stop."""
    for holder in (JOB, *(DEFINITIONS[name] for name in OURS)):
        for name, field in holder["properties"].items():
            whole = (
                DEFINITIONS[field["$ref"].removeprefix("#/definitions/")]
                if "$ref" in field
                else field
            )
            assert whole["title"], name
            assert whole["examples"], name
            description = whole["description"]
            assert re.fullmatch(r"[^.].{,98}[^.]\.", description), description


def test_every_example_and_default_is_valid() -> None:
    for path, node in _nodes(JOB):
        for value in node.get("examples", []) + ([node["default"]] if "default" in node else []):
            assert schema.accepts(node, value, JOB), (path, value)


def test_every_mapping_that_is_not_kubernetes_own_is_closed_or_says_what_it_holds() -> None:
    for path, node in _nodes(JOB):
        open_mapping = "allOf" in path or "extraObjects" in path  # objects of any kind
        if "properties" in node and path[-1:] != ("properties",) and not open_mapping:
            assert node["additionalProperties"] is False or path[-1] == "quantities", path


def test_every_pattern_says_in_words_what_it_expects() -> None:
    for path, node in _nodes(JOB):
        if isinstance(node.get("pattern"), str):
            assert isinstance(node["x-expect"], str), path


def test_patterns_mean_the_same_to_go_and_python() -> None:
    """Go has no look-around, and Python's \\d, \\w and \\s match far more than Go's."""
    for _, node in _nodes(JOB):
        for pattern in [node.get("pattern"), *node.get("patternProperties", {})]:
            if isinstance(pattern, str):
                assert not re.search(r"\\[dDwWsSbBAZz]|\(\?", pattern), pattern


def test_the_role_has_the_fields_of_the_contract() -> None:
    contract = """
    replicas port image imagePullPolicy command args workingDir env envFrom ports resources
    volumes volumeMounts nodeSelector tolerations affinity priorityClassName restartPolicy exitCodes
    backoffLimit activeDeadlineSeconds labels annotations securityContext podSecurityContext
    serviceAccountName initContainers sidecars container pod template overrides
    imagePullSecrets gpu accelerator fabric job service ttlSecondsAfterFinished suspend"""
    assert set(contract.split()) == ROLE_KEYS


def test_role_fields_are_defaults_of_the_job_and_may_be_overridden() -> None:
    assert {"replicas", "port", "template", "overrides"} == ROLE_KEYS - JOB_KEYS
    assert ROLE_KEYS - set(DEFINITIONS["override"]["properties"]) == {
        "replicas",
        "template",
        "overrides",
    }


def test_every_part_of_a_pod_template_has_a_place_in_a_role() -> None:
    """Every field of a pod or container is a role's field or allowed in the raw maps."""
    containers = set(DEFINITIONS["kubernetesContainer"]["properties"])
    own = ROLE_KEYS - {"restartPolicy"} | {"name"}
    assert containers - set(DEFINITIONS["container"]["properties"]) == containers & own
    pods = set(DEFINITIONS["template"]["properties"]["spec"]["properties"])
    own = ROLE_KEYS - {"resources", "activeDeadlineSeconds"} | {"securityContext", "containers"}
    assert pods - set(DEFINITIONS["pod"]["properties"]) == pods & own


def test_all_fields_of_kubernetes_are_there() -> None:
    kubernetes = _kubernetes()
    for kind, place in {
        "Container": DEFINITIONS["kubernetesContainer"],
        "PodSpec": DEFINITIONS["template"]["properties"]["spec"],
        "Volume": DEFINITIONS["volumes"]["items"],
        "VolumeMount": DEFINITIONS["volumeMounts"]["items"],
        "Toleration": DEFINITIONS["tolerations"]["items"],
        "ContainerPort": DEFINITIONS["ports"]["items"],
        "EnvFromSource": DEFINITIONS["envFrom"]["items"],
        "EnvVarSource": DEFINITIONS["valueFrom"],
        "ResourceRequirements": DEFINITIONS["resources"],
        "SecurityContext": DEFINITIONS["securityContext"],
        "PodSecurityContext": DEFINITIONS["podSecurityContext"],
        "Affinity": DEFINITIONS["affinity"],
    }.items():
        # Kubernetes refuses ephemeral containers in a pod template.
        fields = set(kubernetes[f"io.k8s.api.core.v1.{kind}"]["properties"]) - {
            "ephemeralContainers"
        }
        assert set(place["properties"]) == fields, kind


def _kubernetes() -> dict[str, Any]:
    """Kubernetes' definitions, of one fixed version: a newer package cannot fail the tests."""
    folder = files("kubernetes_validate") / "kubernetes-json-schema" / "v1.37.0-local"
    definitions: dict[str, Any] = json.loads((folder / "_definitions.json").read_text())["$defs"]
    return definitions
