"""Jobs that state their variables themselves: late values in texts, filled in by the real Helm."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen.plan.notation import NAMES, Reader, read
from tests.support.charts import Objects, named, pods, read_objects, refusal, render
from tests.support.examples import examples
from tests.support.paths import CORPUS, ROOT
from tests.unit.test_properties import SPECIAL, texts

FOLDER = CORPUS / "custom"
ELASTIC = """
name: elastic
framework: pytorch
image: registry.example.com/resnet:2.4
pytorch: {minReplicas: 1, maxReplicas: 9}
roles:
  worker: {replicas: 3}
"""
RANKS = """
name: ranks
framework: pytorch
image: registry.example.com/resnet:2.4
pytorch: {nprocPerNode: 4}
roles:
  master: {}
  worker: {replicas: 3, port: 29600}
"""


def set_values(**values: Any) -> list[str]:
    """Arguments that set values of roles: worker_replicas=3 is roles.worker.replicas=3."""
    pairs = [f"roles.{name.replace('_', '.')}={value}" for name, value in values.items()]
    return [word for pair in ("runtimeId=76no", *pairs) for word in ("--set", pair)]


EQUAL: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "mnist": (
        (ROOT / "values/jobs/mnist.yaml").read_text("utf-8"),
        [{}, {"worker_replicas": 12, "ps_replicas": 1}, {"ps_port": 3333, "chief_port": 80}],
    ),
    "cifar10": (
        (ROOT / "values/jobs/cifar10.yaml").read_text("utf-8"),
        [{}, {"worker_replicas": 11, "server_replicas": 0}, {"scheduler_port": 9100}],
    ),
    "resnet": (
        (ROOT / "values/jobs/resnet.yaml").read_text("utf-8"),
        [{}, {"worker_replicas": 12}, {"worker_port": 29600, "worker_gpu": 2}],
    ),
    "elastic": (ELASTIC, [{}, {"worker_replicas": 1}, {"worker_port": 29401}]),
    "ranks": (RANKS, [{}, {"worker_replicas": 10}, {"master_port": 23456}]),
}
CASES = [(name, values) for name, (_, sets) in EQUAL.items() for values in sets]


@pytest.mark.parametrize(("name", "values"), CASES)
def test_a_framework_that_is_stated_by_hand_sets_the_same_variables(
    name: str, values: dict[str, Any], helm3: str, tmp_path: Path
) -> None:
    """For every replica, whatever the counts, ports and devices are at install."""
    text = (FOLDER / f"{name}.yaml").read_text("utf-8")
    by_hand = read_objects(helm3, render(text, tmp_path / "own"), *set_values(**values))
    original = read_objects(helm3, render(EQUAL[name][0], tmp_path / "ours"), *set_values(**values))
    stated = yaml.safe_load(text)
    for role in stated["roles"]:
        ours, theirs = pods(by_hand, role), pods(original, role)
        assert len(ours) == len(theirs)
        for pod, original_pod in zip(ours, theirs, strict=True):
            for variable in stated["env"]:
                expected = seen_by(original_pod, original, variable)
                assert seen_by(pod, by_hand, variable) == expected, (role, variable)


DERIVED = """
name: derived
framework: custom
image: a:1
runtimeId: 76no
namePrefix: p-
custom:
  decides: lead
  files: {hosts: 'FILE'}
roles:
  lead: {port: 80}
  work:
    replicas: 12
    port: 2222
    env: {X: 'TEXT'}
    overrides:
      11: {port: 99}
"""
WORK = [f"p-work-76no-{index}" for index in range(12)]
# A text, and what it is in the last worker.
TEXTS = {
    "%{index}": "11",
    "%{rank}": "12",
    "%{first}": "0",
    "%{role}": "work",
    "0x%{index}": "0x11",
    '%{if first}it is%{else}it\'s "not"%{end}.': 'it\'s "not".',
    "%{if first}only%{end}": "",
    "%{count}": "12",
    "%{count lead work}": "13",
    "%{count work lead * 2 * devices}": "26",
    "%{devices}": "1",
    "%{devices lead}": "1",
    "%{host}": WORK[11],
    "%{host lead}": "p-lead-76no-0",
    "%{host work 3}": WORK[3],
    "%{port}": "99",
    "%{port work}": "2222",
    "%{port work 11}": "99",
    "%{port lead}": "80",
    "%{peers work}": ",".join(f"{host}:{99 if host == WORK[11] else 2222}" for host in WORK),
    '%{peers lead work "{host} slots={devices}" "\\n"}': "\n".join(
        f"{host} slots=1" for host in ("p-lead-76no-0", *WORK)
    ),
    "%{peers lead '\"{role}/{index}\"' ' + '}": '"lead/0"',
    "%{id}, %{job}, %{release}, %{namespace}": "76no, derived, demo, default",
    "%%{index} %%%{index} %%%%{ 100%% {x} {{ y }} ${z} $(A) }": "%{index} %11 %%{ 100%% {x}"
    " {{ y }} ${z} $(A) }",
    "$%{peers lead}": "$p-lead-76no-0:80",
    "$$$%{peers lead '{port}'}": "$$80",
    "%{count work * 999999 * devices}": str(12 * 999999),
}


def seen_by(pod: dict[str, Any], objects: Objects, name: str) -> str:
    """A variable as a process of the pod sees it: Kubernetes takes $$ for an escaped $."""
    maps = {
        config_map["metadata"]["name"]: config_map["data"]
        for config_map in named(objects, "ConfigMap")
    }
    entries = pod["spec"]["containers"][0]["env"]
    seen: dict[str, str] = {}
    for entry in entries:
        if key := entry.get("valueFrom", {}).get("configMapKeyRef"):
            seen[entry["name"]] = maps[key["name"]][key["key"]]
    (text,) = [entry["value"] for entry in entries if entry["name"] == name]
    shown, rest = "", text
    while rest:
        if rest.startswith("$$"):
            shown, rest = shown + "$", rest[2:]
            continue
        reference = next((known for known in seen if rest.startswith(f"$({known})")), None)
        if reference is None:
            shown, rest = shown + rest[0], rest[1:]
        else:
            shown, rest = shown + seen[reference], rest[len(reference) + 3 :]
    return shown


@pytest.mark.parametrize("text", TEXTS)
def test_every_late_value_is_filled_in(text: str, helm: str, tmp_path: Path) -> None:
    """In the description, and by the same rules in a value that is set at install."""
    quoted = text.replace("'", "''")
    objects = read_objects(helm, render(DERIVED.replace("TEXT", quoted), tmp_path / "described"))
    assert seen_by(pods(objects, "work")[-1], objects, "X") == TEXTS[text]
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"roles": {"work": {"env": {"X": text}}}}), "utf-8")
    chart = render(DERIVED.replace("TEXT", ""), tmp_path / "set")
    assert pods(read_objects(helm, chart, "-f", str(values)), "work") == pods(objects, "work")


def test_a_file_has_late_values_that_all_replicas_share(helm: str, tmp_path: Path) -> None:
    text = '%{peers work "{host} {port}" "\\n"}, {{ x }} $(A) %{count work * 2} %%{id} %{id}'
    objects = read_objects(helm, render(DERIVED.replace("FILE", text), tmp_path))
    (files,) = named(objects, "ConfigMap", "p-files-")
    lines = files["data"]["hosts"].split("\n")
    assert lines[0] == f"{WORK[0]} 2222"
    assert lines[11] == f"{WORK[11]} 99, {{{{ x }}}} $(A) 24 %{{id}} 76no"
    (mount,) = pods(objects, "lead")[0]["spec"]["containers"][0]["volumeMounts"]
    assert mount["mountPath"] == "/etc/custom"


PIECES = ["%{", "}", "%", "\\a", " ", " x" * 60, *SPECIAL]


def keep(text: str) -> str:
    """A text in which, before a late value, nothing is one."""
    return re.sub(r"%+(?=\{|\Z)", lambda signs: 2 * signs[0], text)


@settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.lists(st.one_of(texts, st.sampled_from(PIECES))).map("".join), min_size=30, max_size=30
    )
)
def test_any_text_around_late_values_stays(helm3: str, tmp_path: Path, around: list[str]) -> None:
    """What is not a late value can neither break the chart nor run in it, in any replica."""
    args = [f"{keep(text)}%{{index}}|{keep(text[::-1] + '.')}" for text in around]
    both = [f"{text} %{{if first}} {text}%{{else}}-{text}%{{end}} " for text in args]
    job = {"name": "around", "framework": "custom", "image": "a:1"}
    job["roles"] = {"work": {"replicas": 2, "command": ["x"], "args": [*args, *both]}}  # type: ignore[assignment]
    objects = read_objects(helm3, render(json.dumps(job), tmp_path, "job.json"))
    for index, pod in enumerate(pods(objects, "work")):
        plain = [f"{text}{index}|{text[::-1]}." for text in around]
        chosen = [f"{text} {'-' if index else ' '}{text} " for text in plain]
        assert pod["spec"]["containers"][0]["args"] == [*plain, *chosen]


REFUSED = {
    "%{indx}": 'roles.work.env.X: %{indx}: there is no value "indx"; expected one of count,',
    "%{index": "roles.work.env.X: %{ is not closed",
    "%{index 2}": "expected nothing after the name",
    "%{host led}": "there is no role led; expected lead, work",
    "%{count lead led}": "there is no role led; expected lead, work",
    "%{count * many}": "expected a number or devices after *",
    "%{host lead x}": "expected a role, optionally followed by an index",
    "%{peers}": "expected roles, and then an item and a separator in quotes",
    '%{peers lead "\\x"}': "after a backslash",
    "%{else}": "expected %{if first}...%{else}...%{end}",
    "%{if first}": "%{if first} without %{end}",
    "%{count work *}": "expected a number or devices after *",
    "%{count work * 2 *}": "expected a number or devices after *",
    "%{count * devices * devices}": "expected devices once after *",
    "%{count * 010}": "expected a number or devices after *",
    "%{host work 08}": "expected a role, optionally followed by an index",
    "%{count * 1000 * 1000}": "expected at most 999999 after *",
    "%{host\u00a0lead}": "there is no value",
    "%{index} %{'}": "%{ is not closed",
}
WORDS = [
    *NAMES, "if first", "else", "end", "lead", "work", "led", "*", "0", "7", "010", "999999",
    "1000000", "''", '""', "'{host}'", '"{port}\\n"', '"a\n{index}"', '"\\x"', "'\\'",
    '"\\"', "\u00a0",
]  # fmt: skip


@settings(
    max_examples=examples(8),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(
            lambda words: f"a%{{{' '.join(words)}}}"
        ),
        min_size=60,
        max_size=60,
    )
)
def test_the_chart_reads_late_values_as_the_check_does(
    helm3: str, tmp_path: Path, written: list[str]
) -> None:
    """What is accepted is filled in, with nothing left of it; what is refused fails at install."""
    reader = Reader("work", {"lead": True, "work": True})
    accepted = [text for text in written if not read(text, reader)[1]]
    env = {f"X{number}": text for number, text in enumerate(accepted)}
    chart = render(DERIVED.replace("TEXT", ""), tmp_path)
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"roles": {"work": {"env": env}}}), "utf-8")
    objects = read_objects(helm3, chart, "-f", str(values))
    for name in env:
        seen = seen_by(pods(objects, "work")[-1], objects, name)
        assert not re.search("%{|character|JSON", seen)
    for text in [text for text in written if text not in accepted][:1]:
        values.write_text(json.dumps({"roles": {"work": {"env": {"X": text}}}}), "utf-8")
        assert "roles.work.env.X: %{" in refusal(helm3, chart, "-f", str(values))


def test_lines_and_tabs_in_quotes_are_what_they_are(helm: str, tmp_path: Path) -> None:
    """JSON, by which the chart reads what is in double quotes, does not have them."""
    text = '%{peers\n lead\t"a\tb\n{port}"}'
    job = yaml.safe_load(DERIVED)
    job["roles"]["work"]["env"]["X"] = text
    objects = read_objects(helm, render(json.dumps(job), tmp_path, "job.json"))
    assert seen_by(pods(objects, "work")[-1], objects, "X") == "a\tb\n80"


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_filled_in_is_refused_at_install(
    text: str, helm3: str, tmp_path: Path
) -> None:
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"roles": {"work": {"env": {"X": text}}}}), "utf-8")
    chart = render(DERIVED.replace("TEXT", ""), tmp_path)
    assert REFUSED[text] in refusal(helm3, chart, "-f", str(values)).replace("\n", " ")


def test_a_file_cannot_have_what_differs_between_replicas(helm3: str, tmp_path: Path) -> None:
    chart = render(DERIVED.replace("FILE", ""), tmp_path)
    said = refusal(helm3, chart, "--set", "custom.files.hosts=%{index}")
    assert "custom.files.hosts: %{index} differs between replicas" in said


def test_a_list_that_is_too_long_for_a_variable_is_refused(helm3: str, tmp_path: Path) -> None:
    chart = render(DERIVED.replace("TEXT", "%{peers work} %{peers work}"), tmp_path)
    said = refusal(helm3, chart, "--set", "roles.work.replicas=4000")
    assert "roles.work: X would have" in said


def test_a_role_that_may_be_rescaled_leaves_the_others_alone(helm3: str, tmp_path: Path) -> None:
    text = (ROOT / "values/jobs/primes.yaml").read_text("utf-8")
    chart = render(text, tmp_path)
    few = {job["metadata"]["name"] for job in named(read_objects(helm3, chart), "Job")}
    more = named(read_objects(helm3, chart, "--set", "roles.worker.replicas=6"), "Job")
    assert few < {job["metadata"]["name"] for job in more}


def test_any_replica_may_decide_how_the_job_ends(helm: str, tmp_path: Path) -> None:
    """The clean-up waits for one of them, the test does not look for the others."""
    text = (ROOT / "values/jobs/trees.yaml").read_text("utf-8")
    chart = render(f"{text}custom: {{succeeds: any}}\ncleanup: {{policy: suspend}}\n", tmp_path)
    objects = read_objects(helm, chart, "--set", "roles.worker.replicas=3")
    jobs = named(objects, "Job", "worker-")
    assert {job["metadata"]["annotations"]["chartgen/decides"] for job in jobs} == {"any"}
    (cleanup,) = named(objects, "Job", "cleanup-")
    (container,) = cleanup["spec"]["template"]["spec"]["containers"]
    said = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert said["COUNT"] == "3"
    assert "index" not in said["DECIDES"]
    assert "/cleanup/any.py" in container["args"][0]
    (config,) = named(objects, "ConfigMap", "cleanup-")
    assert [*config["data"]] == ["api.py", "cleanup.py", "any.py"]
    (test,) = named(objects, "Pod")
    (said,) = [
        entry["value"] for entry in test["spec"]["containers"][0]["env"] if entry["name"] == "ROLES"
    ]
    assert said.split()[-1].split(",")[-1] == "any"


def test_a_pod_knows_itself_by_the_name_of_its_replica_if_its_role_says_so(
    helm: str, tmp_path: Path
) -> None:
    text = DERIVED.replace("decides: lead", "decides: lead\n  hostnames: [work]")
    objects = read_objects(helm, render(text, tmp_path))
    assert [pod["spec"]["hostname"] for pod in pods(objects, "work")] == WORK
    assert "hostname" not in pods(objects, "lead")[0]["spec"]
    own = read_objects(helm, render(text, tmp_path), "--set", "roles.work.pod.hostname=mine")
    assert {pod["spec"]["hostname"] for pod in pods(own, "work")} == {"mine"}
