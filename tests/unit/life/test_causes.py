"""Why a replica does not run, from what real clusters say."""

import pytest

from chartgen.life import causes
from chartgen.life.model import Cause
from tests.support.api_objects import Object, job, pod, unscheduled, waits, warning

MISSING_DATA = Cause("the PersistentVolumeClaim data does not exist", True)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (
            "0/5 nodes are available: 2 node(s) had untolerated taint {nvidia.com/gpu: present}, "
            "3 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available: 5 Preemption is "
            "not helpful for scheduling.",
            "no node fits: 3 of 5 nodes have too little nvidia.com/gpu, 2 of 5 have the taint "
            "nvidia.com/gpu=present that it does not tolerate",
        ),
        (
            "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. no new claims to "
            "deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found.",
            "no node fits: 1 of 1 nodes have too little cpu, 1 of 1 nodes have too little memory",
        ),
        (
            "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
            "no node fits: 3 of 3 do not match its nodeSelector or affinity",
        ),
        (
            "0/9 nodes are available: 1 Too many pods, 2 node(s) had untolerated taint(s), 2 "
            "node(s) had volume node affinity conflict, 4 node(s) were unschedulable. preemption: "
            "0/9 nodes are available: 9 Preemption is not helpful for scheduling.",
            "no node fits: 1 of 9 have no room for another pod, 2 of 9 had volume node affinity "
            "conflict, 2 of 9 have taints that it does not tolerate, 4 of 9 are cordoned",
        ),
        (
            "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
            "no node fits: a PersistentVolumeClaim is not bound",
        ),
        (
            "no nodes available to schedule pods",
            "no node fits: no nodes available to schedule pods",
        ),
    ],
)
def test_what_is_lacking_is_told_with_the_number_of_nodes(message: str, cause: str) -> None:
    waiting = pod("worker", status=unscheduled(message), node="")
    assert causes.why_waiting(waiting, {}) == Cause(cause)


def test_what_a_cluster_says_at_length_is_shortened_to_one_line() -> None:
    """A webhook may send a page; 300 characters of it say what is wrong."""
    page = "images must be signed,\n" * 100
    denied = f'admission webhook "policy.example.com" denied the request: {page}'
    said = "the admission webhook policy.example.com refuses it: "
    cause = causes.describe_refusal(denied)
    assert cause.text.startswith(f"{said}images must be signed, images must")
    assert cause.text.endswith("...")
    assert len(cause.text) == len(said) + 300


def test_a_pod_that_a_queue_holds_back_is_not_short_of_a_node() -> None:
    gated = unscheduled("Scheduling is blocked due to non-empty scheduling gates")
    spec = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}
    cause = causes.why_waiting(pod("worker", status=gated, node="", spec=spec), {})
    said = "it is held back until its scheduling gates are removed: kueue.x-k8s.io/admission"
    assert cause == Cause(said)


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (
            unscheduled('0/1 nodes are available: persistentvolumeclaim "data" not found.'),
            MISSING_DATA,
        ),
        (
            waits("ImagePullBackOff", 'Back-off pulling image "mnist:9"', image="mnist:9"),
            Cause("the image mnist:9 cannot be pulled (ImagePullBackOff)", True),
        ),
        (
            waits("ErrImageNeverPull", "Container image is not present", image="mnist:9"),
            Cause("the image mnist:9 cannot be pulled (ErrImageNeverPull)", True),
        ),
        (
            waits("CreateContainerConfigError", 'secret "token" not found'),
            Cause("the Secret token does not exist", True),
        ),
        (
            waits("CreateContainerConfigError", "couldn't find key x in ConfigMap research/c"),
            Cause(
                "its container cannot be created: couldn't find key x in ConfigMap research/c", True
            ),
        ),
        (
            waits(
                "CrashLoopBackOff",
                lastState={"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
            ),
            Cause("it fails again and again, last with exit code 137 (OOMKilled)"),
        ),
        (waits("ContainerCreating"), Cause("its container is being created")),
    ],
)
def test_a_container_that_cannot_start_says_why(status: Object, cause: Cause) -> None:
    assert causes.why_waiting(pod("worker", status=status), {}) == cause


def test_a_volume_that_cannot_be_mounted_is_known_from_events() -> None:
    said = 'MountVolume.SetUp failed for volume "config" : configmap "settings" not found'
    events = [warning("Pod", "worker-76no-0-x7k2p", "FailedMount", said)]
    cause = causes.why_waiting(
        pod("worker", status=waits("ContainerCreating")), causes.by_object(events)
    )
    assert cause == Cause("the ConfigMap settings does not exist", True)


def test_a_peer_that_never_came_is_named() -> None:
    status = {
        "phase": "Pending",
        "initContainerStatuses": [
            {"name": "proxy", "state": {"running": {}}},
            {"name": "wait-schedulers", "state": {"running": {}}},
        ],
    }
    inits = [{"name": "proxy", "restartPolicy": "Always"}, {"name": "wait-schedulers"}]
    waiting = pod("worker", status=status, spec={"initContainers": inits})
    said = "waits in its init container wait-schedulers until schedulers answers"
    assert causes.why_waiting(waiting, {}).text == said


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (
            'Error creating: pods "worker-76no-0-x" is forbidden: exceeded quota: team, requested: '
            "limits.cpu=4, used: limits.cpu=6, limited: limits.cpu=8",
            Cause(
                "the quota team is full: requested limits.cpu=4, used limits.cpu=6 of limits.cpu=8"
            ),
        ),
        (
            'Error creating: pods "worker-76no-0-x" is forbidden: maximum cpu usage per Container '
            "is 1, but limit is 2",
            Cause(
                "a limit range refuses it: maximum cpu usage per Container is 1, but limit is 2",
                True,
            ),
        ),
        (
            'Error creating: admission webhook "policy.example.com" denied the request: no latest',
            Cause("the admission webhook policy.example.com refuses it: no latest", True),
        ),
        (
            'Error creating: pods "x" is forbidden: error looking up service account research/me: '
            'serviceaccount "me" not found',
            Cause("the ServiceAccount me does not exist", True),
        ),
    ],
)
def test_a_pod_that_is_refused_says_by_whom(message: str, cause: Cause) -> None:
    events = causes.by_object([warning("Job", "worker-76no-0", "FailedCreate", message)])
    assert causes.no_pod(job("worker"), events) == cause


def test_a_pod_that_nothing_is_known_about_is_not_created_yet() -> None:
    assert causes.no_pod(job("worker"), {}) == Cause("its pod has not been created yet")


def test_the_newest_warning_counts() -> None:
    old = warning("Job", "worker-76no-0", "FailedCreate", "a", time="2026-11-18T02:00:00Z")
    new = warning("Job", "worker-76no-0", "FailedCreate", "b", time="2026-11-18T02:00:01Z")
    cause = causes.no_pod(job("worker"), causes.by_object([new, old]))
    assert cause.text == "its pod is refused: b"
