"""Look at the cluster without starting a program each time: tests look often, and kubectl takes a tenth of a second."""

import ctypes
import json
import ssl
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.e2e import settings
from tests.e2e.cluster import Cluster
from tests.e2e.parts import API

GROUPS = {
    "configmaps": "/api/v1",
    "deployments": "/apis/apps/v1",
    "jobs": "/apis/batch/v1",
    "pods": "/api/v1",
    "services": "/api/v1",
}


def enter(network: Path) -> None:
    """Join a network namespace, with all that this thread starts from now on."""
    with network.open() as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0):
            raise OSError(ctypes.get_errno(), f"cannot enter {network}")


def get(cluster: Cluster, path: str, **query: str) -> Any:
    """What the API server has under a path."""
    kubeconfig = json.loads((cluster.parts.etc / f"{settings.ADMIN}.kubeconfig").read_text())
    headers = {"Authorization": f"Bearer {kubeconfig['users'][0]['user']['token']}"}
    request = urllib.request.Request(f"{API}{path}?{urllib.parse.urlencode(query)}", headers=headers)
    context = ssl.create_default_context(cafile=cluster.parts.etc / "cert.pem")
    with urllib.request.urlopen(request, timeout=60, context=context) as answer:
        return json.load(answer)


def listed(cluster: Cluster, namespace: str, kind: str, selector: str) -> list[dict[str, Any]]:
    """The objects of a kind, each of which says its kind, as lists do not."""
    found = get(cluster, f"{GROUPS[kind]}/namespaces/{namespace}/{kind}", labelSelector=selector)
    return [{"kind": found["kind"].removesuffix("List"), **one} for one in found["items"]]
