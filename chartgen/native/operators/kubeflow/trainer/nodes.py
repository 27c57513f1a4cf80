"""The nodes of a TrainJob as roles, with what its operator set in them for each kind of runtime."""

import re
from collections.abc import Mapping
from math import ceil

from chartgen.devices.request import names_device
from chartgen.document import Path
from chartgen.k8s.quantities import amount
from chartgen.native.draft import Draft
from chartgen.native.operators.kubeflow.mpi_workers import drop_idle_command
from chartgen.native.operators.kubeflow.trainer.pods import FIELDS
from chartgen.native.operators.kubeflow.trainer.runtimes import Runtime
from chartgen.startup.typing import Any

# What a runtime of each kind is here; "" is one whose nodes do not find each other.
FRAMEWORKS = {"torch": "pytorch", "jax": "jax", "mpi": "mpi", "xgboost": "custom", "": "custom"}
CONTAINERS = {"pytorch": "pytorch", "jax": "jax", "mpi": "mpi", "custom": "main"}
PORT = 29500  # the operator's, for all
_TRAINER: Path = ("spec", "trainer")
_POLICY: Path = ("runtime", "spec", "mlPolicy")
_INDEX = {"JOB_COMPLETION_INDEX": "%{index}"}  # what Kubernetes sets in the pods of such Jobs
_XGBOOST = {
    "DMLC_TRACKER_URI": "%{host worker 0}",
    "DMLC_TRACKER_PORT": "%{port worker 0}",
    "DMLC_TASK_ID": "%{index}",
    "DMLC_NUM_WORKER": "%{count worker * devices}",
}


def fields_reaching(both: Runtime, role: str) -> tuple[str, ...]:
    """The fields of the TrainJob's trainer that its operator gave to the pods of a role."""
    if role == both.trains:
        return tuple(FIELDS)
    return ("env", "resourcesPerNode") if both.options.get("runLauncherAsNode") else ()


def add_variables(draft: Draft, both: Runtime, container: dict[str, Any]) -> dict[str, Any]:
    """The container of a job of `custom`, with its texts kept, and what the operator set in it."""
    own = _XGBOOST if both.policy == "xgboost" else {}
    for index, entry in enumerate(both.trainer.get("env", ())):
        if entry["name"] in own:
            message = f"{entry['name']} is set from the replicas at install"
            message += "; expected it to be left out"
            draft.problem((*_TRAINER, "env", index, "name"), message, "env-reserved")
    kept = {**container}
    for field in ("command", "args"):
        if field in kept:
            kept[field] = [_literal(word) for word in kept[field]]
    entries = []
    for entry in kept.get("env", ()):
        entries.append({**entry, "value": _literal(entry["value"])} if "value" in entry else entry)
    names = {entry["name"] for entry in entries}
    for name, value in {**_INDEX, **own}.items():
        if name not in names:
            entries.append({"name": name, "value": value})
    return {**kept, "env": entries}


def _literal(text: Any) -> Any:
    """A text in which %{ does not begin a late value."""
    return re.sub(r"%+(?=\{)", lambda match: match[0] * 2, text) if isinstance(text, str) else text


def take_nodes(draft: Draft, both: Runtime) -> None:
    """How many nodes there are, and how they find each other."""
    _take_count(draft, both)
    if both.policy in ("jax", "xgboost"):
        draft.take(("roles", "worker", "port"), PORT, ("spec", "runtimeRef"))
        draft.note(("roles", "worker", "port"), "the operator's default")
    if both.policy in ("torch", "jax", "xgboost") and not both.trainer:
        text = "without a trainer section the operator set no variables; here every worker has them"
        draft.note(("roles", "worker"), text)
    if not both.policy and draft.data["roles"]["worker"]["replicas"] > 1:
        text = "the operator's nodes had DNS names, NAME-node-0-INDEX.NAME; here replicas have them"
        text += " if the role has a port"
        draft.note(("roles", "worker"), text)
    if "numProcPerNode" in both.trainer and both.policy not in ("torch", "mpi"):
        draft.note(("roles", "worker"), "numProcPerNode: the operator read it for torch and MPI")


def _take_count(draft: Draft, both: Runtime) -> None:
    if "worker" not in both.roles:
        return
    target: Path = ("roles", "worker", "replicas")
    number, origin = both.trainer.get("numNodes"), (*_TRAINER, "numNodes")
    if number is None:
        number, origin = both.nodes or 1, (*_POLICY, "numNodes")
    beside = both.policy == "mpi" and both.options.get("runLauncherAsNode")
    draft.take(target, max(number - 1, 1) if beside else number, origin)
    notes = [] if "numNodes" in both.trainer else ["the runtime's"]
    if beside:
        notes.append("one of the nodes is the launcher")
        if number == 1:
            notes.append("the operator made another one beside it, and so has this job 2 nodes")
    if notes:
        draft.note(target, "; ".join(notes))


def take_options(draft: Draft, both: Runtime, container: Mapping[str, Any]) -> None:
    """The options of the framework; `container` is the one that trains."""
    if both.policy == "torch":
        draft.take(("pytorch",), {}, ("spec", "runtimeRef"))
        _take_processes(draft, both, container)
    elif both.policy == "mpi":
        _take_mpi(draft, both, container)


def _take_processes(draft: Draft, both: Runtime, container: Mapping[str, Any]) -> None:
    """The processes of a node: stated, or what the operator made of its resources."""
    target: Path = ("pytorch", "nprocPerNode")
    for fields, path in ((both.trainer, _TRAINER), (both.options, (*_POLICY, "torch"))):
        if "numProcPerNode" in fields:
            draft.take(target, fields["numProcPerNode"], (*path, "numProcPerNode"))
            return
    draft.take(target, _processes(_resources(both, container)), ("spec", "runtimeRef"))
    text = "as the operator counted: auto with a GPU, otherwise the CPUs of a node"
    draft.note(target, text)


def _resources(both: Runtime, container: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the operator counted processes by: the job's resources, or else the runtime's."""
    own: Mapping[str, Any] = both.trainer.get("resourcesPerNode", container.get("resources", {}))
    return own


def _processes(resources: Mapping[str, Any]) -> int | str:
    if names_device({"resources": resources}):
        return "auto"
    for kind in ("requests", "limits"):
        if cpus := amount(resources.get(kind, {}).get("cpu", 0)):
            return ceil(cpus)
    return 1


def _take_mpi(draft: Draft, both: Runtime, container: Mapping[str, Any]) -> None:
    path: Path = (*_POLICY, "mpi")
    draft.take(("mpi",), {}, path)
    for field, option, default in (
        ("mpiImplementation", "implementation", None),
        ("sshAuthMountPath", "sshAuthMountPath", "/root/.ssh"),
        ("runLauncherAsNode", "runLauncherAsWorker", None),
    ):
        value = both.options.get(field) or default
        if value is None:
            continue
        value = value.lower() if option == "implementation" else value
        draft.take(("mpi", option), value, (*path, field))
        if field not in both.options:
            draft.note(("mpi", option), "the operator's default")
    _take_slots(draft, both, container)
    if "worker" in both.roles:
        drop_idle_command(draft)


def _take_slots(draft: Draft, both: Runtime, container: Mapping[str, Any]) -> None:
    """The ranks of a node; where 1 is the runtime's number, the operator counted GPUs."""
    target: Path = ("mpi", "slots")
    stated = both.trainer.get("numProcPerNode")
    if stated is not None:
        draft.take(target, stated, (*_TRAINER, "numProcPerNode"))
        return
    slots = both.options.get("numProcPerNode", 1)
    gpus = _gpus(_resources(both, container))
    if slots == 1 and gpus > 1:
        draft.take(target, gpus, ("spec", "runtimeRef"))
        draft.note(target, "as the operator counted: the GPUs of a node")
        return
    draft.take(target, slots, (*_POLICY, "mpi", "numProcPerNode"))
    if "numProcPerNode" not in both.options:
        draft.note(target, "the operator's default")


def _gpus(resources: Mapping[str, Any]) -> int:
    amounts = {**resources.get("limits", {}), **resources.get("requests", {})}
    numbers = [number for name, number in amounts.items() if "gpu" in name.lower()]
    return int(amount(numbers[0]) or 0) if numbers else 0
