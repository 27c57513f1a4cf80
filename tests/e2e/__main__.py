"""`python -m tests.e2e run|up|down|able`: the tests on their own cluster, or a cluster to use."""

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

import pytest

from tests.e2e import ALONE, ability, cluster, janitor, logs
from tests.e2e.cluster import CLUSTERS
from tests.e2e.process import Failure
from tests.e2e.progress import say, step

OWN = CLUSTERS / os.environ.get(
    "CHARTGEN_E2E_NAME", "e2e"
)  # the tests' cluster; it lives as long as they run
PLAY = CLUSTERS / "play"  # a person's
WORKERS = 4  # tests mostly wait
AGAIN = 5  # how many tests may be tried a second time, alone; more have not failed by chance


def run(*args: str) -> int:
    """Start a cluster, run the tests on it, and leave nothing behind."""
    with janitor.removing(OWN):
        logs.forget()
        try:
            cluster.start(OWN.name, with_us=True)
            return tests(OWN, *args)
        except BaseException:
            logs.keep_services(OWN)
            raise


def tests(folder: Path, *args: str) -> int:
    """Run the tests on a running cluster; pytest collects them if the environment names it."""
    os.environ["CHARTGEN_E2E"] = str(folder)
    os.environ["CHARTGEN_REQUIRE_HELM4"] = "1"
    failures = Failures()
    names = args or (str(Path(__file__).parent),)
    code = _together_and_alone(folder, failures, names)
    if code:
        logs.keep_services(folder)
    if code == pytest.ExitCode.TESTS_FAILED and len(failures.tests) <= AGAIN:
        code = _try_again(folder, failures.tests)
    return 130 if code == pytest.ExitCode.INTERRUPTED else int(code)


class Failures:
    """A plugin of pytest that notes which tests failed, or could not be set up or ended."""

    def __init__(self) -> None:
        self.tests: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # With --dist=loadgroup a test's name ends with that of its group.
        name = re.sub(r"@[^]@]*$", "", report.nodeid)
        if report.failed and name not in self.tests:
            self.tests.append(name)


def _together_and_alone(folder: Path, failures: Failures, names: Iterable[str]) -> int:
    """Run the tests that others do not disturb side by side, and then those that disturb others."""
    codes: list[int] = []
    for alone, workers in ((False, WORKERS), (True, 1)):
        os.environ[ALONE] = "1" if alone else "0"
        codes.append(_pytest(folder / f"tests-{len(codes)}", workers, failures, names))
        if codes[-1] == pytest.ExitCode.INTERRUPTED:
            break
    del os.environ[ALONE]  # those that failed are tried again together, one after the other
    ran = [code for code in codes if code != pytest.ExitCode.NO_TESTS_COLLECTED]
    return max(ran, default=int(pytest.ExitCode.NO_TESTS_COLLECTED))


def _try_again(folder: Path, names: list[str]) -> int:
    """Run the tests that failed once more, one after the other, and say so where they pass.

    Time is short on a busy machine: a test that failed only then says nothing about the charts,
    but whoever reads the result must know that it was not the first one.
    """
    say(f"Trying the tests that failed again, alone: {len(names)}")
    code = _pytest(folder / "again", 1, Failures(), names)
    if not code:
        for name in names:
            sys.stdout.write(f"PASSED AT THE SECOND TRY {name}\n")
    return code


def _pytest(folder: Path, workers: int, plugin: Failures, names: Iterable[str]) -> int:
    """Run tests on the cluster that the environment names; the folder goes with the cluster."""
    options = ("--verbose", "-rfEs", "--dist=loadgroup", "-p", "no:cacheprovider")
    limits = (f"--numprocesses={workers}", f"--basetemp={folder}")
    return pytest.main([*options, *limits, *names], plugins=[plugin])


def up() -> int:
    """Start a cluster for a person, and say how to use it."""
    if cluster.alive(PLAY):
        say("The cluster is running already.")
    else:
        try:
            cluster.start(PLAY.name, with_us=False)
        except BaseException:
            logs.keep_services(PLAY)
            cluster.remove(PLAY)
            raise
    sys.stdout.write(usage(PLAY))
    return 0


def usage(folder: Path) -> str:
    """The commands that reach a cluster, with the scripts that they need."""
    own_cluster = cluster.Cluster(folder)
    helm4 = os.environ.get("CHARTGEN_HELM4") or cluster.ROOT / ".cache/helm4/helm"
    here = os.path.relpath(Path(sys.executable).parent)
    programs = own_cluster.programs(
        helm=str(Path(sys.executable).with_name("helm")), helm4=str(helm4)
    )
    return f"""
Kubernetes is running, in namespaces of its own. These reach it:

  export PATH={shlex.quote(str(programs))}:$PATH
  kubectl get nodes
  helm install demo CHART --set image=local/python:1 --set helperImage=none
  helm4 list
  in-cluster {here}/chartgen test CHART --cluster \\
    --set image=local/python:1 --set helperImage=none
  in-cluster curl http://SERVICE-ADDRESS     (any program, in the cluster's network)
  CHARTGEN_E2E={shlex.quote(str(folder))} {here}/python -m pytest tests/e2e -k WORD

Images that are there: {", ".join(own_cluster.images())}
Stop it and remove all of it: make cluster-down
"""


def down() -> int:
    """Stop a person's cluster, or remove what is left of one."""
    with step("Stopping Kubernetes"):
        cluster.remove(PLAY)
    return 0


def able() -> int:
    """Whether `run` can work on this machine; if not, say what it lacks."""
    lacking = list(ability.lacks())
    for reason in lacking:
        sys.stdout.write(f"{reason}\n")
    return 1 if lacking else 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(verb: str = "", *args: str) -> int:
    verbs = {"run": run, "up": up, "down": down, "able": able}
    if verb not in verbs:
        sys.stderr.write("usage: python -m tests.e2e run [PYTEST-ARGUMENT...] | up | down | able\n")
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _interrupt)
    try:
        return verbs[verb](*args)
    except Failure as failure:
        say(f"Failed: {failure}")
        return 3
    except KeyboardInterrupt:
        say("Interrupted.")
        return 130


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
