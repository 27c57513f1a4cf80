"""`chartgen test --cluster` on a stand-in: the stages, their output, and that nothing is left.

tests/e2e/test_chartgen_test.py shows the same on a real cluster.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chartgen.world.cluster import client as cluster
from tests.support import resident, small_chart
from tests.support.command_line import Done, Typist, command, environment
from tests.support.fake_cluster import NAMESPACE, StandIn, started

JOB = """\
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles: {chief: {}}
"""
FAILED_JOB = {
    "conditions": [
        {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "often"}
    ]
}
CRASHED = {
    "phase": "Failed",
    "containerStatuses": [
        {"name": "tensorflow", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}
    ],
}
REFUSED = {
    "code": 1,
    "err": 'Error: INSTALLATION FAILED: admission webhook "no" denied the request\n',
}


@pytest.fixture
def there(typed: Typist, helm3: str) -> Iterator[StandIn]:
    """A stand-in that the environment names, so that Helm and the client find it."""
    with started(typed.folder, helm3) as stand_in:
        typed.patch.setenv("KUBECONFIG", str(stand_in.kubeconfig))
        typed.patch.setenv("CHARTGEN_HELM", str(stand_in.helm))
        for name in ("HELM_NAMESPACE", "HELM_KUBECONTEXT", "HELM_KUBEAPISERVER"):
            typed.patch.delenv(name, raising=False)
        resident.serve(typed.patch, {str(stand_in.helm): helm3})
        typed.patch.setattr(cluster, "_SETTLE", 0.2)
        typed.patch.setattr(cluster, "_PAUSE", 0.1)
        yield stand_in


def words(typed: Typist, *more: str, chart: str = "") -> tuple[str, ...]:
    """The command that tests a chart on the cluster, by default a small one."""
    chart = chart or small_chart.write(typed.folder).name
    return ("test", chart, "--cluster", "--output", "json", "--kube-version", "1.33", *more)


def stages(done: Done) -> dict[str, Any]:
    (chart,) = json.loads(done.out)["charts"]
    return {stage["name"]: stage for stage in chart["stages"]}


def results(done: Done) -> list[str]:
    """How the stages on the cluster went."""
    names = ("install", "wait", "test", "uninstall")
    return [f"{name} {stage['result']}" for name, stage in stages(done).items() if name in names]


def test_a_chart_passes_all_stages_and_leaves_nothing(typed: Typist, there: StandIn) -> None:
    """Not even what Helm leaves: the objects of hooks."""
    done = typed(*words(typed, chart=typed.job(text=JOB, file="mnist.yaml").name))
    assert results(done) == ["install passed", "wait passed", "test passed", "uninstall passed"]
    assert done.code == 0
    assert there.done == ["install", "get", "get", "test", "uninstall", "uninstall"]
    assert there.hooks
    assert there.names() == set()
    by_stage = stages(done)
    # A new name each time, so that two runs never collide.
    assert re.fullmatch(
        rf"mnist-test-[0-9a-f]{{6}} in {NAMESPACE}, Kubernetes v1\.33\.1",
        by_stage["install"]["about"],
    )
    assert by_stage["wait"]["about"] == "1 healthy"
    assert by_stage["test"]["log"] == "all is well"
    assert json.loads(done.out)["charts"][0]["unchecked"] == []


def test_completed_jobs_are_not_waited_for(typed: Typist, there: StandIn) -> None:
    there.status = {"conditions": [{"type": "Complete", "status": "True"}]}
    done = typed(*words(typed))
    assert (done.code, stages(done)["wait"]["about"]) == (0, "1 done")
    assert stages(done)["wait"]["seconds"] < 2


def test_keep_leaves_the_release_and_says_how_to_remove_it(typed: Typist, there: StandIn) -> None:
    done = typed(*words(typed, "--keep", "--kube-context", "own"))
    assert (done.code, results(done)[-1]) == (0, "uninstall skipped")
    assert "uninstall" not in there.done
    (reason,) = stages(done)["uninstall"]["reasons"]
    assert reason.startswith("--keep; to remove it: helm uninstall mnist-test-")
    assert reason.endswith(f"--namespace={NAMESPACE} --kube-context=own")
    assert there.names()


def test_a_job_that_fails_fails_the_wait_with_its_pods_events_and_logs(
    typed: Typist, there: StandIn
) -> None:
    there.status, there.pod_status, there.logs = FAILED_JOB, CRASHED, "no data\n"
    there.answers["install"] = threading.Event()
    there.answers["install"].set()
    done = typed(*words(typed))
    assert (done.code, results(done)) == (
        1,
        ["install passed", "wait failed", "test skipped", "uninstall passed"],
    )
    wait = stages(done)["wait"]
    (problem,) = wait["problems"]
    assert (problem["rule"], problem["message"]) == (
        "object-not-healthy",
        "BackoffLimitExceeded: often",
    )
    assert "tensorflow ended with exit code 3 (Error)" in wait["log"]
    assert "tensorflow: no data" in wait["log"]
    assert there.names() == set()


def test_events_of_unhealthy_objects_are_reported(typed: Typist, there: StandIn) -> None:
    """Each once: a controller retries with a new name for the pod each time."""
    there.status = {"active": 0}

    def warn() -> None:
        for number, name in enumerate(sorted(there.names()) * 2):
            kind, _, own = name.partition("/")
            about, message = (
                {"kind": kind, "name": own},
                f'pods "{own}-{number}" is forbidden: quota',
            )
            event = {
                "type": "Warning",
                "reason": "FailedCreate",
                "message": message,
                "involvedObject": about,
            }
            there.add({"kind": "Event", "metadata": {"name": f"e{number}"}, **event})

    there.after = warn
    done = typed(*words(typed, "--timeout", "2s"))
    wait = stages(done)["wait"]
    assert (done.code, wait["result"]) == (1, "failed")
    assert wait["problems"][0]["message"] == "not healthy within 2s: 0 of 1 pods ready"
    assert {problem["rule"] for problem in wait["problems"]} == {"object-not-healthy"}
    lines = [line for line in wait["log"].splitlines() if "is forbidden: quota" in line]
    assert [line.partition("/")[0] for line in lines] == ["Job", "Pod"]


def test_a_failed_test_is_reported_with_its_log_and_everything_is_removed(
    typed: Typist, there: StandIn
) -> None:
    there.answers["test"] = {
        "code": 1,
        "out": "Phase:          Failed\n",
        "err": "Error: 1 error occurred\n",
    }
    there.logs = "FAILED peers: worker-1 does not resolve\n"
    done = typed(*words(typed))
    assert (done.code, results(done)[2:]) == (1, ["test failed", "uninstall passed"])
    assert [problem["rule"] for problem in stages(done)["test"]["problems"]] == ["helm-test"]
    assert stages(done)["test"]["about"] == "helm test: Failed"
    assert "FAILED peers: worker-1 does not resolve" in stages(done)["test"]["log"]
    assert there.names() == set()


def test_the_log_of_a_test_that_is_removed_at_once_is_reported(
    typed: Typist, there: StandIn
) -> None:
    """As Helm 3 does with tests that pass, before anybody can read their logs."""
    there.tidy = True
    done = typed(*words(typed))
    assert (done.code, stages(done)["test"]["log"]) == (0, "all is well")
    assert there.names() == set()


def test_a_chart_without_tests_skips_that_stage(typed: Typist, there: StandIn, helm3: str) -> None:
    typed("render", typed.job(text=JOB, file="mnist.yaml").name, "-o", "charts")
    shutil.rmtree(typed.folder / "charts/mnist/templates/tests")
    done = typed("test", "charts/mnist", "--cluster", "--output", "json", "--kube-version", "1.33")
    assert (done.code, results(done)[2]) == (0, "test skipped")
    assert stages(done)["test"]["reasons"] == ["the chart has no tests"]


def test_an_install_that_is_refused_fails_and_is_cleaned_up(typed: Typist, there: StandIn) -> None:
    there.answers["install"] = REFUSED
    done = typed(*words(typed))
    assert (done.code, results(done)) == (
        1,
        ["install failed", "wait skipped", "test skipped", "uninstall passed"],
    )
    (problem,) = stages(done)["install"]["problems"]
    assert problem["rule"] == "helm-install"
    assert "denied the request" in problem["message"]
    assert there.names() == set()


@pytest.mark.parametrize(
    "said",
    [
        "Error: Kubernetes cluster unreachable: Get x: dial tcp: connection refused",
        'Error: INSTALLATION FAILED: create: failed to create: namespaces "research" not found',
        'Error: secrets is forbidden: User "me" cannot list resource "secrets" in API group ""',
    ],
)
def test_a_failure_of_the_cluster_is_not_judged(typed: Typist, there: StandIn, said: str) -> None:
    there.answers["install"] = {"code": 1, "err": said + "\n"}
    done = typed(*words(typed))
    assert (done.code, results(done)[0]) == (3, "install not judged")


def test_an_unreachable_cluster_is_not_judged(typed: Typist, there: StandIn) -> None:
    """Nothing is installed, so nothing is uninstalled."""
    config = json.loads(there.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:1"
    there.kubeconfig.write_text(json.dumps(config))
    done = typed(*words(typed))
    assert (done.code, results(done)) == (
        3,
        ["install not judged", "wait skipped", "test skipped", "uninstall skipped"],
    )
    assert "cannot reach the cluster at http://127.0.0.1:1" in stages(done)["install"]["reasons"][0]
    assert there.done == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--kubeconfig", "nowhere"), "nowhere does not exist; set --kubeconfig or $KUBECONFIG"),
        (("--kube-context", "gone"), "cannot load the kubeconfig"),
    ],
)
def test_without_a_named_cluster_nothing_is_judged(
    typed: Typist, there: StandIn, more: tuple[str, str], said: str
) -> None:
    done = typed(*words(typed, *more))
    assert (done.code, results(done)[0]) == (3, "install not judged")
    assert said in stages(done)["install"]["reasons"][0]


def test_a_missing_kubeconfig_is_reported_with_where_it_is_looked_for(
    typed: Typist, there: StandIn
) -> None:
    typed.patch.setenv("KUBECONFIG", "")
    typed.patch.setenv("HOME", str(typed.folder))
    done = typed(*words(typed))
    assert (done.code, results(done)[0]) == (3, "install not judged")
    assert f"{typed.folder}/.kube/config does not exist" in stages(done)["install"]["reasons"][0]


def test_the_client_for_kubernetes_is_not_needed(typed: Typist, there: StandIn) -> None:
    typed.patch.setitem(sys.modules, "kubernetes", None)
    done = typed(*words(typed))
    assert (done.code, results(done)[0]) == (0, "install passed")


def test_a_chart_that_failed_before_is_not_installed(typed: Typist, there: StandIn) -> None:
    done = typed(*words(typed, "--set", "nope=1"))
    assert (done.code, results(done)) == (
        1,
        ["install skipped", "wait skipped", "test skipped", "uninstall skipped"],
    )
    assert there.done == []


def test_a_release_that_cannot_be_removed_is_reported_with_the_command_to_try(
    typed: Typist, there: StandIn
) -> None:
    there.answers["uninstall"] = {"code": 1, "err": "Error: Kubernetes cluster unreachable\n"}
    done = typed(*words(typed))
    assert (done.code, results(done)[-1]) == (3, "uninstall not judged")
    assert "to remove it: helm uninstall mnist-test-" in stages(done)["uninstall"]["reasons"][0]


def test_a_failed_uninstall_is_a_problem_with_the_command_to_try(
    typed: Typist, there: StandIn
) -> None:
    there.answers["uninstall"] = {"code": 1, "err": "Error: failed to delete release: mnist\n"}
    done = typed(*words(typed))
    assert (done.code, results(done)[-1]) == (1, "uninstall failed")
    (problem,) = stages(done)["uninstall"]["problems"]
    assert problem["rule"] == "helm-uninstall"
    assert "failed to delete release: mnist" in problem["message"]
    assert "; try again: helm uninstall mnist-test-" in problem["message"]


def test_pods_that_stay_are_reported(typed: Typist, there: StandIn) -> None:
    there.stays = "Pod"
    done = typed(*words(typed, "--timeout", "4s"))
    assert (done.code, results(done)[-1]) == (1, "uninstall failed")
    assert {problem["rule"] for problem in stages(done)["uninstall"]["problems"]} == {
        "object-left-behind"
    }


@pytest.mark.parametrize(
    ("number", "code", "verb"),
    [
        (signal.SIGINT, 130, "install"),
        (signal.SIGINT, 130, "test"),
        (signal.SIGTERM, 143, "install"),
        (signal.SIGTERM, 143, "test"),
        (signal.SIGHUP, 143, "test"),
    ],
)
def test_a_signal_still_uninstalls(
    typed: Typist, there: StandIn, number: signal.Signals, code: int, verb: str
) -> None:
    """Whatever Helm is doing; the report is complete, nothing is left, no traceback is shown."""
    there.answers[verb] = threading.Event()
    process = started_process(typed)
    assert there.began[verb].wait(60)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    there.answers[verb].set()
    done = Done(process.returncode, out, err)
    assert (done.code, results(done)[-1]) == (code, "uninstall passed")
    assert stages(done)[verb]["result"] == "interrupted"
    assert there.done[-1] == "uninstall"
    assert "Traceback" not in err
    assert list((typed.folder / "scratch").iterdir()) == []


def test_a_second_signal_does_not_disturb_the_uninstall(typed: Typist, there: StandIn) -> None:
    """Ctrl-C in a terminal goes to the whole process group, also to Helm: only the first counts."""
    there.answers["test"], there.answers["uninstall"] = threading.Event(), threading.Event()
    process = started_process(typed)
    assert there.began["test"].wait(60)
    os.killpg(process.pid, signal.SIGINT)
    there.answers["test"].set()
    assert there.began["uninstall"].wait(60)
    os.killpg(process.pid, signal.SIGINT)
    there.answers["uninstall"].set()
    out, err = process.communicate(timeout=60)
    done = Done(process.returncode, out, err)
    assert (done.code, results(done)[-1]) == (130, "uninstall passed")
    assert "please wait" in err
    assert there.names() == set()


def test_a_signal_during_the_uninstall_takes_effect_after_it(typed: Typist, there: StandIn) -> None:
    there.answers["uninstall"] = threading.Event()
    process = started_process(typed)
    assert there.began["uninstall"].wait(60)
    process.send_signal(signal.SIGINT)
    there.answers["uninstall"].set()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, results(Done(0, out, err))[-1]) == (130, "uninstall passed")
    assert there.names() == set()


def test_an_interrupt_with_keep_keeps_the_release(typed: Typist, there: StandIn) -> None:
    there.answers["test"] = threading.Event()
    process = started_process(typed, "--keep")
    assert there.began["test"].wait(60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    there.answers["test"].set()
    assert (process.returncode, results(Done(0, out, err))[-1]) == (130, "uninstall skipped")
    assert "uninstall" not in there.done


def started_process(typed: Typist, *more: str) -> "subprocess.Popen[str]":
    """chartgen as a process that leads its own group, as in a terminal."""
    scratch = typed.folder / "scratch"
    scratch.mkdir()
    return subprocess.Popen(
        command(*words(typed, *more)),
        cwd=typed.folder,
        env=environment(TMPDIR=str(scratch)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_as_in_a_terminal,
    )


def _as_in_a_terminal() -> None:
    """Restore signals: tests may run in the background, where child processes ignore them."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def test_the_namespace_and_context_are_passed_to_helm(
    typed: Typist, there: StandIn, tmp_path: Path
) -> None:
    typed.patch.setenv("KUBECONFIG", str(tmp_path / "nothing"))
    done = typed(
        *words(
            typed, "--kubeconfig", str(there.kubeconfig), "--kube-context", "own", "-n", NAMESPACE
        )
    )
    assert done.code == 0
    install = there.words["install"]
    assert {
        f"--kubeconfig={there.kubeconfig}",
        "--kube-context=own",
        f"--namespace={NAMESPACE}",
    } <= {*install}
