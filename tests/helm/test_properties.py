"""Properties of all jobs that Hypothesis can generate, with the real Helm."""

import itertools
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen.chart import ChartOptions
from tests.e2e.programs.elasticdl.python import args as strict_elasticdl
from tests.support.charts import env, named, pods, read_objects, render
from tests.support.examples import examples
from tests.unit.test_properties import NEEDS, PARAMS, job, role_texts, texts

helm_settings = settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, dict[str, Any]], list[dict[str, Any]]]:
    """The objects that Helm makes from a description."""
    folder = tmp_path_factory.mktemp("charts")
    charts: dict[str, Path] = {}

    def template(helm: str, data: dict[str, Any], *arguments: str) -> list[dict[str, Any]]:
        text = json.dumps(data)
        if text not in charts:
            place = folder / str(len(charts))
            charts[text] = render(text, place, "job.json", ChartOptions())
        return read_objects(helm, charts[text], *arguments)

    return template


# The roles that accept any field, and how many replicas they have, each with texts of its own:
# that many examples are tried by one run of Helm. Angel, which has one Job, is tried below.
ANY_FIELD = {
    "tensorflow": {"chief": 1, "worker": 3, "ps": 3},
    "mxnet": {"scheduler": 1, "server": 3, "worker": 3},
    "elasticdl": {"master": 1, "worker": 4},
    "elasticdl 0.1": {"master": 1, "worker": 4},
    "mars": {"scheduler": 3, "worker": 3, "driver": 1},
    "mars 0.7": {"supervisor": 1, "worker": 3, "driver": 1},
    "custom": {"leader": 3, "follower": 4},
}


def texts_of(replicas: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    """The texts of each replica of a role."""
    return st.lists(role_texts, min_size=replicas, max_size=replicas)


@pytest.mark.hypothesis  # not a property itself, so Hypothesis would not mark it
@pytest.mark.parametrize("framework", ANY_FIELD)
def test_user_text_comes_out_unchanged(installed: Any, helm: str, framework: str) -> None:
    """Helm puts any text into the object unchanged: it can neither break a chart nor run in it."""
    roles = ANY_FIELD[framework]
    _, others, _ = NEEDS[framework]
    told = st.fixed_dictionaries({role: texts_of(count) for role, count in roles.items()})

    @settings(helm_settings, max_examples=examples(math.ceil(25 / sum(roles.values()))))
    @given(told=told, log_dir=texts.filter(bool), description=texts.filter(bool))
    def check(told: dict[str, list[dict[str, Any]]], log_dir: str, description: str) -> None:
        board = {"logDir": log_dir, "image": "tb"}
        said = job(framework, {}, tensorboard=board, description=description)
        described = {role: role_of(replicas) for role, replicas in told.items()}
        objects = installed(helm, {**said, "roles": {**others, **described}})
        for role, replicas in told.items():
            for pod, texts_of_replica in zip(pods(objects, role), replicas, strict=True):
                assert_texts(pod, texts_of_replica)
        (board_pod,) = named(objects, "Deployment")
        assert board_pod["spec"]["template"]["spec"]["containers"][0]["command"][2] == log_dir

    check()


def role_of(replicas: list[dict[str, Any]]) -> dict[str, Any]:
    """A role with the texts of each replica; those of a single one are the role's own."""
    if len(replicas) == 1:
        return replicas[0]
    overrides = {str(index): said for index, said in enumerate(replicas)}
    return {"image": "i", "replicas": len(replicas), "overrides": overrides}


def assert_texts(pod: dict[str, Any], role: dict[str, Any]) -> None:
    """Check that a pod has the texts of a role."""
    container = pod["spec"]["containers"][0]
    for field in {"image", "command", "workingDir"} & role.keys():
        assert container[field] == role[field]
    args, own = container.get("args", []), role.get("args", [])
    assert args[len(args) - len(own) :] == own, "behind those of the framework"
    assert {name: env(pod)[name] for name in role["env"]} == role["env"]
    assert role["labels"].items() <= pod["metadata"]["labels"].items()
    assert pod["metadata"].get("annotations", {}) == role["annotations"]
    assert (pod["spec"]["volumes"][:1], container["volumeMounts"][:1]) == (
        role["volumes"],
        role["volumeMounts"],
    )
    assert pod["spec"]["initContainers"][:1] == [{"restartPolicy": "Always", **role["sidecars"][0]}]
    assert pod["spec"]["schedulerName"] == role["pod"]["schedulerName"]


counts = st.integers(0, 4)
PORTS = (1, 3333, 65535)
PREFIXES = ("", "a-", "team-")


def every_pair(four: Sequence[Any], *threes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Twelve rows of one of four and some of three values, in which each two have every pair."""
    rows = []
    for index, start in itertools.product(range(4), range(3)):
        others = [three[(start + step * index) % 3] for step, three in enumerate(threes)]
        rows.append((four[index], *others))
    return rows


def test_every_pair_is_there() -> None:
    rows = every_pair("abcd", "ABC", "123", "xyz")
    for column, other in itertools.combinations(range(4), 2):
        assert len({(row[column], row[other]) for row in rows}) == (12 if column == 0 else 9)


@pytest.mark.parametrize(
    ("worker", "ps", "port", "prefix"), every_pair((0, 1, 2, 4), (0, 1, 3), PORTS, PREFIXES)
)
def test_lists_follow_counts(
    installed: Any, helm3: str, worker: int, ps: int, port: int, prefix: str
) -> None:
    """Numbers in the description and at install give the same objects; every peer has a Service."""
    roles = {"chief": {}, "worker": {"replicas": worker, "port": port}, "ps": {"replicas": ps}}
    said = {
        "name": "counted",
        "framework": "tensorflow",
        "image": "i",
        "namePrefix": prefix,
        "roles": roles,
    }
    before = installed(helm3, said)
    plain = {
        "name": "counted",
        "framework": "tensorflow",
        "image": "i",
        "roles": {"chief": {}, "worker": {}, "ps": {}},
    }
    turned = f"roles.worker.replicas={worker},roles.worker.port={port}"
    turned += f",roles.ps.replicas={ps},namePrefix={prefix}"
    assert installed(helm3, plain, "--set", turned) == before
    (peers,) = named(before, "ConfigMap", f"{prefix}peers-")
    hosts = {line.split()[0]: int(line.split()[1]) for line in peers["data"]["hosts"].splitlines()}
    assert hosts == {
        service["metadata"]["name"]: service["spec"]["ports"][0]["port"]
        for service in named(before, "Service")
    }
    assert len(hosts) == 1 + worker + ps


@pytest.mark.parametrize(
    ("worker", "server", "port", "prefix"), every_pair((1, 2, 3, 4), (0, 1, 3), PORTS, PREFIXES)
)
def test_mxnet_variables_follow_counts(
    installed: Any, helm3: str, worker: int, server: int, port: int, prefix: str
) -> None:
    """Numbers in the description and at install give the same objects; all replicas get them."""
    roles = {
        "scheduler": {"port": port},
        "server": {"replicas": server},
        "worker": {"replicas": worker},
    }
    said = {
        "name": "counted",
        "framework": "mxnet",
        "image": "i",
        "namePrefix": prefix,
        "roles": roles,
    }
    before = installed(helm3, said)
    plain = {
        "name": "counted",
        "framework": "mxnet",
        "image": "i",
        "roles": {role: {} for role in roles},
    }
    turned = f"roles.worker.replicas={worker},roles.server.replicas={server}"
    turned += f",roles.scheduler.port={port},namePrefix={prefix}"
    assert installed(helm3, plain, "--set", turned) == before
    (service,) = named(before, "Service")
    assert service["spec"]["ports"][0]["port"] == port
    every = [pod for role in roles for pod in pods(before, role)]
    assert len(every) == 1 + server + worker
    for pod in every:
        known = {name: value for name, value in env(pod).items() if name != "DMLC_ROLE"}
        assert known == {
            "DMLC_PS_ROOT_PORT": str(port),
            "DMLC_PS_ROOT_URI": service["metadata"]["name"],
            "DMLC_NUM_SERVER": str(server),
            "DMLC_NUM_WORKER": str(worker),
            "DMLC_USE_KUBERNETES": "1",
        }


@pytest.mark.parametrize(
    ("form", "worker", "port", "prefix"),
    every_pair(
        (("static", 1), ("native", 1), ("static", 9), ("native", 4)), (1, 2, 4), PORTS, PREFIXES
    ),
)
def test_elasticdl_flags_follow_counts(
    installed: Any, helm3: str, form: tuple[str, int], worker: int, port: int, prefix: str
) -> None:
    """Numbers in the description and at install give the same objects; all processes get them."""
    expansion, epochs = form
    native = expansion == "native"
    options = {"expansion": expansion, "params": PARAMS}
    plain = {
        "name": "counted",
        "framework": "elasticdl",
        "image": "i",
        "roles": {"master": {}, "worker": {}},
    }
    roles = {"master": {"port": port}, "worker": {"replicas": worker}}
    said = {**options, "params": {**PARAMS, "num_epochs": epochs}}
    before = installed(helm3, {**plain, "namePrefix": prefix, "roles": roles, "elasticdl": said})
    turned = f"roles.worker.replicas={worker},roles.master.port={port},namePrefix={prefix}"
    turned += f",elasticdl.params.num_epochs={epochs}"
    assert installed(helm3, {**plain, "elasticdl": options}, "--set", turned) == before
    (pod,) = pods(before, "master")
    flags = strict_elasticdl.master(pod["spec"]["containers"][0]["args"][2:])
    assert (flags.port, flags.num_epochs, flags.num_workers) == (
        port,
        epochs,
        worker if native else 0,
    )
    workers = [
        strict_elasticdl.worker(pod["spec"]["containers"][0]["args"][1:])
        for pod in pods(before, "worker")
    ]
    assert [flags.worker_id for flags in workers] == ([] if native else [*range(worker)])
    addresses = {f"{service['metadata']['name']}:{port}" for service in named(before, "Service")}
    assert {flags.master_addr for flags in workers} == (set() if native else addresses)


@pytest.mark.parametrize(
    ("ps", "worker", "memory", "port"),
    every_pair((1, 2, 5, 9), (1, 3, 9), (1, 7, 64), (1024, 9100, 65535)),
)
def test_angel_properties_follow_counts(
    installed: Any, helm3: str, ps: int, worker: int, memory: int, port: int
) -> None:
    """Numbers in the description and at install give the same objects; Angel gets all of them."""
    asked = {"requests": {"cpu": 1}, "limits": {"memory": f"{memory}Gi"}}
    roles = {"client": {}, "master": {"port": port}, "ps": {"replicas": ps, "resources": asked}}
    said = {
        "name": "counted",
        "framework": "angel",
        "image": "i",
        "roles": {**roles, "worker": {"replicas": worker}},
    }
    before = installed(helm3, said)
    plain = {**said, "roles": {"client": {}, "master": {}, "ps": {}, "worker": {}}}
    turned = f"roles.ps.replicas={ps},roles.worker.replicas={worker},roles.master.port={port}"
    assert (
        installed(helm3, plain, "--set", f"{turned},roles.ps.resources.limits.memory={memory}Gi")
        == before
    )
    (pod,) = pods(before, "client")
    assert {
        f"-Dangel.ps.number={ps}",
        f"-Dangel.workergroup.number={worker}",
        f"-Dangel.ps.memory.gb={memory}",
        f"-Dangel.kubernetes.master.port={port}",
    } <= set(pod["spec"]["containers"][0]["args"])


@helm_settings
@given(
    values=st.dictionaries(
        st.from_regex(r"ml(\.[a-z]{1,5}){1,3}", fullmatch=True), texts, max_size=8
    ),
    text=texts,
    role=role_texts,
    submits=st.booleans(),
)
def test_angel_gets_texts_unchanged(
    installed: Any,
    helm: str,
    role: dict[str, Any],
    values: dict[str, str],
    text: str,
    submits: bool,
) -> None:
    """Neither Helm nor Kubernetes expands anything in a property, or in the client's own fields.

    A client with a command of its own submits nothing.
    """
    if submits:
        del role["command"], role["args"]
    said = job("angel", role, env={"TEXT": text}, angel={"properties": values})
    (pod,) = pods(installed(helm, said), "client")
    assert_texts(pod, role)
    if not submits:
        return
    words = [word for word in pod["spec"]["containers"][0]["args"] if word.startswith("-D")]
    properties = dict(word.removeprefix("-D").split("=", 1) for word in words)
    expected = {
        **values,
        "angel.kubernetes.masterEnv.TEXT": text,
        "angel.kubernetes.executorEnv.TEXT": text,
    }
    assert {key: filled_in(properties[key]) for key in expected} == expected


def filled_in(text: str) -> str:
    """An argument as Kubernetes expands it: $$ becomes $, and $(NAME) a variable's value."""
    return re.sub(r"\$\$|\$\([^)]*\)", lambda match: "$" if match[0] == "$$" else "FILLED IN", text)


def cluster(worker: int, **more: Any) -> dict[str, Any]:
    """A Mars cluster with some workers, and with a driver if there is one in `roles`."""
    roles = {"scheduler": {}, "worker": {"replicas": worker}, "web": {}, **more.pop("roles", {})}
    return {"name": "counted", "framework": "mars", "image": "i", "roles": roles, **more}


@pytest.mark.parametrize(
    ("found_by", "scheduler", "port", "prefix"),
    every_pair(
        (("endpoints", 0), ("api", 1), ("endpoints", 4), ("api", 0)), (1, 2, 3), PORTS, PREFIXES
    ),
)
def test_mars_addresses_follow_counts(
    installed: Any, helm3: str, found_by: tuple[str, int], scheduler: int, port: int, prefix: str
) -> None:
    """Numbers in the description and at install give the same objects; schedulers are listed."""
    discovery, worker = found_by
    roles = {"scheduler": {"replicas": scheduler, "port": port}, "driver": {}}
    before = installed(
        helm3, cluster(worker, roles=roles, namePrefix=prefix, mars={"discovery": discovery})
    )
    turned = f"roles.worker.replicas={worker},roles.scheduler.replicas={scheduler}"
    turned += f",roles.scheduler.port={port}"
    turned += f",namePrefix={prefix},mars.discovery={discovery}"
    assert installed(helm3, cluster(1, roles={"driver": {}}), "--set", turned) == before
    (peers,) = named(before, "ConfigMap", f"{prefix}peers-")
    listen = [
        f"{service['metadata']['name']}:{port}"
        for service in named(before, "Service", f"{prefix}scheduler-")
    ]
    assert peers["data"] == {
        "hosts": "\n".join(address.replace(":", " ") for address in listen),
        "schedulers": ",".join(listen),
        "workers": str(worker),
    }
    assert len(pods(before, "worker")) == worker


@settings(helm_settings, max_examples=examples(5))  # each compares three pairs of counts
@given(
    numbers=st.tuples(counts, counts, counts),
    discovery=st.sampled_from(["endpoints", "api"]),
    driver=st.booleans(),
    asked=st.sampled_from([{}, {"limits": {"cpu": 4, "memory": "16Gi"}}]),
    cache=st.sampled_from([{}, {"cacheMemory": "25%"}, {"minWorkers": 1, "timeout": 60}]),
)
def test_rescaling_mars_only_adds_or_removes_workers(
    installed: Any,
    helm: str,
    numbers: tuple[int, int, int],
    discovery: str,
    driver: bool,
    asked: Any,
    cache: Any,
) -> None:
    """No other Job changes, and no pod contains the number of workers."""
    roles = {"worker": {"replicas": 4, "resources": asked}, **({"driver": {}} if driver else {})}
    said = cluster(4, roles=roles, mars={"discovery": discovery, **cache})
    by_count = {}
    for number in numbers:
        objects = installed(helm, said, "--set", f"roles.worker.replicas={number}")
        by_count[number] = {
            (manifest["kind"], manifest["metadata"]["name"]): manifest for manifest in objects
        }
    least = cache.get("minWorkers", 4) if driver else 0
    for before, after in itertools.combinations(numbers, 2):
        assert_only_workers_differ(by_count, before, after, least)


def assert_only_workers_differ(
    by_count: dict[int, dict[tuple[str, str], Any]], before: int, after: int, least: int
) -> None:
    """Check what differs between two numbers of workers; a driver waits for so many, at most."""
    old, new = by_count[before], by_count[after]
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    id_ = next(
        name for kind, name in old if kind == "ConfigMap" and name.startswith("peers-")
    ).removeprefix("peers-")
    workers = {
        ("Job", f"worker-{id_}-{index}") for index in range(min(before, after), max(before, after))
    }
    # How many workers a driver waits for; only a wait that starts later reads it.
    waits = min(before, least) != min(after, least)
    told = {("ConfigMap", f"peers-{id_}")} if waits else set()
    # What cleans up may touch these Jobs only, by their names.
    rights = {("Role", f"cleanup-{id_}")} & old.keys()
    others = told | rights | {("Pod", f"test-{id_}")}
    assert changed == (workers | others if before != after else set())
