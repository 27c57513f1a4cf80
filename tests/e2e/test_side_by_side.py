"""Two releases of one chart live in one namespace, and one goes without the other."""

from pathlib import Path

from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes, said
from tests.e2e.releases import Namespace, identity


@FIRST
def test_two_releases_in_one_namespace_know_their_own_peers(
    helm3: str, helm4: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """One made by Helm 3 and one by Helm 4; each replica's peers are of its own release."""
    count = sum(framework.roles.values())
    first, second = namespace.release(helm3, "first"), namespace.release(helm4, "second")
    for release in (first, second):
        release.install(chart, probes(framework))
    for release in (first, second):
        release.running(count)
        told = said(release, f"{framework.member}-{release.id()}-0")
        assert all(release.id() in address for address in framework.peers(told))
        release.test()
    assert first.id() != second.id()
    kept = identity(second.jobs())
    first.uninstall()
    assert identity(second.jobs()) == kept
    assert first.jobs() == []
    assert len(second.running(count)) == count
