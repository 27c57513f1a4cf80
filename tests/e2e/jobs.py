"""The table of frameworks: for each, a job, what its replicas must be told, and how it must end."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e import images
from tests.e2e.releases import Values

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

Counts = Mapping[str, int]


class Framework(NamedTuple):
    """A framework's row: the job that the tests of every framework use, and those that train."""

    name: str
    job: Path  # the description that is rendered
    roles: Counts  # how many replicas of each role it has, the one that decides first
    port: int
    told: Callable[[str, Counts, str, int], Mapping[str, Any]]  # runtime id, counts, role, index -> variables
    peers: Callable[[Mapping[str, Any]], list[str]]  # those variables -> the addresses in them
    grows: str  # a role whose count a user may change
    alone: Values  # values that leave out what is beside the replicas
    trainings: Mapping[str, "Training"]


class Training(NamedTuple):
    """A run of the real framework: a job in any format, the values it is installed with, and what must come out."""

    job: Path
    values: Values
    ends: tuple[str, ...]  # roles whose replicas complete
    serves: tuple[str, ...]  # roles whose replicas run on
    says: str  # a line that the one that decides, the first that ends, must print


def _cluster(runtime_id: str, counts: Counts) -> dict[str, list[str]]:
    return {role: [f"{role}-{runtime_id}-{index}:2222" for index in range(counts[role])] for role in sorted(counts)}


def _tf_config(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {"TF_CONFIG": {"cluster": _cluster(runtime_id, counts), "task": {"type": role, "index": index}}}


def _tf_peers(told: Mapping[str, Any]) -> list[str]:
    return [address for addresses in told["TF_CONFIG"]["cluster"].values() for address in addresses]


# The example asks for more than one small machine has, and for images and buckets that are not there.
_MNIST = ROOT / "values/jobs/mnist.yaml"
_MNIST_HERE: Values = {
    "image": images.tag("tensorflow"),
    "resources": {"requests": {"cpu": "200m", "memory": "300Mi"}},
    "roles": {"worker": {"resources": {"limits": {"cpu": 2, "memory": "2Gi"}}}},
    "tensorboard": None,
}
_SPARSE = {**_MNIST_HERE, "tensorflow": {"cluster": "sparse"}, "env": {"TRAINERS": 4}}

FRAMEWORKS = (
    Framework(
        name="tensorflow",
        job=_MNIST,
        roles={"chief": 1, "worker": 3, "ps": 2},
        port=2222,
        told=_tf_config,
        peers=_tf_peers,
        grows="worker",
        alone={"tensorboard": None},
        # The chief takes the steps its job names, each worker 100, as the program has it.
        trainings={
            "full": Training(_MNIST, _MNIST_HERE, ("chief", "worker"), ("ps",), "weight 3.000, steps 1300"),
            "sparse": Training(_MNIST, _SPARSE, ("chief", "worker"), ("ps",), "weight 3.000, steps 1300"),
            "tfjob": Training(
                HERE / "native/tfjob.yaml",
                {"resources": _MNIST_HERE["resources"]},
                ("master", "worker"),
                ("ps",),
                "weight 3.000, steps 500",
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
