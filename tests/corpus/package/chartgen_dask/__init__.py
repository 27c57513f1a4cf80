"""Dask: a scheduler and the workers that connect to it.

Example
  name: frames
  framework: dask
  image: registry.example.com/dask:2026.1
  roles:
    scheduler: {}
    worker: {replicas: 2}
"""

from chartgen.api import Env, Host, Option, Plan, RolePlan, Start, text

NAME = "dask"
TITLE = "Dask"
ROLES = {"scheduler": "hands out the work", "worker": "does the work"}
FIRST = ("scheduler", "worker")
OPTIONS = {"protocol": ("tcp", "tls"), "threads": 1}
CONTAINER = "dask"


def check(job, document):
    if job.replicas("scheduler") != 1:
        yield document.problem(("roles",), "expected 1 scheduler", "role-one-replica")


def plan(job):
    address = text(Option("dask.protocol"), "://", Host("scheduler", 0, port=True))
    env = (Env("DASK_SCHEDULER_ADDRESS", address),)
    scheduler = Start((text("dask"), text("scheduler")))
    worker = Start((text("dask"), text("worker"), text("--nthreads"), text(Option("dask.threads"))))
    roles = (
        RolePlan("scheduler", "dask", 8786, "scheduler", True, {}, (), start=scheduler, serves=True),
        RolePlan("worker", "dask", None, "", False, {}, env, start=worker, serves=True),
    )
    return Plan(TITLE, roles, (), "", ("DASK_SCHEDULER_ADDRESS",))
