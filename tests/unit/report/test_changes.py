"""What an upgrade would do, in the words that people read."""

import json

import pytest

from chartgen.gitops.changes import Changes, Field, ObjectPair
from chartgen.report.changes import as_json, as_markdown, as_text
from tests.unit.gitops.test_changes import happens, job, object_

SERVICE = object_("Service", "chief")
OTHER_SERVICE = object_("Service", "chief", spec={"ports": [1]})
BOARD = object_("Deployment", "board", spec={"template": {"a": 1}})
OTHER_BOARD = object_("Deployment", "board", spec={"template": {"a": 2}})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (happens([SERVICE], [SERVICE]), "mnist: nothing happens\n"),
        (
            happens([], [SERVICE, job("chief", 0)]),
            "mnist: new\n  added      1 Service, 1 Job: chief-aaaa-0, chief\n",
        ),
        (happens([SERVICE], []), "mnist: everything is removed\n  gone       1 Service: chief\n"),
        (
            happens([SERVICE, BOARD], [OTHER_SERVICE, OTHER_BOARD]),
            "mnist: nothing restarts\n"
            "  restarted  1 Deployment, with new pods: board\n"
            "  changed    1 Service, without a restart: chief\n",
        ),
        (
            happens([SERVICE, job("chief", 0)], [SERVICE, job("chief", 0, image="mnist:2")]),
            "mnist: Kubernetes would refuse the upgrade\n"
            "  refused    1 Job, because its pods change under a given runtimeId: chief-aaaa-0\n"
            "  unchanged  1 object\n",
        ),
        (
            happens([job("worker", 0)], [job("worker", 0), job("worker", 1)]),
            "mnist: nothing restarts\n"
            "  rescaled   worker from 1 to 2 replicas; the other replicas keep running\n"
            "  unchanged  1 object\n",
        ),
        (
            happens([job("worker", 0)], [job("worker", 0, "bbbb")]),
            "mnist: training starts over\n"
            "  replaced   1 Job (training restarts): worker-aaaa-0\n"
            "             the runtime id becomes bbbb instead of aaaa\n",
        ),
    ],
    ids=lambda value: value.partition("\n")[0] if isinstance(value, str) else "",
)
def test_words(changes: Changes, text: str) -> None:
    assert as_text([changes]) == text


def test_many_names_are_counted() -> None:
    new = [job("worker", index) for index in range(15)]
    (line,) = as_text([happens([], new)]).splitlines()[1:]
    assert line.endswith("worker-aaaa-11 and 3 more")


def test_the_cause_has_its_place_and_a_limited_width() -> None:
    fields = [
        Field(("env", "A"), None, "x", "job.yaml:1:2"),
        Field(("env", "B"), True, {"a": "y" * 300}),
    ]
    first, second = as_text([Changes("mnist", values=fields)]).splitlines()[1:]
    assert first == "  because    env.A: unset -> x  (job.yaml:1:2)"
    assert second.startswith('             env.B: true -> {"a": "yyy')
    assert len(second) < 140


def test_quotes_of_a_text_are_its_own() -> None:
    fields = [Field(("args",), '"a"', 'say "b"')]
    (line,) = as_text([Changes("mnist", values=fields)]).splitlines()[1:]
    assert line == r"  because    args: \"a\" -> say \"b\""


def test_many_causes_are_counted() -> None:
    fields = [Field(("env", f"V{number}"), None, "x") for number in range(23)]
    *_, last, rest = as_text([Changes("mnist", values=fields)]).splitlines()
    assert (last.strip(), rest.strip()) == ("env.V19: unset -> x", "and 3 more")


def test_markdown_shows_the_verdict_and_folds_nothing() -> None:
    changes = happens([job("worker", 0)], [job("worker", 0, "bbbb")])
    assert as_markdown([Changes("fit"), changes]) == (
        "**fit**: nothing happens\n\n"
        "**mnist**: training starts over\n\n"
        "```text\n"
        "replaced   1 Job (training restarts): worker-aaaa-0\n"
        "           the runtime id becomes bbbb instead of aaaa\n"
        "```\n"
    )


def test_json_has_all_that_the_text_says() -> None:
    changes = happens([job("worker", 0), SERVICE], [job("worker", 0, "bbbb"), OTHER_SERVICE])
    field = Field(("image",), "mnist:1", "mnist:2", "job.yaml:3:8")
    (data,) = json.loads(as_json([changes._replace(values=[field])]))["changes"]
    assert data == {
        "name": "mnist",
        "restarts": True,
        "added": [],
        "gone": [],
        "replaced": [{"old": "Job/worker-aaaa-0", "new": "Job/worker-bbbb-0"}],
        "rescaled": [],
        "changed": ["Service/chief"],
        "refused": [],
        "restarted": [],
        "unchanged": 0,
        "values": [{"path": "image", "old": "mnist:1", "new": "mnist:2", "place": "job.yaml:3:8"}],
    }


def test_json_tells_apart_what_becomes_of_objects_that_keep_their_names() -> None:
    old, new = job("chief", 0), job("chief", 0, image="mnist:2")
    changes = happens([old, BOARD, SERVICE], [new, OTHER_BOARD, OTHER_SERVICE])
    (data,) = json.loads(as_json([changes]))["changes"]
    assert data["changed"] == ["Deployment/board", "Job/chief-aaaa-0", "Service/chief"]
    assert data["refused"] == ["Job/chief-aaaa-0"]
    assert data["restarted"] == ["Deployment/board"]


def test_what_does_not_run_is_renamed() -> None:
    pair = ObjectPair(object_("ConfigMap", "peers-aaaa"), object_("ConfigMap", "peers-bbbb"))
    assert as_text([Changes("mnist", replaced=[pair])]) == (
        "mnist: nothing restarts\n  renamed    1 ConfigMap\n"
    )
