"""Two releases of one chart in one namespace are independent of each other."""

from pathlib import Path

from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes, reported_parameters
from tests.e2e.releases import Namespace, identity


@FIRST
def test_two_releases_in_one_namespace_have_their_own_peers(
    helm3: str, helm4: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """One installed by Helm 3 and one by Helm 4; each replica's peers are of its own release."""
    count = sum(framework.roles.values())
    first, second = namespace.release(helm3, "first"), namespace.release(helm4, "second")
    for release in (first, second):
        release.install(chart, probes(framework))
    for release in (first, second):
        release.running(count)
        parameters = reported_parameters(release, f"{framework.member}-{release.id()}-0")
        assert all(release.id() in address for address in framework.peers(parameters))
        release.test()
    assert first.id() != second.id()
    kept = identity(second.jobs())
    first.uninstall()
    assert identity(second.jobs()) == kept
    assert first.jobs() == []
    assert len(second.running(count)) == count
