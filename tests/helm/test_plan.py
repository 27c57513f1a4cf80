"""plan: every late value there is, filled in by real Helm, and as long as forecast."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import pipeline
from chartgen.checks.sizes import Sizes
from chartgen.plan.model import (
    Chosen,
    Config,
    ConfigKey,
    Count,
    Env,
    Host,
    JobName,
    Mount,
    Ordinal,
    Peers,
    Pick,
    Plan,
    Port,
    RolePlan,
    RuntimeId,
    ShippedFile,
    Start,
    Text,
    text,
)
from tests.support.charts import env, named, objects, pods

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
PS, WORKERS = "p-ps-76no-0:3333", [f"p-worker-76no-{index}:{80 if index == 11 else 2222}" for index in range(12)]
QUOTED = ",".join(f'"{peer}"' for peer in WORKERS)

# A text of a plan, and what it is to be in the last worker.
TEXTS: dict[str, tuple[Text, str]] = {
    "fixed": (text("it's {{ plain }} text"), "it's {{ plain }} text"),
    "empty": (text(), ""),
    "index": (text("number ", Ordinal(), "!"), "number 11!"),
    "id": (text(RuntimeId()), "76no"),
    "job": (text(JobName()), "late"),
    "count": (text(Count("worker"), "+", Count("ps"), "+", Count("evaluator")), "12+1+0"),
    "count-unless-fewer": (text(Count("worker", "tensorflow.none")), "12"),
    "port": (text(Port("worker"), Port("ps")), "22223333"),
    "port-of-one": (text(Port("worker", 11), Port("worker", 0)), "802222"),
    "own-host": (text(Host("worker")), "p-worker-76no-11"),
    "own-address": (text(Host("worker", port=True)), "p-worker-76no-11:80"),
    "other-host": (text(Host("ps", 0)), "p-ps-76no-0"),
    "other-address": (text(Host("ps", 0, port=True)), PS),
    "overridden": (text(Host("worker", 11, port=True)), "p-worker-76no-11:80"),
    "two-digits": (text(Host("worker", 10)), "p-worker-76no-10"),
    "json": (text(Peers(("ps", "worker"), "json")), f'{{"ps":["{PS}"],"worker":[{QUOTED}]}}'),
    "members": (text(Peers(("ps", "worker"), "members")), f'"ps":["{PS}"],"worker":[{QUOTED}],'),
    "spec": (text(Peers(("ps", "worker"), "spec")), f"ps|{PS},worker|{';'.join(WORKERS)}"),
    "lines": (text(Peers(("ps",), "lines")), PS.replace(":", " ")),
    "nobody": (text(Peers((), "json"), Peers((), "members"), Peers((), "spec")), "{}"),
    "pick": (text(Pick("tensorflow.cluster", (("full", text("F", Ordinal())), ("sparse", text("S"))))), "F11"),
    "another-pick": (text("x", Pick("tensorflow.cluster", (("sparse", text("S")), ("full", text())))), "x"),
}


def _role(name: str) -> RolePlan:
    texts = {key: value for key, (value, _) in TEXTS.items()}
    return RolePlan(
        name=name,
        container="main",
        port=2222,
        port_name="late",
        service=name != "chief",
        labels={"example.com/late": text("x-", Ordinal(), "-", RuntimeId())},
        env=(
            *(Env(f"TEXT_{number}", value) for number, value in enumerate(texts.values())),
            Env("BEFORE", ConfigKey("late", text("in", "dex"))),
            Env("AFTER", text("<$(BEFORE)|", Ordinal(), "|$(BEFORE)|$(NOBODY)>")),
        ),
        mounts=(Mount("late", "all", "/late"), Mount("late", "some", "/some", Chosen("tensorflow.cluster", "sparse"))),
        start=Start((text("start"), text(Ordinal())), Mount("script", "script", "/script")),
    )


PLAN = Plan(
    title="Late",
    roles=tuple(map(_role, ("worker", "ps", "chief"))),
    configs=(
        Config("late", {"index": text("peers: ", Peers(("ps", "worker"), "json")), "hosts": text(Count("ps"))}),
        Config("script", {"cleanup.py": ShippedFile("cleanup.py")}, start_of="ps"),
    ),
    decides="chief",
    reserved_env=(),
)


def chart(folder: Path, cluster: str = "full") -> tuple[pipeline.Checked, Path]:
    """The chart of a framework that uses all there is."""
    (document,) = pipeline.read(JOB.replace(b"CLUSTER", cluster.encode()), "job.yaml")
    checked = pipeline.check(document)._replace(plan=PLAN)
    for name, content in pipeline.render(checked).items():
        place = folder / "late" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, "utf-8")
    return checked, folder / "late"


def volumes(pod: dict[str, Any]) -> set[str]:
    mounted = {mount["name"] for mount in pod["spec"]["containers"][0].get("volumeMounts", ())}
    assert mounted == {volume["name"] for volume in pod["spec"].get("volumes", ())}
    return mounted


def test_late_values_are_filled_in_and_as_long_as_forecast(helm: str, tmp_path: Path) -> None:
    checked, place = chart(tmp_path)
    sizes = Sizes(checked.job, PLAN)
    found = objects(helm, place)
    last = pods(found, "worker")[-1]
    assert last["metadata"]["labels"]["example.com/late"] == "x-11-76no"
    for number, (name, (value, expected)) in enumerate(TEXTS.items()):
        assert (name, env(last)[f"TEXT_{number}"]) == (name, expected)
        assert (name, sizes.text(value, PLAN.roles[0])) == (name, len(expected))


def test_what_a_variable_refers_to_counts_as_often_as_it_is_named(tmp_path: Path, helm3: str) -> None:
    checked, place = chart(tmp_path)
    found = objects(helm3, place)
    (config,) = named(found, "ConfigMap", "p-late-")
    before = len(config["data"]["index"])
    sizes = Sizes(checked.job, PLAN).env(PLAN.roles[0])
    assert sizes["BEFORE"] == before
    assert sizes["AFTER"] == len("<|11||$(NOBODY)>") + 2 * before
    assert env(pods(found, "worker")[-1])["AFTER"] == "<$(BEFORE)|11|$(BEFORE)|$(NOBODY)>"


def test_an_option_at_install_picks_another_text(helm3: str, tmp_path: Path) -> None:
    _, place = chart(tmp_path)
    number = list(TEXTS).index("pick")
    values = env(pods(objects(helm3, place, "--set", "tensorflow.cluster=sparse"), "worker")[0])
    assert (values[f"TEXT_{number}"], values[f"TEXT_{number + 1}"]) == ("S", "xS")


@pytest.mark.parametrize(("cluster", "mounted"), [("full", {"all", "script"}), ("sparse", {"all", "some", "script"})])
def test_a_mount_follows_its_option_and_a_start_its_command(
    cluster: str, mounted: set[str], helm3: str, tmp_path: Path
) -> None:
    _, place = chart(tmp_path, cluster)
    found = objects(helm3, place)
    worker, chief = pods(found, "worker")[3], pods(found, "chief")[0]
    assert volumes(worker) == mounted
    assert worker["spec"]["containers"][0]["command"] == ["start", "3"]
    assert volumes(chief) == mounted - {"script"}
    assert chief["spec"]["containers"][0]["command"] == ["lead"]


def test_only_roles_that_are_to_be_reached_have_a_service(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, chart(tmp_path)[1])
    assert len(named(found, "Service", "p-worker-")) == 12
    assert named(found, "Service", "p-chief-") == []


def test_files_that_travel_are_those_of_the_configs() -> None:
    assert PLAN.files == ("cleanup.py",)
    assert PLAN._replace(configs=()).files == ()
