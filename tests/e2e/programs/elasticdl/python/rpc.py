"""The protocol of master and worker: a line of JSON each way."""

import json
import socket
import socketserver
import threading
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
PATIENCE = 20  # seconds for an answer


def ask(address: str, **message: Any) -> Message:
    """What the master answers; an error at once if it is not there."""
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), PATIENCE) as connection,
        connection.makefile("rwb") as stream,
    ):
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()
        answer: Message = json.loads(stream.readline())
        return answer


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def serve(port: int, answer: Callable[[Message], Message]) -> None:
    """Answer on a port, for as long as the process lives."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            if (
                line := self.rfile.readline()
            ):  # a connection that only checks whether the port is open sends nothing
                self.wfile.write(json.dumps(answer(json.loads(line))).encode() + b"\n")

    server = _Server(("", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
