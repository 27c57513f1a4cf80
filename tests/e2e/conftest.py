"""Fixtures on a running cluster (`make e2e`, `make cluster`); without one nothing is collected."""

import itertools
import os
import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.e2e import ALONE, api, claims, logs
from tests.e2e.cluster import Cluster
from tests.e2e.frameworks import FRAMEWORKS
from tests.e2e.jobs import HERE, Framework
from tests.e2e.releases import Namespace
from tests.support.charts import render

FOLDER = os.environ.get("CHARTGEN_E2E", "")
collect_ignore_glob = [] if FOLDER else ["test_*.py"]

LONGEST = (
    "test_devices.py",
    "test_angel.py",
    "test_mars.py",
    "test_training.py",
    "test_weights.py",
    "test_elasticdl.py",
    "test_scale.py",
    "test_install.py",
    "test_upgrade.py",
)

NewNamespace = Callable[..., Namespace]
NewClaim = Callable[[str], Path]
_NUMBERS = itertools.count(1)
_NAMESPACES = pytest.StashKey[list[Namespace]]()


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    """The running cluster; from now on this process is in its network."""
    running = Cluster(Path(FOLDER))
    api.enter(running.namespace)
    return running


@pytest.fixture
def new_namespace(
    request: pytest.FixtureRequest, cluster: Cluster, tmp_path: Path
) -> Iterator[NewNamespace]:
    """Create namespaces for one test, with labels if given; they are removed when it ends."""
    made: list[Namespace] = []
    request.node.stash[_NAMESPACES] = made

    def make(**labels: str) -> Namespace:
        words = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_"))[:40].strip("-")
        name = f"{words}-{os.getpid()}-{next(_NUMBERS)}"
        standard = {f"pod-security.kubernetes.io/{label}": value for label, value in labels.items()}
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": standard},
        }
        api.ask(cluster, "POST", "/api/v1/namespaces", body)
        made.append(Namespace(cluster, name, tmp_path))
        return made[-1]

    yield make
    for namespace in made:
        place = f"/api/v1/namespaces/{namespace.name}"
        api.ask(cluster, "DELETE", f"{place}/pods", gracePeriodSeconds="1")
        api.ask(cluster, "DELETE", place)


@pytest.fixture
def namespace(new_namespace: NewNamespace) -> Namespace:
    """A namespace for one test."""
    return new_namespace()


@pytest.fixture
def new_claim(namespace: Namespace) -> Iterator[NewClaim]:
    """Create claims that the test's pods can mount; each is a folder of this machine."""
    made: list[str] = []

    def make(claim: str) -> Path:
        made.append(claim)
        return claims.make(namespace, claim)

    yield make
    for claim in made:
        claims.remove(namespace, claim)


@pytest.fixture(params=FRAMEWORKS, ids=lambda framework: framework.name)
def framework(request: pytest.FixtureRequest) -> Framework:
    """Each framework in turn."""
    current: Framework = request.param
    return current


@pytest.fixture
def chart(framework: Framework, tmp_path: Path) -> Path:
    """The chart of the framework's job."""
    return render(
        framework.job.read_text(encoding="utf-8"), tmp_path / "charts", str(framework.job)
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """If a test failed, keep what is in its namespaces, and show the important lines."""
    report = yield
    if report.when == "call" and report.failed:
        for namespace in item.stash.get(_NAMESPACES, []):
            report.sections.append((f"namespace {namespace.name}", logs.keep(item.name, namespace)))
    return report


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that none runs alone at the end; not all with both Helms."""
    left_out = [item for item in items if not (_its_turn(item) and _its_time(item))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


def _its_time(item: pytest.Item) -> bool:
    """Whether a test runs now: those that disturb others run after them."""
    alone = os.environ.get(ALONE)
    return not alone or (alone == "1") == bool(item.get_closest_marker("alone"))


def _its_turn(item: pytest.Item) -> bool:
    """Whether a test runs with this Helm.

    Every framework's chart is installed by both Helms. What follows depends only on the skeleton
    that all charts share, so it is tested with both for the first framework; for the others the
    Helms take turns.
    """
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if (
        item.path.parent != HERE
        or item.path.name == "test_install.py"
        or not {"helm", "framework"} <= params.keys()
    ):
        return True
    place = FRAMEWORKS.index(params["framework"])
    return place == 0 or ("helm3", "helm4")[place % 2] in item.name


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Add how long each test took to its result."""
    if report.when == "call" and report.outcome in ("passed", "failed"):
        return (
            report.outcome,
            report.outcome[0],
            f"{report.outcome.upper()} ({report.duration:.0f} s)",
        )
    return None
