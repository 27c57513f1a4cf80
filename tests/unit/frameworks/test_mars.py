"""Mars: what no cluster can run is a problem."""

import pytest

from chartgen import pipeline
from chartgen.errors import InputError

JOB = """\
name: analysis
framework: mars
image: marsproject/mars:v0.6.0
runtimeId: 76no
roles:
  scheduler: {replicas: 2}
  worker: {replicas: 3, args: [--net-procs, 2], resources: {limits: {cpu: 4, memory: 16Gi}}}
  web: {}
  driver: {command: [python, run.py]}
"""


def problems(text: str) -> list[str]:
    (document,) = pipeline.read(text.encode(), "job.yaml")
    try:
        pipeline.check(document)
    except InputError as error:
        return [problem.rule for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        ("  web: {}\n", "", ["role-missing"]),
        ("driver: {", "driver: {replicas: 0, ", ["role-no-replicas"]),
        ("driver: {", "driver: {replicas: 2, ", ["role-one-replica"]),
        ("roles:", "mars: {minWorkers: 4}\nroles:", ["mars-min-workers"]),
        ("roles:", "mars: {minWorkers: 3}\nroles:", []),
        ("roles:", "mars: {cacheMemory: 80%}\nroles:", ["mars-cache-too-large"]),
        ("roles:", "mars: {cacheMemory: 12.7Gi}\nroles:", ["mars-cache-too-large"]),
        ("roles:", "mars: {cacheMemory: 12Gi}\nroles:", []),
        ("memory: 16Gi}}", "memory: 16Gi}, requests: {memory: 1Gi}}", ["mars-cache-too-large"]),
    ],
)
def test_a_job_that_no_cluster_can_run_is_a_problem(
    before: str, after: str, rules: list[str]
) -> None:
    """If a worker requests less memory than it may use, the request counts."""
    text = JOB.replace(before, after)
    assert problems(text if "mars: {" in text else text + "mars: {cacheMemory: 1Gi}\n") == rules
