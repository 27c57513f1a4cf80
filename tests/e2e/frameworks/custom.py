"""Custom: Dask, whose replicas get what the description states, with late values filled in."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, Counts, Framework, Training
from tests.e2e.releases import Values

PORT = 8786
_PRIMES = EXAMPLES / "primes.yaml"
_REQUEST = {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": 1, "memory": "512Mi"}}


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {"DASK_SCHEDULER_ADDRESS": f"tcp://scheduler-{runtime_id}-0:{PORT}"}


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    return [str(parameters["DASK_SCHEDULER_ADDRESS"]).removeprefix("tcp://")]


def _runs(program: str, *words: str) -> Values:
    """A role that runs a program of Dask, which has no script in the image."""
    command = ["python", "-m", f"distributed.cli.dask_{program}", *words]
    return {"command": command, "resources": _REQUEST}


FRAMEWORK = Framework(
    name="custom",
    job=_PRIMES,
    roles={"driver": 1, "scheduler": 1, "worker": 2},
    port=PORT,
    addressed=("scheduler",),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone={},
    trainings={
        "dask": Training(
            _PRIMES,
            {
                "image": images.tag("custom"),
                "roles": {
                    "scheduler": _runs("scheduler", "--port", "%{port}", "--no-dashboard"),
                    "worker": {
                        **_runs("worker", "--name", "worker-%{index}", "--no-dashboard"),
                        "replicas": 2,
                    },
                    "driver": {"resources": _REQUEST},
                },
            },
            ("driver",),
            ("scheduler", "worker"),
            "1229",
        )
    },
    joins=True,
)
