"""chartgen's own commands on the cluster, as a person types them, and what Argo CD would say."""

import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

import yaml

from tests.e2e.releases import Object, Release
from tests.support.argocd import Application, application
from tests.support.paths import ROOT


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def start(release: Release, command: str, *words: str) -> "subprocess.Popen[str]":
    """Start `chartgen COMMAND RELEASE WORDS` in the cluster's network."""
    cluster = release.namespace.cluster
    line = ["nsenter", f"--net={cluster.namespace}", sys.executable, "-m", "chartgen", command]
    line += [release.name, "--namespace", release.namespace.name, *words]
    env = {**os.environ, **cluster.env, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(line, env=env, text=True, stdout=pipe, stderr=pipe)


def finished(child: "subprocess.Popen[str]") -> Said:
    """How a command ended that was started."""
    with child:
        try:
            out, err = child.communicate(timeout=300)
        except BaseException:
            child.kill()
            raise
        return Said(child.returncode, out, err)


def chartgen(release: Release, command: str, *words: str) -> Said:
    """What `chartgen COMMAND RELEASE WORDS` does."""
    return finished(start(release, command, *words))


def status(release: Release, *words: str) -> tuple[int, dict[str, Any], str]:
    """The exit code of `status`, its JSON, and what it said beside it."""
    said = chartgen(release, "status", "--output", "json", *words)
    return said.code, json.loads(said.out) if said.out else {}, said.err


def replica(release: Release, name: str) -> dict[str, Any]:
    """What status says about a replica."""
    job_status = status(release)[1]
    return next(replica for replica in job_status["replicas"] if replica["name"] == name)


def reported(release: Release, *words: str) -> tuple[int, str, str, str]:
    """The exit code of `status`, phase, state and reason; text and JSON must say the same."""
    code, job_status, _ = status(release, *words)
    text = " ".join(chartgen(release, "status").out.split())  # a long reason takes two lines
    phase, state, reason = job_status["phase"], job_status["state"], job_status["reason"]
    words_of_both = phase if phase == state else f"{phase}, {state}"
    place = f"{release.name} in {release.namespace.name}"
    assert text.startswith(f"{place}: {words_of_both}, ")
    assert f" old {reason} REPLICA STATE" in text
    return code, phase, state, reason


def argocd(release: Release) -> Application:
    """What Argo CD would say about the release, if it had installed it."""
    namespace = release.namespace
    manifest = namespace.cluster.run(
        *(release.helm, "--namespace", namespace.name, "get", "manifest", release.name)
    )
    desired: list[Object] = [document for document in yaml.safe_load_all(manifest) if document]
    file = namespace.folder / f"{release.name}-manifest.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": desired}))
    live = namespace.kubectl("get", "--filename", str(file), "--ignore-not-found", "--output=json")
    return application(desired, json.loads(live)["items"])
