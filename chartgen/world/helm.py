"""Find Helm and run it."""

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from chartgen.errors import WorldError

if TYPE_CHECKING:
    import subprocess

Version = tuple[int, int, int]

OLDEST: Version = (3, 17, 0)
VARIABLE = "CHARTGEN_HELM"
WAYS = f"""\
  - give its path: --helm PATH
  - or name it in the environment: {VARIABLE}=PATH
  - or put it on PATH: https://helm.sh/docs/intro/install/
  - or let pip bring it: pip install 'chartgen[helm]'"""

_GRACE = 5.0  # seconds an interrupted helm gets to stop by itself
_TAIL = 40  # lines of complaint that are shown; helm's last word is the one that counts


class HelmError(WorldError):
    """Helm ran and said no: `code` is its exit code, `stdout` and `stderr` what it printed."""

    def __init__(self, message: str, code: int, stdout: str, stderr: str) -> None:
        super().__init__(message)
        self.code, self.stdout, self.stderr = code, stdout, stderr


class Helm(NamedTuple):
    """A Helm that is there and new enough."""

    path: str
    version: Version

    def run(self, *args: str, stdin: str | None = None, timeout: float | None = None, undisturbed: bool = False) -> str:
        """Run `helm ARGS...` and return what it prints; HelmError if it fails, another WorldError if it cannot run.

        One that is to be undisturbed does not hear the Ctrl-C of a terminal.
        """
        return run(self.path, *args, stdin=stdin, timeout=timeout, undisturbed=undisturbed)


def find(explicit: str | None = None) -> Helm:
    """The Helm that was asked for; else the first one on PATH or beside this Python that is new enough."""
    named = explicit or os.environ.get(VARIABLE)
    if named:
        return _named(named, "--helm" if explicit else f"${VARIABLE}")
    found = [Helm(path, _version(path)) for path in _around()]
    if not found:
        raise WorldError(f"helm was not found. Any of these will do, with Helm {_dotted(OLDEST)} or newer:\n{WAYS}")
    for helm in found:
        if helm.version >= OLDEST:
            return helm
    raise _too_old(found)


def parse_version(text: str) -> Version | None:
    """(3, 17, 3) from `v3.17.3+ge4da497`; a Helm built by `go install` may leave out the last number."""
    match = re.search(r"\bv(\d+)\.(\d+)(?:\.(\d+))?", text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def run(
    path: str, *args: str, stdin: str | None = None, timeout: float | None = None, undisturbed: bool = False
) -> str:
    """Run the helm at this path, whatever its version; `Helm.run` is the usual door."""
    command = [path, *args]
    code, out, complaint = _outcome(command, None if stdin is None else stdin.encode(), timeout, undisturbed)
    stdout, stderr = out.decode(errors="surrogateescape"), complaint.decode(errors="replace")
    if code:
        raise HelmError(_failure(command, code, stdout + stderr), code, stdout, stderr)
    return stdout


def _outcome(
    command: list[str], stdin: bytes | None, timeout: float | None, undisturbed: bool
) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr; as bytes, because text mode would turn the CR LF of somebody's script into LF."""
    import subprocess

    source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    try:
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=undisturbed,
        )
    except OSError as error:
        raise WorldError(f"cannot run {command[0]}: {error.strerror}") from error
    with process:
        try:
            out, complaint = process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired as error:
            raise WorldError(f"{_shown(command)}\nhelm did not end within {timeout:g} seconds") from error
        finally:
            _stop(process)
    return process.returncode, out, complaint


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End a helm that Ctrl-C or a timeout left running; gently first, it may be half way through an install."""
    import signal
    import subprocess

    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _named(name: str, origin: str) -> Helm:
    """The Helm a person named, as a path or as a word to look up on PATH; nothing else is tried in its place."""
    path = _which(name)
    if path is None:
        raise WorldError(f"{origin} names {name}, and there is no such program")
    helm = Helm(path, _version(path))
    if helm.version < OLDEST:
        raise _too_old([helm])
    return helm


def _around() -> list[str]:
    """Every helm nobody has to name: the one on PATH, and the one pip put beside this Python."""
    beside = os.path.join(os.path.dirname(sys.executable), "helm")
    paths = (_which("helm"), _which(beside))
    return list(dict.fromkeys(path for path in paths if path))


def _which(name: str) -> str | None:
    import shutil  # slow to import, and most runs need no helm

    return shutil.which(name)


def _version(path: str) -> Version:
    said = run(path, "version", "--short", timeout=60)
    version = parse_version(said)
    if version is None:
        raise WorldError(f"{path} does not look like Helm: asked for its version, it says {said.strip()[:80]!r}")
    return version


def _too_old(found: list[Helm]) -> WorldError:
    seen = " and ".join(f"{helm.path} is Helm {_dotted(helm.version)}" for helm in found)
    return WorldError(f"{seen}: too old, chartgen needs {_dotted(OLDEST)} or newer. Any of these will do:\n{WAYS}")


def _failure(command: list[str], code: int, said: str) -> str:
    """What a person needs to see: the command, how it ended, and the end of what helm said (lint says it on stdout)."""
    import signal

    end = f"failed with exit code {code}" if code > 0 else f"was killed by {signal.Signals(-code).name}"
    lines = [line for line in said.splitlines() if line.strip()]
    return "\n".join([_shown(command), f"helm {end}", *(f"  {line}" for line in lines[-_TAIL:])])


def _shown(command: list[str]) -> str:
    import shlex

    return f"$ {shlex.join(command)}"


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
