"""What a killed `chartgen test --cluster` leaves, and how it is found, on a stand-in."""

import os
import signal
import threading
import time

import pytest
import yaml

from chartgen.world import processes
from tests.helm.test_cli_test_cluster import results, stages, started_process, words
from tests.helm.test_cli_test_cluster import there as there
from tests.support.command_line import Done, Typist
from tests.support.fake_cluster import NAMESPACE, StandIn

RUN, UNTIL = "chartgen/test-run", "chartgen/test-until"
SOON = str(int(time.time()) + 3600)
LONG_AGO = str(int(time.time()) - 3600)
ELSEWHERE = "0123456789ab.4711.1234"


@pytest.fixture
def killed(typed: Typist, there: StandIn) -> str:
    """The release of a run that was killed during `helm test`, whose Helm was killed too."""
    go_on = there.answers["test"] = threading.Event()
    process = started_process(typed)
    assert there.began["test"].wait(60)
    (release,) = there.records()
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    go_on.set()
    del there.answers["test"]
    while processes.is_an_argument(release) or f"Pod/{release}-test" not in there.names():
        time.sleep(0.05)
    there.done.clear()
    return release


@pytest.fixture
def leftover(there: StandIn) -> str:
    """A release as a killed run of this machine leaves it."""
    release, dead = "mnist-test-1a2b3c", processes.own_name() + "0"
    hook = {"name": f"{release}-test", "annotations": {"helm.sh/hook": "test"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": hook}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "chief-ab12-0"}}
    printed = yaml.safe_dump_all([service, pod])
    there.run("install", [release, f"--labels={RUN}={dead},{UNTIL}={SOON}"], printed)
    there.run("test", [release], "")
    there.done.clear()
    return release


def clean_up(typed: Typist) -> Done:
    return typed("test", "--clean-up")


def test_the_next_run_removes_what_a_killed_one_left(
    typed: Typist, there: StandIn, killed: str
) -> None:
    """It says so, and its own test goes on as if nothing had been."""
    done = typed(*words(typed))
    assert (done.code, results(done)[-1]) == (0, "uninstall passed")
    assert stages(done)["install"]["log"] == f"removed {killed}, which a killed run had left"
    assert there.names() == set()


def test_a_command_removes_what_a_killed_run_left(
    typed: Typist, there: StandIn, killed: str
) -> None:
    assert {"Secret", "Job", "Pod"} <= {name.partition("/")[0] for name in there.names()}
    done = clean_up(typed)
    assert (done.code, done.out) == (0, f"removed {killed}, which a killed run had left\n")
    assert there.names() == set()
    done = clean_up(typed)
    nothing = f"no run of chartgen test has left anything in namespace {NAMESPACE}\n"
    assert (done.code, done.out) == (0, nothing)


def test_a_run_that_is_killed_while_it_removes_hooks_leaves_a_record_of_them(
    typed: Typist, there: StandIn, leftover: str
) -> None:
    """Helm does not know them any more, once its record of the release is gone."""
    there.run("uninstall", [leftover, "--keep-history"], "")
    assert f"Pod/{leftover}-test" in there.names()
    assert f"removed {leftover}" in clean_up(typed).out
    assert there.names() == set()
    assert "--keep-history" not in there.words["uninstall"]


@pytest.mark.parametrize(
    ("labels", "removed"),
    [
        ({RUN: ELSEWHERE, UNTIL: SOON}, False),
        ({RUN: ELSEWHERE, UNTIL: LONG_AGO}, True),
        ({RUN: "unknown", UNTIL: SOON}, False),
        ({RUN: "unknown", UNTIL: LONG_AGO}, True),
        ({UNTIL: "soon"}, False),
        ({"version": "2"}, False),
        ({"name": "production"}, False),
        ({"owner": "flux"}, False),
    ],
)
def test_only_what_is_surely_left_over_is_removed(
    labels: dict[str, str], removed: bool, typed: Typist, there: StandIn, leftover: str
) -> None:
    """Another machine's run may go on until its time is over; what a person upgraded is theirs."""
    there.records()[leftover] |= labels
    before = there.names()
    done = clean_up(typed)
    assert done.code == 0
    assert (there.names() == set()) is removed
    if not removed:
        assert there.names() == before
        assert "uninstall" not in there.done
    if labels.get(UNTIL) == SOON:
        assert f"left {leftover} alone: its run may last until 2" in done.out


def test_a_run_that_goes_on_is_left_alone(typed: Typist, there: StandIn) -> None:
    """Also if only its Helm goes on, as after `kill -9` of chartgen alone."""
    go_on = there.answers["test"] = threading.Event()
    process = started_process(typed)
    assert there.began["test"].wait(60)
    (release,) = there.records()
    assert f"left {release} alone" in clean_up(typed).out
    process.kill()
    process.communicate(timeout=60)
    assert processes.is_an_argument(release)
    assert f"left {release} alone" in clean_up(typed).out
    go_on.set()
    while processes.is_an_argument(release):
        time.sleep(0.05)
    assert f"removed {release}" in clean_up(typed).out


def test_what_is_to_be_kept_has_no_mark(typed: Typist, there: StandIn) -> None:
    typed(*words(typed, "--keep"))
    (labels,) = there.records().values()
    assert not {RUN, UNTIL} & {*labels}


def test_a_leftover_that_cannot_be_removed_does_not_stop_the_next_run(
    typed: Typist, there: StandIn, leftover: str
) -> None:
    there.answers["get"] = {"code": 1, "err": "Error: broken\n"}
    done = clean_up(typed)
    assert (done.code, "could not be removed" in done.err) == (3, True)
    log = stages(typed(*words(typed)))["install"]["log"]
    assert log.startswith(f"{leftover} of a killed run could not be removed: ")


def test_clean_up_takes_no_chart(typed: Typist) -> None:
    assert typed("test", "--clean-up", "charts/mnist").code == 2
    assert typed("test", "--clean-up", "--keep").code == 2
    done = typed("test")
    assert (done.code, "the following arguments are required: CHART" in done.err) == (2, True)
