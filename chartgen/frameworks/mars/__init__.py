"""Mars: tensors, data frames and machine learning on a cluster of workers; also Xorbits.

The job is a Mars cluster and, with a driver, the program that uses it: the driver starts when
enough workers are ready, and when it ends the job ends and the cluster is stopped. Without a
driver the cluster runs until it is uninstalled, and sessions connect from outside, to the address
that NOTES.txt prints.

Roles
  scheduler   plans the work and assigns it to workers; only in Mars 0.3 to 0.6, like web
  supervisor  the same, with the web UI, in Mars 0.7 to 0.10 and Xorbits; exactly one, because
              sessions have been seen to hang in a cluster with two
  worker      computes; workers may come and go while the job runs
  web         the web UI, and the endpoint for sessions
  driver      the program that uses the cluster; when it ends, the job ends; at most one

Example
  name: analysis
  framework: mars
  image: marsproject/mars:v0.6.0
  roles:
    scheduler: {}
    worker:
      replicas: 4
      resources: {limits: {cpu: 4, memory: 16Gi}}
    web: {}
    driver:
      command: [python, -c]
      args:
        - |
          import os, mars.tensor as mt
          from mars.session import new_session
          new_session(os.environ['MARS_ENDPOINT']).as_default()
          a = mt.random.rand(1000, 1000)
          print(a.dot(a.T).sum().execute())
  mars:
    cacheMemory: 25%

Dialects
  mars.dialect: "0.3"    Mars 0.3 to 0.6: scheduler, worker and web (the default)
  mars.dialect: "0.7"    Mars 0.7 to 0.10: supervisor and worker
  mars.dialect: xorbits  Xorbits: supervisor and worker
  The dialect is fixed when the chart is rendered. With supervisors, a description is just as short:

    framework: mars
    image: marsproject/mars:v0.10.0
    roles:
      supervisor: {}
      worker: {replicas: 4, resources: {limits: {cpu: 4, memory: 16Gi}}}
    mars: {dialect: "0.7"}

What runs
  scheduler, worker and web run `python -m mars.scheduler` and so on, of Mars 0.3 to 0.6, with their
  port (7103) and the addresses of the schedulers; a role's `args` are appended. Workers and web
  start when all schedulers listen.
  supervisor and worker run `python -m mars.deploy.oscar.supervisor` and so on, or `python -m
  xorbits.supervisor`. The port of the supervisor (7104) is that of its web service, and workers
  start when it listens; among themselves, processes use port 7103 and ports of their own choice.

Restarts
  A worker that fails is replaced by a new pod (restartPolicy: Never), up to 6 times, because
  schedulers avoid the address of a dead one for an hour. Schedulers, supervisors and web are
  started again in their pods (OnFailure); what the cluster computed is lost then. A driver that
  fails is not started again (restartPolicy: Never, backoffLimit: 0), unless its `backoffLimit` says
  so.

Environment
  MARS_ENDPOINT is the address of the web service, for the driver:
    new_session(os.environ['MARS_ENDPOINT']).as_default()    Mars 0.3 to 0.6
    mars.new_session(os.environ['MARS_ENDPOINT'])            Mars 0.7 to 0.10
    xorbits.init(os.environ['MARS_ENDPOINT'])                Xorbits
  MKL_NUM_THREADS, MARS_CPU_TOTAL and MARS_MEMORY_TOTAL follow what a role requests; the job may set
  them itself. MARS_CPU_TOTAL is in whole CPUs, and at least 2 for a worker of Mars 0.3 to 0.6,
  which gives work only to workers with a spare CPU. MARS_LOAD_MODULES (XORBITS_LOAD_MODULES in
  Xorbits) lists modules that a role imports. The job cannot set MARS_CONTAINER_IP, MARS_K8S_* or
  variables that belong to an option.
  A worker has a process for each CPU and some more, and Mars counts the memory they share, about
  150 MB, once for each process: a worker with too little memory computes nothing. Request more, or
  use fewer processes (args: [--net-procs, 1] with Mars 0.3 to 0.6).

Options
  mars.discovery: endpoints  every process gets the names of the schedulers or supervisors; none
                             uses the Kubernetes API (the default)
  mars.discovery: api        schedulers and workers find each other through the Kubernetes API; the
                             chart lets them read pods, and they only consider their own release;
                             only with Mars 0.3 to 0.6
  mars.cacheMemory           memory that a worker's processes share: an amount (4Gi), or a share
                             of what the worker requests (25%); by default half of what is free.
                             /dev/shm is a volume in memory that holds it. With Mars 0.7 to 0.10
                             this means a Plasma store, which the image must have (pyarrow before
                             12); without it, and in Xorbits, data is in /dev/shm itself.
  mars.minCacheMemory        how much of it a worker needs to start; with Mars 0.3 to 0.6
  mars.spillDirs             directories for what does not fit into memory; mount volumes there;
                             not in Xorbits, and with Mars 0.7 to 0.10 only with cacheMemory
  mars.minWorkers            how many workers the driver waits for; by default all of them
  mars.timeout               after how many seconds the driver stops waiting; by default never
  mars.serviceType           type of the Service for sessions: NodePort (the default), ClusterIP or
                             LoadBalancer

Rescaling
  helm upgrade NAME CHART --reuse-values --set roles.worker.replicas=20
  adds workers, or removes those with the highest indexes, and leaves all other pods alone, with
  either discovery. What only a removed worker had is computed again, or lost; store results first.
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.frameworks.mars import processes, schedulers, supervisors
from chartgen.job.model import Job
from chartgen.k8s.quantities import amount
from chartgen.plan.model import Plan
from chartgen.words import listed

NAME = "mars"
TITLE = "Mars"
ROLES = {
    "scheduler": "plans the work and assigns it to workers",
    "supervisor": "the scheduler and web of Mars 0.7 to 0.10 and Xorbits",
    "worker": "computes",
    "web": "the web UI, and the endpoint for sessions",
    "driver": "the program that uses the cluster; when it ends, the job ends",
}
FIRST = ("scheduler", "worker", "web", "driver")
OPTIONS = {
    "dialect": ("0.3", *supervisors.MODULES),
    "discovery": ("endpoints", "api"),
    "serviceType": ("NodePort", "ClusterIP", "LoadBalancer"),
    **dict.fromkeys(("cacheMemory", "minCacheMemory", "spillDirs", "minWorkers", "timeout")),
}
CONTAINER = processes.CONTAINER


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check for a complete cluster, at most one driver, and workers that can start."""
    later = job.options["dialect"] in supervisors.MODULES
    cluster = supervisors.CLUSTER if later else schedulers.CLUSTER
    foreign = [role for role in job.roles if role not in (*cluster, "driver")]
    for role in cluster:
        if role not in job.roles and not foreign:
            message = f"no {role} role; a Mars cluster needs {listed(cluster, 'and')}"
            hint = f"add it: {role}: {{}}"
            yield document.missing(("roles",), message, "role-missing", hint, key=True)
    yield from _check_dialect(job, document, foreign)
    for role in ("scheduler", "supervisor", "web", "driver"):
        if role in job.roles and not job.replicas(role):
            message = f"roles.{role} has no replicas; expected at least 1"
            yield document.problem(("roles", role, "replicas"), message, "role-no-replicas")
    for role in ("supervisor", "driver"):
        if job.replicas(role) > 1:
            message = f"a job has 1 {role}, not {job.replicas(role)}"
            yield document.problem(("roles", role, "replicas"), message, "role-one-replica")
    workers, least = job.replicas("worker"), job.options.get("minWorkers", 0)
    if "worker" in job.roles and least > workers:
        message = f"the driver would wait forever for {least} workers; there are {workers}"
        yield document.problem(("mars", "minWorkers"), message, "mars-min-workers")
    yield from _check_cache(job, document)


_NO_LEAST = "only workers of Mars 0.3 to 0.6 have a minimum for the cache"
_UNUSED = {
    "0.7": {"minCacheMemory": _NO_LEAST},
    "xorbits": {
        "minCacheMemory": _NO_LEAST,
        "spillDirs": "workers of Xorbits keep all data in memory and never move it to disk",
    },
}


def _check_dialect(job: Job, document: Document, foreign: list[str]) -> Iterator[Problem]:
    """Check for roles and options of other versions of Mars."""
    dialect = job.options["dialect"]
    later = dialect in supervisors.MODULES
    for role in foreign:
        other = "" if later else f"; {role}s belong to Mars 0.7 to 0.10 and Xorbits"
        message = f"the cluster of dialect {dialect!r} has no {role} role{other}"
        hint = "the supervisor does its work" if later else 'set mars.dialect: "0.7" or xorbits'
        yield document.problem(("roles", role), message, "mars-dialect", hint, key=True)
    if later and job.options["discovery"] != "endpoints":
        message = "supervisors are found by their names; expected discovery: endpoints"
        yield document.problem(("mars", "discovery"), message, "mars-dialect")
    for name, why in (_UNUSED.get(dialect) or {}).items():
        if name in job.options:
            yield document.problem(("mars", name), why, "mars-dialect", "remove it", key=True)
    if dialect == "0.7" and "spillDirs" in job.options and "cacheMemory" not in job.options:
        message = "without cacheMemory no data is moved to disk; expected both"
        yield document.problem(("mars", "spillDirs"), message, "mars-dialect", key=True)


def _check_cache(job: Job, document: Document) -> Iterator[Problem]:
    """Check that the cache and 128 MiB fit into 80% of a worker's memory, or it cannot start."""
    said = job.options.get("cacheMemory")
    if said is None or "worker" not in job.roles:
        return
    resources = job.spec("worker").get("resources", {})
    requests = {**resources.get("limits", {}), **resources.get("requests", {})}
    memory = amount(requests.get("memory", 0)) or 0.0
    share = str(said).removesuffix("%")
    cache = memory * float(share) / 100 if share != str(said) else amount(said) or 0.0
    if memory and cache > 0.8 * memory - 128 * 2**20:
        message = f"a cache of {said} does not fit into a worker's memory, so no worker would start"
        hint = "expected at most 80% of the memory, less 128Mi"
        yield document.problem(("mars", "cacheMemory"), message, "mars-cache-too-large", hint)


def plan(job: Job) -> Plan:
    """Plan the cluster, and the driver that uses it."""
    later = job.options["dialect"] in supervisors.MODULES
    cluster = supervisors.plan(job) if later else schedulers.plan(job)
    planned = {role.name: role for role in cluster.roles}
    # One of another dialect is a bare role, which `check` refuses.
    roles = [planned.get(name) or processes.bare(name) for name in ROLES if name in job.roles]
    return cluster._replace(roles=tuple(roles))
