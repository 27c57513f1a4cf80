"""The chart's scripts that start ElasticDL, run as the chart runs them, with stand-ins."""

import ast
import errno
import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

FILES = ROOT / "charts/job/files"
ADDRESS = "--master_addr=master-76no-0:50001"
# A master as of July 2019, as far as TensorBoard goes: it waits until the one it started ends.
MASTER = """
import subprocess, sys
from elasticdl.python.master.k8s_worker_manager import WorkerManager
board = subprocess.Popen(["tensorboard --logdir /data/log"], shell=True)
WorkerManager().start_tensorboard_service()
print(sys.argv[1:], "ended with", board.wait())
"""
MANAGER = """
class WorkerManager:
    def start_tensorboard_service(self):
        raise SystemExit("a load balancer was asked for")
"""


def package(folder: Path, modules: dict[str, str]) -> None:
    """A package elasticdl with these modules of elasticdl.python."""
    for name, text in modules.items():
        place = folder / "elasticdl/python" / f"{name}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def start(
    script: str, folder: Path, *words: str, path: str = ""
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path + os.environ["PATH"], "PYTHONPATH": ""}
    command = [sys.executable, str(FILES / script), *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("script", sorted(FILES.glob("elasticdl_*.py")), ids=lambda path: path.stem)
def test_a_script_runs_on_the_python_of_that_time(script: Path) -> None:
    """Images of July 2019 may have Python 3.5, without f-strings and variable annotations."""
    ast.parse(script.read_text("utf-8"), feature_version=(3, 5))
    assert not [
        node
        for node in ast.walk(ast.parse(script.read_text("utf-8")))
        if isinstance(node, ast.JoinedStr)
    ]


def test_the_master_leaves_tensorboard_to_the_chart(tmp_path: Path) -> None:
    """It finds a TensorBoard that ends at once, requests no Service, and gets its own flags."""
    package(tmp_path, {"master/main": MASTER, "master/k8s_worker_manager": MANAGER})
    real = tmp_path / "bin" / "tensorboard"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\nsleep 600\n")
    real.chmod(0o755)
    done = start("elasticdl_master.py", tmp_path, "--port=50001", path=f"{real.parent}:")
    assert (done.stdout, done.returncode) == ("['--port=50001'] ended with 0\n", 0), done.stderr


def test_a_later_master_leaves_tensorboard_to_the_chart(tmp_path: Path) -> None:
    """0.1 and 0.2 have a client of their own for the load balancer, which asks the API at once."""
    client = "class TensorBoardClient:\n    def __init__(self, **_): raise SystemExit('asked')\n"
    master = (
        "import sys\n"
        "from elasticdl.python.common.k8s_tensorboard_client import TensorBoardClient\n"
        "TensorBoardClient(job_name='a').start_tensorboard_service()\n"
        "print(sys.argv[1:])\n"
    )
    package(tmp_path, {"master/main": master, "common/k8s_tensorboard_client": client})
    done = start("elasticdl_master.py", tmp_path, "--port=50001")
    assert (done.stdout, done.returncode) == ("['--port=50001']\n", 0), done.stderr


def test_a_worker_that_succeeds_is_done(tmp_path: Path) -> None:
    package(tmp_path, {"worker/main": "import sys; print(__name__, sys.argv[1:])"})
    done = start("elasticdl_worker.py", tmp_path, "--worker_id=3", ADDRESS)
    assert (done.stdout, done.returncode) == (f"__main__ ['--worker_id=3', '{ADDRESS}']\n", 0)


NO_NAME = socket.gaierror(socket.EAI_NONAME, "no such name")
ERRORS = {
    "refuses": ConnectionRefusedError(),
    "gone": NO_NAME,
    "nobody": OSError(errno.EHOSTUNREACH, "no route to host"),
    "silence": TimeoutError("timed out"),
    "dark": NO_NAME,
}


class Net:
    """What a worker sees of its master, at each attempt.

    "listens", "refuses", "gone" (its name does not exist), "nobody" (is at its address),
    "silence" (no answer), or "dark" (no name can be resolved).
    """

    def __init__(self, *looks: str) -> None:
        self.looks, self.now, self.asked = iter(looks), "", 0

    def create_connection(self, address: tuple[str, int], timeout: float) -> socket.socket:
        assert address == ("master-76no-0", 50001)
        self.now = next(self.looks)
        self.asked += 1
        if self.now == "listens":
            return socket.socket()
        raise ERRORS[self.now]

    def getaddrinfo(self, host: str, port: int) -> list[Any]:
        if self.now == "dark":
            raise socket.gaierror(socket.EAI_AGAIN, "try again")
        return [host]


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The exit code of a worker that fails, on such a network."""

    def run(net: Net, code: str = "raise RuntimeError('unavailable')") -> int:
        package(tmp_path, {"worker/main": code})
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["worker.py", ADDRESS])
        monkeypatch.setattr(sys, "path", ["", *sys.path])
        for name in [name for name in sys.modules if name.partition(".")[0] == "elasticdl"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(socket, "create_connection", net.create_connection)
        monkeypatch.setattr(socket, "getaddrinfo", net.getaddrinfo)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        main = runpy.run_path(str(FILES / "elasticdl_worker.py"))["main"]
        return int(main())

    return run


def test_a_worker_that_fails_while_its_master_runs_has_failed(
    worker: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert worker(Net("listens")) == 1
    assert "RuntimeError: unavailable" in capsys.readouterr().err


@pytest.mark.parametrize("look", ["gone", "nobody", "silence"])
def test_a_worker_that_fails_after_its_master_ended_is_done(worker: Any, look: str) -> None:
    """The name of an ended pod is gone or still resolves; one attempt is not enough to know."""
    net = Net(*[look] * 4, "listens")
    assert worker(net) == 0
    assert net.asked == 4


@pytest.mark.parametrize("look", ["refuses", "dark"])
def test_a_master_that_may_come_back_is_waited_for(worker: Any, look: str) -> None:
    """Its pod restarts, or no name can be resolved at all: then nothing is known about it."""
    assert worker(Net("gone", "gone", "gone", look, "gone", look, *[look] * 20, "listens")) == 1


@pytest.mark.parametrize(
    ("code", "expected"), [("exit(0)", 0), ("exit()", 0), ("exit(7)", 7), ("exit('why')", 1)]
)
def test_the_exit_code_is_the_workers_own(worker: Any, code: str, expected: int) -> None:
    assert worker(Net("listens"), f"import sys; sys.{code}") == expected
