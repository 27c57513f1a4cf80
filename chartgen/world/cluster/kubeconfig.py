"""The kubeconfig: which server to ask, in which namespace, and as whom.

Read without the client for Kubernetes: its own reader imports urllib3, requests and oauthlib, which
takes four times as long as everything here. Only an `auth-provider` still needs it.
"""

import os
import ssl
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from chartgen import resources
from chartgen.errors import WorldError
from chartgen.k8s.times import seconds
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

_IN_POD = "/var/run/secrets/kubernetes.io/serviceaccount"
Section = Mapping[str, Any]
Headers = Callable[[], dict[str, str]]


class Access(NamedTuple):
    """How to reach a cluster."""

    server: str
    namespace: str
    tls: ssl.SSLContext | None
    server_name: str  # that the certificate is for, if it is not the server's
    proxy: str
    headers: Headers  # who we are; asked before each request, because tokens expire


def access(kubeconfig: str, context: str, namespace: str) -> Access:
    """How kubectl and Helm would reach the cluster for these options."""
    files = _files(kubeconfig)
    context = context or os.environ.get("HELM_KUBECONTEXT", "")
    if files:
        route = _from_files(files, context)
    elif not (kubeconfig or context) and "KUBERNETES_SERVICE_HOST" in os.environ:
        route = _in_pod()
    else:
        raise WorldError(f"{_place(kubeconfig)} does not exist; set --kubeconfig or $KUBECONFIG")
    chosen = namespace or os.environ.get("HELM_NAMESPACE") or route.namespace or "default"
    return route._replace(namespace=chosen)


def _files(kubeconfig: str) -> list[str]:
    files = _place(kubeconfig).split(os.pathsep)
    return [file for file in files if file and os.path.exists(file)]


def _place(kubeconfig: str) -> str:
    return kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")


def _in_pod() -> Access:
    host = os.environ["KUBERNETES_SERVICE_HOST"]
    host = f"[{host}]" if ":" in host else host
    with _explain("the configuration that a pod has"):
        with open(f"{_IN_POD}/namespace", encoding="utf-8") as file:
            namespace = file.read().strip()
        tls = ssl.create_default_context(cafile=f"{_IN_POD}/ca.crt")
    server = f"https://{host}:{os.environ.get('KUBERNETES_SERVICE_PORT', '443')}"
    return Access(server, namespace, tls, "", "", lambda: _bearer(f"{_IN_POD}/token"))


def _from_files(files: list[str], context: str) -> Access:
    with _explain(f"the kubeconfig {os.pathsep.join(files)}"):
        sections = _merge(files)
        name = context or sections["current-context"]
        if not name:
            raise ValueError("no current-context is set")
        chosen = _named(sections["contexts"], name, "context")
        cluster = _named(sections["clusters"], chosen.get("cluster", ""), "cluster")
        user = _named(sections["users"], chosen["user"], "user") if chosen.get("user") else {}
        server = str(cluster["server"]).rstrip("/")
        tls = _tls(cluster, user) if server.startswith("https:") else None
        headers = _headers(user, cluster, tls, (os.pathsep.join(files), name))
        return Access(
            server=server,
            namespace=str(chosen.get("namespace") or ""),
            tls=tls,
            server_name=str(cluster.get("tls-server-name") or ""),
            proxy=str(cluster.get("proxy-url") or "") or _proxy(server),
            headers=headers,
        )


def _merge(files: list[str]) -> dict[str, Any]:
    """All files as one; the first that names something wins, as with kubectl."""
    whole: dict[str, Any] = {"clusters": {}, "contexts": {}, "users": {}, "current-context": ""}
    for path in files:
        with open(path, encoding="utf-8") as file:
            data = resources.parse(file.read()) or {}
        whole["current-context"] = whole["current-context"] or data.get("current-context") or ""
        for plural in ("clusters", "contexts", "users"):
            for entry in data.get(plural) or ():
                content = _absolute(entry.get(plural[:-1]) or {}, os.path.dirname(path))
                whole[plural].setdefault(entry["name"], content)
    return whole


def _absolute(section: Section, folder: str) -> dict[str, Any]:
    """A section whose files are named from anywhere: they are relative to the kubeconfig."""
    paths = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
    resolved = dict(section)
    for key in paths:
        if resolved.get(key):
            resolved[key] = os.path.join(folder, resolved[key])
    return resolved


def _named(sections: Mapping[str, Any], name: str, kind: str) -> dict[str, Any]:
    if name not in sections:
        known = f"; it has {', '.join(sections)}" if sections else ""
        raise ValueError(f"there is no {kind} {name!r}{known}")
    return dict(sections[name])


def _tls(cluster: Section, user: Section) -> ssl.SSLContext:
    if cluster.get("insecure-skip-tls-verify"):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif data := cluster.get("certificate-authority-data"):
        context = ssl.create_default_context(cadata=b64decode(data).decode())
    else:
        context = ssl.create_default_context(cafile=cluster.get("certificate-authority"))
    if user.get("client-certificate") and user.get("client-key"):
        context.load_cert_chain(user["client-certificate"], user["client-key"])
    elif user.get("client-certificate-data"):
        certificate = b64decode(user["client-certificate-data"])
        _use_certificate(context, certificate, b64decode(user["client-key-data"]))
    return context


def _use_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Use a certificate that is not a file; OpenSSL reads only files."""
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile() as file:  # only its owner can read it
        file.write(certificate + b"\n" + key)
        file.flush()
        context.load_cert_chain(file.name)


def _headers(
    user: Section, cluster: Section, tls: ssl.SSLContext | None, place: tuple[str, str]
) -> Headers:
    """What says who we are, as the kubeconfig has it."""
    extra = {"Impersonate-User": str(user["as"])} if user.get("as") else {}
    if "exec" in user:
        plugin = _Plugin(dict(user["exec"]), cluster, tls)
        return lambda: {**extra, **plugin.headers()}
    if user.get("tokenFile"):
        return lambda: {**extra, **_bearer(user["tokenFile"])}
    if user.get("token"):
        return lambda: {**extra, "Authorization": f"Bearer {user['token']}"}
    if user.get("username"):
        pair = b64encode(f"{user['username']}:{user.get('password', '')}".encode()).decode()
        return lambda: {**extra, "Authorization": f"Basic {pair}"}
    if "auth-provider" in user:
        return lambda: {**extra, **_by_package(*place)}
    return lambda: extra


def _bearer(path: str) -> dict[str, str]:
    with _explain(f"the token {path}"), open(path, encoding="utf-8") as file:
        return {"Authorization": f"Bearer {file.read().strip()}"}


def _by_package(files: str, context: str) -> dict[str, str]:
    """The token of an auth-provider, which only the package knows how to renew."""
    from chartgen.world.cluster.auth_provider import authorization

    return {"Authorization": authorization(files, context)}


class _Plugin:
    """A program that prints a credential; it is kept until it expires."""

    def __init__(self, spec: Section, cluster: Section, tls: ssl.SSLContext | None) -> None:
        self._spec, self._cluster, self._tls = spec, cluster, tls
        self._token, self._until = "", 0.0

    def headers(self) -> dict[str, str]:
        import time

        if time.time() >= self._until:
            with _explain(f"a credential from {self._spec.get('command', 'a program')}"):
                self._renew(self._run())
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def _renew(self, status: Section) -> None:
        self._token = status.get("token") or ""
        ends = status.get("expirationTimestamp")
        self._until = seconds(ends) - 10 if ends else float("inf")
        if self._tls and status.get("clientCertificateData"):
            certificate, key = status["clientCertificateData"], status["clientKeyData"]
            _use_certificate(self._tls, certificate.encode(), key.encode())

    def _run(self) -> dict[str, Any]:
        import json
        import subprocess

        command = [self._spec["command"], *(self._spec.get("args") or ())]
        own = {entry["name"]: entry["value"] for entry in self._spec.get("env") or ()}
        asked: dict[str, Any] = {"interactive": False}
        if self._spec.get("provideClusterInfo"):
            asked["cluster"] = {
                "server": self._cluster["server"],
                "certificate-authority-data": self._cluster.get("certificate-authority-data"),
            }
        request = {"apiVersion": self._spec["apiVersion"], "kind": "ExecCredential", "spec": asked}
        environment = {**os.environ, **own, "KUBERNETES_EXEC_INFO": json.dumps(request)}
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, timeout=120, check=True
        )
        return dict(json.loads(done.stdout).get("status") or {})


def _proxy(server: str) -> str:
    """The proxy of the environment, unless the server is excepted from it."""
    host = urlsplit(server).hostname or ""
    for exception in _variable("no_proxy").split(","):
        name = exception.strip().lstrip("*").lstrip(".")
        if exception.strip() == "*" or (name and (host == name or host.endswith(f".{name}"))):
            return ""
    return _variable("https_proxy") if server.startswith("https:") else ""


def _variable(name: str) -> str:
    return os.environ.get(name) or os.environ.get(name.upper()) or ""


@contextmanager
def _explain(what: str) -> Iterator[None]:
    import subprocess

    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        missing = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise WorldError(f"cannot load {what}: {missing or type(error).__name__}") from error
    except subprocess.SubprocessError as error:
        raise WorldError(f"cannot load {what}: {error}") from error
