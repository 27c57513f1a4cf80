"""Install the chart on the cluster, as a release of its own.

The release has a new name each time (`NAME-test-1a2b3c`), so that two runs never meet. It goes to
the namespace and the cluster that Helm would use: those of --namespace, --kube-context and
--kubeconfig, or the current ones. The values are those of --values and --set; files in the chart's
ci/ are not used.

Before that, the stage looks in the namespace for releases that killed runs of `chartgen test` have
left, removes them, and says so. Helm's record of each has labels (chartgen/test-run,
chartgen/test-until): a release is left over if its process has ended, which only the machine that
it ran on can find out (in /proc, so not on macOS), or if the time that its timeouts allow is over.
All others stay, and so does what --keep has kept. `chartgen test --clean-up` does only this.

The stage is skipped if a stage before it failed. It is not judged if the cluster cannot be reached.
"""

from secrets import token_hex

from chartgen.errors import WorldError
from chartgen.k8s.limits import RELEASE_NAME
from chartgen.verify.base import LIBRARY, NO_HELM, ChartTest, ClusterOptions, Findings
from chartgen.verify.releases import leftovers
from chartgen.verify.releases.release import Release
from chartgen.verify.result import FAILED
from chartgen.world.cluster import client
from chartgen.world.cluster.client import Cluster
from chartgen.world.helm import HelmError

_DESCRIPTION = "--description=installed by chartgen test, which will remove it"


def skip(test: ChartTest) -> str:
    """Needs a chart that nothing was found wrong with."""
    if test.chart.library:
        return LIBRARY
    if failed := test.stages(FAILED):
        return f"{' and '.join(failed)} failed"
    return NO_HELM if test.missing_helm() else ""


def run(test: ChartTest, findings: Findings) -> None:
    """Connect, and install."""
    options, values = test.options.cluster or ClusterOptions(), test.options.values
    for path in test.renderer.values:
        if path:
            test.result.unchecked.append(f"{path} on the cluster (give it with --values)")
    cluster = client.connect(options.kubeconfig, options.context, values.namespace)
    _remove_leftovers(test, cluster, findings)
    token = f"-test-{token_hex(3)}"
    name = test.chart.name[: RELEASE_NAME - len(token)].rstrip("-.") + token
    release = Release(name, test.renderer, cluster, options, test.options.timeout)
    test.release = release  # from here on there is something to remove
    findings.about = f"{release.name} in {cluster.namespace}, Kubernetes {cluster.version}"
    marks = () if options.keep else (leftovers.labels(release.timeout),)
    words = (_DESCRIPTION, *marks, release.timeout_option, *values.value_options())
    try:
        release.helm("install", release.name, test.chart.folder, *words)
    except HelmError as error:
        findings.problems.append(release.problem(release.explain(error), "helm-install"))
        findings.log += release.describe_failures([*release.hooks()])
        return
    release.read_objects()


def _remove_leftovers(test: ChartTest, cluster: Cluster, findings: Findings) -> None:
    """Remove what killed runs left; this run goes on in any case."""
    cluster_options = test.options.cluster or ClusterOptions()
    options = leftovers.CleanUpOptions(test.renderer.helm, cluster_options, test.options.timeout)
    try:
        releases = leftovers.find(cluster)
        findings.log += leftovers.remove(releases, cluster, options, findings.log.append)
    except WorldError as error:
        findings.log.append(f"cannot look for what killed runs have left: {error}")
