"""A running job outlives a new version of its chart, and the change to the thin layout."""

from pathlib import Path

from tests.e2e.frameworks import mxnet
from tests.e2e.jobs import probes, rendered
from tests.e2e.releases import Namespace, identity
from tests.support.paths import CORPUS


def test_upgrades_from_the_version_before_and_to_the_thin_layout_touch_no_replica(
    helm: str, namespace: Namespace, tmp_path: Path
) -> None:
    """A release of the version before is upgraded to the full layout, then to the thin one.

    The Jobs, their pods and Services are the same all the time, and helm test passes at the end.
    MXNet's chart brings no program, which would be part of the pods and may change.
    """
    framework = mxnet.FRAMEWORK
    thin = rendered(framework.job, tmp_path / "thin", "--layout", "thin")
    namespace.cluster.run(helm, "dependency", "build", thin)
    charts = [
        CORPUS / "before" / f"{framework.job.stem}.tgz",
        rendered(framework.job, tmp_path / "full"),
        thin,
    ]
    release = namespace.release(helm)
    values = probes(framework)
    release.install(charts[0], values)
    release.running(sum(framework.roles.values()))
    before = identity(namespace.objects("jobs,pods,services", "chartgen/role"))
    for chart in charts[1:]:
        release.upgrade(chart, values)
        assert identity(namespace.objects("jobs,pods,services", "chartgen/role")) == before
    assert "Phase:          Succeeded" in release.test()
