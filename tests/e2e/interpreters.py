"""The Pythons of the images: the one that runs this, and older ones for some frameworks."""

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
library = sysconfig.get_path("stdlib")
print(json.dumps([sys.executable, binary, library, sys.version, sys.base_prefix]))
"""


class Python(NamedTuple):
    """An interpreter: how to run it, and what an image takes from it."""

    command: str
    binary: str
    library: str
    version: str  # with its build
    prefix: str


def needed(requirements: Path) -> Python:
    """The Python that some requirements are for; a Failure if this machine lacks it."""
    python = find(wanted(requirements))
    if not python:
        raise Failure(lacking(requirements))
    return python


def lacking(requirements: Path) -> str:
    """What this machine lacks for some requirements, if anything."""
    version = wanted(requirements)
    return (
        ""
        if find(version)
        else f"it needs Python {version}, which is neither on PATH nor one of pyenv's"
    )


def wanted(requirements: Path) -> str:
    """The version that some requirements name; by default the one that runs this."""
    named = _NAMED.match(requirements.read_text())
    return named[1] if named else RUNNING


def running() -> Python:
    """The Python that runs this."""
    return _identify(sys.executable)


@cache
def find(version: str) -> Python | None:
    """A Python of a version such as 3.8."""
    pythons = (_identify(command) for command in _candidates(version))
    return next((python for python in pythons if python.version.startswith(f"{version}.")), None)


def _candidates(version: str) -> Iterator[str]:
    yield sys.executable
    if command := shutil.which(f"python{version}"):
        yield command
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python")))


def _identify(command: str) -> Python:
    """What an interpreter says about itself; pyenv's command for a disabled version fails."""
    output = run(command, "-c", _TELL, check=False)
    return Python(*json.loads(output)) if output else Python(command, "", "", "", "")
