"""Flux' own controllers as processes beside the cluster, and what they say about their objects."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import api, images
from tests.e2e.cluster import Cluster
from tests.e2e.process import Failure, end, tail
from tests.e2e.waiting import until
from tests.support.paths import ROOT
from tests.support.programs import require_built

FLUX = ROOT / ".cache/flux"
CRDS = ROOT / ".cache/crds"
MARKS = [
    pytest.mark.skipif(
        not os.environ.get(images.ALL),
        reason="Flux takes ten minutes to build, so that only `make e2e-all` does",
    ),
]
_STORAGE = "127.0.0.1:18432"
_HEALTH = {
    "source-controller": "127.0.0.1:18433",
    "helm-controller": "127.0.0.1:18434",
    "kustomize-controller": "127.0.0.1:18435",
}
_PATHS = {  # those that use others come first
    "HelmRelease": "/apis/helm.toolkit.fluxcd.io/v2/namespaces/{}/helmreleases/{}",
    "Kustomization": "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/{}/kustomizations/{}",
    "GitRepository": "/apis/source.toolkit.fluxcd.io/v1/namespaces/{}/gitrepositories/{}",
    "OCIRepository": "/apis/source.toolkit.fluxcd.io/v1/namespaces/{}/ocirepositories/{}",
}


@contextmanager
def flux(cluster: Cluster, namespace: str, folder: Path) -> Iterator[None]:
    """Run the controllers for the objects in one namespace; their logs are in the folder.

    The cluster keeps the kinds of Flux: one that is being removed could not be used again.
    """
    with (FLUX / ".lock").open("w") as lock:
        flock(lock, LOCK_EX)  # others wait, because the controllers have fixed ports
        with _controllers(cluster, namespace, folder):
            yield


@contextmanager
def _controllers(cluster: Cluster, namespace: str, folder: Path) -> Iterator[None]:
    crds = sorted(CRDS.glob("*.toolkit.fluxcd.io_*.yaml"))
    assert crds, "run `make crds`"
    every = [word for path in crds for word in ("-f", str(path))]
    cluster.kubectl("apply", "--server-side", *every)
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=1m", *every)
    storage = (f"--storage-addr={_STORAGE}", f"--storage-adv-addr={_STORAGE}")
    own = {
        "source-controller": (f"--storage-path={folder / 'artifacts'}", *storage),
        "helm-controller": (),
        "kustomize-controller": (),
    }
    (folder / "artifacts").mkdir()
    with ExitStack() as stack:
        for name, flags in own.items():
            stack.enter_context(_controller(cluster, namespace, folder, name, flags))
        try:
            yield
        finally:  # only the controllers can end what they have a hold on
            for path in _PATHS.values():
                kind = path.split("/")[-2]
                cluster.kubectl("-n", namespace, "delete", "--timeout=1m", "--all", kind)


@contextmanager
def _controller(
    cluster: Cluster, namespace: str, folder: Path, name: str, flags: tuple[str, ...]
) -> Iterator[None]:
    health = _HEALTH[name]
    controller = require_built(FLUX / name, "flux")
    command = [controller, f"--health-addr={health}", "--metrics-addr=0", *flags]
    command += ["--watch-all-namespaces=false", "--events-addr=", "--log-level=debug"]
    env = {**os.environ, **cluster.env, "RUNTIME_NAMESPACE": namespace, "TMPDIR": str(folder)}
    log = folder / f"{name}.log"
    with log.open("w") as stream:
        process = subprocess.Popen(command, env=env, stdout=stream, stderr=stream)

    def ready() -> bool:
        if process.poll() is not None:
            raise Failure(f"{name} ended:\n{tail(log.read_text())}")
        return api.answers(f"http://{health}/readyz")

    try:
        until(ready, f"{name} is ready")
        yield
    finally:
        end(process)


def read_object(cluster: Cluster, manifest: dict[str, Any]) -> dict[str, Any]:
    """An object of Flux as it is now, with its status."""
    metadata = manifest["metadata"]
    path = _PATHS[manifest["kind"]].format(metadata["namespace"], metadata["name"])
    answer: dict[str, Any] = api.get(cluster, path)
    return answer


def ready(cluster: Cluster, manifest: dict[str, Any]) -> bool:
    """Whether Flux is done with the newest state of an object, and content."""
    answer = read_object(cluster, manifest)
    status = answer.get("status", {})
    if status.get("observedGeneration") != answer["metadata"]["generation"]:
        return False
    conditions = status.get("conditions", ())
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
