"""What holds for every job: user text is unchanged, equal input gives equal bytes."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen import frameworks, pipeline, schema
from tests.support.paths import ROOT

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Any printable text, mixed with texts that mean something to Helm, Jinja, YAML, a shell or
# Kubernetes.
SPECIAL = [
    *("{{ .Values.image }}", "{{", "}}", "<%= job %>", "%>", "'", '"', "\\", "\n", "\t", "$(X)"),
    *("$$", "`id`", ": ", " #", "- ", "|", "@", "&a", "*a", "!!str"),
]
WORDS = [
    *("y", "no", "on", "null", "~", "true", "1e3", "1e-05", "012", "08", "0x1F", "2024-01-01"),
    *("12:30:45", "", " ", "  x  ", "a\n\nb\n", "é", "日本", "🚀", "\u200b"),
]
letters = st.characters(
    exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp"),
    exclude_characters="\x85\u2028\u2029\ufeff",
)
texts = st.one_of(
    st.sampled_from(WORDS),
    st.lists(st.one_of(st.sampled_from(SPECIAL), st.text(letters, max_size=8)), max_size=5).map(
        "".join
    ),
).filter(lambda text: "%{" not in text)  # which `custom` reads; tests/helm/test_custom.py has it
words = st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
label_values = st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,10}[A-Za-z0-9])?)?", fullmatch=True)
env_names = st.from_regex(r"[A-Z_][A-Z0-9_]{0,10}", fullmatch=True).filter(
    lambda name: not name.startswith(("TF_CONFIG", "CHARTGEN_", "DMLC_", "MY_POD_IP", "MARS_"))
)

# For each framework, and each of its dialects, a role that accepts any field, and the roles and
# fields that are required.
PARAMS = {"model_def": "/m", "training_data_dir": "/d", "records_per_task": 1, "minibatch_size": 1}
LATER_PARAMS = {
    "model_zoo": "/z",
    "model_def": "a.b",
    "training_data": "/d",
    "minibatch_size": 1,
    "num_minibatches_per_task": 1,
}
SUPERVISED = {"supervisor": {"image": "i"}, "worker": {"image": "i"}}
NEEDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "tensorflow": ("chief", {}, {}),
    "mxnet": ("worker", {"scheduler": {"image": "i"}, "server": {"image": "i"}}, {}),
    "elasticdl": ("master", {"worker": {"image": "i"}}, {"elasticdl": {"params": PARAMS}}),
    "elasticdl 0.1": (
        "master",
        {"worker": {"image": "i"}},
        {"elasticdl": {"dialect": "0.1", "params": LATER_PARAMS}},
    ),
    "elasticdl 0.2": (
        "master",
        {"worker": {"image": "i"}, "ps": {}},
        {"elasticdl": {"dialect": "0.2", "expansion": "native", "params": LATER_PARAMS}},
    ),
    "angel": ("client", {"master": {}, "ps": {}, "worker": {}}, {"image": "i"}),
    "mars": (
        "driver",
        {"scheduler": {"image": "i"}, "worker": {"image": "i"}, "web": {"image": "i"}},
        {},
    ),
    "mars 0.7": ("driver", SUPERVISED, {"mars": {"dialect": "0.7"}}),
    "mars xorbits": ("driver", SUPERVISED, {"mars": {"dialect": "xorbits"}}),
    "pytorch": ("worker", {"master": {"image": "i"}}, {}),
    "jax": ("worker", {}, {}),
    "custom": ("leader", {"follower": {"image": "i"}}, {"custom": {"decides": "leader"}}),
    "mpi": ("launcher", {"worker": {"image": "i"}}, {}),
    "mpi proxy": (
        "launcher",
        {"worker": {"image": "i"}},
        {"mpi": {"implementation": "mpich", "start": "proxy"}},
    ),
}
each_framework = pytest.mark.parametrize("framework", NEEDS)


# A role with free text wherever free text is allowed. Made once: a strategy that is made again for
# each example takes Hypothesis longer to check than to draw from.
role_texts = st.fixed_dictionaries(
    {
        "image": st.from_regex(
            r"([a-z0-9]{1,9}/)?[a-z0-9]{1,9}:[A-Za-z0-9_][A-Za-z0-9_.-]{0,9}", fullmatch=True
        ),
        "command": st.lists(texts, min_size=1, max_size=3),
        "args": st.lists(texts, max_size=3),
        "workingDir": texts.map("/{}".format),
        "env": st.dictionaries(env_names, texts.filter(lambda text: "$(" not in text), max_size=3),
        # ElasticDL sets the label `app` itself; the job's is not used, which is a warning.
        "labels": st.dictionaries(words.filter("app".__ne__), label_values, max_size=3),
        "annotations": st.dictionaries(words, texts, max_size=3),
        "priorityClassName": words,
        "volumes": texts.filter(bool).map(
            lambda path: [{"name": "data", "hostPath": {"path": path}}]
        ),
        "volumeMounts": texts.filter(lambda text: text and ":" not in text).map(
            lambda path: [{"name": "data", "mountPath": path}]
        ),
        "sidecars": st.lists(texts, max_size=2).map(
            lambda args: [{"name": "beside", "image": "i", "args": args}]
        ),
        "pod": st.fixed_dictionaries({"schedulerName": texts}),
    }
)


def files_of(data: dict[str, Any]) -> dict[str, str]:
    """The chart of a description given as JSON, which is YAML too."""
    (document,) = pipeline.read(json.dumps(data).encode(), "job.json")
    return pipeline.render(pipeline.check(document))


def job(framework: str, role: dict[str, Any], **more: Any) -> dict[str, Any]:
    name, others, needed = NEEDS[framework]
    return {
        "name": "texts",
        "framework": framework.partition(" ")[0],
        "roles": {**others, name: role},
        **needed,
        **more,
    }


def test_no_framework_and_no_dialect_is_left_out() -> None:
    for name in frameworks.MODULES:
        _, *others = frameworks.framework(name).OPTIONS.get("dialect", [""])
        assert {f"{name} {dialect}" for dialect in others} <= NEEDS.keys()
    assert {name.partition(" ")[0] for name in NEEDS} == frameworks.MODULES.keys()


@cache
def plain_files(framework: str) -> dict[str, str]:
    """The chart of a job that says nothing but what it must."""
    return files_of(job(framework, {"image": "i"}))


@each_framework
@given(role=role_texts, description=texts.filter(bool))
def test_user_text_is_in_values_and_in_no_template(
    framework: str, role: dict[str, Any], description: str
) -> None:
    """Templates do not depend on the job's texts, which are in values, Chart.yaml and README.

    values.yaml read back is the role as described, and satisfies its own schema.
    """
    plain = plain_files(framework)
    files = files_of(job(framework, role, description=description))
    assert plain.keys() == files.keys()
    differing = {path for path in plain if plain[path] != files[path]}
    assert differing <= {"values.yaml", "Chart.yaml", "README.md"}
    values = yaml.load(files["values.yaml"], Loader=LOADER)
    assert schema.accepts(json.loads(files["values.schema.json"]), values)
    said = {"image": values.get("image")} | values["roles"][NEEDS[framework][0]]
    role["sidecars"] = [{"restartPolicy": "Always", **sidecar} for sidecar in role["sidecars"]]
    assert {field: said[field] for field in role} == role


def outputs(environment: dict[str, str]) -> str:
    """What `chartgen render -o -` prints for a rich job in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "chartgen",
        "render",
        "tests/corpus/golden/everything/job.yaml",
        "-o",
        "-",
    ]
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
    """A value that no template reads is a mistake, and so is reading one the schema lacks."""
    files = files_of(job(framework, {"image": "i"}, tensorboard={"logDir": "l", "image": "i"}))
    properties = json.loads(files["values.schema.json"])["properties"]
    read: set[str] = set()
    for text in files.values():
        read |= set(re.findall(r"[.]Values[.]([A-Za-z]+)", text)) | set(
            re.findall(r"\$values[.]([A-Za-z]+)", text)
        )
    fields: set[str] = set()  # of roles, which have the job's values too
    for text in files.values():
        fields |= set(re.findall(r"\bspec[.]([A-Za-z]+)", text))
        for names in re.findall(r'\blist ((?:"[A-Za-z]+"\s*)+)', text):
            fields |= set(re.findall(r"[A-Za-z]+", names))
    assert properties.keys() - read - fields - {framework} == set(), (
        "a framework's options are read by its own part"
    )
    assert read - properties.keys() <= {"wait"}, "which is a value where a replica waits for others"
