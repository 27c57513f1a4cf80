"""The training runtimes that come with Kubeflow's trainer, as of its version 2.3."""

from chartgen.startup.typing import Any

VERSION = "2.3"

# How the nodes find each other, and the image of all of them.
SHIPPED = {
    "torch-distributed": ("torch", "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"),
    "jax-distributed": ("jax", "nvcr.io/nvidia/jax:25.10-py3"),
    "xgboost-distributed": ("xgboost", "ghcr.io/kubeflow/trainer/xgboost-runtime"),
    "deepspeed-distributed": ("mpi", "ghcr.io/kubeflow/trainer/deepspeed-runtime"),
    "mlx-distributed": ("mpi", "ghcr.io/kubeflow/trainer/mlx-runtime"),
}
# Those that load data or a model in Jobs of their own, on which the training depends.
STEPPED = (
    "torchtune-llama3.2-1b",
    "torchtune-llama3.2-3b",
    "torchtune-qwen2.5-1.5b",
    "torch-distributed-with-cache",
)
_USER = 1000  # the one whom the images of MPI have for sshd


def runtime(name: str) -> dict[str, Any]:
    """A shipped runtime as the operator has it."""
    policy, image = SHIPPED[name]
    jobs = _mpi_jobs(image) if policy == "mpi" else [_job("node", {"image": image})]
    options: dict[str, Any] = {}
    if policy == "mpi":
        options = {"sshAuthMountPath": "/home/mpiuser/.ssh", "runLauncherAsNode": True}
    return {
        "metadata": {"name": name},
        "spec": {
            "mlPolicy": {"numNodes": 1, policy: options},
            "template": {"spec": {"replicatedJobs": jobs}},
        },
    }


def _job(name: str, container: dict[str, Any], **pod: Any) -> dict[str, Any]:
    spec = {**pod, "containers": [{"name": "node", **container}]}
    return {"name": name, "template": {"spec": {"template": {"spec": spec}}}}


def _mpi_jobs(image: str) -> list[dict[str, Any]]:
    user = {"image": image, "securityContext": {"runAsUser": _USER}}
    server = {
        "command": ["/usr/sbin/sshd"],
        "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
        "readinessProbe": {"tcpSocket": {"port": 2222}, "initialDelaySeconds": 5},
    }
    group = {"fsGroup": _USER}
    return [
        _job("node", {**user, **server}, securityContext=group),
        _job("launcher", user, securityContext=group),
    ]
