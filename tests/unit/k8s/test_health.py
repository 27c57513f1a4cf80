"""What the cluster says of objects, in a word."""

from typing import Any

import pytest

from chartgen.k8s.health import BROKEN, DONE, HEALTHY, WAITING, Object, pods_of, state, trouble, troubled


def one(kind: str, spec: Object | None = None, **status: Any) -> Object:
    return {"kind": kind, "metadata": {"name": "a", "generation": 2}, "spec": spec or {}, "status": status}


def condition(kind: str, status: str = "True", **more: str) -> list[Object]:
    return [{"type": kind, "status": status, **more}]


def container(name: str = "main", **more: Any) -> list[Object]:
    return [{"name": name, **more}]


@pytest.mark.parametrize(
    ("found", "word", "why"),
    [
        (one("Job"), WAITING, "0 of 1 pods ready"),
        (one("Job", ready=1), HEALTHY, "1 of 1 pods ready"),
        (one("Job", {"parallelism": 3}, ready=2), WAITING, "2 of 3 pods ready"),
        (one("Job", {"parallelism": 3, "completions": 3}, ready=2, succeeded=1), HEALTHY, "2 of 2 pods ready"),
        (one("Job", conditions=condition("Complete")), DONE, "complete"),
        (one("Job", {"suspend": True}), DONE, "suspended"),
        (
            one("Job", conditions=condition("Failed", reason="BackoffLimitExceeded", message="too often")),
            BROKEN,
            "BackoffLimitExceeded: too often",
        ),
        (one("Job", conditions=condition("Failed", "False"), ready=1), HEALTHY, "1 of 1 pods ready"),
        (one("Deployment", observedGeneration=1, readyReplicas=1), WAITING, "its controller has not seen it yet"),
        (one("Deployment", {"replicas": 2}, observedGeneration=2, readyReplicas=2), HEALTHY, "2 of 2 pods ready"),
        (one("StatefulSet", {"replicas": 2}, observedGeneration=2), WAITING, "0 of 2 pods ready"),
        (one("Deployment", {"replicas": 0}, observedGeneration=2), HEALTHY, "0 of 0 pods ready"),
        (
            one("Deployment", conditions=condition("Progressing", "False", reason="ProgressDeadlineExceeded")),
            BROKEN,
            "ProgressDeadlineExceeded",
        ),
        (one("DaemonSet", observedGeneration=2, desiredNumberScheduled=2, numberReady=1), WAITING, "1 of 2 pods ready"),
        (one("Pod", phase="Succeeded"), DONE, "succeeded"),
        (one("Pod", phase="Failed"), BROKEN, "failed"),
        (one("Pod", phase="Running", conditions=condition("Ready")), HEALTHY, "ready"),
        (one("Pod", phase="Pending"), WAITING, "not ready"),
    ],
)
def test_a_state_is_a_word_and_a_reason(found: Object, word: str, why: str) -> None:
    assert state(found) == (word, why)


@pytest.mark.parametrize(
    ("pod", "why", "who"),
    [
        (one("Pod", containerStatuses=container(state={"running": {}})), "", []),
        (one("Pod", containerStatuses=container(state={"waiting": {"reason": "ContainerCreating"}})), "", []),
        (
            one("Pod", containerStatuses=container(state={"waiting": {"reason": "ErrImagePull", "message": "no"}})),
            "main: ErrImagePull: no",
            ["main"],
        ),
        (
            one("Pod", containerStatuses=container(state={"terminated": {"exitCode": 2, "reason": "Error"}})),
            "main ended with exit code 2 (Error)",
            ["main"],
        ),
        (
            one(
                "Pod",
                containerStatuses=container(
                    state={"waiting": {"reason": "CrashLoopBackOff"}}, lastState={"terminated": {"exitCode": 1}}
                ),
            ),
            "main ended with exit code 1 (Error)",
            ["main"],
        ),
        (one("Pod", containerStatuses=container(state={"terminated": {"exitCode": 0}})), "", []),
        (
            one("Pod", conditions=condition("PodScheduled", "False", reason="Unschedulable", message="no GPU")),
            "Unschedulable: no GPU",
            [],
        ),
        (
            one("Pod", initContainerStatuses=container("init", state={"terminated": {"exitCode": 1}})),
            "init ended with exit code 1 (Error)",
            ["init"],
        ),
    ],
)
def test_trouble_is_named(pod: Object, why: str, who: list[str]) -> None:
    assert (trouble(pod), troubled(pod)) == (why, who)


def test_pods_are_found_by_the_selector() -> None:
    pods = [{"metadata": {"name": name, "labels": {"job": name, "app": "x"}}} for name in "ab"] + [
        {"metadata": {"name": "c"}}
    ]
    selector = {"selector": {"matchLabels": {"job": "a", "app": "x"}}}
    assert pods_of(one("Job", selector), pods) == pods[:1]
    assert pods_of(one("Job"), pods) == []
    assert pods_of(one("Pod"), pods) == pods[:1]
