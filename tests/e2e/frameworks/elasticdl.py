"""ElasticDL: workers get their master's address as a flag; programs/elasticdl is a stand-in."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, Counts, Framework

PORT = 50001
HELLO = EXAMPLES / "hello-world.yaml"
# The example's workers request a GPU each, which this machine lacks; nor is there a registry.
HERE = {"roles": {"worker": {"gpu": None}}, "wait": {"image": images.tag("busybox")}}


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    model = {"model_def": "/model_zoo/mnist_subclass"}
    if role == "master":
        return {**model, "port": PORT, "training_data_dir": "/data/mnist/train"}
    return {**model, "master_addr": f"master-{runtime_id}-0:{PORT}", "worker_id": index}


FRAMEWORK = Framework(
    name="elasticdl",
    job=HELLO,
    roles={"master": 1, "worker": 2},
    port=PORT,
    addressed=("master",),
    parameters=_parameters,
    peers=lambda parameters: [parameters["master_addr"]],
    grows="worker",
    alone={**HERE, "volumes": [], "volumeMounts": []},
    trainings={},  # in test_elasticdl.py
    joins=True,
)
