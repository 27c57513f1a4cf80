"""job.pod_template: a pod template is taken apart, nothing is lost and every place is kept."""

import pytest

from chartgen import resources
from chartgen.document import Document
from chartgen.job.pod_template import take_apart
from chartgen.job.shorthands import desugar
from chartgen.syntax.yaml import reader as yaml_reader

DEFINITIONS = resources.data("schemas/job.schema.json")["definitions"]
TEMPLATE = DEFINITIONS["template"]["properties"]


def read(text: str) -> Document:
    (document,) = yaml_reader.read(text.encode(), "job.yaml")
    return document


def test_every_field_of_a_template_has_a_place() -> None:
    """Each field of the schema, with a distinct value, ends up under a name the schema knows."""
    spec = {name: f"spec.{name}" for name in TEMPLATE["spec"]["properties"] if name != "containers"}
    main = {name: f"main.{name}" for name in DEFINITIONS["kubernetesContainer"]["properties"]}
    metadata = {name: f"metadata.{name}" for name in ("labels", "annotations")}
    other = {"name": "other"}
    template = {
        "metadata": metadata,
        "spec": {**spec, "containers": [other, {**main, "name": "main"}]},
    }
    fields, _, problems = take_apart(read("{}"), ("roles", "worker"), template, "main")
    assert problems == []
    assert fields.keys() <= DEFINITIONS["role"]["properties"].keys()
    assert fields["pod"].keys() <= DEFINITIONS["pod"]["properties"].keys()
    assert fields["container"].keys() <= DEFINITIONS["container"]["properties"].keys()
    assert fields["sidecars"] == [{**other, "restartPolicy": ""}]
    taken = {*fields["pod"].values(), *fields["container"].values()}
    taken |= {value for value in fields.values() if isinstance(value, str)}
    # serviceAccount is the old name of serviceAccountName, which is there as well.
    expected = {*spec.values(), *main.values(), *metadata.values()} - {
        "main.name",
        "spec.serviceAccount",
    }
    assert taken == expected


def test_a_field_beside_a_template_wins_and_maps_merge() -> None:
    document, problems = desugar(
        read(
            """\
roles:
  worker:
    image: mine:1
    labels: {a: mine}
    args: [mine]
    env: [{name: B, value: mine}]
    resources: {limits: {cpu: 1}}
    template:
      metadata: {labels: {a: theirs, b: theirs}}
      spec:
        containers:
          - name: tensorflow
            image: theirs:1
            args: [theirs, theirs]
            env: [{name: A, value: theirs}, {name: B, value: theirs}]
            resources: {limits: {cpu: 2, memory: 1Gi}}
"""
        ),
        "tensorflow",
    )
    assert problems == []
    assert document.data == {
        "image": "mine:1",
        "roles": {
            "worker": {
                "labels": {"a": "mine", "b": "theirs"},
                "args": ["mine"],
                "env": {"A": "theirs", "B": "mine"},
                "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
            }
        },
    }

    def line(*path: str | int) -> int:
        return document.mark(("roles", "worker", *path)).line

    assert (line("labels", "a"), line("labels", "b"), line("args", 0)) == (4, 9, 5)
    assert (line("env", "A"), line("env", "B")) == (15, 6)
    assert (line("resources", "limits", "cpu"), line("resources", "limits", "memory")) == (7, 16)


def test_a_list_beside_a_template_replaces_its_list_and_its_places() -> None:
    document, _ = desugar(
        read(
            """\
roles:
  worker:
    sidecars:
      - {name: mine, image: a}
    template:
      spec:
        containers: [{name: tensorflow}, {name: theirs, image: a}]
"""
        ),
        "tensorflow",
    )
    assert document.data["roles"]["worker"]["sidecars"] == [
        {"name": "mine", "image": "a", "restartPolicy": "Always"}
    ]
    assert document.mark(("roles", "worker", "sidecars", 0, "name")).line == 4


@pytest.mark.parametrize(
    ("names", "main"),
    [
        (["only"], "only"),
        (["a", "tensorflow"], "tensorflow"),
        (["tensorflow", "a", "tensorflow"], "tensorflow"),
    ],
)
def test_the_main_container_has_the_frameworks_name_or_is_the_only_one(
    names: list[str], main: str
) -> None:
    containers = [{"name": name, "image": str(index)} for index, name in enumerate(names)]
    fields, _, _ = take_apart(
        read("{}"), ("roles", "worker"), {"spec": {"containers": containers}}, "tensorflow"
    )
    assert fields["image"] == str(names.index(main))
    assert len(fields.get("sidecars", ())) == len(names) - 1


def test_without_a_main_container_nothing_is_taken() -> None:
    template = {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}
    fields, origins, (problem,) = take_apart(
        read("{}"), ("roles", "worker"), template, "tensorflow"
    )
    assert (fields, origins, problem.rule) == ({}, {}, "container-main-missing")
    assert "'a', 'b'" in problem.message
