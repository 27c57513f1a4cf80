"""Whether this machine can run a cluster; if not, what it lacks."""

import os
import shutil
import sys
from collections.abc import Iterator

from tests.e2e.process import Failure, run


def lacks() -> Iterator[str]:
    """What stands in the way of `make e2e` here, most telling first."""
    yield from namespaces()
    if not shutil.which("go"):
        yield "Go, to build Kubernetes with (https://go.dev/doc/install)"
    if not shutil.which("apt-get"):
        yield "apt-get, to take etcd and a container runtime from Debian"


def namespaces() -> Iterator[str]:
    """What stands in the way of namespaces of our own."""
    if sys.platform != "linux":
        yield "Linux"
    elif os.geteuid() != 0:
        yield "root, to make namespaces"
    else:
        try:
            run("unshare", "--mount", "--net", "--pid", "--fork", "true")
        except (Failure, FileNotFoundError) as trouble:
            yield f"namespaces: {' '.join(str(trouble).splitlines())}"
