"""Checks of what starts the processes of a replica: torchrun, accelerate or deepspeed."""

from collections.abc import Iterator

from chartgen.devices.request import names_device
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.frameworks import launchers
from chartgen.frameworks.launchers import LauncherWord
from chartgen.job.model import Job

_RULE = "pytorch-launcher"
# By the words that start it in a command.
_LAUNCHERS = {
    "torchrun": "torchrun",
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate": "accelerate",
    "deepspeed": "deepspeed",
}
# Options of torchrun, and the variables that say the same.
_TORCHRUN = {
    "nnodes": "PET_NNODES",
    "nproc_per_node": "PET_NPROC_PER_NODE",
    "node_rank": "PET_NODE_RANK",
    "master_addr": "PET_MASTER_ADDR",
    "master_port": "PET_MASTER_PORT",
}
# Options by which the others learn what torchrun reads from variables.
_NEEDED = {
    "accelerate": {
        "num_machines": "=$(PET_NNODES)",
        "machine_rank": "=$(PET_NODE_RANK)",
        "main_process_ip": "=$(MASTER_ADDR)",
        "main_process_port": "=$(MASTER_PORT)",
    },
    "deepspeed": {
        "no_ssh": "",
        "node_rank": "=$(PET_NODE_RANK)",
        "master_addr": "=$(MASTER_ADDR)",
        "master_port": "=$(MASTER_PORT)",
    },
}


def check_processes(job: Job, document: Document) -> Iterator[Problem]:
    """Without a device, `auto` counts the CPUs of the node."""
    if job.options.get("nprocPerNode") not in ("auto", "cpu"):
        return
    for role in job.roles:
        launcher, _ = launchers.find_program(launchers.words(job, role), _LAUNCHERS)
        if launcher != "torchrun" or names_device(job.spec(role)):
            continue
        message = f"roles.{role} requests no device, so torchrun starts a process for each CPU of "
        message += "the node, whatever the replica's limit is"
        hint = "set pytorch.nprocPerNode to a number"
        path = ("pytorch", "nprocPerNode")
        yield document.warning(path, message, "pytorch-processes-auto", hint)
        return


def check_launchers(job: Job, document: Document) -> Iterator[Problem]:
    """Launchers whose arguments contradict the chart, or do not name the other replicas."""
    several = sum(role.replicas for role in job.roles.values()) > 1
    for role in job.roles:
        command = launchers.words(job, role)
        launcher, rest = launchers.find_program(command, _LAUNCHERS)
        start = command[len(command) - len(rest) - 1] if launcher else LauncherWord("", ())
        own = _before_script(rest)
        if launcher == "torchrun":
            yield from _check_torchrun(own, document, several=several)
        elif launcher and several:
            yield from _check_missing(job, launcher, start, own, document)


def _before_script(words: list[LauncherWord]) -> list[LauncherWord]:
    """The launcher's own words; what follows a script is the script's."""
    for number, word in enumerate(words):
        if word.text.endswith(".py") or word.option in ("m", "module", "no_python"):
            return words[:number]
    return words


def _check_torchrun(
    words: list[LauncherWord], document: Document, *, several: bool
) -> Iterator[Problem]:
    for word in launchers.find_fixed(words, _TORCHRUN):
        name, variable = word.text.partition("=")[0], _TORCHRUN[word.option]
        message = f"{name} is the same in every replica, and wins over {variable}, which the chart"
        message, hint = f"{message} sets", "leave it out"
        if word.option == "nproc_per_node":
            message = f"{name} wins over {variable}, which the chart sets; WORLD_SIZE and the"
            message, hint = f"{message} hostfile do not follow it", "set pytorch.nprocPerNode"
        yield document.warning(word.path, message, _RULE, hint)
    for word in words:
        if word.option == "standalone" and several:
            message = "--standalone lets every replica train alone"
            yield document.warning(word.path, message, _RULE, "leave it out")


def _check_missing(
    job: Job, launcher: str, start: LauncherWord, words: list[LauncherWord], document: Document
) -> Iterator[Problem]:
    given = {word.option for word in words}
    missing = {name: value for name, value in _NEEDED[launcher].items() if name not in given}
    if not missing or "config_file" in given:
        return
    message = f"{launcher} does not learn about the other replicas; expected "
    message += " ".join(f"--{name}{value}" for name, value in missing.items())
    hint = ""
    if launcher == "deepspeed" and job.options["hostfile"] != "deepspeed":
        hint = "and set pytorch.hostfile to deepspeed"
    yield document.warning(start.path, message, _RULE, hint)
