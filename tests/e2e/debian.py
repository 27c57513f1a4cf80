"""What comes from Debian: etcd, the container runtime, its network plugins, busybox, and a few tools.

Packages that bring daemons are unpacked into the cache, not installed: installing would start them on the machine.
"""

import os
import platform
import shutil
from pathlib import Path

from tests.e2e import cache
from tests.e2e.process import Failure, run
from tests.e2e.progress import step

UNPACKED = ("etcd-server", "containerd", "runc", "containernetworking-plugins", "busybox-static")
TOOLS = {"ip": "iproute2", "iptables": "iptables", "nsenter": "util-linux", "openssl": "openssl"}


def unpacked() -> Path:
    """The folder the daemons are unpacked in, as they would lie under /."""
    release = platform.freedesktop_os_release()
    return cache.made("debian", [release.get("VERSION_CODENAME", ""), platform.machine(), *UNPACKED], _unpack)


def _unpack(place: Path) -> None:
    _update()
    downloads = place / "packages"
    downloads.mkdir()
    run("apt-get", "download", *UNPACKED, cwd=downloads)
    for package in downloads.iterdir():
        run("dpkg-deb", "--extract", package, place)
    shutil.rmtree(downloads)


def ensure_tools() -> None:
    """Install the tools that are missing; none of them starts anything."""
    missing = sorted({package for tool, package in TOOLS.items() if not shutil.which(tool, path=search_path())})
    if missing:
        with step(f"Installing {', '.join(missing)}"):
            _update()
            command = ("apt-get", "install", "--yes", "--no-install-recommends", *missing)
            run(*command, env={"DEBIAN_FRONTEND": "noninteractive"})


def search_path() -> str:
    """PATH with the places of system programs, which not every shell of root has."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/sbin"])


def _update() -> None:
    if not shutil.which("apt-get"):
        raise Failure("the cluster's parts come from Debian packages, and there is no apt-get on this machine")
    run("apt-get", "update")
