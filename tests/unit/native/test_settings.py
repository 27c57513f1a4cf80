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
    given = (Setting(("image",), "mnist:1", "--image mnist:1"),)
    assert pipeline.check(document._replace(settings=given)).job.shared["image"] == "mnist:1"


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
