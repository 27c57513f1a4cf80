"""MPI: the launcher gets a hostfile and what its MPI reads; workers serve until it has ended."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, HERE, Counts, Framework, Training
from tests.e2e.releases import Values, merged

PORT = 2222


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    if role == "worker":
        return {"K_MPI_JOB_ROLE": role, "MPI_SSH_PORT": PORT}
    return {
        "K_MPI_JOB_ROLE": role,
        "MPI_NP": counts["worker"],
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "PRTE_MCA_prte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_plm_rsh_agent": "/etc/mpi/ssh.sh",
        "PRTE_MCA_plm_ssh_agent": "/etc/mpi/ssh.sh",
    }


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    """A worker is told nobody; only the launcher has a list."""
    job, _ = str(parameters["HOSTNAME"]).rsplit("-", 1)
    name, _ = job.rsplit("-", 1)
    return [f"{name}-{n}:{PORT}" for n in range(2)]


# No image can be pulled here, and the example's workers request GPUs that this machine lacks.
_HERE: Values = {
    "helperImage": images.tag("python"),
    "roles": {"worker": {"gpu": 0}},
}
# Open MPI 4 looks for its parts where it was built, unless it is told otherwise.
_ENV = {
    "PATH": "/opt/site-packages/bin:/usr/local/bin:/usr/bin:/usr/sbin:/bin",
    "LD_LIBRARY_PATH": "/opt/site-packages/lib",
    "OPAL_PREFIX": "/opt/site-packages",
}
_SMALL = {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": 1, "memory": "500Mi"}}


def sums(image: str) -> Values:
    """The example, with two ranks on each of two workers, under the restricted standard."""
    program = ["mpiexec", "python", "/app/allreduce_mpi.py"]
    return merged(
        _HERE,
        {
            "image": images.tag(image),
            "podSecurity": "restricted",
            "env": _ENV,
            "mpi": {"slots": 2},
            "roles": {
                "launcher": {"command": program, "resources": _SMALL},
                "worker": {"replicas": 2, "resources": _SMALL},
            },
        },
    )


SAYS = "ranks 4, sum 10, in 2 pods of worker, as user {1000}"


def _training(image: str) -> Training:
    job = EXAMPLES / ("pi.yaml" if image == "mpich" else "allreduce.yaml")
    return Training(job, sums(image), ("launcher",), ("worker",), SAYS, image)


_MPIJOB = Training(
    HERE / "native/mpijob.yaml",
    {"helperImage": images.tag("python")},
    ("launcher",),
    ("worker",),
    SAYS,
    "openmpi",
)


FRAMEWORK = Framework(
    name="mpi",
    job=EXAMPLES / "allreduce.yaml",
    roles={"launcher": 1, "worker": 2},
    port=PORT,
    addressed=("worker",),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone=_HERE,
    trainings={
        "openmpi": _training("openmpi"),
        "openmpi4": _training("openmpi4"),
        "mpich": _training("mpich"),
        "mpijob": _MPIJOB,
    },
)
