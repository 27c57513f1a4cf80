"""chartgen's own commands on the cluster, as a person types them."""

import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

from tests.e2e.releases import Release
from tests.support.paths import ROOT


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def chartgen(release: Release, command: str, *words: str) -> Said:
    """What `chartgen COMMAND RELEASE WORDS` does, in the cluster's network."""
    cluster = release.namespace.cluster
    line = ["nsenter", f"--net={cluster.namespace}", sys.executable, "-m", "chartgen", command]
    line += [release.name, "--namespace", release.namespace.name, *words]
    env = {**os.environ, **cluster.env, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=300)
    return Said(done.returncode, done.stdout, done.stderr)


def status(release: Release, *words: str) -> tuple[int, dict[str, Any], str]:
    """The exit code of `status`, its JSON, and what it said beside it."""
    said = chartgen(release, "status", "--output", "json", *words)
    return said.code, json.loads(said.out) if said.out else {}, said.err
