"""A replica that trains nothing: it says what it was told, answers who it is, and asks others who they are.

probe.py PORT WORD...      print the environment and the words that are --NAME=VALUE or -DNAME=VALUE as JSON, and answer
                           on PORT until stopped
probe.py ask HOST:PORT...  print what each of these answers, as JSON
"""

import json
import os
import re
import signal
import socket
import sys
import time
from typing import NoReturn

PATIENCE = 60  # seconds for a peer to be there


def serve(port: int, words: list[str]) -> NoReturn:
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(143))
    with socket.create_server(("", port)) as server:
        named = [found for word in words if (found := re.fullmatch(r"(?:--|-D)([^=]+)=(.*)", word))]
        say({**{found[1]: found[2] for found in named}, **os.environ})
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(socket.gethostname().encode())


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
        serve(int(sys.argv[1]), sys.argv[2:])
