"""Whether this machine can run a cluster; if not, what it lacks."""

import os
import shutil
import sys
from collections.abc import Iterator

from tests.e2e.process import Failure, run


def lacks() -> Iterator[str]:
    """What prevents `make e2e` here, the most important first."""
    yield from namespaces()
    if not shutil.which("go"):
        yield "Go, to build Kubernetes with (https://go.dev/doc/install)"
    if not shutil.which("apt-get"):
        yield "apt-get, to take etcd and a container runtime from Debian"


def namespaces() -> Iterator[str]:
    """What prevents us from having our own namespaces."""
    if sys.platform != "linux":
        yield "Linux"
    elif os.geteuid() != 0:
        yield "root, to make namespaces"
    else:
        try:
            run("unshare", "--mount", "--net", "--pid", "--fork", "true")
        except (Failure, FileNotFoundError) as trouble:
            yield f"namespaces: {' '.join(str(trouble).splitlines())}"
