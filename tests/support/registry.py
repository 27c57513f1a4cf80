"""A registry of charts on loopback, as a process of its own."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.paths import ROOT
from tests.support.programs import require_built

REGISTRY = ROOT / ".cache/registry/registry"
PORT = 18431


@contextmanager
def registry() -> Iterator[str]:
    """Start one that `make registry` built; the address to which charts are pushed."""
    command = [require_built(REGISTRY, "registry"), "-port", str(PORT)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            if "serving" in line:
                break
        try:
            yield f"oci://127.0.0.1:{PORT}/charts"
        finally:
            process.terminate()
