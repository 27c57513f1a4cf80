"""A replica that does not train: it prints its parameters, and answers and asks for names.

probe.py WORD...           print the environment and words like --NAME=VALUE or -DNAME=VALUE as
                           JSON; answer on the port that is among the words until stopped
probe.py ask HOST:PORT...  print what each of these answers, as JSON
"""

import contextlib
import json
import os
import re
import signal
import socket
import sys
import time
from typing import NoReturn

PATIENCE = 60  # seconds for a peer to be there


def serve(port: int) -> NoReturn:
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(143))
    with socket.create_server(("", port)) as server:
        say({**flags(), **os.environ})
        while True:
            connection, _ = server.accept()
            with (
                connection,
                contextlib.suppress(OSError),
            ):  # some only check whether the port is open
                connection.settimeout(PATIENCE)
                connection.sendall(answer(connection.recv(1024)))


def answer(question: bytes) -> bytes:
    """Its name; an HTTP request asks for the number of workers, and gets a number large enough."""
    return (
        b"HTTP/1.0 200 OK\r\n\r\n1000000\n"
        if question.startswith(b"GET ")
        else socket.gethostname().encode()
    )


def flags() -> dict[str, str]:
    """The parameters that some frameworks pass as words, others as variables."""
    matches = [re.fullmatch(r"(?:--|-D)([^=]+)=(.*)", word) for word in sys.argv]
    return {match[1]: match[2] for match in matches if match}


def ask(address: str) -> str:
    host, port = address.rsplit(":", 1)
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(b"who")
                return connection.recv(1024).decode()
        except OSError as error:
            if time.monotonic() > limit:
                return f"{type(error).__name__}: {error}"
            time.sleep(0.5)


def say(data: dict[str, str]) -> None:
    sys.stdout.write(f"{json.dumps(data)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        say({address: ask(address) for address in sys.argv[2:]})
    else:
        serve(next(int(word) for word in sys.argv if word.isdigit()))
