"""The table of frameworks: for each, a job, what its replicas must be told, and how it must end."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e import images
from tests.e2e.releases import Values

ROOT = Path(__file__).parent.parent.parent

Counts = Mapping[str, int]


class Framework(NamedTuple):
    """A framework's row: one job that the tests of every framework use, and one or more that train."""

    name: str
    job: Path  # the description that is rendered
    roles: Counts  # how many replicas of each role it has
    port: int
    told: Callable[[str, Counts, str, int], Mapping[str, Any]]  # runtime id, counts, role, index -> variables
    peers: Callable[[Mapping[str, Any]], list[str]]  # those variables -> the addresses in them
    grows: str  # a role whose count a user may change
    alone: Values  # values that leave out what is beside the replicas
    trainings: Mapping[str, "Training"]


class Training(NamedTuple):
    """A run of the real framework: the values it is installed with, what comes out, and which roles serve on."""

    values: Values
    role: str  # who says so
    says: str
    serves: tuple[str, ...] = ()


def _cluster(runtime_id: str, counts: Counts) -> dict[str, list[str]]:
    return {role: [f"{role}-{runtime_id}-{index}:2222" for index in range(counts[role])] for role in sorted(counts)}


def _tf_config(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {"TF_CONFIG": {"cluster": _cluster(runtime_id, counts), "task": {"type": role, "index": index}}}


def _tf_peers(told: Mapping[str, Any]) -> list[str]:
    return [address for addresses in told["TF_CONFIG"]["cluster"].values() for address in addresses]


# The example asks for more than one small machine has, and for images and buckets that are not there.
_TENSORFLOW: Values = {
    "image": images.tag("tensorflow"),
    "resources": {"requests": {"cpu": "200m", "memory": "300Mi"}},
    "roles": {"worker": {"resources": {"limits": {"cpu": 2, "memory": "2Gi"}}}},
    "tensorboard": None,
}

FRAMEWORKS = (
    Framework(
        name="tensorflow",
        job=ROOT / "values/jobs/mnist.yaml",
        roles={"chief": 1, "worker": 3, "ps": 2},
        port=2222,
        told=_tf_config,
        peers=_tf_peers,
        grows="worker",
        alone={"tensorboard": None},
        trainings={
            # 1,000 steps by the chief, as the job says, and 100 by each worker, as the program has it.
            "full": Training(_TENSORFLOW, "chief", "weight 3.000, steps 1300", serves=("ps",)),
            "sparse": Training(
                {**_TENSORFLOW, "tensorflow": {"cluster": "sparse"}, "env": {"TRAINERS": 4}},
                "chief",
                "weight 3.000, steps 1300",
                serves=("ps",),
            ),
        },
    ),
)


def probes(framework: Framework, image: str = images.tag("python")) -> dict[str, Any]:
    """Values that put a small probe in every replica: it says what it was told and who it is."""
    resources = {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"cpu": 1, "memory": "128Mi"}}
    program = {"command": ["python", "/app/probe.py"], "args": [str(framework.port)], "resources": resources}
    return {**framework.alone, "image": image, "roles": dict.fromkeys(framework.roles, program)}


def environment(said: str) -> dict[str, Any]:
    """What a probe said it was told; values that are JSON as data."""
    return {name: _data(value) for name, value in json.loads(said.splitlines()[0]).items()}


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
