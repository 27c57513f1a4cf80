"""charts/job/files/wait.sh: what it waits for, what it prints, and when it ends."""

import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.paths import ROOT

WAIT = ROOT / "charts/job/files/wait.sh"


@contextmanager
def listening(answer: bytes = b"") -> Iterator[int]:
    """The port of a server on loopback that gives every connection the same answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    if answer:
                        client.recv(1000)
                        client.sendall(
                            b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                            % (len(answer), answer)
                        )

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def wait(**variables: str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", WAIT],
        env={"PATH": "/usr/bin:/bin", **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_waiting_ends_when_all_hosts_accept_connections() -> None:
    with listening() as first, listening() as second:
        code, output = wait(HOSTS=f"127.0.0.1 {first}\n127.0.0.1 {second}\n")
    assert code == 0
    assert re.fullmatch(r"ready after \d+ seconds\n", output)


def test_waiting_ends_with_a_signal() -> None:
    """The shell is process 1 of its pod, which ignores a signal that it has no handler for."""
    with listening() as free:
        pass
    env = {"PATH": "/usr/bin:/bin", "HOSTS": f"127.0.0.1 {free}"}
    with subprocess.Popen(["sh", WAIT], env=env, stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert b"waiting" in child.stdout.readline()
        child.terminate()
        assert child.wait(30) == 143


def test_waiting_names_the_missing_hosts_and_gives_up_in_time() -> None:
    with listening() as free:
        pass
    code, output = wait(HOSTS=f"127.0.0.1 {free}", TIMEOUT="3")
    missing = f"127.0.0.1:{free} does not accept connections yet"
    assert (code, output) == (1, f"waiting: {missing}\ngave up after 3 seconds: {missing}\n")


def test_waiting_for_a_number() -> None:
    with listening(b"2") as port:
        asked = {"WEB": f"127.0.0.1 {port}", "ASK": "/api/worker?action=count", "TIMEOUT": "1"}
        assert wait(LEAST="2", **asked)[0] == 0
        code, output = wait(LEAST="3", **asked)
        assert code == 1
        assert "returns 2, expected at least 3" in output


def test_waiting_for_a_number_of_entries_of_a_page() -> None:
    node = b'{"status": 1, "update_time": 9}'
    page = b'{"nodes": {"a:1": %s, "b:1": %s}}' % (node, node)
    with listening(page) as port:
        asked = {"WEB": f"127.0.0.1 {port}", "ASK": "/nodes", "TIMEOUT": "1"}
        asked["COUNT"] = '"update_time"'
        assert wait(LEAST="2", **asked)[0] == 0
        code, output = wait(LEAST="3", **asked)
        assert code == 1
        assert "returns 2, expected at least 3" in output


def test_waiting_for_a_name() -> None:
    assert wait(NAME="localhost", TIMEOUT="1")[0] == 0
    code, output = wait(NAME="supervisor.invalid", TIMEOUT="1")
    assert code == 1
    assert "supervisor.invalid is not known to the DNS yet" in output
