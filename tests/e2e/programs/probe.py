"""A replica that trains nothing: it says what it was told, answers who it is, and asks others who they are.

probe.py [WORD...] PORT    print the environment, and flags among the words, as JSON; answer on PORT until stopped
probe.py ask HOST:PORT...  print what each of these answers, as JSON
"""

import json
import os
import signal
import socket
import sys
import time
from typing import NoReturn

PATIENCE = 60  # seconds for a peer to be there


def serve(port: int) -> NoReturn:
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(143))
    with socket.create_server(("", port)) as server:
        say({**os.environ, **flags()})
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(socket.gethostname().encode())


def flags() -> dict[str, str]:
    """The words --NAME=VALUE, by which some frameworks tell what others tell by variables."""
    return dict(word.split("=", 1) for word in sys.argv[1:] if word.startswith("--") and "=" in word)


def ask(address: str) -> str:
    host, port = address.rsplit(":", 1)
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=5) as connection:
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
        serve(int(sys.argv[-1]))
