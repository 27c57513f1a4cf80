"""Variables in the order that Kubernetes needs, and refusals at install, with the real Helm."""

import json
from pathlib import Path

from chartgen.checks.pods.env import MOST_REFERRING
from tests.support.charts import pods, read_objects, refusal, render
from tests.unit.checks.test_env import ENV

HEAD = "name: mnist\nframework: tensorflow\nimage: a:1\n"


def names(helm: str, chart: Path, *arguments: str) -> list[str]:
    (pod,) = pods(read_objects(helm, chart, *arguments), "worker")
    return [entry["name"] for entry in pod["spec"]["containers"][0]["env"]]


def values(folder: Path, data: object) -> tuple[str, str]:
    (folder / "values.yaml").write_text(json.dumps(data))
    return "-f", str(folder / "values.yaml")


def test_every_variable_comes_after_those_it_refers_to(helm: str, tmp_path: Path) -> None:
    """Otherwise sorted by name."""
    env = "{A: 1, B: $(Z), C: $(A), Z: $(A), Y: $$(B) $(X), X: $(B)}"
    order = names(helm, render(f"{HEAD}roles: {{worker: {{env: {env}}}}}\n", tmp_path))
    assert order[:6] == ["A", "C", "Z", "B", "X", "Y"]


def test_a_long_chain_is_sorted_and_a_longer_one_refused(helm: str, tmp_path: Path) -> None:
    """A thousand took Helm more than ten minutes; the template has the limit of the check."""
    chart = render(f"{HEAD}roles: {{worker: {{}}}}\n", tmp_path)
    chain = {f"V{number:03}": f"$(V{number + 1:03})" for number in range(MOST_REFERRING)}
    last = f"V{MOST_REFERRING}"
    order = names(helm, chart, *values(tmp_path, {"env": {**chain, last: "x"}}))
    assert order[: MOST_REFERRING + 1] == [last, *reversed(chain)]
    said = refusal(helm, chart, *values(tmp_path, {"env": {**chain, last: "$(X)"}}))
    refused = f"{MOST_REFERRING + 1} variables refer to others; expected at most {MOST_REFERRING}"
    assert refused in said


def test_a_cycle_is_refused_at_install(helm3: str, tmp_path: Path) -> None:
    chart = render(f"{HEAD}roles: {{worker: {{env: {{A: $(B), B: b}}}}}}\n", tmp_path)
    assert "A refers to itself through other variables" in refusal(
        helm3, chart, "--set", "roles.worker.env.B=$(A)"
    )


def test_variables_of_the_framework_come_last_after_those_of_the_cloud(
    helm: str, tmp_path: Path
) -> None:
    """As with the operator: the job's variables, the accelerator's, and then TF_CONFIG."""
    job = f"{HEAD}cloud: gke\nroles: {{worker: {{gpu: 1, env: {{MINE: 1}}}}}}\n"
    order = names(helm, render(job, tmp_path))
    assert order[0] == "MINE"
    assert order[-1] == "TF_CONFIG"
    assert "LD_LIBRARY_PATH" in order


def test_long_variables_and_annotations_are_refused_at_install(helm3: str, tmp_path: Path) -> None:
    chart = render(f"{HEAD}roles: {{worker: {{}}}}\n", tmp_path)
    assert "131072" in refusal(helm3, chart, *values(tmp_path, {"env": {"A": "x" * ENV}}))
    assert "262144" in refusal(
        helm3, chart, *values(tmp_path, {"annotations": {"a": "x" * 262_144}})
    )
