"""PyTorch: every replica gets the address of rank 0, the numbers of all, and its own rank."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, HERE, Counts, Framework, Training
from tests.e2e.releases import Values, merged

PORT = 29500


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    first = f"worker-{runtime_id}-0"
    return {
        "MASTER_ADDR": first,
        "MASTER_PORT": PORT,
        "RANK": index,
        "WORLD_SIZE": counts["worker"],
        "LOCAL_RANK": 0,
        "PET_MASTER_ADDR": first,
        "PET_MASTER_PORT": PORT,
        "PET_NNODES": counts["worker"],
        "PET_NODE_RANK": index,
        "PET_NPROC_PER_NODE": 1,
    }


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    job = str(parameters["MASTER_ADDR"]).removesuffix("-0")
    return [f"{job}-{n}:{PORT}" for n in range(parameters["PET_NNODES"])]


_RESNET = EXAMPLES / "resnet.yaml"
# The example's workers request GPUs, CPUs and memory that this machine lacks.
NO_GPU: Values = {"roles": {"worker": {"gpu": 0}}}
_REQUEST = {"requests": {"cpu": "200m", "memory": "400Mi"}, "limits": {"cpu": 1, "memory": "2Gi"}}
_PROGRAM = "/app/train_pytorch.py"


def trains(*command: str) -> Values:
    """The example, with two workers that run a command on the real PyTorch."""
    worker = {"replicas": 2, "command": [*command], "args": [], "resources": _REQUEST}
    return merged(NO_GPU, {"image": images.tag("pytorch"), "roles": {"worker": worker}})


_LAUNCHERS: Values = {"image": images.tag("launchers")}  # PyTorch's, with other launchers
_ACCELERATE = (
    # Without a GPU it starts one process in a replica, unless it is told that there are several.
    *("accelerate", "launch", "--multi_gpu", "--num_processes=$(WORLD_SIZE)"),
    *("--num_machines=$(PET_NNODES)", "--machine_rank=$(PET_NODE_RANK)"),
    *("--main_process_ip=$(MASTER_ADDR)", "--main_process_port=$(MASTER_PORT)"),
)
_DEEPSPEED = (
    # With --local_rank, which it adds otherwise, the program would have to know that option.
    *("deepspeed", "--no_ssh", "--node_rank=$(PET_NODE_RANK)", "--no_local_rank"),
    *("--master_addr=$(MASTER_ADDR)", "--master_port=$(MASTER_PORT)"),
)

FRAMEWORK = Framework(
    name="pytorch",
    job=_RESNET,
    roles={"worker": 2},
    port=PORT,
    addressed=("worker",),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone=NO_GPU,
    # Each process contributes its rank + 1.
    trainings={
        "torchrun": Training(
            _RESNET,
            merged(trains("torchrun", _PROGRAM), {"pytorch": {"nprocPerNode": 2}}),
            ("worker",),
            (),
            "processes 4, sum 10, weight 3.000",
        ),
        "env": Training(
            _RESNET,
            trains("python", _PROGRAM),
            ("worker",),
            (),
            "processes 2, sum 3, weight 3.000",
        ),
        "accelerate": Training(
            _RESNET,
            merged(trains(*_ACCELERATE, _PROGRAM), {**_LAUNCHERS, "pytorch": {"nprocPerNode": 2}}),
            ("worker",),
            (),
            "processes 4, sum 10, weight 3.000",
            "launchers",
        ),
        # Only the hostfile says that there are two processes in each replica.
        "deepspeed": Training(
            _RESNET,
            merged(
                trains(*_DEEPSPEED, _PROGRAM),
                {**_LAUNCHERS, "pytorch": {"hostfile": "deepspeed", "nprocPerNode": 2}},
            ),
            ("worker",),
            (),
            "processes 4, sum 10, weight 3.000",
            "launchers",
        ),
        "pytorchjob": Training(
            HERE / "native/pytorchjob.yaml",
            {"resources": {"requests": {"cpu": "200m", "memory": "400Mi"}}},
            ("master", "worker"),
            (),
            "processes 3, sum 6, weight 3.000",
        ),
    },
)
