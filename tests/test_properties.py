"""What holds for every job: user text comes through unchanged, equal input gives equal bytes, lists follow counts."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen import pipeline, resources, schema
from tests.real_helm import env, named, objects, pods

ROOT = Path(__file__).parent.parent
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
    lambda name: name not in ("TF_CONFIG", "CHARTGEN_CLUSTER")
)


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
        for path, text in files_of(data).items():
            place = chart / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        return objects(helm, chart, *arguments)

    return template


def job(role: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "texts", "framework": "tensorflow", "roles": {"chief": role}, **more}


@helm_settings
@given(role=role_texts(), log_dir=texts.filter(bool), description=texts.filter(bool))
def test_user_text_comes_out_unchanged(
    installed: Any, helm: str, role: dict[str, Any], log_dir: str, description: str
) -> None:
    """Whatever a person writes, Helm puts it into the object as it is: it can neither break a chart nor run in it."""
    board = {"logDir": log_dir, "image": "tb"}
    found = installed(helm, job(role, tensorboard=board, description=description))
    (pod,) = pods(found, "chief")
    container = pod["spec"]["containers"][0]
    for field in ("image", "command", "workingDir", "volumeMounts"):
        assert container[field] == role[field]
    assert container.get("args", []) == role["args"]
    assert {name: env(pod)[name] for name in role["env"]} == role["env"]
    assert role["labels"].items() <= pod["metadata"]["labels"].items()
    assert pod["metadata"].get("annotations", {}) == role["annotations"]
    assert pod["spec"]["volumes"] == role["volumes"]
    assert pod["spec"]["initContainers"] == [{"restartPolicy": "Always", **role["sidecars"][0]}]
    assert pod["spec"]["schedulerName"] == role["pod"]["schedulerName"]
    (board_pod,) = named(found, "Deployment")
    assert board_pod["spec"]["template"]["spec"]["containers"][0]["command"][2] == log_dir


@given(role=role_texts(), description=texts.filter(bool))
def test_no_user_text_stands_in_a_template(role: dict[str, Any], description: str) -> None:
    """Templates are the same whatever the job says; values.yaml, Chart.yaml and README.md hold the words."""
    plain = files_of(job({"image": "i"}))
    loaded = files_of(job(role, description=description))
    assert plain.keys() == loaded.keys()
    differing = {path for path in plain if plain[path] != loaded[path]}
    assert differing <= {"values.yaml", "Chart.yaml", "README.md"}


@given(role=role_texts())
def test_values_say_what_the_description_said(role: dict[str, Any]) -> None:
    """values.yaml read back is the role as it was described, and it satisfies its own schema."""
    files = files_of(job(role))
    values = yaml.safe_load(files["values.yaml"])
    assert schema.accepts(json.loads(files["values.schema.json"]), values)
    said = values["roles"]["chief"] | {"image": values.get("image")}
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


def outputs(environment: dict[str, str]) -> str:
    """What `chartgen render -o -` prints for a rich job in a process of its own."""
    command = [sys.executable, "-m", "chartgen", "render", "tests/golden/everything/job.yaml", "-o", "-"]
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


def test_every_value_is_read_and_every_read_value_exists() -> None:
    """A value that no template reads, or a template that reads a value that is not in the schema, is a mistake."""
    properties = json.loads(
        files_of(job({"image": "i"}, tensorboard={"logDir": "l", "image": "i"}))["values.schema.json"]
    )["properties"]
    read: set[str] = set()
    for name in resources.names("charts/job"):
        text = resources.text(f"charts/job/{name}")
        read |= set(re.findall(r"[.]Values[.]([A-Za-z]+)", text)) | set(re.findall(r"\$values[.]([A-Za-z]+)", text))
    shared = re.search(r'pick \.Values ((?:"[A-Za-z]+"\s*)+)', resources.text("charts/job/templates/_job.tpl"))
    assert shared
    read |= set(re.findall(r'"([A-Za-z]+)"', shared[1]))
    # A framework's options are read by the part that is made for it.
    assert properties.keys() - read == {"global", "tensorflow"}
    assert read - properties.keys() == set()
