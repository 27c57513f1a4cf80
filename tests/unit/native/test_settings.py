"""--image and --set: fields that a native text lacks, in Helm's syntax."""

from typing import Any

import pytest

from chartgen import pipeline
from chartgen.document import Setting
from chartgen.errors import InputError, UsageError
from chartgen.native import adopt, settings

TFJOB = b"""\
apiVersion: tensorflow.org/v1alpha1
kind: TfJob
metadata: {name: mnist}
spec:
  replicaSpecs:
    - template:
        spec:
          containers: [{name: tensorflow, args: [--steps, "10"]}]
          restartPolicy: OnFailure
"""


def described(*words: str, image: str = "") -> dict[str, Any]:
    """The description that the TfJob means with these settings."""
    given = [Setting(("image",), image, f"--image {image}")] if image else []
    for word in words:
        given += settings.parse(word)
    (document,) = pipeline.read(TFJOB, "tfjob.yaml")
    adopted = adopt(document._replace(settings=tuple(given)))
    assert adopted.document
    data: dict[str, Any] = adopted.document.data
    return data


def test_an_image_that_the_text_lacks_can_be_given() -> None:
    (document,) = pipeline.read(TFJOB, "tfjob.yaml")
    with pytest.raises(InputError):
        pipeline.check(document)
    given = (Setting(("image",), "mnist:1", "--image"),)
    assert pipeline.check(document._replace(settings=given)).job.shared["image"] == "mnist:1"


@pytest.mark.parametrize(
    "word",
    [
        f"env.X={'{' * 3000}a{'}' * 3000}",
        f"env.X={{a,{'{' * 3000}b{'}' * 3000}}}",
        f"{'a.' * 5000}b=1",
        f"env{'[0]' * 3000}=1",
    ],
    ids=["braces", "later braces", "keys", "indices"],
)
def test_settings_that_are_nested_deeper_than_any_job_are_refused(word: str) -> None:
    with pytest.raises(UsageError, match="nested more than 100 levels deep; expected fewer"):
        [*settings.parse(word)]


@pytest.mark.parametrize(
    ("word", "path", "value"),
    [
        ("image=mnist:1", ("image",), "mnist:1"),
        ("roles.master.port=2300", ("roles", "master", "port"), 2300),
        ("roles.master.args[1]=20", ("roles", "master", "args", 1), 20),
        ("roles.master.args={a,b\\,c}", ("roles", "master", "args"), ["a", "b,c"]),
        ("roles.master.env.STEPS=5", ("roles", "master", "env", "STEPS"), 5),
        (
            "roles.master.nodeSelector.example\\.com/zone=b",
            ("roles", "master", "nodeSelector"),
            {"example.com/zone": "b"},
        ),
        ("rbac.create=false", ("rbac", "create"), False),
        ("name=other,image=a:1", ("name",), "other"),
    ],
)
def test_a_setting_reads_as_helm_reads_it(word: str, path: tuple[Any, ...], value: Any) -> None:
    node: Any = described(word)
    for step in path:
        node = node[step]
    assert node == value


def test_null_removes_a_field() -> None:
    assert "restartPolicy" in described()["roles"]["master"]
    assert "restartPolicy" not in described("roles.master.restartPolicy=null")["roles"]["master"]


def test_fields_have_the_order_that_a_person_would_write() -> None:
    assert list(described("cloud=gke", image="a:1")) == [
        "name",
        "framework",
        "image",
        "cloud",
        "roles",
    ]


@pytest.mark.parametrize(
    "word", ["image", "=a", "a..b=1", "a[x]=1", "a.=1", "roles.master.args[9]=x"]
)
def test_what_is_not_a_setting_is_a_usage_error(word: str) -> None:
    with pytest.raises(UsageError):
        described(word)


def test_a_problem_with_a_setting_names_the_option() -> None:
    (document,) = pipeline.read(TFJOB, "tfjob.yaml")
    given = tuple(settings.parse("image=a:1,roles.master.replicas=many"))
    with pytest.raises(InputError) as error:
        pipeline.check(document._replace(settings=given))
    (problem,) = error.value.problems
    assert str(problem.mark) == "--set roles.master.replicas=..."


WORKER = '{Worker: {template: {spec: {containers: [{name: tensorflow, image: "a:1"}]}}}}'


@pytest.mark.parametrize(
    ("metadata", "given", "name"),
    [
        ("{}", "name=mnist", "mnist"),
        ('{name: "%NAME%"}', "name=mnist", "mnist"),
        ("{generateName: churn-}", "name=mnist", "mnist"),
        ("{generateName: churn-}", "", "churn"),
        ("{name: kept, generateName: churn-}", "", "kept"),
    ],
)
def test_a_name_that_an_object_lacks_can_be_given(metadata: str, given: str, name: str) -> None:
    """All that follows from the name follows from this one."""
    text = f"apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {metadata}\n"
    text += f"spec: {{tfReplicaSpecs: {WORKER}}}\n"
    (document,) = pipeline.read(text.encode(), "tfjob.yaml")
    adopted = adopt(document._replace(settings=tuple(settings.parse(given) if given else ())))
    assert adopted.document
    job = adopted.document.data
    assert (job["name"], job["namePrefix"]) == (name, f"{name}-")
    assert job["labels"]["training.kubeflow.org/job-name"] == name
    generated = [problem.rule for problem in adopted.problems]
    assert generated == (["name-generated"] if name == "churn" else [])


@pytest.mark.parametrize(
    ("line", "words", "params"),
    [
        (
            "--model_def=zoo/mnist --training_data_dir=/d",
            "records_per_task=9 minibatch_size=8 num_epochs=7 grads_to_wait=2",
            {"records_per_task": 9, "minibatch_size": 8, "num_epochs": 7, "grads_to_wait": 2},
        ),
        (
            "--model_zoo=zoo --model_def=a.b.c --docker_image_prefix=a --training_data=/d",
            "num_minibatches_per_task=9 minibatch_size=8",
            {"num_minibatches_per_task": 9, "minibatch_size": 8},
        ),
    ],
)
def test_flags_that_a_line_lacks_can_be_given(
    line: str, words: str, params: dict[str, int]
) -> None:
    """As the fields of the description that they become."""
    given = [*settings.parse("name=mnist,image=a:1,roles.worker.replicas=3")]
    for word in words.split():
        given += settings.parse(f"elasticdl.params.{word}")
    (document,) = pipeline.read(f"elasticdl train {line}".encode(), "train.sh")
    job = pipeline.check(document._replace(settings=tuple(given))).job
    assert job.name == "mnist"
    assert job.roles["worker"].replicas == 3
    assert params.items() <= job.options["params"].items()
