"""The state of an object on the cluster, in one word."""

from typing import Any

import pytest

from chartgen.k8s.health import (
    BROKEN,
    DONE,
    HEALTHY,
    WAITING,
    pods_of,
    state,
    trouble,
    troubled_containers,
)
from chartgen.k8s.objects import Object


def an_object(kind: str, spec: Object | None = None, **status: Any) -> Object:
    return {
        "kind": kind,
        "metadata": {"name": "a", "generation": 2},
        "spec": spec or {},
        "status": status,
    }


def condition(kind: str, status: str = "True", **more: str) -> list[Object]:
    return [{"type": kind, "status": status, **more}]


def container(name: str = "main", **more: Any) -> list[Object]:
    return [{"name": name, **more}]


@pytest.mark.parametrize(
    ("manifest", "word", "why"),
    [
        (an_object("Job"), WAITING, "0 of 1 pods ready"),
        (an_object("Job", ready=1), HEALTHY, "1 of 1 pods ready"),
        (an_object("Job", {"parallelism": 3}, ready=2), WAITING, "2 of 3 pods ready"),
        (
            an_object("Job", {"parallelism": 3, "completions": 3}, ready=2, succeeded=1),
            HEALTHY,
            "2 of 2 pods ready",
        ),
        (an_object("Job", conditions=condition("Complete")), DONE, "complete"),
        (an_object("Job", {"suspend": True}), DONE, "suspended"),
        (
            an_object(
                "Job",
                conditions=condition("Failed", reason="BackoffLimitExceeded", message="too often"),
            ),
            BROKEN,
            "BackoffLimitExceeded: too often",
        ),
        (
            an_object("Job", conditions=condition("Failed", "False"), ready=1),
            HEALTHY,
            "1 of 1 pods ready",
        ),
        (
            an_object("Deployment", observedGeneration=1, readyReplicas=1),
            WAITING,
            "its controller has not seen it yet",
        ),
        (
            an_object("Deployment", {"replicas": 2}, observedGeneration=2, readyReplicas=2),
            HEALTHY,
            "2 of 2 pods ready",
        ),
        (
            an_object("StatefulSet", {"replicas": 2}, observedGeneration=2),
            WAITING,
            "0 of 2 pods ready",
        ),
        (
            an_object("Deployment", {"replicas": 0}, observedGeneration=2),
            HEALTHY,
            "0 of 0 pods ready",
        ),
        (
            an_object(
                "Deployment",
                conditions=condition("Progressing", "False", reason="ProgressDeadlineExceeded"),
            ),
            BROKEN,
            "ProgressDeadlineExceeded",
        ),
        (
            an_object("DaemonSet", observedGeneration=2, desiredNumberScheduled=2, numberReady=1),
            WAITING,
            "1 of 2 pods ready",
        ),
        (an_object("Pod", phase="Succeeded"), DONE, "succeeded"),
        (an_object("Pod", phase="Failed"), BROKEN, "failed"),
        (an_object("Pod", phase="Running", conditions=condition("Ready")), HEALTHY, "ready"),
        (an_object("Pod", phase="Pending"), WAITING, "not ready"),
    ],
)
def test_a_state_is_a_word_and_a_reason(manifest: Object, word: str, why: str) -> None:
    assert state(manifest) == (word, why)


@pytest.mark.parametrize(
    ("pod", "why", "who"),
    [
        (an_object("Pod", containerStatuses=container(state={"running": {}})), "", []),
        (
            an_object(
                "Pod",
                containerStatuses=container(state={"waiting": {"reason": "ContainerCreating"}}),
            ),
            "",
            [],
        ),
        (
            an_object(
                "Pod",
                containerStatuses=container(
                    state={"waiting": {"reason": "ErrImagePull", "message": "no"}}
                ),
            ),
            "main: ErrImagePull: no",
            ["main"],
        ),
        (
            an_object(
                "Pod",
                containerStatuses=container(
                    state={"terminated": {"exitCode": 2, "reason": "Error"}}
                ),
            ),
            "main ended with exit code 2 (Error)",
            ["main"],
        ),
        (
            an_object(
                "Pod",
                containerStatuses=container(
                    state={"waiting": {"reason": "CrashLoopBackOff"}},
                    lastState={"terminated": {"exitCode": 1}},
                ),
            ),
            "main ended with exit code 1 (Error)",
            ["main"],
        ),
        (
            an_object("Pod", containerStatuses=container(state={"terminated": {"exitCode": 0}})),
            "",
            [],
        ),
        (
            an_object(
                "Pod",
                conditions=condition(
                    "PodScheduled", "False", reason="Unschedulable", message="no GPU"
                ),
            ),
            "Unschedulable: no GPU",
            [],
        ),
        (
            an_object(
                "Pod",
                initContainerStatuses=container("init", state={"terminated": {"exitCode": 1}}),
            ),
            "init ended with exit code 1 (Error)",
            ["init"],
        ),
    ],
)
def test_the_reason_of_a_failure_is_named(pod: Object, why: str, who: list[str]) -> None:
    assert (trouble(pod), troubled_containers(pod)) == (why, who)


def test_pods_are_found_by_the_selector() -> None:
    pods = [{"metadata": {"name": name, "labels": {"job": name, "app": "x"}}} for name in "ab"] + [
        {"metadata": {"name": "c"}}
    ]
    selector = {"selector": {"matchLabels": {"job": "a", "app": "x"}}}
    assert pods_of(an_object("Job", selector), pods) == pods[:1]
    assert pods_of(an_object("Job"), pods) == []
    assert pods_of(an_object("Pod"), pods) == pods[:1]
