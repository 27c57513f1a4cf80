"""The settings of the cluster's processes, as files; unusual ones have their reason beside them."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e.images import PAUSE
from tests.e2e.parts import API, DOMAIN, FIRST_SERVICE, NODE, PODS, Parts
from tests.e2e.process import run

ADMIN = "admin"
# Users of the API server: the name and the groups.
USERS = {
    ADMIN: (ADMIN, "system:masters"),
    "controller-manager": ("system:kube-controller-manager", ""),
    "scheduler": ("system:kube-scheduler", ""),
    "proxy": ("system:kube-proxy", ""),
    "kubelet": ("system:node:node", "system:nodes"),
}


def write(parts: Parts) -> None:
    """Write every file that a process of the cluster reads at its start."""
    parts.etc.mkdir(parents=True)
    _certificate(parts.etc)
    _users(parts.etc)
    _write(parts.etc / "kubelet.json", _kubelet(parts))
    (parts.etc / "cni").mkdir()
    _write(parts.etc / "cni/10-pods.conflist", _pod_network(parts))
    (parts.etc / "containerd.toml").write_text(_containerd(parts))
    (parts.etc / "Corefile").write_text(_corefile(parts))
    (parts.etc / "resolv.conf").write_text(f"nameserver {NODE}\n")


def _write(path: Path, data: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=1))


def _certificate(etc: Path) -> None:
    """One self-signed certificate: it serves the API, and identifies its server to the kubelet."""
    names = [
        "DNS:localhost",
        "DNS:kubernetes",
        "DNS:kubernetes.default",
        "DNS:kubernetes.default.svc",
    ]
    addresses = [f"IP:{address}" for address in ("127.0.0.1", NODE, FIRST_SERVICE)]
    extensions = [
        f"subjectAltName={','.join(names + addresses)}",
        "keyUsage=critical,digitalSignature,keyCertSign",
    ]
    run(
        *(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "30",
            "-subj",
            "/CN=chartgen-e2e",
        ),
        *(word for extension in extensions for word in ("-addext", extension)),
        *("-keyout", etc / "key.pem", "-out", etc / "cert.pem"),
    )


def _users(etc: Path) -> None:
    lines = []
    for name, (user, group) in USERS.items():
        token = secrets.token_hex(16)
        lines.append(f'{token},{user},{user},"{group}"\n')
        _write(etc / f"{name}.kubeconfig", _kubeconfig(etc, token))
    (etc / "tokens.csv").write_text("".join(lines))


def _kubeconfig(etc: Path, token: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "e2e",
                "cluster": {"server": API, "certificate-authority": str(etc / "cert.pem")},
            }
        ],
        "users": [{"name": "e2e", "user": {"token": token}}],
        "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
        "current-context": "e2e",
    }


def _kubelet(parts: Parts) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "containerRuntimeEndpoint": f"unix://{parts.runtime}",
        "authentication": {
            "anonymous": {"enabled": False},
            "x509": {"clientCAFile": str(parts.etc / "cert.pem")},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "clusterDNS": [NODE],
        "clusterDomain": DOMAIN,
        "resolvConf": "",  # without the machine's own DNS
        "cgroupRoot": f"/{parts.cgroup}",
        "cgroupDriver": "cgroupfs",
        "failCgroupV1": False,
        "failSwapOn": False,
        "oomScoreAdj": 0,  # a container without CAP_SYS_RESOURCE may not lower it
        "podLogsDir": str(parts.folder / "pods"),
        "maxPods": 250,
        "evictionHard": {
            "memory.available": "100Mi"
        },  # a full disk is the machine's problem, not the tests'
        "imageGCHighThresholdPercent": 100,  # images loaded by hand could not be pulled again
        "enableServer": True,
    }


def _pod_network(parts: Parts) -> dict[str, Any]:
    """A direct link from every pod to the node: a bridge would need the kernel's br_netfilter."""
    addresses = {
        "type": "host-local",
        "ranges": [[{"subnet": PODS}]],
        "routes": [{"dst": "0.0.0.0/0"}],
    }
    addresses["dataDir"] = str(parts.folder / "addresses")
    plugins = [{"type": "ptp", "ipMasq": False, "ipam": addresses}]
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": plugins}


def _containerd(parts: Parts) -> str:
    """Nothing is loaded into the machine's kernel (AppArmor) and no OOM score is lowered."""
    return f"""\
version = 2
root = {_text(parts.folder / "containerd")}
state = {_text(parts.folder / "containerd-state")}
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = {_text(parts.runtime)}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = {_text(f"docker.io/{PAUSE}")}
  restrict_oom_score_adj = true
  disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = {_text(parts.debian / "usr/lib/cni")}
  conf_dir = {_text(parts.etc / "cni")}
"""


def _corefile(parts: Parts) -> str:
    """Only the cluster's names; short-lived, because the tests replace what they name."""
    return f"""\
.:53 {{
  bind {NODE}
  errors
  ready {NODE}:8181
  kubernetes {DOMAIN} {{
    kubeconfig {parts.etc / f"{ADMIN}.kubeconfig"} e2e
    ttl 1
  }}
}}
"""


def _text(value: object) -> str:
    return json.dumps(str(value))
