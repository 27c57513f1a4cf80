"""The first process in a cluster's namespaces: starts the others in order, stops them in reverse.

Everything in the cluster descends from it in one process namespace, so all processes end when it
does, however it ends; and in one mount and one network namespace, so every mount and every device
is gone with the last of them.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from tests.e2e import debian, services
from tests.e2e.images import ALL
from tests.e2e.parts import NODE, Parts
from tests.e2e.process import end, run, tail
from tests.e2e.services import Service

PATIENCE = 90  # seconds for a process to become ready
AMPLE = (
    12 * 2**20
)  # KiB of free memory; the images take a quarter of it, and so does the largest job
READY, RESTARTED = "ready", "restarted"
RESTART = signal.SIGUSR1


class Stop(Exception):
    """Somebody asked the cluster to stop."""


class Restart(Exception):
    """Somebody asked for another API server."""


class Broken(Exception):
    """A process of the cluster did not start, or ended."""


def main(folder: Path) -> int:
    """Be the cluster until stopped."""
    parts = Parts.saved(folder)
    # Read before the namespace has its own /proc: this is our number outside.
    (folder / "pid").write_text(os.readlink("/proc/self"))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    signal.signal(RESTART, _again)
    running: list[tuple[Service, subprocess.Popen[bytes]]] = []
    try:
        _prepare(parts)
        for service in services.services(parts):
            start = time.monotonic()
            running.append((service, _start(service, parts)))
            _await(*running[-1], parts)
            _report(parts, f"{service.name}: ready after {time.monotonic() - start:.1f} s")
        _report(parts, READY)
        while True:
            try:
                raise _end_of(running)
            except Restart:
                _restart("kube-apiserver", running, parts)
    except Stop:
        return 0
    except Broken as trouble:
        _report(parts, str(trouble))
        return 1
    finally:
        for service, child in reversed(running):
            start = time.monotonic()
            end(child)
            _report(parts, f"{service.name}: ended after {time.monotonic() - start:.1f} s")


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal must not interrupt this
    raise Stop


def _again(number: int, frame: FrameType | None) -> None:
    raise Restart


def _restart(
    name: str, running: "list[tuple[Service, subprocess.Popen[bytes]]]", parts: Parts
) -> None:
    """End a service, and start it again in its place."""
    for place, (service, child) in enumerate(running):
        if service.name == name:
            end(child)
            running[place] = (service, _start(service, parts))
            _await(*running[place], parts)
    _report(parts, f"{name}: {RESTARTED}")


def _report(parts: Parts, line: str) -> None:
    with (parts.folder / "progress").open("a") as file:
        file.write(f"{line}\n")


def _prepare(parts: Parts) -> None:
    """Mounts and devices that only this cluster sees."""
    os.environ.update(
        PATH=f"{parts.debian / 'usr/bin'}:{parts.debian / 'usr/sbin'}:{debian.search_path()}"
    )
    os.environ.update(TMPDIR=str(parts.folder / "tmp"))
    for folder in ("containerd", "tmp", "logs", "var-lib", "var-lib-work"):
        (parts.folder / folder).mkdir(exist_ok=True)
    run("mount", "-t", "proc", "proc", "/proc")
    # Images are unpacked and removed many times faster than on a disk, but the large ones do not
    # fit.
    if _memory() >= AMPLE and not os.environ.get(ALL):
        run("mount", "-t", "tmpfs", "tmpfs", parts.folder / "containerd")
    # Some programs put sockets, locks and links here whatever their settings are.
    for place in ("/run", "/var/log"):
        run("mount", "-t", "tmpfs", "tmpfs", place)
    upper, work = parts.folder / "var-lib", parts.folder / "var-lib-work"
    run(
        "mount",
        "-t",
        "overlay",
        "overlay",
        "-o",
        f"lowerdir=/var/lib,upperdir={upper},workdir={work}",
        "/var/lib",
    )
    # The machine's own name server cannot be reached, and each lookup of a registry would wait for
    # it.
    if Path("/etc/resolv.conf").exists():
        run("mount", "--bind", parts.etc / "resolv.conf", "/etc/resolv.conf")
    # Not every kernel has the `dummy` device; an empty bridge can have the node's address as well.
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "node0", "type", "bridge")
    run("ip", "address", "add", f"{NODE}/32", "dev", "node0")
    run("ip", "link", "set", "node0", "up")
    run(
        "ip", "route", "add", "default", "dev", "node0"
    )  # without one, the API server finds no address for itself
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def _memory() -> int:
    """KiB of available memory."""
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(lines["MemAvailable"].split()[0])


def _start(service: Service, parts: Parts) -> "subprocess.Popen[bytes]":
    command = [str(word) for word in service.command]
    with (parts.logs / f"{service.name}.log").open("ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _await(service: Service, child: "subprocess.Popen[bytes]", parts: Parts) -> None:
    limit = time.monotonic() + PATIENCE
    while not service.ready():
        if child.poll() is not None or time.monotonic() > limit:
            log = (parts.logs / f"{service.name}.log").read_text(errors="replace")
            how = "is not ready" if child.poll() is None else f"ended with {child.returncode}"
            raise Broken(f"{service.name} {how}; the end of its log:\n{tail(log)}")
        time.sleep(0.2)


def _end_of(running: "list[tuple[Service, subprocess.Popen[bytes]]]") -> Broken:
    """Wait until a service ends, and reap the orphans of containers, as process 1 must."""
    ours = {child.pid: service for service, child in running}
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid in ours:
            return Broken(f"{ours[pid].name} ended with {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
