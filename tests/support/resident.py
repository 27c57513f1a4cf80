"""Helms that stay: one process runs many commands, and starts once instead of for each of them.

`make resident-helm` builds them from Helm's own sources; without one, every command is a process of
the Helm that a test names. tests/helm/test_resident.py compares the two.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock

import pytest

from chartgen.world import helm as chartgen_helm
from tests.support.once import once
from tests.support.paths import ROOT

Ran = subprocess.CompletedProcess[str]


class Resident:
    """A Helm that stays."""

    def __init__(self, program: str) -> None:
        # It lives long enough to collect garbage, but seldom: little of it is still in use. With
        # two processors, Go would also collect on the one that another worker's tests need.
        own = {"CHARTGEN_RESIDENT_HELM": "1", "GOGC": "off", "GOMEMLIMIT": "256MiB"}
        own["GOMAXPROCS"] = "1"
        env = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
        self.turn = Lock()  # a stand-in for a cluster asks in a thread of its own
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**env, **own}
        )

    def run(self, args: Sequence[str]) -> Ran | None:
        """What a command does; nothing if Helm ended instead of answering."""
        assert self.process.stdin
        assert self.process.stdout
        asked = json.dumps({"folder": os.getcwd(), "args": args})
        with self.turn:
            self.process.stdin.write(asked.encode() + b"\n")
            self.process.stdin.flush()
            said = self.process.stdout.readline()
        if not said:
            return None
        answer = json.loads(said)
        return subprocess.CompletedProcess(
            args, answer["code"], stdout=answer["out"], stderr=answer["err"]
        )

    def end(self) -> None:
        self.process.communicate()


_residents: dict[str, Resident] = {}  # by what they were started with


def run(helm: str, args: Sequence[str]) -> Ran | None:
    """What a command does in the Helm that stays; nothing if there is none like this one."""
    place = program(helm)
    if not place.exists():
        return None
    # Helm reads its variables when it starts. What tests ask needs no cluster: KUBECONFIG is only
    # about the namespace, and a command that would look there for it is run by a new process.
    if "KUBECONFIG" in os.environ and not _names_namespace(args):
        return None
    said = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("HELM_", "KUBE")) and name != "KUBECONFIG"
    }
    key = repr((helm, sorted(said.items())))
    if key not in _residents:
        _residents[key] = Resident(str(place))
    done = _residents[key].run(args)
    if not done:
        _residents.pop(key).end()
    return done


def _names_namespace(args: Sequence[str]) -> bool:
    return args[0] == "version" or any(word.startswith("--namespace=") for word in args)


def serve(patch: pytest.MonkeyPatch, helms: Mapping[str, str]) -> None:
    """Let chartgen in this process ask them when it only reads charts.

    `helms` has the paths that chartgen knows, and which Helm each of them is.
    """
    new_process = chartgen_helm._outcome

    def outcome(
        command: list[str], stdin: bytes | None, timeout: float | None, undisturbed: bool
    ) -> tuple[int, bytes, bytes]:
        path, *args = command
        reads = path in helms and args[0] in ("lint", "template", "version") and stdin is None
        done = run(helms[path], args) if reads else None
        if not done:
            return new_process(command, stdin, timeout, undisturbed)
        return done.returncode, done.stdout.encode(), done.stderr.encode()

    patch.setattr(chartgen_helm, "_outcome", outcome)


def end() -> None:
    """End all of them."""
    while _residents:
        _residents.popitem()[1].end()


@cache
def program(helm: str) -> Path:
    """Where the Helm that stays is, if it was built for this version."""
    words = [helm, "version", "--template", "{{.Version}}"]
    name = "version-" + helm.replace("/", "-")
    version = once(name, lambda place: place.write_bytes(subprocess.check_output(words)))
    return ROOT / ".cache/resident" / version.read_text("utf-8")
