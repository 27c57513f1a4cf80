"""What all tests share: the real Helms, and the flag that blesses golden files."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.command_line import Typist

ROOT = Path(__file__).parent.parent
REQUIRE_HELM4 = os.environ.get("CI") == "true" or os.environ.get("CHARTGEN_REQUIRE_HELM4") == "1"
REQUIRED_SHELLS = ("busybox", "zsh", "fish") if os.environ.get("CHARTGEN_REQUIRE_SHELLS") == "1" else ()
NO_HELM3 = "Helm 3 is missing beside this Python: run the tests by `make test`"
NO_HELM4 = "Helm 4 is missing: run `make helm4` (it needs Go), or set CHARTGEN_HELM4"

# Helm and a busy machine make single examples slow, which says nothing about the code. In CI the same commit gives
# the same examples, so that a red run means a change and not luck.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


def _helm3() -> str | None:
    return shutil.which(str(Path(sys.executable).with_name("helm")))


def _helm4() -> str | None:
    return shutil.which(os.environ.get("CHARTGEN_HELM4") or str(ROOT / ".cache" / "helm4" / "helm"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write what chartgen makes now into the golden files")


def pytest_configure() -> None:
    """Real Helm is no option: without it the run fails, it does not shrink."""
    if not _helm3():
        raise pytest.UsageError(NO_HELM3)
    if REQUIRE_HELM4 and not _helm4():
        raise pytest.UsageError(NO_HELM4)
    for shell in REQUIRED_SHELLS:
        if not shutil.which(shell):
            raise pytest.UsageError(f"{shell} is missing: install it, or unset CHARTGEN_REQUIRE_SHELLS")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `helm` runs once with each Helm there is."""
    if "helm" in metafunc.fixturenames:
        helms = {"helm3": _helm3(), "helm4": _helm4()}
        there = {name: path for name, path in helms.items() if path}
        metafunc.parametrize("helm", there.values(), ids=there.keys(), scope="session")


@pytest.fixture(scope="session")
def bless(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared (`make golden`)."""
    return bool(request.config.getoption("--bless"))


@pytest.fixture(scope="session")
def helm3() -> str:
    """The path of Helm 3."""
    path = _helm3()
    assert path, NO_HELM3
    return path


@pytest.fixture(scope="session")
def helm4() -> str:
    """The path of Helm 4; a developer without Go skips what cannot be said without it, CI does not."""
    path = _helm4()
    if not path:
        pytest.skip(NO_HELM4)
    return path


@pytest.fixture
def typed(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    """What types chartgen's commands, in a directory of the test's own."""
    return Typist(tmp_path, capsys, monkeypatch)
