"""Name a process so that another one can find out later whether it still runs."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress

_NAME = re.compile(r"([0-9a-f]{12})\.([0-9]+)\.([0-9]+)")
_NOWHERE = "0" * 12  # where a machine cannot distinguish processes, as without /proc


def own_name() -> str:
    """This process: the machine as far as process ids count in it, its id, and when it began."""
    return f"{_machine()}.{os.getpid()}.{_start(os.getpid()) or 0}"


def has_ended(name: str) -> bool:
    """Whether a process has surely ended; nothing is known about those of other machines."""
    match = _NAME.fullmatch(name)
    if not match or match[1] != _machine() or match[1] == _NOWHERE:
        return False
    return _start(int(match[2])) != match[3]


def is_an_argument(word: str) -> bool:
    """Whether any process of this machine has an argument like this."""
    return any(word.encode() in line.split(b"\0") for line in _command_lines())


def is_mentioned(text: str) -> bool:
    """Whether any process of this machine has this in its arguments."""
    return any(text.encode() in line for line in _command_lines())


def _command_lines() -> Iterator[bytes]:
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError):  # it has ended, or is not ours to see
            if entry.isdigit():
                yield _read(f"/proc/{entry}/cmdline")


def _machine() -> str:
    """This boot of this machine and, in a container, the container."""
    from hashlib import sha256

    try:
        boot = _read("/proc/sys/kernel/random/boot_id")
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return _NOWHERE
    return sha256(boot + namespace.encode()).hexdigest()[:12]


def _start(pid: int) -> str:
    """When a process began, in ticks since the boot; nothing if there is none that runs."""
    with suppress(OSError):
        # The name of the program, in parentheses, may contain anything.
        state, *fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        return "" if state in (b"Z", b"X") else fields[18].decode()
    return ""


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
