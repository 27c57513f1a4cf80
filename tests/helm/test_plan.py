"""plan: every kind of late value, filled in by the real Helm, and as long as forecast."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import pipeline
from chartgen import pods as described_pods
from chartgen.checks.sizes import Sizes
from tests.support.charts import env, named, pods, read_objects, write
from tests.unit.plan.test_plan import PLAN, TEXTS

JOB = b"""
name: late
framework: tensorflow
image: a:1
runtimeId: 76no
namePrefix: p-
tensorflow: {cluster: CLUSTER}
roles:
  worker: {replicas: 12, overrides: {11: {port: 80}}}
  ps: {replicas: 1, port: 3333}
  chief: {replicas: 1, command: [lead]}
"""


def chart(folder: Path, cluster: str = "full") -> tuple[pipeline.CheckedJob, Path]:
    """The chart of a framework that uses everything."""
    (document,) = pipeline.read(JOB.replace(b"CLUSTER", cluster.encode()), "job.yaml")
    checked = pipeline.check(document)
    assembled = described_pods.assemble(checked.job, PLAN)
    checked = checked._replace(plan=PLAN, pods=assembled)
    write(pipeline.render(checked), folder / "late")
    return checked, folder / "late"


def volumes(pod: dict[str, Any]) -> set[str]:
    mounted = {mount["name"] for mount in pod["spec"]["containers"][0].get("volumeMounts", ())}
    assert mounted == {volume["name"] for volume in pod["spec"].get("volumes", ())}
    return mounted


def test_late_values_are_filled_in_and_as_long_as_forecast(helm: str, tmp_path: Path) -> None:
    checked, place = chart(tmp_path)
    sizes = Sizes(checked.job, PLAN)
    objects = read_objects(helm, place)
    last = pods(objects, "worker")[-1]
    assert last["metadata"]["labels"]["example.com/late"] == "x-11-76no"
    for number, (name, (value, expected)) in enumerate(TEXTS.items()):
        assert (name, env(last)[f"TEXT_{number}"]) == (name, expected)
        assert (name, sizes.text(value, PLAN.roles[0])) == (name, len(expected))


def test_a_variable_counts_each_time_it_is_referred_to(tmp_path: Path, helm3: str) -> None:
    checked, place = chart(tmp_path)
    objects = read_objects(helm3, place)
    (config,) = named(objects, "ConfigMap", "p-late-")
    before = len(config["data"]["index"])
    sizes = Sizes(checked.job, PLAN).env(PLAN.roles[0])
    assert sizes["BEFORE"] == before
    assert sizes["AFTER"] == len("<|11||$(NOBODY)>") + 2 * before
    assert env(pods(objects, "worker")[-1])["AFTER"] == "<$(BEFORE)|11|$(BEFORE)|$(NOBODY)>"


def test_an_option_at_install_selects_another_text(helm3: str, tmp_path: Path) -> None:
    _, place = chart(tmp_path)
    number = list(TEXTS).index("pick")
    values = env(
        pods(read_objects(helm3, place, "--set", "tensorflow.cluster=sparse"), "worker")[0]
    )
    assert (values[f"TEXT_{number}"], values[f"TEXT_{number + 1}"]) == ("S", "xS")


@pytest.mark.parametrize(
    ("cluster", "mounted"), [("full", {"all", "script"}), ("sparse", {"all", "some", "script"})]
)
def test_a_mount_follows_its_option_and_a_start_its_command(
    cluster: str, mounted: set[str], helm3: str, tmp_path: Path
) -> None:
    _, place = chart(tmp_path, cluster)
    objects = read_objects(helm3, place)
    worker, chief = pods(objects, "worker")[3], pods(objects, "chief")[0]
    assert volumes(worker) == mounted
    assert worker["spec"]["containers"][0]["command"] == ["start", "3"]
    assert volumes(chief) == mounted - {"script"}
    assert chief["spec"]["containers"][0]["command"] == ["lead"]


def test_only_roles_that_others_connect_to_have_a_service(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, chart(tmp_path)[1])
    assert len(named(objects, "Service", "p-worker-")) == 12
    assert named(objects, "Service", "p-chief-") == []
