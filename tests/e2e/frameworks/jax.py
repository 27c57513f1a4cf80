"""JAX: every replica gets the address of worker 0, how many there are, and which one it is."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, Counts, Framework, Training
from tests.e2e.releases import Values, merged

PORT = 6666


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    first = f"worker-{runtime_id}-0"
    return {
        "JAX_COORDINATOR_ADDRESS": f"{first}:{PORT}",
        "JAX_NUM_PROCESSES": counts["worker"],
        "JAX_PROCESS_ID": index,
        "COORDINATOR_ADDRESS": first,
        "COORDINATOR_PORT": PORT,
        "NUM_PROCESSES": counts["worker"],
        "PROCESS_ID": index,
    }


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    job = str(parameters["COORDINATOR_ADDRESS"]).removesuffix("-0")
    return [f"{job}-{n}:{PORT}" for n in range(parameters["NUM_PROCESSES"])]


_GEMMA = EXAMPLES / "gemma.yaml"
# The example's workers request GPUs, CPUs and memory that this machine lacks.
NO_GPU: Values = {"roles": {"worker": {"gpu": 0}}}
_REQUEST = {"requests": {"cpu": "200m", "memory": "300Mi"}, "limits": {"cpu": 1, "memory": "1Gi"}}


def gathers(*words: str) -> Values:
    """The example, with two workers that gather with the real JAX."""
    command = ["python", "/app/gather_jax.py", *words]
    worker = {"replicas": 2, "command": command, "args": [], "resources": _REQUEST}
    return merged(NO_GPU, {"image": images.tag("jax"), "roles": {"worker": worker}})


_SAYS = "processes 2, gathered [1, 2]"

FRAMEWORK = Framework(
    name="jax",
    job=_GEMMA,
    roles={"worker": 2},
    port=PORT,
    addressed=("worker",),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone=NO_GPU,
    trainings={
        "numbers": Training(_GEMMA, gathers("numbers"), ("worker",), (), _SAYS),
        "bare": Training(
            _GEMMA, merged(gathers("bare"), {"jax": {"detect": "slurm"}}), ("worker",), (), _SAYS
        ),
    },
)
