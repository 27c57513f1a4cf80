"""Values at install: each wrong one is refused by name and at once, and what is taken is valid."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen import pipeline
from chartgen.errors import InputError
from tests.support.charts import read_objects, refusal, render, run
from tests.support.examples import examples
from tests.support.kubernetes_schemas import VERSIONS, validate

JOB: dict[str, Any] = {
    "name": "base",
    "framework": "tensorflow",
    "image": "i:1",
    "tensorboard": {"logDir": "/logs"},
    "priorityClasses": {"1234": 5},
    "serviceAccountName": "123",
    "roles": {"chief": {}, "worker": {"replicas": 2}, "ps": {}},
}
# How Helm reports what a schema or a template refuses; a broken template is reported otherwise.
SENTENCES = ("meet the specifications of the schema", "Error: execution error at (base/templates/")
# Texts that a YAML reader may take for something else.
STRANGE = ("123", "true", "null", "1e3", "0x1f", "012", "y", "off", "1.5")


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart with every value that all charts have."""
    return render(json.dumps(JOB), tmp_path_factory.mktemp("install"))


def test_every_value_that_is_removed_is_refused_by_name_or_not_needed(
    chart: Path, helm: str
) -> None:
    """`--set tests=null` and the like never end in a template's own error."""
    values = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))
    names = [*json.loads((chart / "values.schema.json").read_text("utf-8"))["properties"]]
    for group in ("rbac", "cleanup", "tensorflow"):
        names += [f"{group}.{name}" for name in values[group]]
    assert {*values, "tests", "helperImage"} < {*names}
    for name in names:
        done = run(helm, "template", "demo", chart, "--set", f"{name}=null")
        if done.returncode:
            assert any(sentence in done.stderr for sentence in SENTENCES), (name, done.stderr)
            assert name.rpartition(".")[2] in done.stderr


@pytest.mark.parametrize("control", ["\x7f", "\x85", "\x9f"])
def test_a_control_character_is_refused_and_not_changed(
    control: str, chart: Path, helm: str
) -> None:
    """YAML would read U+0085 as a space; with others Helm 4 made a TensorBoard without command."""
    for key in ("tensorboard.logDir", "env.A", "commonAnnotations.a"):
        said = refusal(helm, chart, "--set-json", f"{key}={json.dumps(f'/a{control}b')}")
        assert "control characters" in said


def test_a_default_that_is_removed_still_holds(chart: Path, helm: str) -> None:
    """A Job whose pods have no restartPolicy is refused by Kubernetes."""
    names = ("cloud", "namePrefix", "podSecurity", "restartPolicy", "cleanup.policy")
    removed = ",".join(f"{name}=null" for name in (*names, "tensorflow.cluster"))
    assert read_objects(helm, chart, "--set", removed) == read_objects(helm, chart)


@pytest.mark.parametrize(
    "setting",
    [
        "roles.worker.resources.limits.memory=16GiB",
        "roles.worker.resources.limits.cpu=fast",
        r"roles.worker.resources.limits.nvidia\.com/gpu=0.5",
        "roles.worker.gpu=0.5",
        "roles.worker.replicas=200000",
        "roles.worker.workingDir=app",
    ],
)
def test_a_bad_value_is_refused_by_the_schema(chart: Path, helm: str, setting: str) -> None:
    """Before a template runs, so that 200,000 workers take no longer than two."""
    said = refusal(helm, chart, "--set", setting)
    assert SENTENCES[0] in said
    assert "worker" in said
    assert setting.partition("=")[0].split(".")[-1].split("/")[-1] in said


@pytest.mark.parametrize("amount", ["1", "2.0", "1k", "1000m", "1e3"])
def test_whole_devices_are_taken_however_they_are_written(
    chart: Path, helm: str, amount: str
) -> None:
    """As the API server takes them."""
    read_objects(
        helm, chart, "--set-string", rf"roles.worker.resources.limits.nvidia\.com/gpu={amount}"
    )


@pytest.mark.parametrize("word", STRANGE)
def test_names_that_yaml_takes_for_numbers_or_booleans_are_texts(
    chart: Path, helm: str, word: str
) -> None:
    """Of the release, the namespace, the account and a priority class, in every object."""
    objects = read_objects(
        helm,
        chart,
        *("-n", word.replace(".", "-")),
        *("--set-string", f"serviceAccountName={word.lower()},runtimeId={word.replace('.', '')}"),
        release=word,
    )
    assert {"RoleBinding", "PriorityClass", "Job", "Pod"} <= {
        manifest["kind"] for manifest in objects
    }
    for manifest in objects:
        validate(manifest, VERSIONS[-1])


name = st.sampled_from(STRANGE)
text = st.sampled_from((*STRANGE, "", " ", "a: b", "{{ .Values }}", "- x", "#", "\u00e9", "'\""))
ROLE = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.integers(1, 3),
        "env": st.dictionaries(st.sampled_from(["A", "Y", "N_1"]), text, max_size=2),
        "args": st.lists(text, max_size=2),
        "labels": st.dictionaries(st.sampled_from(["y", "x/y", "1"]), name, max_size=2),
        "annotations": st.dictionaries(st.sampled_from(["y", "x/y", "1"]), text, max_size=2),
        "nodeSelector": st.dictionaries(st.sampled_from(["y", "on"]), name, max_size=2),
        "serviceAccountName": name,
        "priorityClassName": name,
        "workingDir": st.sampled_from(["/app", "/1"]),
        "volumes": st.lists(
            st.sampled_from([{"name": "1"}, {"name": "d", "hostPath": {"path": "/1"}}]),
            max_size=2,
            unique_by=lambda volume: str(volume),
        ),
        "container": st.sampled_from(
            [{"livenessProbe": {"httpGet": {"port": 80}}}, {"terminationMessagePath": "/1"}]
        ),
        "backoffLimit": st.integers(0, 5),
    },
)
SETTINGS = st.lists(
    st.one_of(
        st.builds("roles.worker.env.B={}".format, name),
        st.builds("roles.worker.labels.b={}".format, name),
        st.builds("roles.worker.replicas={}".format, st.integers(0, 3)),
        st.builds("commonLabels.b={}".format, name),
        st.builds("runtimeId={}".format, st.sampled_from(["1234", "0123", "abc", "1e3"])),
        st.builds("podSecurity={}".format, st.sampled_from(["restricted", "none"])),
        st.builds("cloud={}".format, st.sampled_from(["gke", "azure", "none", "no-such-cloud"])),
        st.builds("roles.worker.gpu={}".format, st.integers(0, 2)),
    ),
    max_size=3,
)


@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(worker=ROLE, shared=ROLE, given=SETTINGS)
def test_what_is_accepted_is_valid_in_every_object(
    tmp_path_factory: pytest.TempPathFactory,
    helm: str,
    worker: dict[str, Any],
    shared: dict[str, Any],
    given: list[str],
) -> None:
    """Or it is refused in a sentence: by chartgen, by the values' schema or by the chart."""
    fields = {key: value for key, value in shared.items() if key not in ("replicas", "command")}
    job = {**JOB, **fields, "roles": {"chief": {}, "worker": {"command": ["w"], **worker}}}
    try:
        (document,) = pipeline.read(json.dumps(job).encode(), "job.json")
        pipeline.check(document)
    except InputError:
        return
    path = render(json.dumps(job), tmp_path_factory.mktemp("job"))
    words = [word for setting in given for word in ("--set", setting)]
    done = run(helm, "template", "true", path, "-n", "123", *words)
    if done.returncode:
        assert any(sentence in done.stderr for sentence in SENTENCES), done.stderr
        return
    for manifest in yaml.safe_load_all(done.stdout):
        if manifest:
            validate(manifest, VERSIONS[-1])
