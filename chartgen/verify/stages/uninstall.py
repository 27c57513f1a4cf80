"""Uninstall the release, and check that nothing of it is left.

Objects that hooks created, which Helm leaves, are deleted too, and pods must be gone within
--timeout. CRDs stay, because Helm leaves them, and so does what the chart asks Helm to keep.

The stage runs whatever happened before, after Ctrl-C too; with --keep it only prints the command
that removes the release.
"""

from shlex import join

from chartgen.errors import WorldError
from chartgen.verify.base import ChartTest, Findings
from chartgen.verify.releases.release import Release, installed, why_not_installed
from chartgen.world.cluster import client
from chartgen.world.cluster.client import Name
from chartgen.world.helm import HelmError


def skip(test: ChartTest) -> str:
    """Needs a release that is not to be kept."""
    if test.release is None:
        return why_not_installed(test)
    if test.options.cluster and test.options.cluster.keep:
        return f"--keep; to remove it: {_command(test.release)}"
    return ""


def run(test: ChartTest, findings: Findings) -> None:
    """Uninstall, or say how to."""
    release = installed(test)
    command = _command(release)
    try:
        _uninstall(release, findings)
    except HelmError as error:
        message = f"{release.explain(error)}; try again: {command}"
        findings.problems.append(release.problem(message, "helm-uninstall"))
    except WorldError as error:
        message = f"{error}\nthe release may still exist; to remove it: {command}"
        raise WorldError(message) from error


def _command(release: Release) -> str:
    return join(["helm", "uninstall", release.name, *release.cluster_options()])


def _uninstall(release: Release, findings: Findings) -> None:
    """Remove the release and its hooks, and wait until their objects are gone."""
    uids = _pod_uids(release, findings)
    printed, hook_uids = release.uninstall(release.hooks())
    uids |= hook_uids
    left = client.until_gone(release.cluster, uids, release.timeout)
    for name in left:
        findings.problems.append(
            release.problem("it still exists", "object-left-behind", str(name))
        )
    if not left:
        findings.about = "nothing is left"
    if any(path.startswith("crds/") for path in release.renderer.chart.files()):
        findings.about = "the chart's CRDs are left, as Helm leaves them"
    if "kept due to the resource policy" in printed:
        findings.about = "what the chart asks Helm to keep is left"
        findings.log += [line for line in printed.splitlines() if line.startswith("[")]


def _pod_uids(release: Release, findings: Findings) -> dict[Name, str]:
    """The pods that have to go; if they cannot be listed, the rest is removed all the same."""
    uids = {}
    try:
        for pod in client.pods(release.cluster, [*release.workloads()]):
            metadata = pod["metadata"]
            name = Name("v1", "Pod", metadata["namespace"], metadata["name"])
            uids[name] = metadata["uid"]
    except WorldError as error:
        findings.reasons.append(f"whether all pods are gone: {error}")
    return uids
