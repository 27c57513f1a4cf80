"""TensorFlow: TF_CONFIG lists all replicas, and parameter servers run the chart's own script."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, Counts, Framework, Training
from tests.e2e.releases import Values, merged


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    cluster = {
        name: [f"{name}-{runtime_id}-{n}:2222" for n in range(counts[name])]
        for name in sorted(counts)
    }
    return {"TF_CONFIG": {"cluster": cluster, "task": {"type": role, "index": index}}}


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    return [
        address
        for addresses in parameters["TF_CONFIG"]["cluster"].values()
        for address in addresses
    ]


_MNIST = EXAMPLES / "mnist.yaml"
# The example requests more than a small machine has, and images and buckets that do not exist.
_HERE: Values = {
    "image": images.tag("tensorflow"),
    "resources": {"requests": {"cpu": "200m", "memory": "300Mi"}},
    "roles": {"worker": {"replicas": 2, "resources": {"limits": {"cpu": 2, "memory": "2Gi"}}}},
    "tensorboard": None,
}
# A trainer of a sparse cluster does not know the others, so the chief gets the number to wait for.
_FEWER: Values = {"roles": {"worker": {"replicas": 1}, "ps": {"replicas": 1}}}
_SPARSE = merged(_HERE, {**_FEWER, "tensorflow": {"cluster": "sparse"}, "env": {"TRAINERS": 2}})

FRAMEWORK = Framework(
    name="tensorflow",
    job=_MNIST,
    roles={"chief": 1, "worker": 2, "ps": 1},
    port=2222,
    addressed=("chief", "worker", "ps"),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone={"tensorboard": None},
    # The chief takes the 1,000 steps that its job names, each worker the program's default of 100.
    trainings={
        "full": Training(_MNIST, _HERE, ("chief", "worker"), ("ps",), "weight 3.000, steps 1200"),
        "sparse": Training(
            _MNIST, _SPARSE, ("chief", "worker"), ("ps",), "weight 3.000, steps 1100"
        ),
    },
)
