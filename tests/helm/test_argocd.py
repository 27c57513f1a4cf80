"""What Argo CD says about a job while it runs, when it has ended, and when it is stopped."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.support.argocd import Application, application
from tests.support.charts import read_objects, render

JOB = """
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {}
  worker: {replicas: 2}
  ps: {}
"""
COMPLETE = {"type": "Complete", "status": "True"}
FAILED = {"type": "Failed", "status": "True", "message": "Job has reached the backoff limit"}
SUSPENDED = {"type": "Suspended", "status": "True", "reason": "JobSuspended"}
RESUMED = {"type": "Suspended", "status": "False", "reason": "JobResumed"}


def application_with(
    desired: list[Any], ends: dict[str, Any], annotations: str = "live"
) -> Application:
    """An application whose Jobs have these conditions, by role; those of no role are cleanup's."""
    live = copy.deepcopy(desired)
    for manifest in live:
        role = manifest["metadata"]["labels"].get("chartgen/role", "cleanup")
        if manifest["kind"] == "Job" and role in ends:
            condition = ends[role]
            manifest["status"] = {"conditions": [condition]}
            # As the clean-up and `chartgen stop` leave it.
            manifest["spec"]["suspend"] = condition is SUSPENDED
    return application(desired, live, annotations)


@pytest.mark.parametrize("annotations", ["live", "desired"])
@pytest.mark.parametrize(
    ("health", "ends"),
    [
        ("Progressing", {}),
        ("Progressing", {"worker": COMPLETE}),
        ("Progressing", {"chief": COMPLETE, "ps": SUSPENDED}),
        ("Healthy", {"chief": COMPLETE, "worker": COMPLETE}),  # before the clean-up has begun
        ("Healthy", {"chief": COMPLETE, "worker": COMPLETE, "ps": SUSPENDED, "cleanup": COMPLETE}),
        ("Degraded", {"chief": FAILED, "worker": SUSPENDED, "ps": SUSPENDED, "cleanup": COMPLETE}),
        ("Degraded", {"worker": FAILED}),
        ("Suspended", {"chief": SUSPENDED, "worker": SUSPENDED, "ps": SUSPENDED}),
        ("Suspended", {"chief": SUSPENDED, "worker": COMPLETE, "ps": SUSPENDED}),
    ],
    ids=str,
)
def test_health(
    health: str, ends: dict[str, Any], annotations: str, helm: str, tmp_path: Path
) -> None:
    """The application is as the job is, whatever its servers and its clean-up do; never drift."""
    app = application_with(read_objects(helm, render(JOB, tmp_path)), ends, annotations)
    assert (app.health, app.synced) == (health, True)


def test_a_resumed_job_is_healthy_to_argo_cd_before_it_ends(helm3: str, tmp_path: Path) -> None:
    """Its code takes the condition that a Job is no longer suspended for an end."""
    resumed = dict.fromkeys(("chief", "worker", "ps"), RESUMED)
    assert application_with(read_objects(helm3, render(JOB, tmp_path)), resumed).health == "Healthy"


def test_a_deleted_job_is_drift_and_missing(helm3: str, tmp_path: Path) -> None:
    """Which is why `cleanup: delete` warns."""
    desired = read_objects(helm3, render(JOB, tmp_path))
    gone = [
        manifest
        for manifest in desired
        if manifest["metadata"]["labels"].get("chartgen/role") == "ps"
    ]
    gone = [manifest for manifest in gone if manifest["kind"] == "Job"]
    live = [manifest for manifest in desired if manifest not in gone]
    app = application(desired, live)
    assert [*app.drift()] == [f"Job/{manifest['metadata']['name']}" for manifest in gone]
    assert app.health == "Missing"
    assert application(desired, live, "desired").health == "Progressing"
