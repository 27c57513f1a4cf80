"""The clean-up that a chart brings: when it takes the job for ended."""

import runpy
from pathlib import Path
from typing import Any

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "charts/job/files/cleanup.py"))


def job(end: str = "") -> dict[str, Any]:
    """A Job as the API server tells of it."""
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
def test_a_job_has_ended_when_all_that_decide_have(ends: list[str], count: int, verdict: str) -> None:
    """Well if each of them did, badly if one did not; Jobs that are still to come are waited for."""
    assert SCRIPT["verdict"]([job(end) for end in ends], count) == verdict


def test_a_condition_that_does_not_hold_is_no_end() -> None:
    assert SCRIPT["outcome"]({"status": {"conditions": [{"type": "Complete", "status": "False"}]}}) == ""
    assert SCRIPT["outcome"]({}) == ""


def test_strays_are_those_of_now_and_of_the_jobs_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade may change what they are selected by; what the old Jobs made has the labels of old."""
    monkeypatch.setenv("STRAYS", "job=new,!chartgen/runtime-id")
    old = {"metadata": {"labels": {"job": "old", "chartgen/runtime-id": "76no"}}}
    assert SCRIPT["strays"]([]) == ["job=new,!chartgen/runtime-id"]
    assert SCRIPT["strays"]([old, old]) == ["job=new,!chartgen/runtime-id", "job=old,!chartgen/runtime-id"]
