"""Pods of the chart's own that nobody may connect to, and whose images are pulled again."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.charts import Objects, named, read_objects, refusal
from tests.support.paths import ROOT
from tests.support.plain_charts import JOB, render

GUARDED = "networkPolicy: {create: true}\n"
OWN = {"cleanup", "keys", "strays", "tensorboard", "test"}
COMPONENT = "app.kubernetes.io/component"


def pods_of(objects: Objects) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """The labels and the spec of every pod."""
    made = []
    for manifest in objects:
        pod = manifest if manifest["kind"] == "Pod" else manifest.get("spec", {}).get("template")
        if pod:
            made.append((pod["metadata"]["labels"], pod["spec"]))
    return made


def selects(policy: dict[str, Any], labels: dict[str, str]) -> bool:
    """Whether a policy is for a pod with these labels."""
    selector = policy["spec"]["podSelector"]
    required: dict[str, str] = selector["matchLabels"]
    for rule in selector.get("matchExpressions", ()):
        assert rule["operator"] == "In"
        if labels.get(rule["key"]) not in rule["values"]:
            return False
    return required.items() <= labels.items()


@pytest.mark.parametrize("example", ["mnist", "allreduce", "logistic-regression", "elastic"])
def test_policies_are_for_all_pods_of_the_charts_own_and_for_no_replica(
    example: str, helm: str, tmp_path: Path
) -> None:
    """Tests, clean-up, ssh keys, what removes strays, and TensorBoard."""
    job = (ROOT / f"values/jobs/{example}.yaml").read_text("utf-8")
    objects = read_objects(
        helm, render(job + GUARDED, tmp_path), "--set", "tensorboard.logDir=/logs"
    )
    policies = named(objects, "NetworkPolicy")
    all_own, board = policies
    seen = set()
    for labels, spec in pods_of(objects):
        component = labels[COMPONENT]
        seen.add(component)
        assert selects(all_own, labels) is (component in OWN), component
        assert selects(board, labels) is (component == "tensorboard"), component
        if component == "tensorboard":
            ((port,),) = (rule["ports"] for rule in board["spec"]["ingress"])
            assert port["port"] in [
                container_port["name"] for container_port in spec["containers"][0]["ports"]
            ]
    assert {"test", "tensorboard"} < seen
    assert "ingress" not in all_own["spec"]
    assert all_own["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert all_own["spec"]["egress"] == [{}]


def test_policies_change_nothing_else(helm: str, tmp_path: Path) -> None:
    """No name and no id: the policies come and go while the job runs."""
    plain = read_objects(helm, render(JOB, tmp_path / "plain"))
    chart = render(JOB + GUARDED, tmp_path / "guarded")
    on, off = (
        read_objects(helm, chart),
        read_objects(helm, chart, "--set", "networkPolicy.create=false"),
    )
    assert off == plain
    assert [manifest for manifest in on if manifest["kind"] != "NetworkPolicy"] == plain
    assert len(on) == len(plain) + 1, "there is no TensorBoard"


def test_a_chart_whose_job_does_not_mention_them_has_no_part_of_them(
    helm: str, tmp_path: Path
) -> None:
    """Its schema says so; extraObjects takes any policy."""
    chart = render(JOB, tmp_path)
    assert not (chart / "templates/networkpolicies.yaml").exists()
    for setting in ("networkPolicy.create=true", "helperImagePullPolicy=Always"):
        assert setting.partition("=")[0].partition(".")[0] in refusal(helm, chart, "--set", setting)


def test_images_of_helpers_are_pulled_as_the_job_says(helm: str, tmp_path: Path) -> None:
    """Also those that are the job's own, whose policy is another."""
    job = JOB + "helperImagePullPolicy: Always\nimagePullPolicy: Never\n"
    chart = render(job, tmp_path)
    for policy, words in {
        "Always": (),
        "IfNotPresent": ("--set", "helperImagePullPolicy=IfNotPresent"),
    }.items():
        policies = {}
        for labels, spec in pods_of(read_objects(helm, chart, *words)):
            policies[labels[COMPONENT]] = spec["containers"][0]["imagePullPolicy"]
        own = {component: policies.pop(component) for component in OWN & policies.keys()}
        assert set(own.values()) == {policy}
        assert set(policies.values()) == {"Never"}
    assert "test" in own
