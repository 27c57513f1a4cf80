"""Programs that the tests run and the project does not contain: Helm 3, Helm 4 and some shells.

A test asks for a program when it needs it. Without Helm 3 the test fails. Without another program
it is skipped on a developer's machine, and fails where the environment requires the program.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

NO_HELM3 = "Helm 3 is missing beside this Python: run the tests by `make test`"
NO_HELM4 = "Helm 4 is missing: run `make helm4` (it needs Go), or set CHARTGEN_HELM4"


def helm3() -> str:
    """The path of Helm 3, which is never optional; CI also names a newer one."""
    beside = str(Path(sys.executable).with_name("helm"))
    path = shutil.which(os.environ.get("CHARTGEN_HELM3") or beside)
    if not path:
        pytest.fail(NO_HELM3, pytrace=False)
    return path


def helm4() -> str:
    """The path of Helm 4, which CI requires."""
    path = shutil.which(os.environ.get("CHARTGEN_HELM4") or str(ROOT / ".cache/helm4/helm"))
    in_ci = os.environ.get("CI") == "true"
    return path or _missing(NO_HELM4, in_ci or _is_set("CHARTGEN_REQUIRE_HELM4"))


def require_built(path: Path, target: str) -> str:
    """The path of what `make TARGET` makes with Go, which CI requires."""
    if path.exists():
        return str(path)
    in_ci = os.environ.get("CI") == "true"
    return _missing(f"run `make {target}`", in_ci or _is_set("CHARTGEN_REQUIRE_HELM4"))


def shell(name: str) -> str:
    """The path of busybox, zsh, fish, or another program that `.ci/run` installs."""
    return shutil.which(name) or _missing(
        f"{name} is not installed", _is_set("CHARTGEN_REQUIRE_SHELLS")
    )


def _is_set(variable: str) -> bool:
    return os.environ.get(variable) == "1"


def _missing(message: str, required: bool) -> str:
    if required:
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
