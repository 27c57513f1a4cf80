"""Workers of MPI jobs, which operators let run sshd or sleep until the launcher came to them."""

from collections.abc import Sequence
from itertools import pairwise

from chartgen.native.draft import Draft
from chartgen.startup.typing import Any

CONTAINER = "mpi"  # the framework's
_SSHD_PORT = 2222  # the same
_IDLE = ("sshd", "sleep", "tail")  # programs that only wait for the launcher


def drop_idle_command(draft: Draft) -> None:
    """The chart's own worker serves ssh whatever the image has configured."""
    fields = _main_container(draft.data["roles"]["worker"])
    words = [*fields.get("command", ()), *fields.get("args", ())]
    if not words:
        return
    program = str(words[0]).rpartition("/")[2]
    if program not in _IDLE:
        text = (
            f"this command has to serve ssh on port {_SSHD_PORT}, or roles.worker.port; without a "
            "command the chart's worker runs sshd"
        )
        draft.note(("roles", "worker"), text)
        return
    fields.pop("command", None)
    fields.pop("args", None)
    port = _port_of(words)
    if program == "sshd" and port != _SSHD_PORT:
        draft.take(("roles", "worker", "port"), port, draft.origins["roles", "worker"])
    text = f"{' '.join(map(str, words))}: left out, because the chart's worker runs sshd itself"
    draft.note(("roles", "worker"), text)


def _main_container(role: dict[str, Any]) -> dict[str, Any]:
    """What holds the command: the role, or the main container of its template."""
    if "template" not in role:
        return role
    for container in role["template"]["spec"]["containers"]:
        if container["name"] == CONTAINER:
            main: dict[str, Any] = container
            return main
    return {}


def _port_of(words: Sequence[Any]) -> int:
    """The port in the arguments of sshd."""
    for word, following in pairwise(words):
        if word == "-p" and str(following).isdecimal():
            return int(following)
    return _SSHD_PORT
