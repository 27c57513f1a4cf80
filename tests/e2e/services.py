"""The cluster's processes in the order they start: how each is run, and when it is ready."""

import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.e2e import settings
from tests.e2e.parts import API, NODE, PODS, SERVICES, Parts
from tests.e2e.process import Failure, run

ETCD = "http://127.0.0.1:2379"


class Service(NamedTuple):
    """A process, and the check that it is ready."""

    name: str
    command: tuple[str | Path, ...]
    ready: Callable[[], bool]


def services(parts: Parts) -> list[Service]:
    """All of them; each needs those before it."""
    return [
        _etcd(parts),
        _containerd(parts),
        api_server(parts),
        _controller_manager(parts),
        _scheduler(parts),
        _dns(parts),
        _kubelet(parts),
        _proxy(parts),  # it waits for the node
    ]


def _etcd(parts: Parts) -> Service:
    command = (
        *(parts.debian / "usr/bin/etcd", "--data-dir", parts.folder / "etcd", "--unsafe-no-fsync"),
        *(
            "--listen-client-urls",
            ETCD,
            "--advertise-client-urls",
            ETCD,
            "--listen-peer-urls",
            "http://127.0.0.1:2380",
        ),
    )
    return Service("etcd", command, answers(parts, f"{ETCD}/health"))


def _containerd(parts: Parts) -> Service:
    binaries = parts.debian / "usr/bin"
    command = (binaries / "containerd", "--config", parts.etc / "containerd.toml")
    return Service(
        "containerd", command, _succeeds(binaries / "ctr", "--address", parts.runtime, "version")
    )


def api_server(parts: Parts) -> Service:
    """The API server, with the certificate and the users of the cluster."""
    key, certificate = parts.etc / "key.pem", parts.etc / "cert.pem"
    command = (
        parts.kubernetes / "kube-apiserver",
        f"--etcd-servers={ETCD}",
        *(
            f"--bind-address={NODE}",
            f"--advertise-address={NODE}",
            f"--service-cluster-ip-range={SERVICES}",
        ),
        *(f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}"),
        *(f"--token-auth-file={parts.etc / 'tokens.csv'}", "--authorization-mode=Node,RBAC"),
        *(f"--service-account-issuer={API}", f"--service-account-key-file={certificate}"),
        f"--service-account-signing-key-file={key}",
        *(f"--kubelet-client-certificate={certificate}", f"--kubelet-client-key={key}"),
        # Or logs and exec look for the node's name in the DNS.
        "--kubelet-preferred-address-types=InternalIP",
        "--anonymous-auth=true",
        # To know the cost of its lists, or that a watch is complete, it would wait for an answer
        # that Debian's etcd does not give. Policies that change pods are for a framework that
        # requests more CPUs than this machine has.
        "--feature-gates=SizeBasedListCostEstimate=false,WatchList=false,MutatingAdmissionPolicy=true",
        "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
    )
    return Service("kube-apiserver", command, answers(parts, f"{API}/readyz"))


def _controller_manager(parts: Parts) -> Service:
    command = (
        parts.kubernetes / "kube-controller-manager",
        f"--kubeconfig={_kubeconfig(parts, 'controller-manager')}",
        *("--leader-elect=false", "--use-service-account-credentials", "--bind-address=127.0.0.1"),
        f"--service-account-private-key-file={parts.etc / 'key.pem'}",
        f"--root-ca-file={parts.etc / 'cert.pem'}",
    )
    return Service(
        "kube-controller-manager", command, answers(parts, "https://127.0.0.1:10257/healthz")
    )


def _scheduler(parts: Parts) -> Service:
    flags = (
        f"--kubeconfig={_kubeconfig(parts, 'scheduler')}",
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
    )
    command = (parts.kubernetes / "kube-scheduler", *flags)
    return Service("kube-scheduler", command, answers(parts, "https://127.0.0.1:10259/healthz"))


def _dns(parts: Parts) -> Service:
    """A process on the node and not a pod, so it needs no image."""
    command = (parts.dns / "dns", "-conf", parts.etc / "Corefile")
    return Service("coredns", command, answers(parts, f"http://{NODE}:8181/ready"))


def _proxy(parts: Parts) -> Service:
    command = (
        parts.kubernetes / "kube-proxy",
        f"--kubeconfig={_kubeconfig(parts, 'proxy')}",
        *(
            "--hostname-override=node",
            "--proxy-mode=iptables",
            f"--cluster-cidr={PODS}",
            "--oom-score-adj=0",
        ),
        # The machine's limits stay as they are: if they cannot be written, the proxy would stop.
        *("--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0"),
        "--conntrack-tcp-timeout-close-wait=0",
    )
    return Service("kube-proxy", command, answers(parts, "http://127.0.0.1:10249/healthz"))


def _kubelet(parts: Parts) -> Service:
    command = (
        parts.kubernetes / "kubelet",
        *(
            f"--kubeconfig={_kubeconfig(parts, 'kubelet')}",
            f"--config={parts.etc / 'kubelet.json'}",
        ),
        *(
            f"--root-dir={parts.folder / 'kubelet'}",
            f"--node-ip={NODE}",
            "--hostname-override=node",
        ),
        "--node-labels=zone=b",  # the example job requires it for one of its workers
    )
    kubectl = (parts.kubernetes / "kubectl", "--kubeconfig", _kubeconfig(parts, settings.ADMIN))
    ready = _succeeds(*kubectl, "wait", "--for=condition=Ready", "--timeout=1s", "node/node")
    return Service("kubelet", command, ready)


def _kubeconfig(parts: Parts, user: str) -> Path:
    return parts.etc / f"{user}.kubeconfig"


def answers(parts: Parts, url: str) -> Callable[[], bool]:
    """A check that a process answers at an address."""

    def ask() -> bool:
        context = ssl.create_default_context(cafile=parts.etc / "cert.pem")
        if not url.startswith(f"https://{NODE}:"):
            context.check_hostname, context.verify_mode = (
                False,
                ssl.CERT_NONE,
            )  # they make their own certificates
        try:
            with urllib.request.urlopen(
                url, timeout=2, context=context if url.startswith("https") else None
            ) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    return ask


def _succeeds(*command: str | Path) -> Callable[[], bool]:
    def attempt() -> bool:
        try:
            run(*command)
        except Failure:
            return False
        return True

    return attempt
