"""The training runtimes of TrainJobs: which one a job names, and its replicated jobs."""

from collections.abc import Callable, Mapping, Sequence

from chartgen.document import Document, Path
from chartgen.errors import Mark, Problem
from chartgen.native.operators.kubeflow.trainer import shipped
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, in_shell

STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
NODE = "node"  # the replicated job, and the container in it, that train
_LAUNCHER = "launcher"  # the one that runs mpirun
_POLICIES = ("torch", "jax", "mpi", "xgboost", "flux")
JOBS: Path = ("spec", "template", "spec", "replicatedJobs")


class Runtime(NamedTuple):
    """A runtime and the job that names it, as one document with the parts `job` and `runtime`."""

    document: Document
    policy: str  # how its nodes find each other: torch, jax, ..., or "" for not at all
    roles: Mapping[str, Path]  # the Job template of each role that it has

    @property
    def trains(self) -> str:
        """The role that runs what the TrainJob's trainer says."""
        return _LAUNCHER if self.policy == "mpi" else "worker"

    @property
    def trainer(self) -> Mapping[str, Any]:
        """What the TrainJob says about the program."""
        return self.document.data["job"]["spec"].get("trainer") or {}

    @property
    def options(self) -> Mapping[str, Any]:
        """What the runtime says about the way in which its nodes find each other."""
        policy = self.document.data["runtime"]["spec"].get("mlPolicy", {})
        return policy.get(self.policy) or {}

    @property
    def nodes(self) -> int | None:
        """The number of nodes that the runtime has by default."""
        number = self.document.data["runtime"]["spec"].get("mlPolicy", {}).get("numNodes")
        return None if number is None else int(number)


def find(job: Document, beside: Sequence[Document]) -> Document | Problem:
    """The runtime that a job names: in the same file, or one that comes with the operator."""
    name = job.data["spec"]["runtimeRef"]["name"]
    where: Path = ("spec", "runtimeRef", "name")
    if beside:
        return beside[0]
    if name in shipped.SHIPPED:
        return Document(job.file, shipped.runtime(name), _at(job.mark(where)))
    if name in shipped.STEPPED:
        message = f"the runtime {name!r} loads data or a model in Jobs that run before the others;"
        message += " the chart has none"
        hint = "load what the program needs in an init container, or from a volume"
        return job.problem(where, message, "trainjob-step", hint)
    message = f"the runtime {name!r} is not in this file, and chartgen does not know it"
    command = f"kubectl get clustertrainingruntime {in_shell(name)} -o yaml"
    hint = (
        did_you_mean(name, shipped.SHIPPED) or f"put it into the file, after a line ---: {command}"
    )
    return job.problem(where, message, "trainjob-runtime-missing", hint)


def _at(mark: Mark) -> Callable[[Path, bool], Mark]:
    """Every value has the place of the name that it comes from."""
    return lambda _path, _key: mark


def join(job: Document, runtime: Document) -> Runtime:
    """A job and its runtime as one document; each part keeps its places."""

    def locate(path: Path, key: bool) -> Mark:
        part = runtime if path[:1] == ("runtime",) else job
        return part.locate(path[1:], key)

    data = {"job": job.data, "runtime": runtime.data}
    both = job._replace(data=data, locate=locate)
    given = runtime.data["spec"].get("mlPolicy", {})
    policy = next((name for name in _POLICIES if name in given), "")
    return Runtime(both, policy, _roles(runtime, policy))


def _roles(runtime: Document, policy: str) -> dict[str, Path]:
    """The Job templates of the launcher and the workers, or of the workers alone."""
    jobs = jobs_of(runtime)
    trains = [name for name, job in jobs.items() if _labels(job).get(STEP) == "trainer"]
    wanted = {"worker": [*trains, NODE]}
    if policy == "mpi":
        wanted = {_LAUNCHER: [*trains, _LAUNCHER], "worker": [NODE]}
    roles: dict[str, Path] = {}
    for role, names in wanted.items():
        for name in names:
            path: Path = ("runtime", *JOBS, [*jobs].index(name)) if name in jobs else ()
            if path and path not in roles.values():
                roles[role] = path
                break
    return {role: (*path, "template") for role, path in roles.items()}


def jobs_of(runtime: Document) -> dict[str, Mapping[str, Any]]:
    """The replicated jobs of a runtime by their names."""
    return {job["name"]: job for job in runtime.data["spec"]["template"]["spec"]["replicatedJobs"]}


def _labels(job: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = job["template"].get("metadata", {}).get("labels", {})
    return labels


def steps(runtime: Document, roles: Mapping[str, Path]) -> dict[str, Path]:
    """The replicated jobs of a runtime that are not roles, with the paths of their names."""
    kept = {path[-2] for path in roles.values()}
    names = enumerate(jobs_of(runtime))
    return {name: (*JOBS, index, "name") for index, name in names if index not in kept}
