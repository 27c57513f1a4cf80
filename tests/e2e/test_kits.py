"""A kit on a real cluster: its objects are there, select the job's pods, and follow values."""

from pathlib import Path

from tests.e2e.frameworks import mxnet
from tests.e2e.jobs import probes, rendered
from tests.e2e.releases import Namespace, identity, merged


def test_a_chart_with_a_kit_runs_and_a_value_of_the_kit_touches_no_replica(
    helm: str, namespace: Namespace, tmp_path: Path
) -> None:
    framework = mxnet.FRAMEWORK
    chart = rendered(framework.job, tmp_path / "charts", "--kit", "baseline")
    release = namespace.release(helm)
    values = probes(framework)
    release.install(chart, values)
    release.running(sum(framework.roles.values()))
    pods = namespace.objects("pods", "chartgen/role")
    (policy,) = namespace.objects("networkpolicies", "app.kubernetes.io/component=isolation")
    chosen = policy["spec"]["podSelector"]["matchLabels"].items()
    assert all(chosen <= pod["metadata"]["labels"].items() for pod in pods)
    (owner,) = namespace.objects("configmaps", "app.kubernetes.io/component=owner")
    assert owner["data"]["team"] == "research"
    assert owner["data"]["framework"] == "mxnet"
    before = identity(namespace.objects("jobs,pods,services", "chartgen/role"))
    release.upgrade(chart, merged(values, {"baseline": {"team": "vision", "isolate": False}}))
    assert identity(namespace.objects("jobs,pods,services", "chartgen/role")) == before
    (owner,) = namespace.objects("configmaps", "app.kubernetes.io/component=owner")
    assert owner["data"]["team"] == "vision"
    assert namespace.objects("networkpolicies", "app.kubernetes.io/component=isolation") == []
    assert "Phase:          Succeeded" in release.test()
