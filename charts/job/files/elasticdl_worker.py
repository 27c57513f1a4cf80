"""Run an ElasticDL worker, and take it for done if it fails because the master is over.

The master stops up to 30 seconds after the last task, and a worker that asks it for another one at that moment fails.
Once the master's pod is over its name leads nowhere, or, until the pod is removed, to an address where nobody is. While
somebody is there, who listens or refuses, the master may come back, and the worker with it. It runs in the job's own
image, on Python 3.5 or newer.
"""

import runpy
import socket
import sys
import time
import traceback

WORKER = "elasticdl.python.worker.main"
INTERVAL = 5  # seconds between two looks
LOOKS = 4  # in a row that must find nobody, for a name may be gone for a moment
KNOWN = "kubernetes.default.svc"  # which every cluster has, to tell a name that is gone from a DNS that is


def main():
    sys.path[0] = ""  # as with `python -m`
    code = run()
    if not code or not address():
        return code
    print("the worker failed; looking for the master at %s:%s" % address(), flush=True)
    if not over(*address()):
        return code
    print("the master is over, and so is its worker", flush=True)
    return 0


def run():
    """Run the worker, and return its exit code."""
    try:
        runpy.run_module(WORKER, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def address():
    """The master's name and port, by the worker's own flag."""
    for word in sys.argv[1:]:
        if word.startswith("--master_addr="):
            host, _, port = word.partition("=")[2].rpartition(":")
            return host, int(port)
    return ()


def over(host, port):
    """Whether the master is over; there is no answer until it listens, or plainly nobody is there."""
    missing = 0
    while missing < LOOKS:
        try:
            socket.create_connection((host, port), 5).close()
            return False
        except OSError as error:
            gone = not isinstance(error, ConnectionRefusedError) and known()
            missing = missing + 1 if gone else 0
        time.sleep(INTERVAL)
    return True


def known():
    """Whether names can be asked at all."""
    try:
        return bool(socket.getaddrinfo(KNOWN, 443))
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
