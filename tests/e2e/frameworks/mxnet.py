"""MXNet: every replica gets the scheduler's name; the job ends when the workers do."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, HERE, Counts, Framework, Training
from tests.e2e.releases import Values, merged

PORT = 9091


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {
        "DMLC_PS_ROOT_PORT": PORT,
        "DMLC_PS_ROOT_URI": f"scheduler-{runtime_id}-0",
        "DMLC_NUM_SERVER": counts["server"],
        "DMLC_NUM_WORKER": counts["worker"],
        "DMLC_ROLE": role,
        "DMLC_USE_KUBERNETES": 1,
    }


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    return [f"{parameters['DMLC_PS_ROOT_URI']}:{parameters['DMLC_PS_ROOT_PORT']}"]


_CIFAR10 = EXAMPLES / "cifar10.yaml"
# The example's workers request a GPU each, which this machine lacks.
_NO_GPU: Values = {"roles": {"worker": {"resources": {"limits": {"nvidia.com/gpu": None}}}}}
_SMALL = {"requests": {"cpu": "100m", "memory": "200Mi"}}
_TRAINER = {"replicas": 2, "command": ["python", "/app/train_mxnet.py", "--kv-store=dist_sync"]}
# Scheduler and server have no command: they run the chart's default.
_HERE: Values = {
    "image": images.tag("mxnet"),
    "resources": _SMALL,
    "roles": {
        "server": {"replicas": 1},
        "worker": {**_TRAINER, "resources": {"limits": {"cpu": 1, "memory": "1Gi"}}},
    },
}
_ALL = ("worker", "server", "scheduler")

FRAMEWORK = Framework(
    name="mxnet",
    job=_CIFAR10,
    roles={"worker": 2, "server": 1, "scheduler": 1},
    port=PORT,
    addressed=("scheduler",),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone=_NO_GPU,
    # Each worker sends its rank + 1.
    trainings={
        "dist-sync": Training(
            _CIFAR10, merged(_NO_GPU, _HERE), _ALL, (), "workers 2, sum 3, weight 3.000"
        ),
        "mxjob": Training(
            HERE / "native/mxjob.yaml",
            {"resources": _SMALL},
            _ALL,
            (),
            "workers 2, sum 3, weight 3.000",
        ),
    },
)
