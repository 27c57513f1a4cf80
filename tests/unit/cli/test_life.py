"""status, logs, events, stop and start, as typed, against an API server that serves JSON."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartgen.life import find
from chartgen.life.status import status
from chartgen.report import status as report
from tests.support import fake_api
from tests.support.api_objects import Object, ended, job, pod, running, unscheduled, warning
from tests.support.command_line import Done, Typist, process
from tests.support.fake_api import FakeApi

COMPLETE: Object = {"Complete": {}}


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    """A cluster that $KUBECONFIG names."""
    with fake_api.started(tmp_path) as there:
        monkeypatch.setenv("KUBECONFIG", str(there.kubeconfig))
        monkeypatch.setenv("COLUMNS", "120")
        yield there


def install(api: FakeApi) -> None:
    """A job that runs."""
    api.put("jobs", job("chief"), job("worker"), job("worker", 1), job("ps"))
    api.put("pods", pod("chief"), pod("worker"), pod("worker", 1), pod("ps"))


def finish(api: FakeApi, kind: str = "Complete", code: int = 0) -> None:
    api.put("pods", pod("chief", status=ended(code)))
    api.put("jobs", job("chief", conditions={kind: {"reason": "BackoffLimitExceeded"}}))


def later(seconds: float, work: object, *args: object) -> threading.Timer:
    timer = threading.Timer(seconds, work, args)  # type: ignore[arg-type]
    timer.start()
    return timer


# status


def test_status_shows_the_job(api: FakeApi, typed: Typist) -> None:
    install(api)
    code, out, err = typed("status", "mnist")
    assert (code, err) == (0, "")
    assert out.startswith("mnist in research: Running, ")
    assert "4 of 4 replicas run\n" in out
    assert "worker-1  Running  node-a" in out


def test_status_asks_three_times_and_only_about_the_release(api: FakeApi, typed: Typist) -> None:
    """Whoever may list Jobs, pods and events has all the rights that status needs."""
    install(api)
    typed("status", "mnist")
    selected = "labelSelector=app.kubernetes.io%2Finstance%3Dmnist"
    assert api.asked == [
        f"GET /apis/batch/v1/namespaces/research/jobs?limit=1000&{selected}",
        f"GET /api/v1/namespaces/research/pods?limit=1000&{selected}",
        "GET /api/v1/namespaces/research/events?limit=1000&fieldSelector=type%3DWarning",
    ]
    assert set(api.tokens) == {"Bearer first"}


def test_status_as_json_and_yaml(api: FakeApi, typed: Typist) -> None:
    install(api)
    data = json.loads(typed("status", "mnist", "--output", "json").out)
    assert data["state"] == "Running"
    assert [role["tf_replica_type"] for role in data["replicaStatuses"]] == [
        "CHIEF",
        "WORKER",
        "PS",
    ]
    assert "phase: Running\n" in typed("status", "mnist", "--output", "yaml").out


def test_status_without_a_release_lists_them(api: FakeApi, typed: Typist) -> None:
    install(api)
    api.put("jobs", job("master", release="iris"))
    code, out, _ = typed("status")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["RELEASE", "iris", "mnist"]
    typed("status", "-A")
    assert api.asked[-1].startswith("GET /api/v1/events?")


def test_no_releases_at_all(api: FakeApi, typed: Typist) -> None:
    assert typed("status") == Done(
        0, "", "no releases of chartgen's charts in namespace research\n"
    )


def test_a_server_error_is_not_a_refusal(api: FakeApi, typed: Typist) -> None:
    api.refuse = lambda _: (500, "etcdserver: leader changed")
    code, _, err = typed("status", "mnist")
    assert (code, err) == (3, "chartgen: the cluster failed: etcdserver: leader changed (500)\n")


def test_a_release_that_is_missing_or_not_ours(api: FakeApi, typed: Typist) -> None:
    stranger = job("chief", release="redis")
    del stranger["metadata"]["labels"]["chartgen/role"]
    api.put("jobs", stranger)
    code, _, err = typed("status", "redis")
    assert code == 1
    assert "no release 'redis' of a chart by chartgen in namespace 'research'" in err
    install(api)
    assert "did you mean 'mnist'?" in typed("status", "mnits").err


def test_no_right_and_no_cluster(api: FakeApi, typed: Typist) -> None:
    install(api)
    api.refuse = lambda path: (
        (403, 'jobs is forbidden: User "me" cannot list') if "jobs" in path else None
    )
    code, _, err = typed("status", "mnist")
    assert code == 3
    assert err == 'chartgen: the cluster refused: jobs is forbidden: User "me" cannot list (403)\n'
    config = json.loads(api.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:9"
    api.kubeconfig.write_text(json.dumps(config))
    code, _, err = typed("status", "mnist")
    assert code == 3
    assert err.startswith("chartgen: cannot reach the cluster at http://127.0.0.1:9: ")


def test_kubeconfigs_that_do_not_fit(
    api: FakeApi, typed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = typed("status", "--context", "other")
    assert code == 3
    assert "there is no context 'other'; it has own" in err
    code, _, err = typed("status", "--kubeconfig", "nowhere")
    assert (code, err) == (3, "chartgen: nowhere does not exist; set --kubeconfig or $KUBECONFIG\n")


def test_the_namespace_of_the_command_line_wins(api: FakeApi, typed: Typist) -> None:
    typed("status", "-n", "vision")
    assert "/namespaces/vision/" in api.asked[0]


@pytest.mark.unmeasured
def test_thousands_of_replicas_come_in_pages(api: FakeApi, typed: Typist) -> None:
    api.put("jobs", job("chief"), *(job("worker", index) for index in range(2500)))
    api.put("pods", pod("chief"), *(pod("worker", index) for index in range(2500)))
    out = typed("status", "mnist").out
    assert "worker   2,500 Running" in out
    assert sum("/jobs?" in path for path in api.asked) == 3


@pytest.mark.parametrize(
    ("kind", "code", "expected"), [("Complete", 0, 0), ("Failed", 1, 1)], ids=["succeeds", "fails"]
)
def test_wait_ends_with_the_job(
    api: FakeApi, typed: Typist, kind: str, code: int, expected: int
) -> None:
    install(api)
    later(0.5, finish, api, kind, code)
    began = time.monotonic()
    assert typed("status", "--wait", "mnist").code == expected
    assert time.monotonic() - began < 5


def test_wait_gives_up_when_time_is_over(api: FakeApi, typed: Typist) -> None:
    install(api)
    code, out, err = typed("status", "mnist", "--wait=500ms")
    assert (code, err) == (4, "chartgen: mnist has not ended within 500ms\n")
    assert out.startswith("mnist in research: Running")


def test_wait_survives_an_expired_version_a_restart_and_a_new_token(
    api: FakeApi, typed: Typist
) -> None:
    """Nothing of what happens to a watch of hours may end it."""
    install(api)
    api.expired = 2
    troubles = iter([(500, "etcd"), (401, "expired"), (503, "starting"), (403, "no Role yet")])

    def refuse(path: str) -> tuple[int, str] | None:
        return next(troubles, None) if "watch" in path else None

    api.refuse = refuse
    api.token.write_text("second\n")
    later(1, api.token.write_text, "third\n")
    later(3, finish, api)
    assert typed("status", "mnist", "--wait=30s").code == 0
    assert api.tokens[-1] == "Bearer third"


def test_nobody_waits_for_a_cluster_that_does_not_end(api: FakeApi, typed: Typist) -> None:
    """As that of Mars without a driver."""
    api.put("jobs", job("scheduler"), job("web"), job("worker"))
    code, _, err = typed("status", "mnist", "--wait")
    assert code == 1
    assert err == (
        "chartgen: no replica of mnist decides its end:"
        " it runs until it is removed, and --wait would never end\n"
    )
    assert typed("status", "mnist").code == 0


def test_a_release_that_goes_while_we_wait(api: FakeApi, typed: Typist) -> None:
    install(api)

    def remove() -> None:
        api.objects["jobs"] = []
        api.expired = 9

    later(0.5, remove)
    code, _, err = typed("status", "mnist", "--wait=20s")
    assert code == 1
    assert "no release 'mnist'" in err


def test_watch_shows_each_change(api: FakeApi, typed: Typist) -> None:
    install(api)
    later(0.5, finish, api)
    code, out, _ = typed("status", "mnist", "--watch")
    assert code == 0
    assert out.count("mnist in research: Running") >= 1
    assert "mnist in research: Done, Succeeded" in out


def test_wait_and_watch_need_a_release(api: FakeApi, typed: Typist) -> None:
    assert typed("status", "--wait").code == 2
    assert typed("status", "--watch").code == 2
    assert typed("status", "mnist", "-A").code == 2


# events


def test_events_are_told_oldest_first(api: FakeApi, typed: Typist) -> None:
    install(api)
    new = warning("Pod", "ps-76no-0-x7k2p", "BackOff", "again", time="2026-11-18T02:59:00Z")
    old = warning("Job", "ps-76no-0", "Created", "pod", type="Normal", time="2026-11-18T02:58:00Z")
    api.put("events", new, old)
    code, out, _ = typed("events", "mnist")
    assert code == 0
    assert [line.split()[2] for line in out.splitlines()] == ["REASON", "Created", "BackOff"]
    assert "Created" not in typed("events", "mnist", "--warnings").out
    told = json.loads(typed("events", "mnist", "--output", "json").out)
    assert [event["about"] for event in told["events"]] == ["Job/ps-76no-0", "Pod/ps-76no-0-x7k2p"]


# stop and start


def patches(api: FakeApi) -> list[str]:
    return [asked.partition("jobs/")[2] for asked in api.asked if asked.startswith("PATCH")]


def test_stop_and_start_change_only_jobs_that_have_not_ended(api: FakeApi, typed: Typist) -> None:
    install(api)
    api.put("jobs", job("worker", 1, conditions=COMPLETE))
    assert typed("stop", "mnist") == Done(0, "", "stopped mnist: 3 Jobs\n")
    stopped = '{"spec": {"suspend": true}}'
    assert sorted(patches(api)) == [
        f"{name}-76no-0 {stopped}" for name in ("chief", "ps", "worker")
    ]
    assert typed("stop", "mnist").err == "mnist is already stopped\n"
    assert "the job is stopped" in typed("status", "mnist").out
    assert typed("start", "mnist").err == "started mnist: 3 Jobs\n"
    assert typed("start", "mnist").err == "mnist is not stopped\n"


def test_start_does_not_wake_the_servers_of_a_finished_job(api: FakeApi, typed: Typist) -> None:
    api.put("jobs", job("chief", conditions=COMPLETE), job("ps", suspend=True))
    code, _, err = typed("start", "mnist")
    assert code == 1
    assert "mnist has already succeeded; to run it again" in err
    assert typed("stop", "mnist") == Done(0, "", "mnist has already succeeded\n")
    assert patches(api) == []


def test_angel_cannot_be_stopped(api: FakeApi, typed: Typist) -> None:
    api.put("jobs", job("client", release="ctr"))
    code, _, err = typed("stop", "ctr")
    assert code == 1
    assert "Angel cannot be stopped and started" in err
    assert "helm uninstall ctr" in err


def test_a_master_that_makes_its_workers_cannot_be_stopped(api: FakeApi, typed: Typist) -> None:
    """A new master would meet the workers of the first."""
    api.put("jobs", job("master", labels={"elasticdl_job_name": "mnist"}))
    code, _, err = typed("stop", "mnist")
    assert code == 1
    assert "ElasticDL cannot be stopped and started" in err
    static = [job(role, labels={"elasticdl_job_name": "mnist"}) for role in ("master", "worker")]
    api.put("jobs", *static)
    assert typed("stop", "mnist").err == "stopped mnist: 2 Jobs\n"


def test_a_master_that_is_a_pod_is_found(api: FakeApi, typed: Typist) -> None:
    """Alone, in the list, and as what else there is."""
    master = pod("master", name="elasticdl-mnist-76no-master")
    del master["metadata"]["ownerReferences"]
    master["metadata"]["labels"]["elasticdl-job-name"] = "mnist-76no"
    worker = {"elasticdl-job-name": "mnist-76no"}
    api.put("pods", master, pod("x", labels=worker, name="elasticdl-mnist-76no-worker-1"))
    assert "2 of 2 replicas run" in typed("status", "mnist").out
    assert "mnist    Running" in typed("status").out
    assert "did you mean 'mnist'?" in typed("status", "mnits").err
    assert "ElasticDL cannot be stopped" in typed("stop", "mnist").err


# logs


def logged(*texts: str, second: int = 0) -> list[str]:
    return [f"2026-11-18T02:58:{second:02}.{n:09}Z {text}" for n, text in enumerate(texts)]


def test_logs_of_one_replica_are_its_lines(api: FakeApi, typed: Typist) -> None:
    install(api)
    api.logs["worker-76no-1-x7k2p"] = logged("one", "two words")
    assert typed("logs", "mnist", "worker/1") == Done(0, "one\ntwo words\n", "")
    assert typed("logs", "mnist", "worker/1", "--grep", "^tw").out == "two words\n"
    stamped = typed("logs", "mnist", "worker/1", "--timestamps").out
    assert stamped.startswith("2026-11-18T02:58:00.000000000Z one\n")


def test_logs_of_several_have_prefixes_and_say_which_have_none(api: FakeApi, typed: Typist) -> None:
    install(api)
    for name in ("worker-76no-0-x7k2p", "worker-76no-1-x7k2p"):
        api.logs[name] = logged("hello")
    assert typed("logs", "mnist", "worker").out == "worker-0 hello\nworker-1 hello\n"
    code, _, err = typed("logs", "mnist")
    assert code == 0
    assert "chief-0: the cluster refused: container in pod chief-76no-0-x7k2p is waiting" in err
    code, out, err = typed("logs", "mnist", "chief")
    assert (code, out) == (3, "")
    assert "chief-0: the cluster refused: container in pod chief-76no-0-x7k2p is waiting" in err


def test_logs_of_a_failed_job_begin_with_what_failed(api: FakeApi, typed: Typist) -> None:
    install(api)
    api.put("jobs", job("worker", 1, conditions={"Failed": {}}))
    api.put("pods", pod("worker", 1, status=ended(1)))
    finish(api, "Failed", 1)
    for role in ("chief", "worker", "ps"):
        api.logs[f"{role}-76no-0-x7k2p"] = logged("late")
    api.logs["worker-76no-1-x7k2p"] = logged("Traceback")
    lines = typed("logs", "mnist").out.splitlines()
    assert {*lines[:2]} == {"chief-0 late", "worker-1 Traceback"}


def test_colours_of_a_replica_are_the_same_in_every_run(api: FakeApi, typed: Typist) -> None:
    install(api)
    api.logs["worker-76no-0-x7k2p"] = api.logs["worker-76no-1-x7k2p"] = logged("x")
    first = typed("logs", "mnist", "worker", "--color", "always").out
    assert "\x1b[" in first
    assert typed("logs", "mnist", "worker", "--color", "always").out == first


def test_roles_and_options_that_do_not_exist(api: FakeApi, typed: Typist) -> None:
    install(api)
    assert (
        "has no role 'workers'; it has chief, worker, ps" in typed("logs", "mnist", "workers").err
    )
    assert "no worker with index '9'; expected 0 to 1" in typed("logs", "mnist", "worker/9").err
    for pattern in ("(", "a{99999999999999999999}", "(" * 3000 + ")" * 3000):
        assert typed("logs", "mnist", "--grep", pattern).code == 2
    assert typed("logs", "mnist", "-f", "--previous").code == 2


def test_a_job_without_pods_has_no_logs(api: FakeApi, typed: Typist) -> None:
    api.put("jobs", job("chief"))
    code, _, err = typed("logs", "mnist")
    assert code == 3
    assert "no replica of mnist has a pod, so there are no logs: chief-0 not started" in err


@pytest.mark.unmeasured
def test_following_a_hundred_replicas_drops_and_repeats_nothing(
    api: FakeApi, typed: Typist
) -> None:
    """Streams end and are opened again, with the same second asked for twice."""
    api.put("jobs", job("chief"), *(job("worker", index) for index in range(100)))
    api.put("pods", pod("chief"), *(pod("worker", index) for index in range(100)))
    names = [f"worker-76no-{index}-x7k2p" for index in range(100)]
    for name in (*names, "chief-76no-0-x7k2p"):
        api.logs[name] = logged("a", "a", "b")

    def more() -> None:
        for name in names:
            api.logs[name] += logged("c", second=5)
        api.put("pods", *(pod("worker", index, status=ended(0)) for index in range(100)))
        finish(api)

    later(1.5, more)
    code, out, _ = typed("logs", "mnist", "worker", "-f")
    assert code == 0
    for index in range(100):
        own = [line for line in out.splitlines() if line.startswith(f"worker-{index} ")]
        assert [line.split()[1] for line in own] == ["a", "a", "b", "c"]


# The cost


def test_the_commands_do_without_the_client_for_kubernetes(api: FakeApi, tmp_path: Path) -> None:
    install(api)
    done = process("status", "mnist", cwd=tmp_path, KUBECONFIG=str(api.kubeconfig))
    assert done.code == 0
    script = "import sys, chartgen.world.cluster.api, chartgen.life.status; print(*sys.modules)"
    names = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert {"kubernetes", "urllib3", "requests", "yaml"} & {*names.stdout.split()} == set()


def test_a_status_of_a_hundred_replicas_is_made_at_once() -> None:
    """The limit is half a second of CPU time from the server's answers to the text."""
    jobs = [job("chief"), *(job("worker", index) for index in range(100))]
    lacking = unscheduled("0/3 nodes are available: 3 Insufficient cpu.")
    pods = [
        pod("worker", index, status=lacking if index % 2 else running()) for index in range(100)
    ]
    began = time.process_time()
    job_status = status(find.Objects(jobs, pods, []))
    assert job_status
    assert report.text(job_status, report.Look(0, 100))
    assert time.process_time() - began < 0.5


def test_a_list_without_an_end_is_not_read_for_ever(api: FakeApi, typed: Typist) -> None:
    api.raw = b'{"metadata": {"continue": "1"}, "items": []}'
    done = typed("status", "mnist")
    assert done.code == 3
    assert "the API server's answer to /apis/batch/v1/namespaces/" in done.err
    assert " never ends" in done.err


@pytest.mark.parametrize(
    "answer",
    [b"<html>sign in</html>", b"[]", b"[" * 100_000, b'{"items": {}}', b'{"items": [{}, 7, null]}'],
    ids=lambda answer: answer[:20].decode(),
)
def test_what_is_not_kubernetes_is_said_to_be_so(
    api: FakeApi, typed: Typist, answer: bytes
) -> None:
    """A page of a proxy, or lists of something else: no such release, or no such cluster."""
    api.raw = answer
    for words in (("status",), ("status", "mnist"), ("logs", "mnist"), ("events", "mnist")):
        done = typed(*words)
        assert done.code in (0, 1, 3)
        if not answer.startswith(b"{"):
            assert "expected a JSON object from the cluster, got " in done.err
