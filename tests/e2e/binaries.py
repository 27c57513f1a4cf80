"""What is built with Go: Kubernetes and a DNS server, in the versions of kubernetes/ and dns/."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.e2e import cache
from tests.e2e.process import Failure, run

HERE = Path(__file__).parent
COMMANDS = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubectl",
    "kubelet",
)


def kubernetes() -> Path:
    """The folder with the Kubernetes binaries."""
    return _build(
        HERE / "kubernetes",
        [f"k8s.io/kubernetes/cmd/{command}" for command in COMMANDS],
        _version(),
    )


def dns() -> Path:
    """The folder with the DNS server's binary."""
    return _build(HERE / "dns", ["."], "")


def _version() -> str:
    """The version for the linker: without it the server is v0.0.0, and Helm refuses every chart."""
    module = HERE / "kubernetes/go.mod"
    match = re.search(
        r"^require k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)$", module.read_text(), re.MULTILINE
    )
    if not match:
        raise Failure(f"{module} requires no k8s.io/kubernetes on a line of its own")
    values = zip(("gitVersion", "gitMajor", "gitMinor"), match.groups(), strict=True)
    return " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in values)


def _build(source: Path, packages: Sequence[str], version: str) -> Path:
    """The programs of some packages of a module, built once for each state of its files."""
    flags = ("-trimpath", "-mod=readonly", "-ldflags", f"-s -w {version}".strip())

    def build(place: Path) -> None:
        if not shutil.which("go"):
            raise Failure(
                "the cluster is built from source, which needs Go: https://go.dev/doc/install"
            )
        # Go's temporary files go where those of a killed run are found again.
        env = {"CGO_ENABLED": "0", "GOTMPDIR": str(place.parent)}
        run("go", "build", *flags, "-o", f"{place}/", *packages, cwd=source, env=env)

    files = [path.read_bytes() for path in sorted(source.iterdir())]
    return cache.make_once(source.name, [*files, *flags, *packages], build)
