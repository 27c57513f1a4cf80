"""Phase, state and reason of jobs, from recorded Jobs, pods and events."""

from typing import Any

import pytest

from chartgen.life import find
from chartgen.life.model import Replica, Status
from chartgen.life.status import deciding_jobs, status
from tests.support.api_objects import Object, ended, job, pod, running, unscheduled, waits, warning

COMPLETE: Object = {"Complete": {}}
NO_GPU = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."


def failed(reason: str = "BackoffLimitExceeded", message: str = "") -> Object:
    return {"Failed": {"reason": reason, "message": message}}


def status_of(jobs: list[Object], pods: list[Object] = [], events: list[Object] = []) -> Status:  # noqa: B006
    job_status = status(find.Objects(jobs, pods, events))
    assert job_status is not None
    return job_status


def summary(job_status: Status) -> tuple[str, str, str]:
    return job_status.phase, job_status.state, job_status.reason


def replica(job_status: Status, name: str) -> Replica:
    return next(replica for replica in job_status.replicas if replica.name == name)


def test_a_job_whose_replicas_run_is_running() -> None:
    job_status = status_of([job("chief"), job("ps")], [pod("chief"), pod("ps")])
    assert summary(job_status) == ("Running", "Running", "2 of 2 replicas run")


def test_a_job_is_being_created_until_the_replica_that_decides_has_started() -> None:
    waiting = pod("chief", status=waits("ContainerCreating"))
    job_status = status_of([job("chief"), job("ps")], [waiting, pod("ps")])
    assert summary(job_status) == (
        "Creating",
        "Running",
        "chief-0 not started yet: its container is being created",
    )


def test_the_end_of_the_chief_is_the_end_of_the_job() -> None:
    jobs = [job("chief", conditions=COMPLETE), job("worker"), job("ps", suspend=True)]
    job_status = status_of(jobs, [pod("chief", status=ended(0)), pod("worker")])
    assert summary(job_status) == ("Done", "Succeeded", "chief-0 succeeded; worker-0 still runs")
    assert [replica.word for replica in job_status.replicas] == ["Succeeded", "Running", "Released"]


def test_a_server_that_is_being_released_is_clean_up() -> None:
    jobs = [job("chief", conditions=COMPLETE), job("ps", suspend=True)]
    assert status_of(jobs, [pod("chief", status=ended(0)), pod("ps")]).phase == "CleanUp"


def cleanup(**more: Any) -> Object:
    """The Job of the clean-up, which is no replica."""
    cleanup_job = job("cleanup", **more)
    del cleanup_job["metadata"]["labels"]["chartgen/role"]
    cleanup_job["metadata"]["labels"]["app.kubernetes.io/component"] = "cleanup"
    return cleanup_job


def test_clean_up_lasts_as_long_as_its_job() -> None:
    """From the end of the chief, also before the first server is suspended."""
    own = [job("chief", conditions=COMPLETE), job("ps")]
    pods = [pod("chief", status=ended(0)), pod("ps")]
    assert summary(status_of([*own, cleanup()], pods)) == (
        "CleanUp",
        "Succeeded",
        "chief-0 succeeded",
    )
    assert (
        status_of([job("chief"), job("ps"), cleanup()], [pod("chief"), pod("ps")]).phase
        == "Running"
    )
    done = status_of([job("chief", conditions=COMPLETE), cleanup(conditions=COMPLETE)], pods[:1])
    assert summary(done) == ("Done", "Succeeded", "chief-0 succeeded")
    old = cleanup(runtime_id="old1")  # of the release before, about to go
    assert status_of([job("chief", conditions=COMPLETE), old], pods[:1]).phase == "Done"


def test_servers_that_nobody_releases_are_told() -> None:
    """Without a clean-up, or one that may not do anything; or one that cannot start or failed."""
    own = [job("chief", conditions=COMPLETE), job("ps"), job("ps", 1)]
    pods = [pod("chief", status=ended(0)), pod("ps"), pod("ps", 1)]
    assert status_of(own, pods).reason == "chief-0 succeeded; ps-0 and ps-1 still run"
    ended_well = cleanup(conditions=COMPLETE)
    assert (
        status_of([*own, ended_well], pods).reason == "chief-0 succeeded; ps-0 and ps-1 still run"
    )
    stuck = pod("cleanup", status=waits("ImagePullBackOff", image="python:9"))
    assert status_of([*own, cleanup()], [*pods, stuck]).reason == (
        "chief-0 succeeded; the clean-up cannot start:"
        " the image python:9 cannot be pulled (ImagePullBackOff)"
    )
    gave_up = cleanup(conditions=failed(message="Job has reached the specified backoff limit"))
    job_status = status_of([*own, gave_up], pods)
    assert summary(job_status)[::2] == (
        "Done",
        "chief-0 succeeded; the clean-up failed: Job has reached the specified backoff limit",
    )


def test_a_job_that_is_being_removed_is_clean_up() -> None:
    going = job("chief")
    going["metadata"]["deletionTimestamp"] = "2026-11-18T03:00:00Z"
    assert status_of([going], [pod("chief")]).phase == "CleanUp"


@pytest.mark.parametrize(
    ("code", "reason", "words"),
    [
        (1, "Error", "exit code 1"),
        (137, "OOMKilled", "exit code 137 (OOMKilled)"),
        (137, "Error", "exit code 137"),
    ],
)
def test_a_failure_is_told_with_its_exit_code(code: int, reason: str, words: str) -> None:
    """A policy cannot tell an OOM kill from another kill; status can."""
    job_status = status_of(
        [job("chief", conditions=failed())], [pod("chief", status=ended(code, reason))]
    )
    assert summary(job_status) == ("Done", "Failed", f"chief-0 failed: {words}")
    assert replica(job_status, "chief-0").exit_code == code


def test_a_job_that_failed_before_anything_ran_has_the_phase_failed() -> None:
    late = failed("DeadlineExceeded", "Job was active longer than specified deadline")
    job_status = status_of([job("chief", conditions=late)])
    assert summary(job_status) == (
        "Failed",
        "Failed",
        "chief-0 failed: it did not end within its activeDeadlineSeconds",
    )


def test_a_failed_worker_does_not_fail_the_job_but_is_named() -> None:
    """To the operators, only the master counted."""
    jobs = [job("chief"), job("worker", conditions=failed())]
    job_status = status_of(jobs, [pod("chief"), pod("worker", status=ended(2))])
    assert summary(job_status) == ("Running", "Running", "worker-0 failed: exit code 2")


def test_where_all_workers_decide_one_failure_fails_the_job() -> None:
    jobs = [job("scheduler"), job("server"), job("worker"), job("worker", 1)]
    jobs[3]["status"]["conditions"] = [{"type": "Failed", "status": "True"}]
    assert status_of(jobs).state == "Failed"
    jobs[3]["status"]["conditions"] = [{"type": "Complete", "status": "True"}]
    assert status_of(jobs).state == "Running"
    jobs[2]["status"]["conditions"] = [{"type": "Complete", "status": "True"}]
    assert summary(status_of(jobs))[1:] == ("Succeeded", "worker-0 and worker-1 succeeded")


@pytest.mark.parametrize(
    ("roles", "deciding"),
    [
        (["chief", "worker", "ps"], ["chief"]),
        (["master", "worker"], ["master"]),
        (["worker", "ps"], ["worker"]),
        (["scheduler", "worker", "web", "driver"], ["driver"]),
        (["scheduler", "worker", "web"], []),
        (["client"], ["client"]),
    ],
)
def test_charts_of_before_do_not_mark_who_decides(roles: list[str], deciding: list[str]) -> None:
    decisive = deciding_jobs([job(role) for role in roles])
    assert [job["metadata"]["labels"]["chartgen/role"] for job in decisive] == deciding


def test_the_mark_of_a_chart_says_who_decides() -> None:
    jobs = [job("chief"), job("coach", annotations={"chartgen/decides": "first"})]
    assert deciding_jobs(jobs) == jobs[1:]


def test_any_replica_may_end_the_job_and_only_all_can_fail_it() -> None:
    mark = {"chartgen/decides": "any"}
    fails = job("worker", 0, annotations=mark, conditions=failed())
    assert status_of([fails, job("worker", 1, annotations=mark)]).state == "Running"
    job_status = status_of([fails, job("worker", 1, annotations=mark, conditions=COMPLETE)])
    assert summary(job_status)[1:] == ("Succeeded", "worker-1 succeeded")
    again = job("worker", 1, annotations=mark, conditions=failed())
    assert status_of([fails, again]).state == "Failed"


def test_a_stopped_job_is_not_taken_for_a_finished_one() -> None:
    job_status = status_of([job("chief", suspend=True), job("ps", suspend=True)])
    assert (job_status.state, job_status.stopped, job_status.ended) == ("Unknown", True, False)
    assert job_status.reason == "the job is stopped; `chartgen start` resumes it"
    assert {replica.word for replica in job_status.replicas} == {"Stopped"}


def test_the_gravest_cause_is_the_reason() -> None:
    """What waiting cannot mend comes before what may mend itself."""
    jobs = [job("chief"), job("worker"), job("worker", 1), job("ps")]
    pods = [
        pod("chief"),
        pod("worker", status=unscheduled(NO_GPU), node=""),
        pod("worker", 1, status=unscheduled(NO_GPU), node=""),
        pod("ps", status=waits("ErrImagePull", image="mnist:9")),
    ]
    job_status = status_of(jobs, pods)
    assert (
        job_status.reason == "ps-0 cannot start: the image mnist:9 cannot be pulled (ErrImagePull)"
    )
    assert status_of(jobs[:3], pods[:3]).reason == (
        "worker-0 and worker-1 cannot start: no node fits: "
        "2 of 2 nodes have too little nvidia.com/gpu"
    )


@pytest.mark.parametrize(
    ("decides", "waiting"), [("all", "; worker-0 and worker-2 wait for it"), ("any", "")]
)
def test_where_all_have_to_succeed_those_that_run_wait_for_the_others(
    decides: str, waiting: str
) -> None:
    """Where any of them may, nobody waits."""
    jobs = [job("worker", n, annotations={"chartgen/decides": decides}) for n in range(3)]
    pods = [pod("worker"), pod("worker", 1, status=unscheduled(NO_GPU), node=""), pod("worker", 2)]
    assert status_of(jobs, pods).reason == (
        f"worker-1 cannot start: no node fits: 2 of 2 nodes have too little nvidia.com/gpu{waiting}"
    )


def test_a_job_without_a_pod_tells_what_was_refused() -> None:
    quota = (
        'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0'
    )
    event = warning("Job", "chief-76no-0", "FailedCreate", f"Error creating: {quota}")
    job_status = status_of([job("chief")], [], [event])
    assert summary(job_status) == (
        "Creating",
        "Running",
        "chief-0 cannot start: the quota q is full: requested pods=1, used pods=0 of pods=0",
    )


def test_restarts_are_those_of_containers_and_those_of_pods() -> None:
    """With OnFailure a container is started again, with Never a new pod is made."""
    older = pod("worker", status=ended(137), name="a", created="2026-11-18T02:00:00Z")
    newest = pod("worker", status=running(2, {"exitCode": 143, "reason": "Error"}))
    worker = replica(status_of([job("chief"), job("worker")], [newest, older]), "worker-0")
    assert (worker.word, worker.restarts, worker.exit_code) == ("Running", 3, 143)
    assert worker.cause.text == "its program was restarted after exit code 143"


def test_a_pod_that_failed_is_being_replaced_until_its_job_fails() -> None:
    job_status = status_of(
        [job("chief"), job("worker")], [pod("chief"), pod("worker", status=ended(1))]
    )
    assert replica(job_status, "worker-0").word == "Restarting"


def test_jobs_of_an_older_runtime_id_are_not_counted() -> None:
    old = job("chief", runtime_id="old", created="2026-11-18T01:00:00Z", conditions=failed())
    job_status = status_of([old, job("chief")], [pod("chief")])
    assert (job_status.runtime_id, job_status.state) == ("76no", "Running")


def test_pods_that_angel_makes_are_replicas() -> None:
    labels = {"app.kubernetes.io/instance": "ctr", "angel-role": "ps"}
    made = pod("x", labels=labels, name="ctr-ps-attempt-1-0")
    job_status = status_of([job("client")], [pod("client"), made])
    assert [replica.role for replica in job_status.replicas] == ["client", "ps"]


def test_pods_that_elasticdl_makes_are_replicas() -> None:
    master = job("master", labels={"elasticdl_job_name": "iris"})
    worker = pod("x", labels={"elasticdl_job_name": "iris"}, name="elasticdl-iris-worker-3")
    stranger = pod("x", labels={"elasticdl_job_name": "other"}, name="elasticdl-other-worker-0")
    job_status = status_of([master], [pod("master"), worker, stranger])
    assert [replica.name for replica in job_status.replicas] == ["master-0", "worker-3"]


def master_pod(**more: Any) -> Object:
    """The master of ElasticDL 0.2, which is a pod without a Job."""
    name = "elasticdl-iris-76no-master"
    made = pod("master", name=name, labels=job("master", release="iris")["metadata"]["labels"])
    made["metadata"]["labels"]["elasticdl-job-name"] = "iris-76no"
    del made["metadata"]["ownerReferences"]
    return {**made, **more}


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (running(), ("Running", "Running", "2 of 2 replicas run")),
        (ended(0), ("Done", "Succeeded", "master-0 succeeded; ps-0 still runs")),
        (ended(1), ("Done", "Failed", "master-0 failed: exit code 1; ps-0 still runs")),
        (
            {**ended(137), "reason": "DeadlineExceeded", "message": "was active too long"},
            (
                "Done",
                "Failed",
                "master-0 failed: it did not end within its activeDeadlineSeconds; ps-0 still runs",
            ),
        ),
    ],
)
def test_a_master_that_is_a_pod_counts_as_a_job(told: Object, words: tuple[str, ...]) -> None:
    """It decides, and the pods that it made are replicas."""
    made = pod("x", labels={"elasticdl-job-name": "iris-76no"}, name="elasticdl-iris-76no-ps-0")
    objects = find.Objects([], [master_pod(status=told), made], [])
    job_status = status(find.pods_as_jobs(objects))
    assert job_status
    assert [replica.name for replica in job_status.replicas] == ["master-0", "ps-0"]
    assert (summary(job_status), job_status.release) == (words, "iris")


def test_objects_without_a_job_of_ours_have_no_status() -> None:
    assert status(find.Objects([], [pod("chief")], [])) is None


def test_states_of_roles_follow_the_document() -> None:
    jobs = [job("chief"), job("worker"), job("worker", 1, conditions=failed())]
    jobs += [job("ps", conditions=COMPLETE), job("ps", 1, conditions=COMPLETE)]
    roles = {role.name: (role.state, role.counts) for role in status_of(jobs, [pod("chief")]).roles}
    assert roles == {
        "chief": ("Running", {"Running": 1}),
        "worker": ("Failed", {"Running": 1, "Failed": 1}),
        "ps": ("Succeeded", {"Succeeded": 2}),
    }


def init(state: Object, phase: str = "Pending", **more: Any) -> Object:
    """The status of a pod whose program waits for an init container."""
    return {
        "phase": phase,
        "initContainerStatuses": [{"name": "fetch", "state": state, **more}],
        "containerStatuses": [
            {"name": "tensorflow", "state": {"waiting": {"reason": "PodInitializing"}}}
        ],
    }


END = {"terminated": {"exitCode": 3, "reason": "Error"}}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (init(END, "Failed"), "will be restarted: its init container fetch failed: exit code 3"),
        (
            init({"waiting": {"reason": "CrashLoopBackOff"}}, lastState=END),
            "not started yet: its init container fetch fails again and again, "
            "last with exit code 3",
        ),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory."},
            "will be restarted: The node was low on memory.",
        ),
        ({"phase": "Failed"}, "will be restarted: no reason is known"),
        ({"phase": "Unknown", "reason": "NodeLost"}, "not started yet: its node does not answer"),
    ],
)
def test_a_program_that_did_not_start_says_what_kept_it(status: Object, reason: str) -> None:
    job_status = status_of([job("chief")], [pod("chief", status=status)])
    assert summary(job_status) == ("Creating", "Running", f"chief-0 {reason}")


def test_an_init_container_can_fail_a_job() -> None:
    job_status = status_of(
        [job("chief", conditions=failed())], [pod("chief", status=init(END, "Failed"))]
    )
    words = "chief-0 failed: its init container fetch failed: exit code 3"
    assert summary(job_status) == ("Failed", "Failed", words)


def test_a_job_that_a_policy_ended_tells_the_exit_code_without_its_pod() -> None:
    said_so = "Container tensorflow for pod a/x failed with exit code 2 matching FailJob rule"
    jobs = [job("chief", conditions=failed("PodFailurePolicy", said_so), failed=1)]
    job_status = status_of(jobs)
    assert summary(job_status) == ("Done", "Failed", "chief-0 failed: exit code 2")
    assert replica(job_status, "chief-0").exit_code == 2


def test_a_pod_that_is_still_to_be_created_does_not_count_as_a_failure_to_start() -> None:
    reason = "chief-0 not started yet: its pod has not been created yet"
    assert summary(status_of([job("chief")])) == ("Creating", "Running", reason)
