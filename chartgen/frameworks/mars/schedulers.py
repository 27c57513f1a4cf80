"""The cluster of Mars 0.3 to 0.6: schedulers, workers and a web service."""

from chartgen.frameworks.mars import processes
from chartgen.job.model import Job
from chartgen.plan import restarts
from chartgen.plan.late import (
    Chosen,
    Count,
    Given,
    Host,
    Only,
    Option,
    Peers,
    Pick,
    Port,
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
    Wait,
)

# The roles that may use the API. Mars' web service patches TLS while it is in use, so that its
# requests recurse.
_API_ROLES = ("scheduler", "worker")
CLUSTER = (*_API_ROLES, "web")
_ENDPOINTS, _API = Chosen("mars.discovery", "endpoints"), Chosen("mars.discovery", "api")
_RESERVED = (
    *processes.RESERVED_ENV,
    "MARS_MIN_CACHE_MEM_SIZE",
    "MARS_K8S_POD_NAME",
    "MARS_K8S_POD_NAMESPACE",
    "MARS_K8S_POD_IP",
    "MARS_K8S_SERVICE_PORT",
    "MARS_K8S_GROUP_LABELS",
    "MARS_K8S_REMOUNT_SHM",
    "CHARTGEN_SCHEDULERS",
)
_SCHEDULERS = ConfigKey("peers", text("schedulers"))
_NOTES = (
    "Use it from Python: new_session('http://HOST:PORT').as_default(), with the address above.",
    "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N",
)


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
        title="Mars",
        roles=tuple(_role(name) for name in (*CLUSTER, "driver") if name in job.roles),
        configs=(Config("peers", peers),),
        completion_role="driver" if driver else "",
        reserved_env=_RESERVED,
        fixed_options=("dialect",),
        access_rules=(AccessRule("", ("pods",), ("get", "list", "watch"), _API),),
        services=(
            Service(
                "web",
                "web",
                text(Option("mars.serviceType")),
                "the web UI, and the endpoint for sessions",
            ),
        ),
        cleanup=driver,
        notes=_NOTES[1:] if driver else _NOTES,
    )


def _role(name: str) -> RolePlan:
    if name == "driver":
        return processes.driver("web", (Env("ASK", text("/api/worker?action=count")),))
    worker, api = name == "worker", name in _API_ROLES
    modules = ("endpoints", text(f"mars.{name}")), ("api", text(f"mars.deploy.kubernetes.{name}"))
    module = Pick("mars.discovery", modules) if api else f"mars.{name}"
    # Only schedulers are known by name.
    address = text(Host(name)) if name == "scheduler" else text("$(MARS_CONTAINER_IP)")
    peers: list[Tree] = [text("-a"), address, text("-s"), text("$(CHARTGEN_SCHEDULERS)")]
    return RolePlan(
        name=name,
        container=processes.CONTAINER,
        port=7103,
        port_name="mars",
        service=not worker,
        labels={"mars/service-type": text(f"mars{name}")},
        env=(
            *_address(name),
            *processes.requests(2 if worker else 1),
            *(_memory() if worker else ()),
        ),
        at_least=0 if worker else 1,
        command=(text("python"), text("-m")),
        args=(text(module), text("-p"), text(Port()), Only(peers, _ENDPOINTS if api else None)),
        fields=_probes(name),
        volumes=(processes.SHARED_MEMORY,) if worker else (),
        waits=()
        if name == "scheduler"
        else (Wait("wait-schedulers", (Env("HOSTS", processes.HOSTS),)),),
        api=api,
        serves=True,
        rescalable=worker,
        defaults=restarts.ANEW if worker else restarts.ALONE,
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


def _memory() -> tuple[Env, ...]:
    cache, least, spill = "mars.cacheMemory", "mars.minCacheMemory", "mars.spillDirs"
    return (
        Env("MARS_CACHE_MEM_SIZE", text(Size(cache)), Given(cache)),
        Env("MARS_MIN_CACHE_MEM_SIZE", text(Size(least)), Given(least)),
        Env("MARS_SPILL_DIRS", text(Option(spill, ":")), Given(spill)),
    )


def _probes(role: str) -> dict[str, Tree]:
    """A replica is ready when it listens; with the API, peers look for ready pods that started."""
    # Mars' own probe starts Python, which costs seconds of CPU: ask until it succeeds, up to 1 h.
    probe: Tree = {"command": ["python", "-m", "mars.deploy.kubernetes.probe"]}
    started: Tree = {
        "exec": probe,
        "periodSeconds": 5,
        "timeoutSeconds": 60,
        "failureThreshold": 720,
    }
    own = {"startupProbe": Only(started, _API)} if role in _API_ROLES else {}
    return processes.READY | own
