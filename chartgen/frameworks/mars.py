"""Mars: tensors, data frames and machine learning on many machines, with schedulers, workers and a web service.

The job is a Mars cluster, and with a driver also the program that uses it: the driver starts when enough workers are
there, and its end is the end of the job, after which the cluster is stopped. Without a driver the cluster runs until it
is uninstalled, and sessions are opened from outside, at the address that NOTES.txt tells.

Roles
  scheduler  plans the work and gives it to the workers
  worker     computes; workers may come and go while the job runs
  web        the web page, and the endpoint of sessions
  driver     the program that uses the cluster; its end is the end of the job; at most one

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
  scheduler, worker and web run `python -m mars.scheduler` and so on, of Mars 0.3 to 0.6, with their port (7103) and
  where the schedulers are; a role's `args` come behind. Workers and web start once every scheduler listens. A worker
  that fails comes back as a new pod, for schedulers shun the address of a dead one for an hour. A driver that fails is
  not run again, unless its `backoffLimit` says so.

Environment
  MARS_ENDPOINT tells the driver where the web service is: new_session(os.environ['MARS_ENDPOINT']).as_default()
  From what a role asks for come MKL_NUM_THREADS, MARS_CPU_TOTAL (whole CPUs, and two at least for a worker, since Mars
  gives work only to one with a CPU to spare) and MARS_MEMORY_TOTAL; the job may set each itself. Modules that a role is
  to import stand in MARS_LOAD_MODULES. MARS_CONTAINER_IP, MARS_K8S_* and what options set is the chart's alone.
  A worker has a process for each CPU and five more, and Mars counts what they share, some 150 MB, once for each: one
  that asks for too little memory computes nothing. Ask for more, or for fewer processes (args: [--net-procs, 1]).

Options
  mars.discovery: endpoints  every process is told the schedulers' names; nobody asks Kubernetes (the default)
  mars.discovery: api        schedulers and workers find each other by Kubernetes' API, as those of new_cluster did; the
                             chart gives them the right to read pods, and they see those of their own release alone
  mars.cacheMemory           the memory that a worker's processes share: 4Gi, or a part of what it asks for (25%); half
                             of what is free by default. /dev/shm is a volume in memory that holds it.
  mars.minCacheMemory        how much of it there must be for a worker to start
  mars.spillDirs             directories for what does not fit into memory; mount volumes there
  mars.minWorkers            how many workers the driver waits for; all of them by default, and if there are fewer
  mars.timeout               after how many seconds it gives up; never by default
  mars.serviceType           the Service of the web role: NodePort (the default), ClusterIP or LoadBalancer

Rescaling
  helm upgrade NAME CHART --reuse-values --set roles.worker.replicas=20
  adds workers, or takes away those with the highest numbers, and leaves all other pods alone, with either discovery.
  What only a removed worker had is computed again, or lost; store results before.

Coming from new_cluster
  chartgen reads a Python file with one call of new_cluster, or the call alone, wherever it reads jobs. It runs none of
  it: values are plain, computed from plain numbers, or names that are assigned once at the top level of the file.
  `chartgen convert cluster.py` prints the description that a call means.
  As it was: roles, the label mars/service-type, ports, environment, volumes, modules, the NodePort of the web.
  As it is now: worker_num is roles.worker.replicas, worker_cpu and worker_mem are its resources, worker_cache_mem is
  mars.cacheMemory, min_worker_num and timeout are mars.minWorkers and mars.timeout, extra_env is env. The namespace is
  the release's; cluster.stop() is `helm uninstall`, and cluster.rescale_workers(20) is the `helm upgrade` above.
  Different on purpose: /dev/shm is a volume, which Mars 0.6 remounted with sudo. MARS_USE_CGROUP_STAT is not set, for
  Mars 0.6.0 fails with it; it counts its processes. The web is told the schedulers' names, for it fails when it asks.
  Mars' own probe, which takes seconds of a CPU each time, is asked until a start is done; then it is enough to listen.
  What Mars took without a word is refused with its place: unknown keywords, CPUs as text, as fractions or without
  memory, a text for a list of paths, sizes like 16gibberish, no web service, a label mars/service-type.
"""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.k8s.quantities import amount
from chartgen.plan.model import (
    Asked,
    Asks,
    Chosen,
    Config,
    ConfigKey,
    Count,
    Env,
    Field,
    Given,
    Host,
    Only,
    Option,
    Peers,
    Pick,
    Plan,
    Port,
    RolePlan,
    Rule,
    Service,
    Size,
    Tree,
    Volume,
    Wait,
    text,
)

NAME = "mars"
TITLE = "Mars"
ROLES = {
    "scheduler": "plans the work and gives it to the workers",
    "worker": "computes",
    "web": "the web page, and the endpoint of sessions",
    "driver": "the program that uses the cluster; its end is the end of the job",
}
FIRST = tuple(ROLES)
OPTIONS = {
    "discovery": ("endpoints", "api"),
    "serviceType": ("NodePort", "ClusterIP", "LoadBalancer"),
    **dict.fromkeys(("cacheMemory", "minCacheMemory", "spillDirs", "minWorkers", "timeout")),  # no defaults
}
CONTAINER = "mars"

_ASKING = ("scheduler", "worker")  # Mars' web service patches TLS that is in use already: it recurses when it asks
_CLUSTER = (*_ASKING, "web")
_ENDPOINTS, _API = Chosen("mars.discovery", "endpoints"), Chosen("mars.discovery", "api")
_RESERVED = (
    "MARS_ENDPOINT", "MARS_CONTAINER_IP", "MARS_CACHE_MEM_SIZE", "MARS_MIN_CACHE_MEM_SIZE", "MARS_SPILL_DIRS",
    "MARS_TASK_DETAIL", "MARS_K8S_POD_NAME", "MARS_K8S_POD_NAMESPACE", "MARS_K8S_POD_IP", "MARS_K8S_SERVICE_PORT",
    "MARS_K8S_GROUP_LABELS", "MARS_K8S_REMOUNT_SHM", "CHARTGEN_SCHEDULERS",
)  # fmt: skip
# What is kept out of the pods, so that they stay as they are when it changes.
_HOSTS, _SCHEDULERS, _WORKERS = (ConfigKey("peers", text(key)) for key in ("hosts", "schedulers", "workers"))


def check(job: Job, document: Document) -> Iterator[Problem]:
    """A whole cluster, with no more than one driver, whose workers can start and are as many as it waits for."""
    for role in _CLUSTER:
        if role not in job.roles:
            message = f"there is no {role}; expected a scheduler, a worker and a web role in a Mars cluster"
            yield document.problem(("roles",), message, "missing-role", f"write {role}: {{}}", key=True)
    for role in ("scheduler", "web", "driver"):
        if role in job.roles and not job.replicas(role):
            message = f"roles.{role} has no replicas; expected at least 1"
            yield document.problem(("roles", role, "replicas"), message, "no-replicas")
    if job.replicas("driver") > 1:
        message = f"a job has 1 driver, whose end is its end, not {job.replicas('driver')}"
        yield document.problem(("roles", "driver", "replicas"), message, "one-driver")
    if (least := job.options.get("minWorkers", 0)) > job.replicas("worker") and "worker" in job.roles:
        message = f"there are {job.replicas('worker')} workers, so that a driver would wait for {least} for ever"
        yield document.problem(("mars", "minWorkers"), message, "min-workers")
    yield from _check_cache(job, document)


def _check_cache(job: Job, document: Document) -> Iterator[Problem]:
    """A worker starts only if four fifths of its memory hold the cache and 128 MiB more."""
    said = job.options.get("cacheMemory")
    if said is None or "worker" not in job.roles:
        return
    parts = job.spec("worker").get("resources", {})
    memory = amount({**parts.get("limits", {}), **parts.get("requests", {})}.get("memory", 0)) or 0.0
    share = str(said).removesuffix("%")
    cache = memory * float(share) / 100 if share != str(said) else amount(said) or 0.0
    if memory and cache > 0.8 * memory - 128 * 2**20:
        message = f"{said} of cache does not fit into the memory that a worker asks for, so that none would start"
        hint = "expected at most four fifths of the memory, less 128Mi"
        yield document.problem(("mars", "cacheMemory"), message, "cache-memory", hint)


def plan(job: Job) -> Plan:
    """The cluster, found by its schedulers' names or by the API, and the driver that uses it."""
    driver = "driver" in job.roles
    schedulers = ("scheduler",)
    peers = {"hosts": text(Peers(schedulers, "lines")), "schedulers": text(Peers(schedulers, "list"))}
    return Plan(
        title=TITLE,
        roles=tuple(_driver() if name == "driver" else _role(name) for name in ROLES if name in job.roles),
        configs=(Config("peers", peers | ({"workers": text(Count("worker", "mars.minWorkers"))} if driver else {})),),
        decides="driver" if driver else "",
        reserved_env=_RESERVED,
        rules=(Rule("", ("pods",), ("get", "list", "watch"), _API),),
        services=(Service("web", "web", text(Option("mars.serviceType")), ROLES["web"]),),
        cleanup=driver,
        notes=_NOTES[1:] if driver else _NOTES,
    )


_NOTES = (
    "Use it from Python: new_session('http://HOST:PORT').as_default(), with the address from above.",
    "Rescale the workers, and nothing else: helm upgrade ... --reuse-values --set roles.worker.replicas=N",
)


def _role(name: str) -> RolePlan:
    """A part of the cluster; only schedulers have a name by which others know them."""
    worker, asks = name == "worker", name in _ASKING
    modules = ("endpoints", text(f"mars.{name}")), ("api", text(f"mars.deploy.kubernetes.{name}"))
    module = Pick("mars.discovery", modules) if asks else f"mars.{name}"
    called = text(Host(name)) if name == "scheduler" else text("$(MARS_CONTAINER_IP)")
    told: list[Tree] = [text("-a"), called, text("-s"), text("$(CHARTGEN_SCHEDULERS)")]
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=7103,
        port_name="mars",
        service=not worker,
        labels={"mars/service-type": text(f"mars{name}")},
        env=(*_address(name), *_asked(name), *(_memory() if worker else ())),
        at_least=0 if worker else 1,
        command=(text("python"), text("-m")),
        args=(text(module), text("-p"), text(Port()), Only(told, _ENDPOINTS if asks else None)),
        fields=_probes(name),
        volumes=(Volume("mars-shared", {"emptyDir": _TMPFS}, "/dev/shm"),) if worker else (),
        waits=() if name == "scheduler" else (Wait("wait-schedulers", (Env("HOSTS", _HOSTS),)),),
        api=asks,
        rescalable=worker,
        defaults={"restartPolicy": "Never"} if worker else {},
    )


def _address(role: str) -> tuple[Env, ...]:
    """Who the replica is, and who its schedulers are; one of these that knew its IP would join them twice."""
    if role not in _ASKING:
        return Env("MARS_CONTAINER_IP", Field("status.podIP")), Env("CHARTGEN_SCHEDULERS", _SCHEDULERS)
    return (
        Env("MARS_K8S_POD_NAME", Field("metadata.name"), _API),
        Env("MARS_K8S_POD_NAMESPACE", Field("metadata.namespace"), _API),
        Env("MARS_K8S_POD_IP", Field("status.podIP"), _API),
        Env("MARS_K8S_SERVICE_PORT", text(Port()), _API),
        Env("MARS_K8S_GROUP_LABELS", text("app.kubernetes.io/instance,chartgen/runtime-id"), _API),
        Env("MARS_CONTAINER_IP", Field("status.podIP"), _API if role == "scheduler" else None),
        Env("CHARTGEN_SCHEDULERS", _SCHEDULERS, _ENDPOINTS),
    )


def _asked(role: str) -> tuple[Env, ...]:
    """What the replica may use; without it Mars takes all of the machine for its own."""
    return (
        Env("MKL_NUM_THREADS", text(Asked("cpu", 1)), Asks("cpu"), default=True),
        Env("MARS_CPU_TOTAL", text(Asked("cpu", 2 if role == "worker" else 1)), Asks("cpu"), default=True),
        Env("MARS_CPU_USE_PROCESS_STAT", text("1"), Asks("cpu"), default=True),
        Env("MARS_MEMORY_TOTAL", text(Asked("memory", 1)), Asks("memory"), default=True),
        Env("MARS_MEM_USE_PROCESS_STAT", text("1"), Asks("memory"), default=True),
    )


def _memory() -> tuple[Env, ...]:
    return (
        Env("MARS_CACHE_MEM_SIZE", text(Size("mars.cacheMemory")), Given("mars.cacheMemory")),
        Env("MARS_MIN_CACHE_MEM_SIZE", text(Size("mars.minCacheMemory")), Given("mars.minCacheMemory")),
        Env("MARS_SPILL_DIRS", text(Option("mars.spillDirs", ":")), Given("mars.spillDirs")),
    )


# A quarter more than the cache, for Mars uses four fifths of what is there; containers have 64 MiB by default.
_TMPFS: Tree = {"medium": "Memory", "sizeLimit": text(Size("mars.cacheMemory", "memory", 125))}


def _probes(role: str) -> dict[str, Tree]:
    """Ready is who listens; with the API, by which readiness is looked up, whoever is done with its start."""
    # Long times, for a busy worker that seems gone loses its work.
    timing = dict[str, Tree](initialDelaySeconds=5, periodSeconds=5, timeoutSeconds=60, failureThreshold=10)
    ready: dict[str, Tree] = {"readinessProbe": {"tcpSocket": {"port": Port()}, **timing}}
    # Mars' own probe starts a Python, which takes seconds of a CPU: until it is answered once, or for an hour.
    asks: Tree = {"command": ["python", "-m", "mars.deploy.kubernetes.probe"]}
    started: Tree = {"exec": asks, "periodSeconds": 5, "timeoutSeconds": 60, "failureThreshold": 720}
    return ready | ({"startupProbe": Only(started, _API)} if role in _ASKING else {})


def _driver() -> RolePlan:
    """The user's program; in its pod stands no number of workers, so that it outlives their rescaling."""
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
