"""A cluster as seen from outside: start it, use it, and stop it without leaving anything."""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.e2e import ability, binaries, cache, cgroups, debian, images, machine, settings
from tests.e2e.parts import Parts, cgroup
from tests.e2e.process import Failure, run, tail
from tests.e2e.progress import say, step

ROOT = Path(__file__).parent.parent.parent
CLUSTERS = cache.HOME / "clusters"
PATIENCE = 60  # seconds for all processes to end when asked; then they are killed


class Cluster:
    """A running cluster, and the commands that reach it."""

    def __init__(self, folder: Path) -> None:
        self.parts = Parts.saved(folder)
        self.namespace = Path(f"/proc/{(folder / 'pid').read_text()}/ns/net")
        self.env = {"KUBECONFIG": str(self.parts.etc / f"{settings.ADMIN}.kubeconfig")}
        for kind in ("CACHE", "CONFIG", "DATA"):
            self.env[f"HELM_{kind}_HOME"] = str(folder / "helm" / kind.lower())

    def run(self, *command: str | Path) -> str:
        """Run a program in the cluster's network, and return what it printed."""
        # A worker of the tests that is killed also ends the program it waits for.
        return run(
            *command,
            via=("setpriv", "--pdeathsig=KILL", "nsenter", f"--net={self.namespace}"),
            env=self.env,
        )

    def kubectl(self, *args: str) -> str:
        return self.run(self.parts.kubernetes / "kubectl", *args)

    def restart_api_server(self) -> None:
        """End the API server, and start another; returns when it is ready."""
        progress = self.parts.folder / "progress"
        before = progress.read_text().count(machine.RESTARTED)
        os.kill(int((self.parts.folder / "pid").read_text()), machine.RESTART)
        limit = time.monotonic() + machine.PATIENCE + PATIENCE
        while progress.read_text().count(machine.RESTARTED) == before:
            if time.monotonic() > limit:
                raise Failure("the API server was not restarted")
            time.sleep(0.2)

    def kill(self, container: str) -> None:
        """Kill the processes of a container, given as a pod's status has it."""
        name = container.removeprefix("containerd://")
        run(*ctr(self.parts), "tasks", "kill", "--all", "--signal", "SIGKILL", name)

    def images(self) -> list[str]:
        """The images that pods can use, by the names that charts use."""
        names = run(*ctr(self.parts), "images", "list", "--quiet").split()
        return [
            name.removeprefix("docker.io/") for name in names if name.startswith("docker.io/local/")
        ]

    def programs(self, **helms: str) -> Path:
        """A folder of scripts for PATH: kubectl, Helm, and any program in the cluster's network."""
        folder = self.parts.folder / "bin"
        folder.mkdir(exist_ok=True)
        env = " ".join(shlex.quote(f"{name}={value}") for name, value in self.env.items())
        for name, program in {
            "kubectl": self.parts.kubernetes / "kubectl",
            **helms,
            "in-cluster": "",
        }.items():
            script = folder / name
            script.write_text(
                f'#!/bin/sh\nexec nsenter --net={self.namespace} env {env} {program} "$@"\n'
            )
            script.chmod(0o755)
        return folder


def ctr(parts: Parts) -> list[str]:
    """The runtime's own client, which needs no network."""
    return [
        str(parts.debian / "usr/bin/ctr"),
        "--address",
        str(parts.runtime),
        "--namespace",
        "k8s.io",
    ]


def prepared(folder: Path) -> Parts:
    """Every part of a cluster, made now unless it exists."""
    for lacking in ability.namespaces():
        raise Failure(f"the cluster cannot run here, which takes {lacking}")
    if folder.is_relative_to("/var/lib"):
        raise Failure(
            f"{folder} cannot hold a cluster, which has a /var/lib of its own: set XDG_CACHE_HOME"
        )
    debian.ensure_tools()
    return Parts(folder, debian.unpacked(), binaries.kubernetes(), binaries.dns())


def start(name: str, *, with_us: bool) -> Cluster:
    """Start a cluster; one that must end with us does so even if we are killed."""
    folder = CLUSTERS / name
    if alive(folder):
        raise Failure(
            f"the cluster {name} is running already (process {(folder / 'pid').read_text()})"
        )
    parts = prepared(folder)
    all_images = images.images()
    remove(folder)
    folder.mkdir(parents=True)
    parts.save()
    settings.write(parts)
    cgroups.make(parts.cgroup)
    with step(f"Starting Kubernetes in {folder}"):
        child = _launch(folder, with_us=with_us)
        try:
            _follow(child, folder)
        except BaseException:
            child.kill()  # and everything it started
            child.wait()
            raise
    with step("Loading images"):
        images.load(all_images, [*ctr(parts), "images", "import", "-"])
    return Cluster(folder)


def _launch(folder: Path, *, with_us: bool) -> "subprocess.Popen[bytes]":
    """Start the machine in its own namespaces, without a terminal: we handle Ctrl-C."""
    end_with_us = ("setpriv", "--pdeathsig", "KILL") if with_us else ()
    namespaces = ("unshare", "--fork", "--kill-child", "--pid", "--mount", "--net")
    program = (sys.executable, "-m", machine.__name__, str(folder))
    with (folder / "machine.log").open("wb") as log:
        return subprocess.Popen(
            [*end_with_us, *namespaces, *program],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _follow(child: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Show the progress of the start until it is ready."""
    seen = 0
    while True:
        ended = child.poll() is not None
        lines = (
            (folder / "progress").read_text().splitlines() if (folder / "progress").exists() else []
        )
        for line in lines[seen:]:
            if line == machine.READY:
                return
            say(f"  {line}")
        seen = len(lines)
        if ended:
            raise Failure(
                f"the cluster did not start\n{tail((folder / 'machine.log').read_text())}"
            )
        time.sleep(0.1)


def alive(folder: Path) -> bool:
    """Whether a cluster's first process runs; its number may have been reused."""
    try:
        pid = (folder / "pid").read_text()
        return str(folder) in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return False


def stop(folder: Path) -> None:
    """End all processes of a cluster, if any."""
    if not alive(folder):
        return
    pid = int((folder / "pid").read_text())
    for number, patience in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        limit = time.monotonic() + patience
        while alive(folder) and time.monotonic() < limit:
            time.sleep(0.1)


def remove(folder: Path) -> None:
    """Stop a cluster, or what a killed run left of one, and remove the rest of it."""
    stop(folder)
    cgroups.remove(cgroup(folder))
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        raise Failure(f"{folder} cannot be removed")
