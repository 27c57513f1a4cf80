"""The Pythons that images are made of: the one that runs this, and others for frameworks that no longer run on it."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.e2e.process import Failure, run

# A requirements file that needs another Python says so in its first line: "# Python 3.8: ..."
_NAMED = re.compile(r"# Python (\d+\.\d+)\b")
RUNNING = ".".join(map(str, sys.version_info[:2]))
_TELL = """
import json, os, sys, sysconfig
binary = os.path.realpath(sys.executable)
print(json.dumps([sys.executable, binary, sysconfig.get_path("stdlib"), sys.version, sys.base_prefix]))
"""


class Python(NamedTuple):
    """An interpreter: how to run it, and what an image takes of it."""

    command: str
    binary: str
    library: str
    version: str  # with its build
    prefix: str


def needed(requirements: Path) -> Python:
    """The Python that some requirements are for; a Failure if this machine lacks it."""
    found = find(wanted(requirements))
    if not found:
        raise Failure(lacking(requirements))
    return found


def lacking(requirements: Path) -> str:
    """What this machine lacks for some requirements, if anything."""
    version = wanted(requirements)
    return "" if find(version) else f"it needs Python {version}, which is neither on PATH nor one of pyenv's"


def wanted(requirements: Path) -> str:
    """The version that some requirements name; by default that which runs this."""
    said = _NAMED.match(requirements.read_text())
    return said[1] if said else RUNNING


def running() -> Python:
    """The Python that runs this."""
    return _asked(sys.executable)


@cache
def find(version: str) -> Python | None:
    """A Python of a version such as 3.8."""
    found = (_asked(command) for command in _candidates(version))
    return next((one for one in found if one.version.startswith(f"{version}.")), None)


def _candidates(version: str) -> Iterator[str]:
    yield sys.executable
    if command := shutil.which(f"python{version}"):
        yield command
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python")))


def _asked(command: str) -> Python:
    """What an interpreter says of itself; a command of pyenv's for a version that is switched off says nothing."""
    said = run(command, "-c", _TELL, check=False)
    return Python(*json.loads(said)) if said else Python(command, "", "", "", "")
