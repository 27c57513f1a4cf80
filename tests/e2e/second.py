"""A second cluster: an API server of its own, without nodes, beside the first one.

It shares the first one's etcd, under another prefix, and its certificate and users.
"""

import json
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e import services, settings
from tests.e2e.cluster import Cluster
from tests.e2e.parts import NODE
from tests.e2e.process import end, run
from tests.e2e.waiting import until

PORT = 16443


class SecondCluster(NamedTuple):
    """How it is reached."""

    kubectl_path: Path
    kubeconfig: Path

    def objects(self, namespace: str, kinds: str) -> list[dict[str, Any]]:
        """What it has of some kinds."""
        flags = ("--kubeconfig", self.kubeconfig, "--namespace", namespace, "--output=json")
        objects: list[dict[str, Any]] = json.loads(run(self.kubectl_path, *flags, "get", kinds))[
            "items"
        ]
        return objects


@contextmanager
def second_cluster(cluster: Cluster, folder: Path) -> Iterator[SecondCluster]:
    """Run it; the process that asks for it must be in the first one's network."""
    parts = cluster.parts
    first = services.api_server(parts)
    own = (f"--secure-port={PORT}", "--etcd-prefix=/second")
    with (folder / "second-apiserver.log").open("w") as log:
        process = subprocess.Popen([*map(str, first.command), *own], stdout=log, stderr=log)
    try:
        url = f"https://{NODE}:{PORT}"
        until(services.answers(parts, f"{url}/readyz"), "the second API server is ready")
        config = json.loads((parts.etc / f"{settings.ADMIN}.kubeconfig").read_text())
        # Flux takes no paths of files in it.
        authority = b64encode((parts.etc / "cert.pem").read_bytes()).decode()
        config["clusters"][0]["cluster"] = {"server": url, "certificate-authority-data": authority}
        kubeconfig = folder / "second.kubeconfig"
        kubeconfig.write_text(json.dumps(config))
        yield SecondCluster(parts.kubernetes / "kubectl", kubeconfig)
    finally:
        end(process)
