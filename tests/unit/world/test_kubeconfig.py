"""kubeconfigs: which cluster, namespace and user they mean."""

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from chartgen.errors import WorldError
from chartgen.world.cluster.kubeconfig import access

SERVER = {"server": "http://127.0.0.1:6443"}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No kubeconfig but those of the test."""
    for name in ("KUBECONFIG", "HELM_NAMESPACE", "HELM_KUBECONTEXT", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def config(path: Path, user: dict[str, Any], cluster: dict[str, Any] = SERVER, **more: Any) -> str:
    context = {"cluster": "c", "user": "u", **more}
    data = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": path.name, "context": context}],
        "current-context": path.name,
    }
    path.write_text(json.dumps(data))
    return str(path)


@pytest.mark.parametrize(
    ("user", "headers"),
    [
        ({}, {}),
        ({"token": "abc"}, {"Authorization": "Bearer abc"}),
        ({"username": "me", "password": "pw"}, {"Authorization": "Basic bWU6cHc="}),
        ({"token": "abc", "as": "you"}, {"Authorization": "Bearer abc", "Impersonate-User": "you"}),
    ],
)
def test_users(tmp_path: Path, user: dict[str, Any], headers: dict[str, str]) -> None:
    assert access(config(tmp_path / "k", user), "", "").headers() == headers


def test_a_token_file_is_read_anew_and_relative_to_the_kubeconfig(tmp_path: Path) -> None:
    credentials = access(config(tmp_path / "k", {"tokenFile": "token"}), "", "")
    for token in ("one", "two"):
        (tmp_path / "token").write_text(f"{token}\n")
        assert credentials.headers() == {"Authorization": f"Bearer {token}"}


def plugin(path: Path, expires: str) -> dict[str, Any]:
    """A program that counts its calls, and prints the count as a token."""
    script = f"""#!{sys.executable}
import json, os, pathlib
asked = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
calls = pathlib.Path({str(path.parent / "calls")!r})
count = int(calls.read_text()) + 1 if calls.exists() else 1
calls.write_text(str(count))
token = f"{{asked['kind']}}-{{count}}-{{os.environ['OWN']}}"
status = {{"token": token, "expirationTimestamp": {expires!r}}}
print(json.dumps({{"status": status}}))
"""
    path.write_text(script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    version = "client.authentication.k8s.io/v1"
    return {"command": str(path), "apiVersion": version, "env": [{"name": "OWN", "value": "x"}]}


def test_a_plugin_is_asked_again_only_when_its_token_has_expired(tmp_path: Path) -> None:
    lasting = {"exec": plugin(tmp_path / "lasting", "2999-01-01T00:00:00Z")}
    credentials = access(config(tmp_path / "k", lasting), "", "")
    for _ in range(2):
        assert credentials.headers() == {"Authorization": "Bearer ExecCredential-1-x"}
    expired = {"exec": plugin(tmp_path / "expired", "2001-01-01T00:00:00Z")}
    credentials = access(config(tmp_path / "k", expired), "", "")
    assert credentials.headers() == {"Authorization": "Bearer ExecCredential-2-x"}
    assert credentials.headers() == {"Authorization": "Bearer ExecCredential-3-x"}


def test_a_plugin_that_is_missing_is_named(tmp_path: Path) -> None:
    broken = {"exec": {"command": "no-such-plugin", "apiVersion": "v1"}}
    credentials = access(config(tmp_path / "k", broken), "", "")
    with pytest.raises(WorldError, match="cannot load a credential from no-such-plugin"):
        credentials.headers()


@pytest.mark.parametrize(
    ("spec", "status", "why"),
    [
        ({}, "{}", "from a program: no 'command'"),
        ({"command": "true"}, "{}", "from true: no 'apiVersion'"),
        (None, '{"expirationTimestamp": "soon"}', "from .*soon"),
        (None, "[1]", "from .*"),
    ],
)
def test_a_plugin_that_is_not_as_it_has_to_be(
    tmp_path: Path, spec: dict[str, Any] | None, status: str, why: str
) -> None:
    if spec is None:
        program = tmp_path / "plugin"
        program.write_text(f"#!/bin/sh\necho '{{\"status\": {status}}}'\n")
        program.chmod(0o755)
        spec = {"command": str(program), "apiVersion": "v1"}
    credentials = access(config(tmp_path / "k", {"exec": spec}), "", "")
    with pytest.raises(WorldError, match=f"cannot load a credential {why}"):
        credentials.headers()


@pytest.mark.parametrize("server", ["https://api.example.com", "https://api.example.com:6443/k8s"])
def test_no_proxy_excepts_a_server_with_and_without_a_port(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = config(tmp_path / "k", {}, {"server": server, "insecure-skip-tls-verify": True})
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert access(file, "", "").proxy == "http://proxy:3128"
    monkeypatch.setenv("NO_PROXY", "api.example.com")
    assert access(file, "", "").proxy == ""


def test_several_files_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first that names something wins, as with kubectl."""
    first = config(tmp_path / "first", {"token": "1"}, namespace="a")
    second = config(tmp_path / "second", {"token": "2"}, namespace="b")
    monkeypatch.setenv("KUBECONFIG", f"{first}:{tmp_path}/missing:{second}")
    assert access("", "", "").namespace == "a"
    credentials = access("", "second", "")
    assert (credentials.namespace, credentials.headers()) == ("b", {"Authorization": "Bearer 1"})


def test_the_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = config(tmp_path / "k", {})
    assert access(file, "", "").namespace == "default"
    monkeypatch.setenv("HELM_NAMESPACE", "research")
    assert access(file, "", "").namespace == "research"
    assert access(file, "", "vision").namespace == "vision"


def test_proxies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    https = {"server": "https://api.example.com:6443", "insecure-skip-tls-verify": True}
    file = config(tmp_path / "k", {}, https)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert access(file, "", "").proxy == "http://proxy:3128"
    monkeypatch.setenv("NO_PROXY", "localhost,.example.com")
    assert access(file, "", "").proxy == ""
    own = config(tmp_path / "k", {}, {**https, "proxy-url": "http://own:1"})
    assert access(own, "", "").proxy == "http://own:1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "cannot load the kubeconfig"),
        ("{}", "no current-context is set"),
        ("current-context: x", "there is no context 'x'"),
        ("[]", "cannot load the kubeconfig"),
    ],
)
def test_kubeconfigs_that_cannot_be_read(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "k").write_text(text)
    with pytest.raises(WorldError, match=said):
        access(str(tmp_path / "k"), "", "")
