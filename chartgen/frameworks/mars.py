"""Mars: tensors, data frames and machine learning on a cluster of schedulers, workers and a web UI.

The job is a Mars cluster and, with a driver, the program that uses it: the driver starts when
enough workers are ready, and when it ends the job ends and the cluster is stopped. Without a
driver the cluster runs until it is uninstalled, and sessions connect from outside, to the address
that NOTES.txt prints.

Roles
  scheduler  plans the work and assigns it to workers
  worker     computes; workers may come and go while the job runs
  web        the web UI, and the endpoint for sessions
  driver     the program that uses the cluster; when it ends, the job ends; at most one

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

What runs
  scheduler, worker and web run `python -m mars.scheduler` and so on, of Mars 0.3 to 0.6, with their
  port (7103) and the addresses of the schedulers; a role's `args` are appended. Workers and web
  start when all schedulers listen. A worker that fails is replaced by a new pod, because schedulers
  avoid the address of a dead one for an hour. A driver that fails is not restarted, unless its
  `backoffLimit` says so.

Environment
  MARS_ENDPOINT is the address of the web service, for the driver:
    new_session(os.environ['MARS_ENDPOINT']).as_default()
  MKL_NUM_THREADS, MARS_CPU_TOTAL and MARS_MEMORY_TOTAL follow what a role requests; the job may set
  them itself. MARS_CPU_TOTAL is in whole CPUs, and at least 2 for a worker, because Mars only gives
  work to workers with a spare CPU. MARS_LOAD_MODULES lists modules that a role imports. The job
  cannot set MARS_CONTAINER_IP, MARS_K8S_* or variables that belong to an option.
  A worker has a process for each CPU and five more, and Mars counts the memory they share, about
  150 MB, once for each process: a worker with too little memory computes nothing. Request more, or
  use fewer processes (args: [--net-procs, 1]).

Options
  mars.discovery: endpoints  every process gets the names of the schedulers; none uses the
                             Kubernetes API (the default)
  mars.discovery: api        schedulers and workers find each other through the Kubernetes API; the
                             chart lets them read pods, and they only consider their own release
  mars.cacheMemory           memory that a worker's processes share: an amount (4Gi), or a share
                             of what the worker requests (25%); by default half of what is free.
                             /dev/shm is a volume in memory that holds it.
  mars.minCacheMemory        how much of it a worker needs to start
  mars.spillDirs             directories for what does not fit into memory; mount volumes there
  mars.minWorkers            how many workers the driver waits for; by default all of them
  mars.timeout               after how many seconds the driver stops waiting; by default never
  mars.serviceType           type of the web role's Service: NodePort (the default), ClusterIP or
                             LoadBalancer

Rescaling
  helm upgrade NAME CHART --reuse-values --set roles.worker.replicas=20
  adds workers, or removes those with the highest indexes, and leaves all other pods alone, with
  either discovery. What only a removed worker had is computed again, or lost; store results first.
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.k8s.quantities import amount
from chartgen.plan.late import (
    Asks,
    Chosen,
    Count,
    Given,
    Host,
    Only,
    Option,
    Peers,
    Pick,
    Port,
    Requested,
    Size,
    Tree,
    text,
)
from chartgen.plan.model import (
    AccessRule,
    Config,
    ConfigKey,
    Env,
    Plan,
    PodField,
    RolePlan,
    Service,
    Volume,
    Wait,
)

NAME = "mars"
TITLE = "Mars"
ROLES = {
    "scheduler": "plans the work and assigns it to workers",
    "worker": "computes",
    "web": "the web UI, and the endpoint for sessions",
    "driver": "the program that uses the cluster; when it ends, the job ends",
}
FIRST = tuple(ROLES)
OPTIONS = {
    "discovery": ("endpoints", "api"),
    "serviceType": ("NodePort", "ClusterIP", "LoadBalancer"),
    **dict.fromkeys(("cacheMemory", "minCacheMemory", "spillDirs", "minWorkers", "timeout")),
}
CONTAINER = "mars"

# The roles that may use the API. Mars' web service patches TLS while it is in use, so that its
# requests recurse.
_API_ROLES = ("scheduler", "worker")
_CLUSTER = (*_API_ROLES, "web")
_ENDPOINTS, _API = Chosen("mars.discovery", "endpoints"), Chosen("mars.discovery", "api")
_RESERVED = (
    "MARS_ENDPOINT",
    "MARS_CONTAINER_IP",
    "MARS_CACHE_MEM_SIZE",
    "MARS_MIN_CACHE_MEM_SIZE",
    "MARS_SPILL_DIRS",
    "MARS_TASK_DETAIL",
    "MARS_K8S_POD_NAME",
    "MARS_K8S_POD_NAMESPACE",
    "MARS_K8S_POD_IP",
    "MARS_K8S_SERVICE_PORT",
    "MARS_K8S_GROUP_LABELS",
    "MARS_K8S_REMOUNT_SHM",
    "CHARTGEN_SCHEDULERS",
)
# Read from a ConfigMap, so that pods stay as they are when these change.
_HOSTS = ConfigKey("peers", text("hosts"))
_SCHEDULERS = ConfigKey("peers", text("schedulers"))
_WORKERS = ConfigKey("peers", text("workers"))


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check for a complete cluster, at most one driver, and workers that can start."""
    for role in _CLUSTER:
        if role not in job.roles:
            message = f"no {role} role; a Mars cluster needs a scheduler, a worker and a web role"
            hint = f"add it: {role}: {{}}"
            yield document.missing(("roles",), message, "role-missing", hint, key=True)
    for role in ("scheduler", "web", "driver"):
        if role in job.roles and not job.replicas(role):
            message = f"roles.{role} has no replicas; expected at least 1"
            yield document.problem(("roles", role, "replicas"), message, "role-no-replicas")
    if job.replicas("driver") > 1:
        message = f"a job has 1 driver, not {job.replicas('driver')}"
        yield document.problem(("roles", "driver", "replicas"), message, "role-one-replica")
    workers, least = job.replicas("worker"), job.options.get("minWorkers", 0)
    if "worker" in job.roles and least > workers:
        message = f"the driver would wait forever for {least} workers; there are {workers}"
        yield document.problem(("mars", "minWorkers"), message, "mars-min-workers")
    yield from _check_cache(job, document)


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
    driver = "driver" in job.roles
    schedulers = ("scheduler",)
    peers = {
        "hosts": text(Peers(schedulers, "lines")),
        "schedulers": text(Peers(schedulers, "list")),
    }
    if driver:
        peers["workers"] = text(Count("worker", "mars.minWorkers"))
    return Plan(
        title=TITLE,
        roles=tuple(_role(name) for name in ROLES if name in job.roles),
        configs=(Config("peers", peers),),
        completion_role="driver" if driver else "",
        reserved_env=_RESERVED,
        access_rules=(AccessRule("", ("pods",), ("get", "list", "watch"), _API),),
        services=(Service("web", "web", text(Option("mars.serviceType")), ROLES["web"]),),
        cleanup=driver,
        notes=_NOTES[1:] if driver else _NOTES,
    )


_NOTES = (
    "Use it from Python: new_session('http://HOST:PORT').as_default(), with the address above.",
    "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N",
)


def _role(name: str) -> RolePlan:
    if name == "driver":
        return _driver()
    worker, api = name == "worker", name in _API_ROLES
    modules = ("endpoints", text(f"mars.{name}")), ("api", text(f"mars.deploy.kubernetes.{name}"))
    module = Pick("mars.discovery", modules) if api else f"mars.{name}"
    # Only schedulers are known by name.
    address = text(Host(name)) if name == "scheduler" else text("$(MARS_CONTAINER_IP)")
    peers: list[Tree] = [text("-a"), address, text("-s"), text("$(CHARTGEN_SCHEDULERS)")]
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=7103,
        port_name="mars",
        service=not worker,
        labels={"mars/service-type": text(f"mars{name}")},
        env=(*_address(name), *_requests(name), *(_memory() if worker else ())),
        at_least=0 if worker else 1,
        command=(text("python"), text("-m")),
        args=(text(module), text("-p"), text(Port()), Only(peers, _ENDPOINTS if api else None)),
        fields=_probes(name),
        volumes=(Volume("mars-shared", {"emptyDir": _TMPFS}, "/dev/shm"),) if worker else (),
        waits=() if name == "scheduler" else (Wait("wait-schedulers", (Env("HOSTS", _HOSTS),)),),
        api=api,
        serves=True,
        rescalable=worker,
        defaults={"restartPolicy": "Never"} if worker else {},
    )


def _address(role: str) -> tuple[Env, ...]:
    """The address of the replica and those of the schedulers.

    A scheduler with both its name and its IP would join the schedulers twice.
    """
    if role not in _API_ROLES:
        return (
            Env("MARS_CONTAINER_IP", PodField("status.podIP")),
            Env("CHARTGEN_SCHEDULERS", _SCHEDULERS),
        )
    return (
        Env("MARS_K8S_POD_NAME", PodField("metadata.name"), _API),
        Env("MARS_K8S_POD_NAMESPACE", PodField("metadata.namespace"), _API),
        Env("MARS_K8S_POD_IP", PodField("status.podIP"), _API),
        Env("MARS_K8S_SERVICE_PORT", text(Port()), _API),
        Env("MARS_K8S_GROUP_LABELS", text("app.kubernetes.io/instance,chartgen/runtime-id"), _API),
        Env("MARS_CONTAINER_IP", PodField("status.podIP"), _API if role == "scheduler" else None),
        Env("CHARTGEN_SCHEDULERS", _SCHEDULERS, _ENDPOINTS),
    )


def _requests(role: str) -> tuple[Env, ...]:
    """What the replica may use; without these Mars would use the whole machine."""
    cpus = Requested("cpu", 2 if role == "worker" else 1)
    return (
        Env("MKL_NUM_THREADS", text(Requested("cpu", 1)), Asks("cpu"), default=True),
        Env("MARS_CPU_TOTAL", text(cpus), Asks("cpu"), default=True),
        Env("MARS_CPU_USE_PROCESS_STAT", text("1"), Asks("cpu"), default=True),
        Env("MARS_MEMORY_TOTAL", text(Requested("memory", 1)), Asks("memory"), default=True),
        Env("MARS_MEM_USE_PROCESS_STAT", text("1"), Asks("memory"), default=True),
    )


def _memory() -> tuple[Env, ...]:
    cache, least, spill = "mars.cacheMemory", "mars.minCacheMemory", "mars.spillDirs"
    return (
        Env("MARS_CACHE_MEM_SIZE", text(Size(cache)), Given(cache)),
        Env("MARS_MIN_CACHE_MEM_SIZE", text(Size(least)), Given(least)),
        Env("MARS_SPILL_DIRS", text(Option(spill, ":")), Given(spill)),
    )


# 25% more than the cache, because Mars uses 80% of it; the default in a container is 64 MiB.
_TMPFS: Tree = {"medium": "Memory", "sizeLimit": text(Size("mars.cacheMemory", "memory", 125))}


def _probes(role: str) -> dict[str, Tree]:
    """A replica is ready when it listens; with the API, peers look for ready pods that started."""
    # Generous times, because a busy worker that seems dead loses its work.
    timing = dict[str, Tree](
        initialDelaySeconds=5, periodSeconds=5, timeoutSeconds=60, failureThreshold=10
    )
    ready: dict[str, Tree] = {"readinessProbe": {"tcpSocket": {"port": Port()}, **timing}}
    # Mars' own probe starts Python, which costs seconds of CPU: ask until it succeeds, up to 1 h.
    probe: Tree = {"command": ["python", "-m", "mars.deploy.kubernetes.probe"]}
    started: Tree = {
        "exec": probe,
        "periodSeconds": 5,
        "timeoutSeconds": 60,
        "failureThreshold": 720,
    }
    return ready | ({"startupProbe": Only(started, _API)} if role in _API_ROLES else {})


def _driver() -> RolePlan:
    """The user's program; its pod does not name the number of workers, so rescaling keeps it."""
    wait = Wait(
        "wait-workers",
        (
            Env("WEB", text(Host("web", 0), " ", Port("web", 0))),
            Env("ASK", text("/api/worker?action=count")),
            Env("LEAST", _WORKERS),
            Env("TIMEOUT", text(Option("mars.timeout")), Given("mars.timeout")),
        ),
    )
    return RolePlan(
        name="driver",
        container=CONTAINER,
        port=None,
        port_name="",
        service=False,
        labels={},
        env=(Env("MARS_ENDPOINT", text("http://", Host("web", 0, port=True))),),
        at_most=1,
        at_least=1,
        waits=(wait,),
        defaults={"restartPolicy": "Never", "backoffLimit": 0},
    )
