"""What all tests share: the real Helms, the flag that writes golden files, a summary of skips."""

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from hypothesis import settings

import chartgen
from tests.support import charts, once, programs, resident
from tests.support.command_line import Typist
from tests.support.examples import examples

# Helm ends before it needs the memory again; collecting garbage would take a quarter of its time.
os.environ.setdefault("GOGC", "off")
os.environ.setdefault("GOMEMLIMIT", "1GiB")

# What tests make has hardly any cycles, and looking for them is a twelfth of their time.
gc.set_threshold(50_000, 20, 100)

# A script's job in the background ignores Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HELM_FIXTURES = {"helm", "helm3", "helm4"}
MEASURED = ("test_cli_", "test_helm.py")
MEASURED_CASES = 25  # of one test: more of them hardly ever run a line that these do not
CORPORA = ("test_problems.py", "test_convert.py")  # each of their cases is for lines of its own

# Helm and a busy machine make single examples slow, which says nothing about the code. In CI the
# same commit gives the same examples, so that a failure is caused by a change and not by chance.
settings.register_profile("local", deadline=None, max_examples=examples(50))
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true", help="write what chartgen makes now into the golden files"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need Helm, and those that need not be measured."""
    cases: Counter[str] = Counter()
    for item in items:
        if HELM_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("helm")
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        many = cases[test] > MEASURED_CASES and item.path.name not in CORPORA
        if many or _repeats_lines(item):
            item.add_marker("unmeasured")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, object, object]:
    """Leave the collection of the tests unmeasured, which takes twice as long with coverage."""
    if sys.gettrace():
        _import_all()
    with _measured(False):
        return (yield)


def pytest_collection_finish() -> None:
    """Leave the tests themselves to the end: each full collection of garbage would visit them."""
    gc.collect()
    gc.freeze()


@cache
def _import_all() -> None:
    """Import chartgen's modules while they are measured: what is not may be the first to do so."""
    for module in walk_packages(chartgen.__path__, "chartgen."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def _repeats_lines(item: pytest.Item) -> bool:
    """Whether a test only runs lines of ours that others run too, but runs them often.

    That holds where many examples are tried, and where charts or sources are tested, not commands.
    """
    tries_examples = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    folder = item.path.parent.name
    tests_charts = folder == "helm" and not item.path.name.startswith(MEASURED)
    return tries_examples or tests_charts or folder == "house"


_tracer: list[Any] = []  # that of coverage, or None, while tests run


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """Leave pytest and its plugins unmeasured: with coverage, they too take twice as long.

    The marker that pytest-cov has for single tests, no_cover, is without effect under pytest-xdist,
    where pytest-cov starts coverage twice in a process and pauses it once.
    """
    _tracer.append(sys.gettrace())
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(_tracer.pop())


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Measure a test itself, unless it only repeats what others do."""
    with _measured(not pyfuncitem.get_closest_marker("unmeasured")):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Measure what our own fixtures do, but not those of pytest."""
    with _measured(bool(fixturedef.baseid)):
        return (yield)


@contextmanager
def _measured(wanted: bool) -> Iterator[None]:
    before = sys.gettrace()
    if not wanted:
        sys.settrace(None)
    elif _tracer:
        sys.settrace(_tracer[-1])
    try:
        yield
    finally:
        sys.settrace(before)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line which tests were skipped, and why."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
    )
    if reasons:
        counted = (f"{count} ({reason})" for reason, count in reasons.items())
        terminalreporter.write_line(f"SKIPPED {', '.join(counted)}")


@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folder of what is made once in a run; pytest-xdist's processes share it."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    once.share(folder)
    yield
    resident.end()
    charts.check_originals(folder)


@pytest.fixture(scope="session")
def bless(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared (`make golden`)."""
    return bool(request.config.getoption("--bless"))


@pytest.fixture(scope="session")
def helm3() -> str:
    """The path of Helm 3."""
    return programs.helm3()


@pytest.fixture(scope="session")
def helm4() -> str:
    """The path of Helm 4."""
    return programs.helm4()


@pytest.fixture(scope="session", params=["helm3", "helm4"])
def helm(request: pytest.FixtureRequest) -> str:
    """The path of each Helm: a test that takes it runs once with each."""
    path: str = request.getfixturevalue(request.param)
    return path


@pytest.fixture
def typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Typist:
    """Runs chartgen's commands, in the test's own directory."""
    return Typist(tmp_path, capsys, monkeypatch)


@pytest.fixture
def resident_helm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of `typed` ask the Helm that stays, if there is one, when they only read charts."""
    fixtures = HELM_FIXTURES.intersection(request.fixturenames)
    paths = {request.getfixturevalue(name) for name in fixtures}
    resident.serve(monkeypatch, {path: path for path in paths})
