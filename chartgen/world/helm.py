"""Find Helm, and run it."""

import os
import re
import sys
from functools import cache

from chartgen.errors import UsageError, WorldError
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

Version = tuple[int, int, int]

OLDEST: Version = (3, 17, 0)
VARIABLE = "CHARTGEN_HELM"
WAYS = f"""\
  - give its path: --helm PATH
  - or set it in the environment: {VARIABLE}=PATH
  - or install it on PATH: https://helm.sh/docs/intro/install/
  - or install it with pip: pip install 'chartgen[helm]'"""

_GRACE = 5.0  # seconds an interrupted helm gets to stop by itself
_TAIL = 40  # lines of an error message that are shown; the last ones matter


class HelmError(WorldError):
    """Helm ran and failed: `code` is its exit code, `stdout` and `stderr` what it printed."""

    def __init__(self, message: str, code: int, stdout: str, stderr: str) -> None:
        super().__init__(message)
        self.code, self.stdout, self.stderr = code, stdout, stderr


def place_options(namespace: str = "", kubeconfig: str = "", context: str = "") -> list[str]:
    """The options by which Helm finds a namespace and a cluster; none for what is not given."""
    given = {"namespace": namespace, "kubeconfig": kubeconfig, "kube-context": context}
    return [f"--{name}={value}" for name, value in given.items() if value]


class HelmValues(NamedTuple):
    """The options of a command line that Helm gets: a chart's values and the namespace."""

    sets: tuple[str, ...] = ()  # KEY=VALUE
    files: tuple[str, ...] = ()  # paths, or URLs
    namespace: str = ""

    def check(self) -> None:
        """Raise a UsageError for a values file that does not exist; URLs are left to Helm."""
        for file in self.files:
            if file == "-":
                raise UsageError("--values -: expected a file, not standard input")
            if "://" not in file and (os.path.isdir(file) or not os.path.exists(file)):
                raise UsageError(f"--values {file}: no such file")

    def value_options(self) -> list[str]:
        """The values as Helm's options; with Helm, --set wins over --values in any order."""
        files = [f"--values={file}" for file in self.files]
        return files + [f"--set={pair}" for pair in self.sets]

    def options(self) -> list[str]:
        """The values and the namespace as Helm's options."""
        # Without it, Helm uses the namespace of whatever cluster this machine has as its current.
        return [*place_options(self.namespace or "default"), *self.value_options()]


class Helm(NamedTuple):
    """A Helm that exists and is new enough."""

    path: str
    version: Version

    def run(
        self,
        *args: str,
        stdin: str | None = None,
        timeout: float | None = None,
        undisturbed: bool = False,
    ) -> str:
        """Run `helm ARGS...` and return what it prints.

        HelmError if it fails, another WorldError if it cannot run or takes too long. If
        `undisturbed`, the Ctrl-C of a terminal does not reach it.
        """
        return run(self.path, *args, stdin=stdin, timeout=timeout, undisturbed=undisturbed)


def find(explicit: str | None = None) -> Helm:
    """The given Helm; else the first on PATH or beside this Python that is new enough."""
    named = explicit or os.environ.get(VARIABLE)
    if named:
        return _find_named(named, "--helm" if explicit else f"${VARIABLE}")
    helms = [Helm(path, _version(path)) for path in _find_paths()]
    if not helms:
        message = f"helm was not found. Provide Helm {_dotted(OLDEST)} or newer:"
        raise WorldError(f"{message}\n{WAYS}")
    for helm in helms:
        if helm.version >= OLDEST:
            return helm
    raise _too_old(helms)


def parse_version(text: str) -> Version | None:
    """(3, 17, 3) from `v3.17.3+ge4da497`; a Helm of `go install` may lack the last number."""
    match = re.search(r"\bv(\d+)\.(\d+)(?:\.(\d+))?", text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def run(
    path: str,
    *args: str,
    stdin: str | None = None,
    timeout: float | None = None,
    undisturbed: bool = False,
) -> str:
    """Run the helm at this path, whatever its version; use `Helm.run` where there is one."""
    command = [path, *args]
    code, out, complaint = _outcome(
        command, None if stdin is None else stdin.encode(), timeout, undisturbed
    )
    stdout, stderr = out.decode(errors="surrogateescape"), complaint.decode(errors="replace")
    if code:
        raise HelmError(_failure(command, code, stdout + stderr), code, stdout, stderr)
    return stdout


def _outcome(
    command: list[str], stdin: bytes | None, timeout: float | None, undisturbed: bool
) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr, as bytes: text mode would turn CR LF in a script into LF."""
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
            raise WorldError(
                f"{_show_command(command)}\nhelm did not finish within {timeout:g} seconds"
            ) from error
        finally:
            _stop(process)
    return process.returncode, out, complaint


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End a helm that Ctrl-C or a timeout left running; gently first, it may be installing."""
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


def _find_named(name: str, origin: str) -> Helm:
    """The Helm that a person named, by path or as a word on PATH; no other is tried."""
    path = _which(name)
    if path is None:
        raise WorldError(f"{origin} {name}: no such program")
    helm = Helm(path, _version(path))
    if helm.version < OLDEST:
        raise _too_old([helm])
    return helm


def _find_paths() -> list[str]:
    """Every helm that need not be named: the one on PATH, and the one pip installed."""
    beside = os.path.join(os.path.dirname(sys.executable), "helm")
    paths = (_which("helm"), _which(beside))
    return list(dict.fromkeys(path for path in paths if path))


def _which(name: str) -> str | None:
    import shutil  # slow to import, and most runs need no helm

    return shutil.which(name)


@cache
def _version(path: str) -> Version:
    answer = run(path, "version", "--short", timeout=60)
    version = parse_version(answer)
    if version is None:
        raise WorldError(
            f"{path} does not look like Helm: `version` prints {answer.strip()[:80]!r}"
        )
    return version


def _too_old(helms: list[Helm]) -> WorldError:
    seen = " and ".join(f"{helm.path} is Helm {_dotted(helm.version)}" for helm in helms)
    return WorldError(f"{seen}: too old. Provide Helm {_dotted(OLDEST)} or newer:\n{WAYS}")


def _failure(command: list[str], code: int, said: str) -> str:
    """The command, how it ended, and the end of what helm printed (lint uses stdout)."""
    import signal

    end = f"failed with exit code {code}"
    if code < 0:
        end = f"was killed by {signal.Signals(-code).name}"
    lines = [line for line in said.splitlines() if line.strip()]
    printed = [f"  {line}" for line in lines[-_TAIL:]]
    return "\n".join([_show_command(command), f"helm {end}", *printed])


def _show_command(command: list[str]) -> str:
    import shlex

    shown = []
    for before, word in zip(("", *command), command, strict=False):
        option = "--set=" if re.fullmatch(r"--set(-\w+)?", before) else ""
        # What is set may be a secret, and may have commas; its first key is enough to find it.
        hidden = re.sub(r"^(--set[a-z-]*=[^=]*=).*", r"\1...", option + word, flags=re.S)
        shown.append(hidden.removeprefix(option))
    return f"$ {shlex.join(shown)}"


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
