"""Custom: replicas get what the description states, with late values filled in.

The examples run with real packages: Dask, Ray and XGBoost.
"""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, Counts, Framework, Training

PORT = 8786
_PRIMES = EXAMPLES / "primes.yaml"
_REQUEST = {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": 1, "memory": "512Mi"}}


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {"DASK_SCHEDULER_ADDRESS": f"tcp://scheduler-{runtime_id}-0:{PORT}"}


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    return [str(parameters["DASK_SCHEDULER_ADDRESS"]).removeprefix("tcp://")]


# Processes of Ray give up on each other after 30 seconds, so they may use both cores to start.
_RAY_REQUEST = {
    "requests": {"cpu": "100m", "memory": "500Mi"},
    "limits": {"cpu": 2, "memory": "2Gi"},
}
_TRAININGS = {
    "dask": Training(
        _PRIMES,
        {
            "image": images.tag("custom"),
            "resources": _REQUEST,
            "roles": {"worker": {"replicas": 2, "resources": _REQUEST}},
        },
        ("driver",),
        ("scheduler", "worker"),
        "1229",
    ),
    "ray": Training(
        EXAMPLES / "tune.yaml",
        {
            "image": images.tag("ray"),
            "resources": _RAY_REQUEST,
            "roles": {
                "head": {"resources": _RAY_REQUEST},
                "worker": {"replicas": 2, "gpu": 0, "resources": _RAY_REQUEST},
            },
        },
        ("driver",),
        ("head", "worker"),
        "rate 0.5, weight 3.000, in 2 pods of worker",
        "ray",
    ),
    "xgboost": Training(
        EXAMPLES / "trees.yaml",
        {
            "image": images.tag("xgboost"),
            "roles": {
                "worker": {
                    "replicas": 2,
                    "command": ["python", "/app/train_xgboost.py"],
                    "resources": _REQUEST,
                }
            },
        },
        ("worker",),
        (),
        "workers 2, sum 3, predictions [1.0, 5.0]",
        "xgboost",
    ),
}

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
    trainings=_TRAININGS,
    joins=True,
)
