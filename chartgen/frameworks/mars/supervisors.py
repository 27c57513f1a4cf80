"""The cluster of Mars 0.7 to 0.10 and Xorbits: workers, and a supervisor that serves sessions."""

from chartgen.frameworks.mars import processes
from chartgen.job.model import Job
from chartgen.plan import restarts
from chartgen.plan.late import Count, Given, Host, Only, Option, Peers, Port, Size, Text, text
from chartgen.plan.model import (
    Config,
    Env,
    Mount,
    Plan,
    PodField,
    RolePlan,
    Service,
    Wait,
)
from chartgen.startup.records import NamedTuple


class MarsPackage(NamedTuple):
    """A Python package with these processes: its name in labels, and where its modules are."""

    name: str
    module: str
    note: str


MODULES = {
    "0.7": MarsPackage("mars", "mars.deploy.oscar", "mars.new_session('http://HOST:PORT')"),
    "xorbits": MarsPackage("xorbits", "xorbits", "xorbits.init('http://HOST:PORT')"),
}
CLUSTER = ("supervisor", "worker")

_RPC_PORT = 7103  # among processes; the port of the role is that of the web service
_SUPERVISOR = text(Host("supervisor", 0), f":{_RPC_PORT}")
_STORAGE = "/etc/chartgen/storage"
_CACHE, _SPILL = "mars.cacheMemory", "mars.spillDirs"
# Of its two stores, only Plasma has a size, and moves what does not fit to the disk.
_PLASMA = """\
"@inherits": "@mars/deploy/oscar/base_config.yml"
storage: {backends: [plasma]}
"""
_RESCALE = "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"


def plan(job: Job) -> Plan:
    """Plan the cluster, and the driver that uses it."""
    package = MODULES[job.options["dialect"]]
    driver = "driver" in job.roles
    roles = {
        "supervisor": _supervisor(package),
        "worker": _worker(package),
        "driver": processes.driver("supervisor", _QUESTION),
    }
    peers = {"hosts": text(Peers(("supervisor",), "lines"))}
    if driver:
        peers["workers"] = text(Count("worker", "mars.minWorkers"))
    configs = [Config("peers", peers)]
    if package.name == "mars":
        configs.append(Config("storage", {"config.yml": text(_PLASMA)}, when=Given(_CACHE)))
    about = "the web UI, and the endpoint for sessions"
    use = f"Use it from Python: {package.note}, with the address above."
    return Plan(
        title="Mars" if package.name == "mars" else "Xorbits",
        roles=tuple(role for name, role in roles.items() if name in job.roles),
        configs=tuple(configs),
        completion_role="driver" if driver else "",
        reserved_env=processes.RESERVED_ENV,
        fixed_options=_fixed_options(package),
        services=(Service("web", "supervisor", text(Option("mars.serviceType")), about),),
        cleanup=driver,
        notes=(_RESCALE,) if driver else (use, _RESCALE),
    )


# A page with the workers that are ready; each of them has one such key.
_QUESTION = (
    Env("ASK", text("/api/cluster/nodes?role=1")),
    Env("COUNT", text('"update_time"')),
)


def _fixed_options(package: MarsPackage) -> tuple[str, ...]:
    fixed = ("dialect", "discovery", "minCacheMemory")
    return fixed if package.name == "mars" else (*fixed, "spillDirs")


def _supervisor(package: MarsPackage) -> RolePlan:
    """The supervisor listens on its own name, which has to be known before it starts."""
    return RolePlan(
        name="supervisor",
        container=processes.CONTAINER,
        port=7104,
        port_name="web",
        service=True,
        labels=_labels(package, "supervisor"),
        env=processes.requests(1),
        at_least=1,
        at_most=1,
        command=(text("python"), text("-m")),
        args=(
            text(f"{package.module}.supervisor"),
            *(text("-e"), _SUPERVISOR),
            *(text("-w"), text(Port())),
        ),
        fields=processes.READY,
        waits=(Wait("wait-name", (Env("NAME", text(Host("supervisor", 0))),)),),
        serves=True,
    )


def _worker(package: MarsPackage) -> RolePlan:
    mars = package.name == "mars"
    stored = Given(_CACHE)
    storage = Only([text("-f"), text(f"{_STORAGE}/config.yml")], stored)
    memory = (
        Env("MARS_CACHE_MEM_SIZE", text(Size(_CACHE)), stored),
        Env("MARS_SPILL_DIRS", text(Option(_SPILL, ":")), Given(_SPILL)),
    )
    return RolePlan(
        name="worker",
        container=processes.CONTAINER,
        port=_RPC_PORT,
        port_name="mars",
        service=False,
        labels=_labels(package, "worker"),
        env=(
            Env("MARS_CONTAINER_IP", PodField("status.podIP")),
            *processes.requests(1),
            *(memory if mars else ()),
        ),
        mounts=(Mount("storage", "chartgen-storage", _STORAGE, stored),) if mars else (),
        command=(text("python"), text("-m")),
        args=(
            text(f"{package.module}.worker"),
            *(text("-e"), text("$(MARS_CONTAINER_IP):", Port())),
            *(text("-s"), _SUPERVISOR),
            *((storage,) if mars else ()),
        ),
        fields=processes.READY,
        volumes=(processes.SHARED_MEMORY,),
        waits=(Wait("wait-supervisors", (Env("HOSTS", processes.HOSTS),)),),
        serves=True,
        rescalable=True,
        defaults=restarts.ANEW,
    )


def _labels(package: MarsPackage, role: str) -> dict[str, Text]:
    return {f"{package.name}/service-type": text(f"{package.name}{role}")}
