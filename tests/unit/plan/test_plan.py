"""A plan with every kind of late value (Helm fills them in, in tests/helm), and its files."""

from chartgen.plan.late import (
    Chosen,
    Count,
    DeviceIds,
    Devices,
    First,
    Host,
    JobName,
    Ordinal,
    PeerList,
    Peers,
    Pick,
    Port,
    Rank,
    RuntimeId,
    ShippedFile,
    Text,
    Total,
    text,
)
from chartgen.plan.model import Config, ConfigKey, Env, Mount, Plan, RolePlan, Start

PS, WORKERS = (
    "p-ps-76no-0:3333",
    [f"p-worker-76no-{index}:{80 if index == 11 else 2222}" for index in range(12)],
)
QUOTED = ",".join(f'"{peer}"' for peer in WORKERS)

# A value in a plan, and what it must be in the last worker.
TEXTS: dict[str, tuple[Text, str]] = {
    "fixed": (text("it's {{ plain }} text"), "it's {{ plain }} text"),
    "empty": (text(), ""),
    "index": (text("number ", Ordinal(), "!"), "number 11!"),
    "id": (text(RuntimeId()), "76no"),
    "job": (text(JobName()), "late"),
    "count": (text(Count("worker"), "+", Count("ps"), "+", Count("evaluator")), "12+1+0"),
    "count-unless-fewer": (text(Count("worker", "tensorflow.none")), "12"),
    "rank": (text("rank ", Rank()), "rank 12"),
    "first": (text("is_host=", First()), "is_host=0"),
    "total": (text(Total(("worker", "ps")), " of ", Total(("evaluator",))), "13 of 0"),
    "total-of-processes": (text(Total(("worker", "ps"), "tensorflow.none")), "13"),
    "devices": (text(Devices(), "/", Devices("tensorflow.none")), "1/1"),
    "device-ids": (text(DeviceIds()), "0"),
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
    "hostfile": (
        text(PeerList(("ps", "worker"), "{host} slots={devices}", "\n")),
        "\n".join(f"{peer.partition(':')[0]} slots=1" for peer in (PS, *WORKERS)),
    ),
    "pattern": (
        text(PeerList(("ps", "worker"), "{role}/{index}={port}{x}", " and ", "tensorflow.none")),
        "ps/0=3333{x} and "
        + " and ".join(f"worker/{i}={80 if i == 11 else 2222}{{x}}" for i in range(12)),
    ),
    "no-list": (text(PeerList(("evaluator",), "{host}")), ""),
    "nobody": (text(Peers((), "json"), Peers((), "members"), Peers((), "spec")), "{}"),
    "pick": (
        text(Pick("tensorflow.cluster", (("full", text("F", Ordinal())), ("sparse", text("S"))))),
        "F11",
    ),
    "another-pick": (
        text("x", Pick("tensorflow.cluster", (("sparse", text("S")), ("full", text())))),
        "x",
    ),
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
        mounts=(
            Mount("late", "all", "/late"),
            Mount("late", "some", "/some", Chosen("tensorflow.cluster", "sparse")),
        ),
        start=Start((text("start"), text(Ordinal())), Mount("script", "script", "/script")),
        rank_after=("ps",) if name == "worker" else (),
    )


PLAN = Plan(
    title="Late",
    roles=tuple(map(_role, ("worker", "ps", "chief"))),
    configs=(
        Config(
            "late",
            {"index": text("peers: ", Peers(("ps", "worker"), "json")), "hosts": text(Count("ps"))},
        ),
        Config("script", {"cleanup.py": ShippedFile("cleanup.py")}, start_of="ps"),
    ),
    completion_role="chief",
    reserved_env=(),
)


def test_the_files_a_chart_carries_are_those_of_the_configs() -> None:
    assert PLAN.files == ("cleanup.py",)
    assert PLAN._replace(configs=()).files == ()
