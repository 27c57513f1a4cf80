"""A chart runs in a namespace that enforces the restricted Pod Security Standard."""

from pathlib import Path

from tests.e2e.conftest import NewNamespace
from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes
from tests.e2e.releases import merged
from tests.e2e.waiting import until


def test_everything_runs_in_a_restricted_namespace(
    helm: str, framework: Framework, chart: Path, new_namespace: NewNamespace
) -> None:
    """Replicas, TensorBoard, cleanup and tests are admitted, and run as an ordinary user."""
    namespace = new_namespace(enforce="restricted")
    release = namespace.release(helm)
    extra = {"podSecurity": "restricted", "cleanup": {"enabled": True}}
    release.install(chart, merged(probes(framework), extra))
    pods = release.running(sum(framework.roles.values()))
    release.test()
    output = namespace.kubectl("exec", pods[0]["metadata"]["name"], "--", "id", "-u")
    assert output.strip() == "1000"
    until(
        lambda: namespace.objects("pods", "app.kubernetes.io/component=cleanup"),
        "the clean-up is let in",
    )


@FIRST
def test_without_podsecurity_the_namespace_refuses_the_replicas(
    helm3: str, framework: Framework, chart: Path, new_namespace: NewNamespace
) -> None:
    """The test above shows the effect of podSecurity: without it the pods are refused."""
    namespace = new_namespace(enforce="restricted")
    release = namespace.release(helm3)
    release.install(chart, probes(framework))
    events = (
        "get",
        "events",
        "--field-selector=reason=FailedCreate",
        "--output=jsonpath={.items[*].message}",
    )
    until(lambda: "restricted" in namespace.kubectl(*events), "the replicas are refused")
    assert release.pods() == []
