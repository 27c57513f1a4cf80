"""Run the chart's own tests with `helm test`, and show their logs.

The tests are the pods and Jobs that the chart marks as test hooks; a chart without any is skipped,
and so is one that was not healthy before. Logs are followed while the tests run, because Helm may
delete their pods as soon as they end.
"""

import re
from collections.abc import Mapping, Sequence

from chartgen.k8s.objects import HOOK, Object, entries, fields
from chartgen.verify.base import ChartTest, Findings
from chartgen.verify.releases.release import Release, installed, why_not_installed
from chartgen.verify.result import FAILED
from chartgen.world.cluster import client
from chartgen.world.cluster.client import Name
from chartgen.world.helm import HelmError

_LINES = 40  # of a log
_EVENTS = {"test", "test-success"}
# How the lines begin in which `helm test` describes the release and the tests.
_HELM_LINES = (
    *("Last Started:", "Last Completed:", "Phase:", "NAME:", "LAST DEPLOYED:", "NAMESPACE:"),
    *("STATUS:", "REVISION:", "DESCRIPTION:", "TEST SUITE:", "NOTES:"),
)


def skip(test: ChartTest) -> str:
    """Needs a release that did not fail."""
    return why_not_installed(test) or ("wait failed" if test.verdict("wait") == FAILED else "")


def run(test: ChartTest, findings: Findings) -> None:
    """Run the tests, following their logs."""
    release = installed(test)
    tests = {name: hook for name, hook in release.hooks().items() if _is_test(hook)}
    if not tests:
        findings.skipped = "the chart has no tests"
        return
    with client.follow_logs(release.cluster, _containers(tests), release.timeout) as followed:
        try:
            printed = release.helm("test", release.name, release.timeout_option)
        except HelmError as error:
            printed = error.stdout
            message = release.renderer.explain(error)
            findings.problems.append(release.problem(message, "helm-test"))
    phases = re.findall(r"^Phase:\s+(\w+)", printed, re.MULTILINE)
    findings.about = f"helm test: {', '.join(dict.fromkeys(phases))}" if phases else "helm test"
    log = _logs(release, [*tests]) or followed or _own_lines(printed)
    findings.log += log[-_LINES:]
    if findings.problems:
        findings.log += release.describe_failures([*tests])


def _is_test(hook: Object) -> bool:
    events = str(fields(hook, "metadata", "annotations").get(HOOK)).replace(" ", "").split(",")
    return hook["kind"] in ("Pod", "Job") and not _EVENTS.isdisjoint(events)


def _containers(tests: Mapping[Name, Object]) -> list[tuple[Name, str]]:
    """The containers of tests that are pods; the names of a Job's pods are not known before."""
    containers = []
    for name, hook in tests.items():
        if name.kind == "Pod":
            for container in entries(fields(hook, "spec"), "containers"):
                containers.append((name, str(container.get("name"))))
    return containers


def _logs(release: Release, tests: Sequence[Name]) -> list[str]:
    """The logs of the tests' pods that still exist."""
    lines: list[str] = []
    for pod in client.pods(release.cluster, tests):
        for container in pod["spec"]["containers"]:
            lines += release.cluster.log(pod, container["name"]).splitlines()
    return lines


def _own_lines(printed: str) -> list[str]:
    """The tests' own lines in what Helm printed."""
    lines = printed.partition("\nNOTES:")[0].splitlines()
    return [line for line in lines if line.strip() and not line.startswith(_HELM_LINES)]
