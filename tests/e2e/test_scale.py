"""A thousand replicas are taken by a real API server."""

from pathlib import Path

from tests.e2e.jobs import Framework, probes
from tests.e2e.releases import Namespace, merged

COUNT = 1000


def test_a_thousand_replicas(helm3: str, framework: Framework, chart: Path, namespace: Namespace) -> None:
    """Installed on nodes that are not there, so that nothing starts; the peers are all listed; then removed."""
    role = framework.grows
    count = COUNT - sum(framework.roles.values()) + framework.roles[role]
    values = {"roles": {role: {"replicas": count}}, "nodeSelector": {"nowhere": "true"}}
    release = namespace.release(helm3)
    # Helm would look at each object for itself first, for more than a minute; the API server does so anyway.
    release.install(chart, merged(probes(framework), values), "--disable-openapi-validation", "--timeout=10m")
    assert len(release.jobs()) == COUNT
    release.run("uninstall", "--cascade=background", "--timeout=10m")
    assert release.jobs() == []
