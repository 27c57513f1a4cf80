"""An API server that serves JSON: collections with label selectors, watches, logs and patches."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.http_server import serving

Object = dict[str, Any]


class FakeApi:
    """What the server holds, what it was asked, and how it misbehaves."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.objects: dict[str, list[Object]] = {"jobs": [], "pods": [], "events": []}
        self.logs: dict[str, list[str]] = {}  # by pod, lines with their times
        self.asked: list[str] = []  # method and path, with the query
        self.tokens: list[str] = []
        self.refuse: Callable[[str], tuple[int, str] | None] = lambda _: None
        self.raw = b""  # what it answers in place of everything
        self.expired = 0  # watches that are told that their version is too old
        self.changed = threading.Condition()
        self.token = folder / "token"
        self.token.write_text("first\n")
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(self._kubeconfig()))

    def _kubeconfig(self) -> Object:
        context = {"cluster": "here", "user": "me", "namespace": "research"}
        return {
            "clusters": [{"name": "here", "cluster": {"server": self.url}}],
            "users": [{"name": "me", "user": {"tokenFile": "token"}}],
            "contexts": [{"name": "own", "context": context}],
            "current-context": "own",
        }

    def put(self, plural: str, *objects: Object) -> None:
        """Add or replace objects, and tell those who watch."""
        with self.changed:
            names = {manifest["metadata"]["name"] for manifest in objects}
            rest = [
                manifest
                for manifest in self.objects[plural]
                if manifest["metadata"]["name"] not in names
            ]
            self.objects[plural] = [*rest, *objects]
            self.changed.notify_all()

    def selected(self, plural: str, query: dict[str, str]) -> list[Object]:
        """The objects of a collection that a label selector and a type of event select."""
        objects = []
        for manifest in self.objects[plural]:
            labels = manifest["metadata"].get("labels") or {}
            terms = [term for term in query.get("labelSelector", "").split(",") if term]
            matches = True
            for term in terms:
                name, sign, value = term.partition("=")
                matches &= name in labels and (not sign or labels[name] == value)
            if "type=Warning" in query.get("fieldSelector", ""):
                matches &= manifest.get("type") == "Warning"
            if matches:
                objects.append(manifest)
        return objects


@contextmanager
def started(folder: Path) -> Iterator[FakeApi]:  # noqa: C901
    """A server that answers until the end of the `with`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            there.asked.append(f"GET {self.path}")
            there.tokens.append(self.headers.get("Authorization", ""))
            if refusal := there.refuse(self.path):
                self._json(refusal[0], {"kind": "Status", "message": refusal[1]})
                return
            path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
            if path.endswith("/log"):
                self._log(path.split("/")[-2], query)
                return
            plural = path.rpartition("/")[2]
            if query.get("watch"):
                self._watch(plural, query)
                return
            items = there.selected(plural, query)
            start = int(query.get("continue") or 0)
            page = items[start : start + int(query.get("limit") or len(items) or 1)]
            more = start + len(page)
            meta = {"resourceVersion": "7", "continue": str(more) if more < len(items) else ""}
            self._json(200, {"metadata": meta, "items": page})

        def do_PATCH(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            there.asked.append(f"PATCH {self.path} {json.dumps(body)}")
            if refusal := there.refuse(self.path):
                self._json(refusal[0], {"kind": "Status", "message": refusal[1]})
                return
            plural, name = self.path.split("/")[-2:]
            for manifest in there.objects[plural]:
                if manifest["metadata"]["name"] == name:
                    manifest["spec"] |= body["spec"]
                    self._json(200, manifest)

        def _json(self, code: int, answer: Object) -> None:
            body = there.raw or json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _begin(self) -> None:
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True

        def _watch(self, plural: str, query: dict[str, str]) -> None:
            """Tell each state of the collection that is new; end after a moment, as servers do."""
            self._begin()
            if there.expired:
                there.expired -= 1
                gone = {"kind": "Status", "code": 410, "message": "too old resource version"}
                self._line(json.dumps({"type": "ERROR", "object": gone}))
                return
            told: dict[str, str] = {}
            end = time.monotonic() + 2
            with there.changed:
                while time.monotonic() < end:
                    for manifest in there.selected(plural, query):
                        text = json.dumps(manifest)
                        if told.get(manifest["metadata"]["uid"]) != text:
                            told[manifest["metadata"]["uid"]] = text
                            manifest = {
                                **manifest,
                                "metadata": {**manifest["metadata"], "resourceVersion": "8"},
                            }
                            self._line(json.dumps({"type": "MODIFIED", "object": manifest}))
                    there.changed.wait(0.2)

        def _log(self, pod: str, query: dict[str, str]) -> None:
            """The lines from a time on; a follower too gets those that exist, and then the end."""
            if pod not in there.logs:
                self._json(400, {"message": f"container in pod {pod} is waiting to start"})
                return
            lines = [
                line for line in there.logs[pod] if line[:19] >= query.get("sinceTime", "")[:19]
            ]
            if "tailLines" in query:
                lines = lines[-int(query["tailLines"]) :]
            self._begin()
            for line in lines:
                self._line(line)

        def _line(self, text: str) -> None:
            self.wfile.write(f"{text}\n".encode())
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    with serving(Handler) as url:
        there = FakeApi(folder, url)
        yield there
