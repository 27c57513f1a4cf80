"""variables: the order that Kubernetes needs, and the lengths that Linux and the API server take."""

import json
from pathlib import Path

import pytest
import yaml

from tests.helm.test_sizes import rules
from tests.support.charts import objects, pods, refusal, render

HEAD = "name: mnist\nframework: tensorflow\nimage: a:1\n"
ENV = 131_072


def names(helm: str, chart: Path, *arguments: str) -> list[str]:
    (pod,) = pods(objects(helm, chart, *arguments), "worker")
    return [entry["name"] for entry in pod["spec"]["containers"][0]["env"]]


def values(folder: Path, data: object) -> tuple[str, str]:
    (folder / "values.yaml").write_text(json.dumps(data))
    return "-f", str(folder / "values.yaml")


def test_every_variable_stands_behind_those_it_refers_to(helm: str, tmp_path: Path) -> None:
    """By name as far as that goes."""
    env = "{A: 1, B: $(Z), C: $(A), Z: $(A), Y: $$(B) $(X), X: $(B)}"
    found = names(helm, render(f"{HEAD}roles: {{worker: {{env: {env}}}}}\n", tmp_path))
    assert found[:6] == ["A", "C", "Z", "B", "X", "Y"]


def test_a_circle_is_refused_at_install(helm3: str, tmp_path: Path) -> None:
    chart = render(f"{HEAD}roles: {{worker: {{env: {{A: $(B), B: b}}}}}}\n", tmp_path)
    assert "refers back" in refusal(helm3, chart, "--set", "roles.worker.env.B=$(A)")


def test_what_the_framework_sets_comes_last_behind_the_clouds(helm: str, tmp_path: Path) -> None:
    """As the operator had it: one's own variables, the accelerator's, and then TF_CONFIG."""
    job = f"{HEAD}cloud: gke\nroles: {{worker: {{gpu: 1, env: {{MINE: 1}}}}}}\n"
    found = names(helm, render(job, tmp_path))
    assert found[0] == "MINE"
    assert found[-1] == "TF_CONFIG"
    assert "LD_LIBRARY_PATH" in found


@pytest.mark.parametrize(
    ("env", "fits"),
    [
        ({"A": "x" * (ENV - 3)}, True),
        ({"A": "x" * (ENV - 2)}, False),
        ({"A": "\u00e4" * (ENV // 2)}, False),
        ({"A": "x" * (ENV // 2), "B": "$(A)$(A)"}, False),
        ({"A": "$(A)" * 1000}, True),
    ],
)
def test_a_variable_that_linux_refuses_is_forecast(env: dict[str, str], fits: bool) -> None:
    assert rules(yaml.safe_dump({"roles": {"worker": {"env": env}}})) == ([] if fits else ["env-size"])


def test_annotations_that_the_api_server_refuses_are_forecast() -> None:
    """Keys and values count, and what several places add up to."""
    assert rules(yaml.safe_dump({"roles": {"worker": {}}, "annotations": {"a": "x" * 262_143}})) == []
    both = {"annotations": {"a": "x" * 131_000}, "roles": {"worker": {"annotations": {"b": "x" * 132_000}}}}
    assert rules(yaml.safe_dump(both)) == ["annotation-size"]


def test_both_are_refused_at_install(helm3: str, tmp_path: Path) -> None:
    chart = render(f"{HEAD}roles: {{worker: {{}}}}\n", tmp_path)
    assert "131072" in refusal(helm3, chart, *values(tmp_path, {"env": {"A": "x" * ENV}}))
    assert "262144" in refusal(helm3, chart, *values(tmp_path, {"annotations": {"a": "x" * 262_144}}))
