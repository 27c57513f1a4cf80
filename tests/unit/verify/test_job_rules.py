"""The policy about Jobs: it refuses what the API server refuses, and nothing else."""

import pytest

from chartgen.verify.policy import jobs
from tests.support.job_specs import ACCEPTED, REFUSED, Spec, job


@pytest.mark.parametrize(("field", "spec"), REFUSED)
def test_what_the_api_server_refuses_is_a_problem_of_its_field(field: str, spec: Spec) -> None:
    (problem,) = jobs.check([job(**spec)])
    assert problem.mark.file == "Job/worker-0"
    assert problem.message.partition(": ")[0].endswith(field)


@pytest.mark.parametrize("spec", ACCEPTED)
def test_what_the_api_server_accepts_is_not_a_problem(spec: Spec) -> None:
    assert list(jobs.check([job(**spec)])) == []


def test_jobs_of_a_cron_job_follow_the_same_rules() -> None:
    spec = {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"managedBy": "controller"}}}
    obj = {"kind": "CronJob", "metadata": {"name": "nightly"}, "spec": spec}
    (problem,) = jobs.check([obj])
    assert problem.message.startswith("spec.jobTemplate.spec.managedBy: Kubernetes refuses")


@pytest.mark.parametrize(
    "policy",
    [
        {"rules": None},
        {"rules": ["Ignore"]},
        {"rules": [{"action": ["Ignore"], "onExitCodes": 3, "onPodConditions": ["x"]}]},
        {"rules": [{"action": 3, "onExitCodes": {"operator": 1, "values": ["a"]}}]},
        {"rules": [{"onExitCodes": {"values": None, "containerName": ["x"]}}]},
    ],
)
def test_odd_shapes_which_schemas_report_break_nothing(policy: object) -> None:
    for problem in jobs.check([job(podFailurePolicy=policy)]):
        assert problem.message.startswith("spec.podFailurePolicy.rules[0]")
