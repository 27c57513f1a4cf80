"""How the chart's pods reach the API server: through its restarts, with renewed tokens."""

import http.server
import importlib
import json
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT


class Server:
    """An API server that answers with given codes, then with 200."""

    def __init__(self, folder: Path) -> None:
        self.codes: list[int] = []
        self.asked: list[tuple[str, str, str]] = []  # method, type of content, token
        key, certificate = folder / "key.pem", folder / "ca.crt"
        words = (
            "req -x509 -newkey rsa:2048 -nodes -subj /CN=api -addext subjectAltName=IP:127.0.0.1"
        )
        made = ["openssl", *words.split(), "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(made, check=True, capture_output=True)
        there = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                kind = self.headers.get("Content-Type") or ""
                there.asked.append((self.command, kind, self.headers["Authorization"]))
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(there.codes.pop(0) if there.codes else 200)
                self.end_headers()
                self.wfile.write(json.dumps({"items": []}).encode())

            def do_PATCH(self) -> None:
                self.do_GET()

            def do_DELETE(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("mount")
    made = Server(folder)
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def api(
    server: Server, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """The script as a module, in a pod whose server has not been asked yet; its clock is fast."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.syspath_prepend(ROOT / "charts/job/files")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module("api")
    mount = next(tmp_path_factory.getbasetemp().glob("mount*"))
    (mount / "token").write_text("first")
    monkeypatch.setattr(module, "MOUNT", str(mount))
    monkeypatch.setattr(module, "INTERVAL", 0)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.server.server_address[1]))
    server.codes, server.asked = [], []
    yield module
    sys.modules.pop("api", None)
    signal.signal(signal.SIGTERM, before)


def test_requests_say_what_they_bring(api: Any, server: Server) -> None:
    api.find("/jobs", "a=b")
    api.ask("PATCH", "/jobs/x", {"spec": {}})
    api.remove("/jobs", "x")
    assert [request[:2] for request in server.asked] == [
        ("GET", ""),
        ("PATCH", "application/merge-patch+json"),
        ("DELETE", "application/json"),
    ]


@pytest.mark.parametrize("codes", [[500, 503, 429], [403, 403, 403], [401, 500, 403]])
def test_what_may_pass_is_tried_again(api: Any, server: Server, codes: list[int]) -> None:
    """A server that starts or is busy, and one that does not know a new Role yet."""
    server.codes = [*codes]
    assert api.ask("GET", "/jobs") == {"items": []}
    assert len(server.asked) == len(codes) + 1


@pytest.mark.parametrize("codes", [[403] * 4, [400], [404]])
def test_a_refusal_that_lasts_is_told(api: Any, server: Server, codes: list[int]) -> None:
    server.codes = [*codes]
    with pytest.raises(api.Refused, match=f"GET /jobs: {codes[0]} "):
        api.ask("GET", "/jobs")


def test_what_is_gone_already_need_not_be_released(api: Any, server: Server) -> None:
    server.codes = [404, 404]
    assert api.ask("PATCH", "/jobs/x", {"spec": {}}) is None
    api.remove("/jobs", "x")


def test_a_server_that_cannot_be_reached_is_asked_again_with_the_token_of_then(
    api: Any, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It restarts, perhaps on another address, while the kubelet renews the token."""
    port = str(server.server.server_address[1])
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    real, tries = api.HTTPSConnection, []

    def refused_once(*args: Any, **options: Any) -> Any:
        tries.append(1)
        if len(tries) < 3:
            (Path(api.MOUNT) / "token").write_text(f"token-{len(tries)}")
            raise ConnectionRefusedError("Connection refused")
        return real(*args, **options)

    monkeypatch.setattr(api, "HTTPSConnection", refused_once)
    assert api.ask("GET", "/jobs") == {"items": []}
    assert [request[2] for request in server.asked] == ["Bearer token-2"]
    assert capsys.readouterr().out.count("Connection refused; trying again") == 2
