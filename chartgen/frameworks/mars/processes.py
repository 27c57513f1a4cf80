"""What the processes of all versions of Mars share: variables, shared memory and the driver."""

from chartgen.plan import restarts
from chartgen.plan.late import Asks, Given, Host, Option, Port, Requested, Size, Tree, text
from chartgen.plan.model import ConfigKey, Env, RolePlan, Volume, Wait

CONTAINER = "mars"
# Read from a ConfigMap, so that pods stay as they are when these change.
HOSTS = ConfigKey("peers", text("hosts"))
_WORKERS = ConfigKey("peers", text("workers"))

RESERVED_ENV = (
    "MARS_ENDPOINT",
    "MARS_CONTAINER_IP",
    "MARS_CACHE_MEM_SIZE",
    "MARS_SPILL_DIRS",
    "MARS_TASK_DETAIL",
)
# 25% more than the cache, because Mars uses 80% of it; the default in a container is 64 MiB.
_TMPFS: Tree = {"medium": "Memory", "sizeLimit": text(Size("mars.cacheMemory", "memory", 125))}
SHARED_MEMORY = Volume("mars-shared", {"emptyDir": _TMPFS}, "/dev/shm")
# Generous times, because a busy worker that seems dead loses its work.
READY: dict[str, Tree] = {
    "readinessProbe": {
        "tcpSocket": {"port": Port()},
        "initialDelaySeconds": 5,
        "periodSeconds": 5,
        "timeoutSeconds": 60,
        "failureThreshold": 10,
    }
}


def requests(least: int) -> tuple[Env, ...]:
    """What a replica may use, of CPUs at least so many; otherwise Mars uses the whole machine."""
    return (
        Env("MKL_NUM_THREADS", text(Requested("cpu", 1)), Asks("cpu"), default=True),
        Env("MARS_CPU_TOTAL", text(Requested("cpu", least)), Asks("cpu"), default=True),
        Env("MARS_CPU_USE_PROCESS_STAT", text("1"), Asks("cpu"), default=True),
        Env("MARS_MEMORY_TOTAL", text(Requested("memory", 1)), Asks("memory"), default=True),
        Env("MARS_MEM_USE_PROCESS_STAT", text("1"), Asks("memory"), default=True),
    )


def bare(name: str) -> RolePlan:
    """A role to which nothing is added."""
    return RolePlan(
        name=name, container=CONTAINER, port=None, port_name="", service=False, labels={}, env=()
    )


def driver(server: str, question: tuple[Env, ...]) -> RolePlan:
    """The user's program; its pod does not name the number of workers, so rescaling keeps it.

    It starts when the web service of a role, asked this question, knows of enough workers.
    """
    wait = Wait(
        "wait-workers",
        (
            Env("WEB", text(Host(server, 0), " ", Port(server, 0))),
            *question,
            Env("LEAST", _WORKERS),
            Env("TIMEOUT", text(Option("mars.timeout")), Given("mars.timeout")),
        ),
    )
    return bare("driver")._replace(
        env=(Env("MARS_ENDPOINT", text("http://", Host(server, 0, port=True))),),
        at_most=1,
        at_least=1,
        waits=(wait,),
        defaults=restarts.ONCE,
    )
