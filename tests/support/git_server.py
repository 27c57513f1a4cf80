"""A Git server on loopback: Git's own program for it, behind Python's HTTP server."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.http_server import serving


@contextmanager
def git_server(folder: Path) -> Iterator[str]:
    """Serve the repositories below a folder, read-only; the address of the folder."""

    class Handler(_Handler):
        root = folder

    with serving(Handler) as url:
        yield url


class _Handler(BaseHTTPRequestHandler):
    """Asks `git http-backend`, as a web server does by CGI."""

    root: Path
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Say which branches there are."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Give the objects that the other side lacks."""
        self._answer(self._body())

    def log_message(self, *_: object) -> None:
        """Say nothing: the log of a test is for failures."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _answer(self, body: bytes) -> None:
        address = urlsplit(self.path)
        env = {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, env={**os.environ, **env}, capture_output=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.partition(": ") for line in head.decode().splitlines()]
        status = next((value for name, _, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, _, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
