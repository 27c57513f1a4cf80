"""What `helm template` prints, read back: objects, and what is none."""

import pytest

from chartgen.verify.helm_output import read, thinned


def names(text: str) -> list[str]:
    objects, problems = read(text.encode(), "helm template")
    assert problems == []
    return [one.file for one in objects]


def test_objects_are_called_by_kind_and_name() -> None:
    text = "# Source: a\n{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n# nothing\n---\nnull\n"
    assert names(text) == ["Pod/a"]


def test_a_list_stands_for_what_is_in_it() -> None:
    """With what readers of YAML may take for something else, at its place in the object."""
    text = (
        "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: 1e3}}]}"
    )
    (one,), problems = read(text.encode(), "helm template")
    assert (one.file, problems) == ("ConfigMap/a", [])
    assert [(trap.path, trap.text) for trap in one.traps] == [(("data", "b"), "1e3")]


@pytest.mark.parametrize("text", ["", "\n", "---\n# Source: a\n"])
def test_nothing_is_no_problem(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "this is no map; expected an object of Kubernetes"),
        ("kind: Pod\n", "this has no apiVersion; expected an object of Kubernetes"),
        ("apiVersion: v1\nkind: 7\n", "this has no kind; expected an object of Kubernetes"),
        (
            "{apiVersion: v1, kind: Pod, metadata: {generateName: a}}",
            "this Pod has no name; expected metadata.name, by which Helm finds it again",
        ),
    ],
)
def test_what_is_no_object_is_told(text: str, said: str) -> None:
    objects, (problem,) = read(text.encode(), "helm template")
    assert objects == []
    assert (problem.message, problem.rule, problem.mark.file) == (said, "no-object", "helm template")


def test_what_is_no_yaml_is_told_with_its_line() -> None:
    _, problems = read(b"a: [1\nb: 2\n", "helm template")
    assert [problem.mark.file for problem in problems] == ["helm template"]


def test_of_many_objects_a_few_of_each_kind_are_left_in_their_lines() -> None:
    def one(kind: str, name: str) -> str:
        return f"---\n# Source: a\napiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n"

    text = one("Pod", "a") + one("Pod", "b") + one("Pod", "c") + one("Secret", "d") + "---\n# end\n"
    few = thinned(text, 2)
    assert names(few) == ["Pod/a", "Pod/b", "Secret/d"]
    assert len(few.splitlines()) == len(text.splitlines())
    assert few.splitlines().index("kind: Secret") == text.splitlines().index("kind: Secret")
    assert thinned(text, 3) == text
