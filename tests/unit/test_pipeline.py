"""pipeline: the whole program turns any input into a chart or a list of problems."""

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chartgen import pipeline, resources
from chartgen.errors import InputError
from chartgen.syntax.yaml.writer import emit

EXAMPLES = [name for name in resources.names("values/jobs") if name.endswith(".yaml")]

# A job that uses nearly every field, to be broken in every way.
RICH: dict[str, Any] = {
    "name": "rich",
    "framework": "tensorflow",
    "image": "a:1",
    "version": "1.0.0",
    "runtimeId": "76no",
    "namePrefix": "p-",
    "cloud": "none",
    "clouds": {"mine": {}},
    "env": {"A": "a", "B": {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}, "C": "$(A)"},
    "volumes": [{"name": "data", "emptyDir": {"sizeLimit": "1Gi"}}],
    "resources": {"limits": {"cpu": 4}},
    "roles": {
        "chief": {
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "initContainers": [
                        {"name": "fetch", "image": "a:1", "env": [{"name": "X", "value": "x"}]}
                    ],
                    "containers": [
                        {"name": "log", "image": "a:1"},
                        {
                            "name": "tensorflow",
                            "image": "a:2",
                            "env": [{"name": "A", "value": "b"}],
                        },
                    ],
                },
            },
            "labels": {"c": "d"},
        },
        "worker": {
            "replicas": 3,
            "port": 3333,
            "args": ["--steps", 1000],
            "env": [{"name": "D", "value": "$(A)"}],
            "ports": [{"name": "metrics", "containerPort": 9090}],
            "resources": {
                "limits": {"nvidia.com/gpu": 1},
                "requests": {"cpu": "500m", "nvidia.com/gpu": 1},
            },
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "sidecars": [
                {
                    "name": "log",
                    "image": "a:1",
                    "volumeMounts": [{"name": "data", "mountPath": "/d"}],
                }
            ],
            "overrides": {
                "0": {"nodeSelector": {"zone": "b"}},
                "1-2": {"env": {"A": "c"}, "port": 80},
            },
            "pod": {"overhead": {"cpu": 1}},
        },
        "ps": {"replicas": 2},
    },
    "tensorflow": {"cluster": "sparse"},
    "tensorboard": {"logDir": "/logs", "env": {"A": "a"}, "volumes": [{"name": "logs"}]},
    "cleanup": {"enabled": True},
}
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        10**12,
        1e308,
        "",
        "x",
        "$(A)",
        "-",
        "1-0",
        "99999999",
        [],
        [[]],
        [None],
        {},
        {"": {}},
        {"name": "x"},
    ]
)


def check(data: Any) -> pipeline.CheckedJob:
    (document,) = pipeline.read(json.dumps(data).encode(), "job.json")
    return pipeline.check(document)


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path in some data."""
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


@st.composite
def broken(draw: st.DrawFn) -> Any:
    """The rich job with a few of its values replaced, removed or moved elsewhere."""
    data = copy.deepcopy(RICH)
    for _ in range(draw(st.integers(1, 4))):
        *path, last = draw(st.sampled_from(places(data)[1:]))
        node = data
        for step in path:
            node = node[step]
        kind = draw(st.sampled_from(["junk", "junk", "remove", "another", "key"]))
        if kind == "remove" and len(data) > 1:
            del node[last]
        elif kind == "key" and isinstance(node, dict):
            node[
                draw(st.text(max_size=5) | st.sampled_from(["worker", "TF_CONFIG", "name", "0-1"]))
            ] = node.pop(last)
        elif kind == "another":
            other = RICH
            for step in draw(st.sampled_from(places(RICH))):
                other = other[step]
            node[last] = copy.deepcopy(other)
        else:
            node[last] = copy.deepcopy(draw(JUNK))
    return data


@given(broken())
@example({**RICH, "roles": {}})
@example({**RICH, "roles": {"worker": {"replicas": 1000000, "overrides": {"0-9999999": {}}}}})
def test_any_description_gives_a_chart_or_a_list_of_problems(data: Any) -> None:
    """Never a traceback: each problem has a place, a message and a rule; the input is unchanged."""
    before = json.dumps(data)
    try:
        problems, made = check(data).warnings, pipeline.render(check(data))
    except InputError as error:
        problems, made = error.problems, {}
    assert ("values.yaml" in made) != any(problem.severity == "error" for problem in problems)
    assert all(problem.message and problem.rule for problem in problems)
    assert all(1 <= problem.mark.column <= len(before) + 1 for problem in problems)


def test_the_rich_job_has_no_problems() -> None:
    assert check(RICH).warnings == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_renders_without_a_warning(name: str) -> None:
    for document in pipeline.read(resources.text(f"values/jobs/{name}").encode(), name):
        checked = pipeline.check(document)
        assert checked.warnings == ()
        assert {"Chart.yaml", "values.yaml", "values.schema.json", "README.md"} <= pipeline.render(
            checked
        ).keys()


def test_several_documents_are_several_jobs() -> None:
    text = b"name: one\nframework: tensorflow\nimage: a:1\nroles: {worker: {}}\n---\n"
    jobs = [
        pipeline.check(document).job.name
        for document in pipeline.read(text + text.replace(b"one", b"two"), "x")
    ]
    assert jobs == ["one", "two"]


def test_json_and_yaml_give_the_same_chart() -> None:
    (document,) = pipeline.read(json.dumps(RICH).encode(), "job.json")
    (other,) = pipeline.read(emit(RICH).encode(), "job.yaml")
    assert pipeline.render(pipeline.check(document)) == pipeline.render(pipeline.check(other))


def test_a_warning_stops_nothing() -> None:
    checked = check({**RICH, "labels": {"job_type": "MINE"}})
    assert [(problem.rule, problem.severity) for problem in checked.warnings] == [
        ("label-reserved", "warning")
    ]
    assert pipeline.render(checked)


def test_problems_of_every_kind_are_reported_together() -> None:
    """From the schema, the framework, the pods and the limits at once."""
    data = copy.deepcopy(RICH)
    data["tensorflow"] = {"cluster": "full"}
    data["podSecurity"] = "some"
    data["roles"]["chief"]["replicas"] = 2
    data["roles"]["worker"] |= {"replicas": 6000, "env": {"TF_CONFIG": "x"}}
    with pytest.raises(InputError) as caught:
        check(data)
    assert {"value-not-listed", "role-one-replica", "env-reserved", "env-too-long"} <= {
        problem.rule for problem in caught.value.problems
    }


def test_the_place_of_the_name_is_kept_for_comparing_jobs() -> None:
    text = b"framework: tensorflow\nname: mnist\nimage: a:1\nroles: {worker: {}}\n"
    assert str(pipeline.check(pipeline.read(text, "job.yaml")[0]).name_mark) == "job.yaml:2:7"
