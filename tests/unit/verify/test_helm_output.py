"""What `helm template` prints, read back: objects, and anything else."""

import pytest

from chartgen.verify.helm_output import keep_few, read


def names(text: str) -> list[str]:
    objects, problems = read(text.encode(), "helm template")
    assert problems == []
    return [item.file for item in objects]


def test_objects_are_called_by_kind_and_name() -> None:
    text = (
        "# Source: a\n{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n# nothing\n---\nnull\n"
    )
    assert names(text) == ["Pod/a"]


def test_a_list_is_replaced_by_its_items() -> None:
    """With the scalars that YAML readers disagree about, at their places in the object."""
    text = (
        "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap,"
        " metadata: {name: a}, data: {b: 1e3}}]}"
    )
    (item,), problems = read(text.encode(), "helm template")
    assert (item.file, problems) == ("ConfigMap/a", [])
    assert [(trap.path, trap.text) for trap in item.traps] == [(("data", "b"), "1e3")]


@pytest.mark.parametrize("text", ["", "\n", "---\n# Source: a\n"])
def test_empty_output_has_no_problems(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "not a mapping; expected a Kubernetes object"),
        ("kind: Pod\n", "no 'apiVersion'; expected a Kubernetes object"),
        ("apiVersion: v1\nkind: 7\n", "no 'kind'; expected a Kubernetes object"),
        (
            "{apiVersion: v1, kind: Pod, metadata: {generateName: a}}",
            "this Pod has no name; expected metadata.name, which Helm requires",
        ),
    ],
)
def test_a_document_that_is_not_an_object_is_reported(text: str, said: str) -> None:
    objects, (problem,) = read(text.encode(), "helm template")
    assert objects == []
    assert (problem.message, problem.rule, problem.mark.file) == (
        said,
        "object-invalid",
        "helm template",
    )


def test_invalid_yaml_is_reported_with_its_line() -> None:
    _, problems = read(b"a: [1\nb: 2\n", "helm template")
    assert [problem.mark.file for problem in problems] == ["helm template"]


def test_a_sample_keeps_a_few_objects_of_each_kind_in_their_lines() -> None:
    def manifest(kind: str, name: str) -> str:
        return f"---\n# Source: a\napiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n"

    text = (
        manifest("Pod", "a")
        + manifest("Pod", "b")
        + manifest("Pod", "c")
        + manifest("Secret", "d")
        + "---\n# end\n"
    )
    few = keep_few(text, 2)
    assert names(few) == ["Pod/a", "Pod/b", "Secret/d"]
    assert len(few.splitlines()) == len(text.splitlines())
    assert few.splitlines().index("kind: Secret") == text.splitlines().index("kind: Secret")
    assert keep_few(text, 3) == text
