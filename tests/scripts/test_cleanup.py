"""The clean-up of a chart: when it considers the job to have ended, and what it then releases."""

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

FILES = ROOT / "charts/job/files"
# Runs a script with an API server that is a list of Jobs, and a clock that does not wait.
DRIVER = """
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import api
jobs, ends, refuse = json.loads(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4]
slept, done = [], []
def ask(method, path, body=None):
    if refuse:
        raise api.Refused(refuse)
    name = path.rpartition("/")[2]
    if method == "GET":
        decides = "decides" in path
        return {"items": [job for job in jobs if not decides or job["metadata"]["decides"]]}
    done.append([method, name, len(slept)])
    for job in jobs:
        if job["metadata"]["name"] == name:
            job["spec"]["suspend"] = True
def sleep(seconds):
    slept.append(seconds)
    for job in jobs:
        end = ends.get(job["metadata"]["name"])
        if end and end[1] == len(slept):
            job["status"] = {"conditions": [{"type": end[0], "status": "True"}]}
    if len(slept) > 500:
        raise SystemExit("waits for ever")
api.ask, api.time.sleep = ask, sleep
import cleanup
try:
    cleanup.main()
except api.Refused as error:
    print("refused: %s" % error)
print(json.dumps({"done": done, "slept": sum(slept)}))
"""


def job(name: str, role: str, decides: bool = False, suspend: bool = False) -> dict[str, Any]:
    labels = {"chartgen/role": role}
    return {
        "metadata": {"name": name, "labels": labels, "decides": decides},
        "spec": {"suspend": suspend},
        "status": {},
    }


def run(
    python: str, jobs: list[dict[str, Any]], ends: dict[str, Any], refuse: str = "", **more: str
) -> tuple[dict[str, Any], str]:
    """What the script did, and when it had slept how often; and what it said."""
    env = {"NAMESPACE": "n", "DECIDES": "decides", "COUNT": "1", "SERVES": "ps web"}
    env |= {"SELECTOR": "all", "POLICY": "suspend", **more}
    words = [python, "-c", DRIVER, str(FILES), json.dumps(jobs), json.dumps(ends), refuse]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    *said, last = done.stdout.splitlines()
    return json.loads(last), "\n".join(said)


def installed(version: str) -> str:
    """A Python of a version, on PATH or of pyenv."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(":")]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    for folder in folders:
        python = folder / f"python{version}"
        if python.exists() and folder.name != "shims":  # which fail for disabled versions
            return str(python)
    pytest.skip(f"Python {version} is not installed")


@pytest.mark.parametrize("version", ["", "2.7", "3.6"])
def test_servers_are_released_at_once_and_others_after_a_while(version: str) -> None:
    """A worker that ends by itself within minutes is left alone; one that does not is not."""
    python = installed(version) if version else sys.executable
    jobs = [job("chief", "chief", decides=True), job("ps-0", "ps"), job("ps-1", "ps")]
    jobs += [job("worker-0", "worker"), job("worker-1", "worker"), job("old", "ps", suspend=True)]
    ends = {"chief": ["Complete", 3], "worker-0": ["Complete", 20]}
    record, said = run(python, jobs, ends)
    released = [(name, count) for method, name, count in record["done"] if method == "PATCH"]
    assert [name for name, _ in released] == ["ps-0", "ps-1", "worker-1"]
    assert [count for _, count in released[:2]] == [4, 4]  # 5 s after the end was seen
    assert record["slept"] == 5 * 4 + 300
    assert said.splitlines() == [
        "decides: Complete",
        *(f"{name}: suspended" for name in ("ps-0", "ps-1", "worker-1")),
    ]


def test_after_a_failure_everything_is_released_at_once() -> None:
    jobs = [job("chief", "chief", decides=True), job("ps-0", "ps"), job("worker-0", "worker")]
    record, _ = run(sys.executable, jobs, {"chief": ["Failed", 1]}, POLICY="delete")
    assert [request[:2] for request in record["done"]] == [
        ["DELETE", "ps-0"],
        ["DELETE", "worker-0"],
    ]
    assert record["slept"] == 10


def test_nobody_waits_where_nothing_runs_any_more() -> None:
    jobs = [job("chief", "chief", decides=True), job("worker-0", "worker")]
    record, _ = run(sys.executable, jobs, {"chief": ["Complete", 1], "worker-0": ["Complete", 1]})
    assert record == {"done": [], "slept": 10}


def test_a_job_that_is_stopped_has_not_ended() -> None:
    jobs = [job("chief", "chief", decides=True, suspend=True), job("ps-0", "ps", suspend=True)]
    with pytest.raises(subprocess.CalledProcessError) as error:
        run(sys.executable, jobs, {})
    assert "waits for ever" in error.value.stderr


def test_without_rights_it_says_so_and_ends_well(tmp_path: Path) -> None:
    record, said = run(sys.executable, [], {}, refuse="GET jobs: 403")
    assert (record["done"], said) == ([], "refused: GET jobs: 403")


@pytest.fixture
def cleanup(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.syspath_prepend(FILES)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield importlib.import_module("cleanup")
    for name in ("any", "api", "cleanup", "strays"):
        sys.modules.pop(name, None)
    signal.signal(signal.SIGTERM, before)


def ended(end: str = "") -> dict[str, Any]:
    """A Job as the API server returns it."""
    return {"status": {"conditions": [{"type": end, "status": "True"}] if end else None}}


@pytest.mark.parametrize(
    ("ends", "count", "verdict"),
    [
        (["Complete"], 1, "Complete"),
        ([""], 1, ""),
        ([], 1, ""),
        (["Complete", ""], 2, ""),
        (["Complete"], 2, ""),
        (["Complete", "Complete"], 2, "Complete"),
        (["", "Failed"], 2, "Failed"),
        (["Complete", "Failed"], 3, "Failed"),
    ],
)
def test_a_job_has_ended_when_all_deciding_jobs_have(
    cleanup: Any, ends: list[str], count: int, verdict: str
) -> None:
    """It succeeded if each of them did and failed if one did; Jobs not yet there are waited for."""
    assert cleanup.verdict([ended(end) for end in ends], count) == verdict


@pytest.mark.parametrize(
    ("ends", "count", "verdict"),
    [
        (["", "Complete"], 2, "Complete"),
        (["Failed", "Complete"], 2, "Complete"),
        (["Failed", ""], 2, ""),
        (["Failed"], 2, ""),
        (["Failed", "Failed"], 2, "Failed"),
        ([], 1, ""),
    ],
)
def test_a_job_that_any_replica_decides_ends_with_the_first_that_succeeds(
    cleanup: Any, ends: list[str], count: int, verdict: str
) -> None:
    one_of_them = importlib.import_module("any")
    assert one_of_them.verdict([ended(end) for end in ends], count) == verdict


def test_a_condition_that_is_false_does_not_end_a_job(cleanup: Any) -> None:
    false = {"status": {"conditions": [{"type": "Complete", "status": "False"}]}}
    assert cleanup.outcome(false) == cleanup.outcome({}) == ""


def test_unmanaged_pods_are_selected_by_current_and_earlier_labels(
    cleanup: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade may change the selector; pods made by earlier Jobs have the earlier labels."""
    strays = importlib.import_module("strays").strays
    monkeypatch.setenv("STRAYS", "job=new,!chartgen/runtime-id")
    old = {"metadata": {"labels": {"job": "old", "chartgen/runtime-id": "76no"}}}
    assert strays([]) == ["job=new,!chartgen/runtime-id"]
    assert strays([old, old]) == ["job=new,!chartgen/runtime-id", "job=old,!chartgen/runtime-id"]
