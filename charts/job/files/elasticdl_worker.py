"""Run an ElasticDL worker, and count it as done if it fails because the master has ended.

The master stops up to 30 seconds after the last task, and a worker that asks it for another one at
that moment fails. Once the master's pod has ended its name does not resolve, or, until the pod is
removed, resolves to an address that does not answer. While the address accepts or refuses
connections, the master may come back, and the worker with it. This runs in the job's image, on
Python 3.5 or newer.
"""

import runpy
import socket
import sys
import time
import traceback

WORKER = "elasticdl.python.worker.main"
INTERVAL = 5  # seconds between two attempts
ATTEMPTS = 4  # in a row that must fail, because a name may be gone for a moment
KNOWN = "kubernetes.default.svc"  # in every cluster: tells a missing name from a broken DNS


def main():
    sys.path[0] = ""  # as with `python -m`
    code = run()
    if not code or not address():
        return code
    print("the worker failed; looking for the master at %s:%s" % address(), flush=True)
    if not ended(*address()):
        return code
    print("the master has ended, so the worker is done", flush=True)
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
    """The master's name and port, from the worker's own flag."""
    for word in sys.argv[1:]:
        if word.startswith("--master_addr="):
            host, _, port = word.partition("=")[2].rpartition(":")
            return host, int(port)
    return ()


def ended(host, port):
    """Whether the master has ended; waits until it listens or clearly nobody is there."""
    missing = 0
    while missing < ATTEMPTS:
        try:
            socket.create_connection((host, port), 5).close()
            return False
        except OSError as error:
            gone = not isinstance(error, ConnectionRefusedError) and known()
            missing = missing + 1 if gone else 0
        time.sleep(INTERVAL)
    return True


def known():
    """Whether names can be resolved at all."""
    try:
        return bool(socket.getaddrinfo(KNOWN, 443))
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
