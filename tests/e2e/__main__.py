"""`python -m tests.e2e run|up|down`: the tests on a cluster of their own, or a cluster for a person."""

import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType

import pytest

from tests.e2e import cluster, logs
from tests.e2e.cluster import CLUSTERS
from tests.e2e.process import Failure
from tests.e2e.progress import say, step

OWN = CLUSTERS / "e2e"  # the tests' cluster; it lives as long as they run
PLAY = CLUSTERS / "play"  # a person's
WORKERS = 3  # tests mostly wait


def run(*args: str) -> int:
    """Start a cluster, run the tests on it, and leave nothing behind."""
    try:
        cluster.start(OWN.name, with_us=True)
        return tests(OWN, *args)
    except BaseException:
        logs.keep_services(OWN)
        raise
    finally:
        # From here on it takes a few seconds, and an impatient second Ctrl-C would leave things behind.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        with step("Stopping Kubernetes"):
            cluster.remove(OWN)


def tests(folder: Path, *args: str) -> int:
    """Run the tests on a running cluster; its folder, in the environment, is what makes pytest collect them."""
    os.environ["CHARTGEN_E2E"] = str(folder)
    os.environ["CHARTGEN_REQUIRE_HELM4"] = "1"
    options = ["--verbose", "--numprocesses", str(WORKERS), "--dist=loadgroup", "-p", "no:cacheprovider"]
    code = pytest.main([*options, *(args or (str(Path(__file__).parent),))])
    if code:
        logs.keep_services(folder)
    return 130 if code == pytest.ExitCode.INTERRUPTED else int(code)


def up() -> int:
    """Give a person a cluster, and say how to use it."""
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
    """The commands that reach a cluster, made for it and listed."""
    found = cluster.Cluster(folder)
    helm4 = os.environ.get("CHARTGEN_HELM4") or cluster.ROOT / ".cache/helm4/helm"
    programs = found.programs(helm=str(Path(sys.executable).with_name("helm")), helm4=str(helm4))
    return f"""
Kubernetes is running, in namespaces of its own. These reach it:

  export PATH={shlex.quote(str(programs))}:$PATH
  kubectl get nodes
  helm install demo CHART --set image=local/python:1 --set tests.image=local/busybox:1
  helm4 list
  in-cluster curl http://SERVICE-ADDRESS     (any program, in the cluster's network)
  CHARTGEN_E2E={shlex.quote(str(folder))} {os.path.relpath(sys.executable)} -m pytest tests/e2e -k WORD

Images that are there: {", ".join(found.images())}
Stop it and remove all of it: make cluster-down
"""


def down() -> int:
    """Stop a person's cluster, or what is left of one."""
    with step("Stopping Kubernetes"):
        cluster.remove(PLAY)
    return 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(verb: str = "", *args: str) -> int:
    verbs = {"run": run, "up": up, "down": down}
    if verb not in verbs:
        sys.stderr.write("usage: python -m tests.e2e run [PYTEST-ARGUMENT...] | up | down\n")
        return 2
    signal.signal(signal.SIGTERM, _interrupt)
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
