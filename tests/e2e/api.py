"""Talk to the cluster directly: tests do so often, and starting kubectl each time is slow."""

import ctypes
import json
import ssl
import urllib.parse
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e import settings
from tests.e2e.cluster import Cluster
from tests.e2e.parts import API

GROUPS = {
    "configmaps": "/api/v1",
    "deployments": "/apis/apps/v1",
    "jobs": "/apis/batch/v1",
    "networkpolicies": "/apis/networking.k8s.io/v1",
    "pods": "/api/v1",
    "rolebindings": "/apis/rbac.authorization.k8s.io/v1",
    "roles": "/apis/rbac.authorization.k8s.io/v1",
    "secrets": "/api/v1",
    "serviceaccounts": "/api/v1",
    "services": "/api/v1",
}
_UNINTERESTING = ("events", "bindings")


def enter(network: Path) -> None:
    """Join a network namespace, with everything that this thread starts from now on."""
    with network.open() as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0):
            raise OSError(ctypes.get_errno(), f"cannot enter {network}")


@cache
def _access(etc: Path) -> tuple[ssl.SSLContext, dict[str, str]]:
    """The address, certificates and token for the API server."""
    kubeconfig = json.loads((etc / f"{settings.ADMIN}.kubeconfig").read_text())
    headers = {
        "Authorization": f"Bearer {kubeconfig['users'][0]['user']['token']}",
        "Content-Type": "application/json",
    }
    return ssl.create_default_context(cafile=etc / "cert.pem"), headers


def ask(cluster: Cluster, method: str, path: str, body: object = None, **query: str) -> str:
    """What the API server answers."""
    context, headers = _access(cluster.parts.etc)
    data = json.dumps(body).encode() if body else None
    url = f"{API}{path}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60, context=context) as answer:
        return str(answer.read().decode())


def get(cluster: Cluster, path: str, **query: str) -> Any:
    """What the API server has under a path."""
    return json.loads(ask(cluster, "GET", path, **query))


def answers(url: str) -> bool:
    """Whether a process beside the cluster says that it is ready."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def listed(cluster: Cluster, namespace: str, kind: str, selector: str) -> list[dict[str, Any]]:
    """The objects of a kind, each with its kind, which items of a list do not have."""
    answer = get(cluster, f"{GROUPS[kind]}/namespaces/{namespace}/{kind}", labelSelector=selector)
    head = {"apiVersion": answer["apiVersion"], "kind": answer["kind"].removesuffix("List")}
    return [{**head, **item} for item in answer["items"]]


def everything(cluster: Cluster, namespace: str) -> set[str]:
    """Everything in a namespace except events, as KINDS/NAME."""
    return {
        f"{path.rpartition('/')[2]}/{item['metadata']['name']}"
        for path in _listable(cluster)
        for item in get(cluster, path.format(namespace=namespace))["items"]
    }


@cache
def _listable(cluster: Cluster) -> list[str]:
    """The paths of all namespaced kinds of objects that can be listed."""
    groups = get(cluster, "/apis")["groups"]
    places = [
        "/api/v1",
        *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups),
    ]
    return [
        f"{place}/namespaces/{{namespace}}/{kind['name']}"
        for place in places
        for kind in get(cluster, place)["resources"]
        if kind["namespaced"] and "list" in kind["verbs"] and kind["name"] not in _UNINTERESTING
    ]
