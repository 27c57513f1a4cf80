"""A process that removes a run's cluster when the run ends, even if the run is killed."""

import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.e2e import cluster
from tests.e2e.parts import cgroup
from tests.e2e.process import Failure
from tests.e2e.progress import step


@contextlib.contextmanager
def removing(folder: Path) -> Iterator[None]:
    """Use a cluster exclusively, and leave nothing of it."""
    with _alone(folder) as lock:
        # Without a terminal, so that only we get Ctrl-C. The lock is held until everything is gone.
        command = (sys.executable, "-m", __name__, str(folder))
        child = subprocess.Popen(
            command,
            cwd=cluster.ROOT,
            stdin=subprocess.PIPE,
            start_new_session=True,
            pass_fds=[lock.fileno()],
        )
        try:
            yield
        finally:
            # This takes a few seconds, and a second Ctrl-C would not make it faster.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            with step("Stopping Kubernetes"):
                child.communicate()
    if child.returncode:
        raise Failure("something of the cluster is left")


def _alone(folder: Path) -> socket.socket:
    """A name that only one process can hold at a time, and that is released when it ends."""
    lock = socket.socket(socket.AF_UNIX)
    try:
        lock.bind(f"\0{cgroup(folder)}")
    except OSError:
        lock.close()
        raise Failure(
            f"the cluster {folder.name} is in use by another run, or is just being removed"
        ) from None
    return lock


def main(folder: Path) -> int:
    """Wait until the run has ended, which closes stdin, then remove its cluster."""
    sys.stdin.read()
    try:
        cluster.remove(folder)
    except Failure as failure:
        sys.stderr.write(f"{failure}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
