"""What comes from Debian: etcd, the container runtime and its plugins, busybox, a few tools.

Packages that bring daemons are unpacked into the cache and not installed: installing them would
start the daemons on the machine.
"""

import ctypes
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.e2e import cache
from tests.e2e.process import Failure, run
from tests.e2e.progress import step

UNPACKED = ("etcd-server", "containerd", "runc", "containernetworking-plugins")
# The default version of the charts' tests; the one of Debian 12 crashes when it uses TLS.
BUSYBOX, BUSYBOX_RELEASE = "busybox-static", "trixie"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
TOOLS = {"ip": "iproute2", "iptables": "iptables", "nsenter": "util-linux", "openssl": "openssl"}
COMPILER = ("gcc", "ld", "nm", "readelf")
LIBRARIES = {
    "libgomp.so.1": "libgomp1",
    "libquadmath.so.0": "libquadmath0",
}  # what wheels, such as MXNet's, do not bring


def release() -> list[str]:
    """The Debian version and the processor of this machine."""
    return [platform.freedesktop_os_release().get("VERSION_CODENAME", ""), platform.machine()]


def unpacked() -> Path:
    """The folder that the daemons are unpacked in, as if it were /."""

    return cache.make_once("debian", [*release(), *UNPACKED], lambda place: unpack(place, UNPACKED))


def busybox() -> Path:
    """The folder that busybox is unpacked in, perhaps of another Debian than this machine's."""

    def unpack(place: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="apt-", dir=place.parent) as folder:
            source, lists = Path(folder) / "sources.list", Path(folder) / "lists"
            (lists / "partial").mkdir(parents=True)
            source.write_text(f"deb [signed-by={KEYS}] {_archive()} {BUSYBOX_RELEASE} main\n")
            own = {
                "Etc::SourceList": source,
                "Etc::SourceParts": os.devnull,
                "State::Lists": lists,
                "Cache": folder,
            }
            options = [
                word for name, value in own.items() for word in ("--option", f"Dir::{name}={value}")
            ]
            _update(*options)
            _unpack(place, [BUSYBOX], *options)

    return cache.make_once("busybox", [BUSYBOX_RELEASE, platform.machine()], unpack)


def unpack(root: Path, packages: Sequence[str]) -> None:
    """Unpack packages of this machine's Debian as if the folder were /."""
    _update()
    _unpack(root, packages)


def _archive() -> str:
    """Where this machine gets Debian's packages from."""
    codename, _ = release()
    targets = (
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        f"Codename: {codename}",
    )
    for address in run(*targets).split():
        return address
    raise Failure(f"apt knows no source of the packages of Debian {codename}")


def _unpack(place: Path, packages: Sequence[str], *options: str) -> None:
    downloads = place / "packages"
    downloads.mkdir()
    run("apt-get", "download", *options, *packages, cwd=downloads)
    for package in downloads.iterdir():
        run("dpkg-deb", "--extract", package, place)
    shutil.rmtree(downloads)


def ensure_tools() -> None:
    """Install missing tools and libraries; none of them starts a daemon."""
    missing = sorted(
        {package for tool, package in TOOLS.items() if not shutil.which(tool, path=search_path())}
    )
    missing += [package for library, package in LIBRARIES.items() if not _loads(library)]
    _install(missing)


def ensure_compiler() -> None:
    """Install a C compiler, with its linker and what reads its output, unless there is one."""
    _install([] if all(map(shutil.which, COMPILER)) else ["gcc"])


def _install(packages: Sequence[str]) -> None:
    if packages:
        with step(f"Installing {', '.join(packages)}"):
            _update()
            command = ("apt-get", "install", "--yes", "--no-install-recommends", *packages)
            run(*command, env={"DEBIAN_FRONTEND": "noninteractive"})


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def search_path() -> str:
    """PATH with the folders of system programs, which root's shell may lack."""
    return os.pathsep.join(
        [os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/sbin"]
    )


def _update(*options: str) -> None:
    if not shutil.which("apt-get"):
        raise Failure(
            "the cluster's parts come from Debian packages, and there is no apt-get on this machine"
        )
    run("apt-get", "update", *options)
