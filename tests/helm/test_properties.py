"""What holds for every job: user text comes through unchanged, equal input gives equal bytes, lists follow counts."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen import frameworks, pipeline, resources, schema
from tests.e2e.programs.elasticdl.python import args as strict_elasticdl
from tests.support.charts import env, named, objects, pods

ROOT = Path(__file__).parents[2]
helm_settings = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

# Every printable text, with those mixed in that have a meaning to Helm, Jinja, YAML, a shell or Kubernetes.
SPECIAL = [
    "{{ .Values.image }}",
    "{{",
    "}}",
    "<%= job %>",
    "%>",
    "'",
    '"',
    "\\",
    "\n",
    "\t",
    "$(X)",
    "$$",
    "`id`",
    ": ",
    " #",
    "- ",
    "|",
    "@",
    "&a",
    "*a",
    "!!str",
]
WORDS = [
    "y",
    "no",
    "on",
    "null",
    "~",
    "true",
    "1e3",
    "1e-05",
    "012",
    "08",
    "0x1F",
    "2024-01-01",
    "12:30:45",
    "",
    " ",
    "  x  ",
    "a\n\nb\n",
    "é",
    "日本",
    "🚀",
    "\u200b",
    "\ufeff",
]
letters = st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp"), exclude_characters="\x85\u2028\u2029")
texts = st.one_of(
    st.sampled_from(WORDS),
    st.lists(st.one_of(st.sampled_from(SPECIAL), st.text(letters, max_size=8)), max_size=5).map("".join),
)
words = st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
label_values = st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,10}[A-Za-z0-9])?)?", fullmatch=True)
env_names = st.from_regex(r"[A-Z_][A-Z0-9_]{0,10}", fullmatch=True).filter(
    lambda name: not name.startswith(("TF_CONFIG", "CHARTGEN_", "DMLC_", "MY_POD_IP", "MARS_"))
)

# For each framework a role that any other word may be said about, and the roles and words that it cannot do without.
PARAMS = {"model_def": "/m", "training_data_dir": "/d", "records_per_task": 1, "minibatch_size": 1}
NEEDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "tensorflow": ("chief", {}, {}),
    "mxnet": ("worker", {"scheduler": {"image": "i"}, "server": {"image": "i"}}, {}),
    "elasticdl": ("master", {"worker": {"image": "i"}}, {"elasticdl": {"params": PARAMS}}),
    "angel": ("client", {"master": {}, "ps": {}, "worker": {}}, {"image": "i"}),
    "mars": ("driver", {"scheduler": {"image": "i"}, "worker": {"image": "i"}, "web": {"image": "i"}}, {}),
}
each_framework = pytest.mark.parametrize("framework", NEEDS)


@st.composite
def role_texts(draw: st.DrawFn) -> dict[str, Any]:
    """A role with free text wherever free text may stand."""
    return {
        "image": draw(st.from_regex(r"[a-z0-9{}<%>'\"$./:@-]{1,20}", fullmatch=True)),
        "command": draw(st.lists(texts, min_size=1, max_size=3)),
        "args": draw(st.lists(texts, max_size=3)),
        "workingDir": draw(texts.filter(bool)),
        "env": {
            name: draw(texts.filter(lambda text: "$(" not in text)) for name in draw(st.sets(env_names, max_size=3))
        },
        "labels": draw(st.dictionaries(words, label_values, max_size=3)),
        "annotations": draw(st.dictionaries(words, texts, max_size=3)),
        "priorityClassName": draw(words),
        "volumes": [{"name": "data", "hostPath": {"path": draw(texts)}}],
        "volumeMounts": [{"name": "data", "mountPath": draw(texts.filter(lambda text: text and ":" not in text))}],
        "sidecars": [{"name": "beside", "image": "i", "args": draw(st.lists(texts, max_size=2))}],
        "pod": {"schedulerName": draw(texts)},
    }


def files_of(data: dict[str, Any]) -> dict[str, str]:
    """The chart of a description given as JSON, which is YAML too."""
    (document,) = pipeline.read(json.dumps(data).encode(), "job.json")
    return pipeline.render(pipeline.check(document))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, dict[str, Any]], list[dict[str, Any]]]:
    """What Helm makes of a description."""
    folder = tmp_path_factory.mktemp("charts")

    def template(helm: str, data: dict[str, Any], *arguments: str) -> list[dict[str, Any]]:
        chart = folder / data["name"]
        shutil.rmtree(chart, ignore_errors=True)  # another framework's chart has other files
        for path, text in files_of(data).items():
            place = chart / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        return objects(helm, chart, *arguments)

    return template


def job(framework: str, role: dict[str, Any], **more: Any) -> dict[str, Any]:
    name, others, needed = NEEDS[framework]
    return {"name": "texts", "framework": framework, "roles": {**others, name: role}, **needed, **more}


def test_no_framework_is_left_out() -> None:
    assert NEEDS.keys() == frameworks.MODULES.keys()


@each_framework
@helm_settings
@given(role=role_texts(), log_dir=texts.filter(bool), description=texts.filter(bool))
def test_user_text_comes_out_unchanged(
    installed: Any, helm: str, framework: str, role: dict[str, Any], log_dir: str, description: str
) -> None:
    """Whatever a person writes, Helm puts it into the object as it is: it can neither break a chart nor run in it."""
    board = {"logDir": log_dir, "image": "tb"}
    found = installed(helm, job(framework, role, tensorboard=board, description=description))
    (pod,) = pods(found, NEEDS[framework][0])
    container = pod["spec"]["containers"][0]
    for field in ("image", "command", "workingDir"):
        assert container[field] == role[field]
    args = container.get("args", [])
    assert args[len(args) - len(role["args"]) :] == role["args"], "behind those of the framework"
    assert {name: env(pod)[name] for name in role["env"]} == role["env"]
    assert role["labels"].items() <= pod["metadata"]["labels"].items()
    assert pod["metadata"].get("annotations", {}) == role["annotations"]
    assert (pod["spec"]["volumes"][:1], container["volumeMounts"][:1]) == (role["volumes"], role["volumeMounts"])
    assert pod["spec"]["initContainers"][:1] == [{"restartPolicy": "Always", **role["sidecars"][0]}]
    assert pod["spec"]["schedulerName"] == role["pod"]["schedulerName"]
    (board_pod,) = named(found, "Deployment")
    assert board_pod["spec"]["template"]["spec"]["containers"][0]["command"][2] == log_dir


@each_framework
@given(role=role_texts(), description=texts.filter(bool))
def test_no_user_text_stands_in_a_template(framework: str, role: dict[str, Any], description: str) -> None:
    """Templates are the same whatever the job says; values.yaml, Chart.yaml and README.md hold the words."""
    plain = files_of(job(framework, {"image": "i"}))
    loaded = files_of(job(framework, role, description=description))
    assert plain.keys() == loaded.keys()
    differing = {path for path in plain if plain[path] != loaded[path]}
    assert differing <= {"values.yaml", "Chart.yaml", "README.md"}


@each_framework
@given(role=role_texts())
def test_values_say_what_the_description_said(framework: str, role: dict[str, Any]) -> None:
    """values.yaml read back is the role as it was described, and it satisfies its own schema."""
    files = files_of(job(framework, role))
    values = yaml.safe_load(files["values.yaml"])
    assert schema.accepts(json.loads(files["values.schema.json"]), values)
    said = {"image": values.get("image")} | values["roles"][NEEDS[framework][0]]
    role["sidecars"] = [{"restartPolicy": "Always", **one} for one in role["sidecars"]]
    assert {field: said[field] for field in role} == role


counts = st.integers(0, 4)


@helm_settings
@given(worker=counts, ps=counts, port=st.integers(1, 65535), prefix=st.sampled_from(["", "a-", "team-"]))
def test_lists_follow_counts(installed: Any, helm3: str, worker: int, ps: int, port: int, prefix: str) -> None:
    """Rendered with some numbers or told them at install, the objects are the same, and every peer has a Service."""
    roles = {"chief": {}, "worker": {"replicas": worker, "port": port}, "ps": {"replicas": ps}}
    said = {"name": "counted", "framework": "tensorflow", "image": "i", "namePrefix": prefix, "roles": roles}
    before = installed(helm3, said)
    plain = {"name": "counted", "framework": "tensorflow", "image": "i", "roles": {"chief": {}, "worker": {}, "ps": {}}}
    turned = f"roles.worker.replicas={worker},roles.worker.port={port},roles.ps.replicas={ps},namePrefix={prefix}"
    assert installed(helm3, plain, "--set", turned) == before
    (peers,) = named(before, "ConfigMap", f"{prefix}peers-")
    hosts = {line.split()[0]: int(line.split()[1]) for line in peers["data"]["hosts"].splitlines()}
    assert hosts == {one["metadata"]["name"]: one["spec"]["ports"][0]["port"] for one in named(before, "Service")}
    assert len(hosts) == 1 + worker + ps


@helm_settings
@given(worker=st.integers(1, 4), server=counts, port=st.integers(1, 65535), prefix=st.sampled_from(["", "a-", "team-"]))
def test_mxnet_variables_follow_counts(
    installed: Any, helm3: str, worker: int, server: int, port: int, prefix: str
) -> None:
    """Rendered with some numbers or told them at install, the objects are the same, and all replicas know them."""
    roles = {"scheduler": {"port": port}, "server": {"replicas": server}, "worker": {"replicas": worker}}
    said = {"name": "counted", "framework": "mxnet", "image": "i", "namePrefix": prefix, "roles": roles}
    before = installed(helm3, said)
    plain = {"name": "counted", "framework": "mxnet", "image": "i", "roles": {role: {} for role in roles}}
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


@helm_settings
@given(
    native=st.booleans(),
    worker=st.integers(1, 4),
    port=st.integers(1, 65535),
    epochs=st.integers(1, 9),
    prefix=st.sampled_from(["", "a-", "team-"]),
)
def test_elasticdl_flags_follow_counts(
    installed: Any, helm3: str, native: bool, worker: int, port: int, epochs: int, prefix: str
) -> None:
    """Rendered with some numbers or told them at install, the objects are the same, and the processes know them."""
    options = {"expansion": "native" if native else "static", "params": PARAMS}
    plain = {"name": "counted", "framework": "elasticdl", "image": "i", "roles": {"master": {}, "worker": {}}}
    roles = {"master": {"port": port}, "worker": {"replicas": worker}}
    said = {**options, "params": {**PARAMS, "num_epochs": epochs}}
    before = installed(helm3, {**plain, "namePrefix": prefix, "roles": roles, "elasticdl": said})
    turned = f"roles.worker.replicas={worker},roles.master.port={port},namePrefix={prefix}"
    turned += f",elasticdl.params.num_epochs={epochs}"
    assert installed(helm3, {**plain, "elasticdl": options}, "--set", turned) == before
    (pod,) = pods(before, "master")
    told = strict_elasticdl.master(pod["spec"]["containers"][0]["args"][2:])
    assert (told.port, told.num_epochs, told.num_workers) == (port, epochs, worker if native else 0)
    workers = [strict_elasticdl.worker(one["spec"]["containers"][0]["args"][1:]) for one in pods(before, "worker")]
    assert [one.worker_id for one in workers] == ([] if native else [*range(worker)])
    addresses = {f"{one['metadata']['name']}:{port}" for one in named(before, "Service")}
    assert {one.master_addr for one in workers} == (set() if native else addresses)


@helm_settings
@given(ps=st.integers(1, 9), worker=st.integers(1, 9), memory=st.integers(1, 64), port=st.integers(1024, 65535))
def test_angel_properties_follow_counts(
    installed: Any, helm3: str, ps: int, worker: int, memory: int, port: int
) -> None:
    """Rendered with some numbers or told them at install, the objects are the same, and Angel is told all of them."""
    asked = {"requests": {"cpu": 1}, "limits": {"memory": f"{memory}Gi"}}
    roles = {"client": {}, "master": {"port": port}, "ps": {"replicas": ps, "resources": asked}}
    said = {"name": "counted", "framework": "angel", "image": "i", "roles": {**roles, "worker": {"replicas": worker}}}
    before = installed(helm3, said)
    plain = {**said, "roles": {"client": {}, "master": {}, "ps": {}, "worker": {}}}
    turned = f"roles.ps.replicas={ps},roles.worker.replicas={worker},roles.master.port={port}"
    assert installed(helm3, plain, "--set", f"{turned},roles.ps.resources.limits.memory={memory}Gi") == before
    (pod,) = pods(before, "client")
    assert {
        f"-Dangel.ps.number={ps}",
        f"-Dangel.workergroup.number={worker}",
        f"-Dangel.ps.memory.gb={memory}",
        f"-Dangel.kubernetes.master.port={port}",
    } <= set(pod["spec"]["containers"][0]["args"])


@helm_settings
@given(values=st.dictionaries(st.from_regex(r"ml(\.[a-z]{1,5}){1,3}", fullmatch=True), texts, max_size=4), text=texts)
def test_angel_gets_texts_as_they_are(installed: Any, helm: str, values: dict[str, str], text: str) -> None:
    """Nothing of a property is filled in on its way: not by Helm, and not by Kubernetes."""
    said = {"name": "texts", "framework": "angel", "image": "i", "env": {"TEXT": text}, "angel": {"properties": values}}
    found = installed(helm, {**said, "roles": {"client": {}, "master": {}, "ps": {}, "worker": {}}})
    (pod,) = pods(found, "client")
    properties = dict(word.removeprefix("-D").split("=", 1) for word in pod["spec"]["containers"][0]["args"][1:])
    expected = {**values, "angel.kubernetes.masterEnv.TEXT": text, "angel.kubernetes.executorEnv.TEXT": text}
    assert {key: filled_in(properties[key]) for key in expected} == expected


def filled_in(text: str) -> str:
    """What Kubernetes makes of an argument: two dollars are one, and $(NAME) is a variable's value."""
    return re.sub(r"\$\$|\$\([^)]*\)", lambda match: "$" if match[0] == "$$" else "FILLED IN", text)


def cluster(worker: int, **more: Any) -> dict[str, Any]:
    """A Mars cluster with so many workers, and with a driver if one is wanted."""
    roles = {"scheduler": {}, "worker": {"replicas": worker}, "web": {}, **more.pop("roles", {})}
    return {"name": "counted", "framework": "mars", "image": "i", "roles": roles, **more}


@helm_settings
@given(
    worker=counts,
    scheduler=st.integers(1, 3),
    port=st.integers(1, 65535),
    prefix=st.sampled_from(["", "a-", "team-"]),
    discovery=st.sampled_from(["endpoints", "api"]),
)
def test_mars_addresses_follow_counts(
    installed: Any, helm3: str, worker: int, scheduler: int, port: int, prefix: str, discovery: str
) -> None:
    """Rendered with some numbers or told them at install, the objects are the same, and every scheduler is known."""
    roles = {"scheduler": {"replicas": scheduler, "port": port}, "driver": {}}
    before = installed(helm3, cluster(worker, roles=roles, namePrefix=prefix, mars={"discovery": discovery}))
    turned = f"roles.worker.replicas={worker},roles.scheduler.replicas={scheduler},roles.scheduler.port={port}"
    turned += f",namePrefix={prefix},mars.discovery={discovery}"
    assert installed(helm3, cluster(1, roles={"driver": {}}), "--set", turned) == before
    (peers,) = named(before, "ConfigMap", f"{prefix}peers-")
    listen = [f"{one['metadata']['name']}:{port}" for one in named(before, "Service", f"{prefix}scheduler-")]
    assert peers["data"] == {
        "hosts": "\n".join(address.replace(":", " ") for address in listen),
        "schedulers": ",".join(listen),
        "workers": str(worker),
    }
    assert len(pods(before, "worker")) == worker


@helm_settings
@given(
    before=counts,
    after=counts,
    discovery=st.sampled_from(["endpoints", "api"]),
    driver=st.booleans(),
    asked=st.sampled_from([{}, {"limits": {"cpu": 4, "memory": "16Gi"}}]),
    cache=st.sampled_from([{}, {"cacheMemory": "25%"}, {"minWorkers": 1, "timeout": 60}]),
)
def test_rescaling_mars_leaves_all_but_the_new_workers_alone(
    installed: Any, helm: str, before: int, after: int, discovery: str, driver: bool, asked: Any, cache: Any
) -> None:
    """Workers come and go by numbers; no other Job changes, and no pod knows how many there are."""
    roles = {"worker": {"replicas": 4, "resources": asked}, **({"driver": {}} if driver else {})}
    said = cluster(4, roles=roles, mars={"discovery": discovery, **cache})
    one, other = (
        {
            (found["kind"], found["metadata"]["name"]): found
            for found in installed(helm, said, "--set", f"roles.worker.replicas={count}")
        }
        for count in (before, after)
    )
    changed = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
    id_ = next(name for kind, name in one if kind == "ConfigMap" and name.startswith("peers-")).removeprefix("peers-")
    workers = {("Job", f"worker-{id_}-{index}") for index in range(min(before, after), max(before, after))}
    least = [min(count, cache.get("minWorkers", count)) for count in (before, after)]
    # How many a driver waits for; a wait that has not begun reads it.
    told = {("ConfigMap", f"peers-{id_}")} if driver and least[0] != least[1] else set()
    assert changed == (workers | told | {("Pod", f"test-{id_}")} if before != after else set())


def outputs(environment: dict[str, str]) -> str:
    """What `chartgen render -o -` prints for a rich job in a process of its own."""
    command = [sys.executable, "-m", "chartgen", "render", "tests/corpus/golden/everything/job.yaml", "-o", "-"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def test_the_same_bytes_everywhere() -> None:
    """Under any hash seed, time zone and locale, the same input gives the same bytes."""
    expected = outputs({})
    assert "everything" in expected
    for environment in (
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4242", "TZ": "Asia/Kathmandu"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "UTC"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "COLUMNS": "20"},
    ):
        assert outputs(environment) == expected


@each_framework
def test_every_value_is_read_and_every_read_value_exists(framework: str) -> None:
    """A value that no template reads, or a template that reads a value that is not in the schema, is a mistake."""
    files = files_of(job(framework, {"image": "i"}, tensorboard={"logDir": "l", "image": "i"}))
    properties = json.loads(files["values.schema.json"])["properties"]
    read: set[str] = set()
    for text in files.values():
        read |= set(re.findall(r"[.]Values[.]([A-Za-z]+)", text)) | set(re.findall(r"\$values[.]([A-Za-z]+)", text))
    shared = re.search(r'pick \.Values ((?:"[A-Za-z]+"\s*)+)', resources.text("charts/job/templates/_job.tpl"))
    assert shared
    read |= set(re.findall(r'"([A-Za-z]+)"', shared[1]))
    assert properties.keys() - read - {framework} == {"global"}, "a framework's options are read by its own part"
    assert read - properties.keys() <= {"wait"}, "which is a value where a replica waits for others"
