"""What runs of `chartgen test --cluster` that were killed have left on a cluster.

Every release under test has labels on Helm's record of it: which process tests it, and until when
that can last, because each stage has a timeout. So a release is left over if that time has passed
or if the process, seen from its own machine, has ended. All others may be in use: they stay.
"""

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing

from chartgen.errors import WorldError
from chartgen.startup.records import NamedTuple
from chartgen.verify.base import ClusterOptions
from chartgen.verify.releases.release import HelmRelease
from chartgen.world import processes
from chartgen.world.cluster import client
from chartgen.world.cluster.client import Cluster
from chartgen.world.helm import Helm

_RUN, _UNTIL = "chartgen/test-run", "chartgen/test-until"
_STAGES = 10  # timeouts that a run can take at most: Helm is run several times in some stages
_SLACK = 60.0  # seconds that each of them can take in addition
_SKEW = 300.0  # seconds by which the clocks of two machines may differ
_NAME = re.compile(r"[a-z0-9.-]+-test-[0-9a-f]{6}")
_RECORDS = {"secret": "Secret", "configmap": "ConfigMap"}  # by HELM_DRIVER


class TestedRelease(NamedTuple):
    """A release that some run of `chartgen test` has installed."""

    name: str
    run: str  # its process
    until: float  # when that has surely ended
    uninstalled: bool  # all but the objects of hooks

    def in_use(self) -> str:
        """Why it may be in use; nothing if it surely is not."""
        if time.time() > self.until + _SKEW:
            return ""
        # An orphaned Helm continues with what it was doing.
        if processes.has_ended(self.run) and not processes.is_an_argument(self.name):
            return ""
        end = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self.until + _SKEW))
        return f"its run may last until {end}"


class CleanUpOptions(NamedTuple):
    """What to look for leftovers with, and where."""

    helm: Helm
    cluster: ClusterOptions
    timeout: float


def clean_up(namespace: str, options: CleanUpOptions, tell: Callable[[str], None]) -> None:
    """Remove what killed runs left in a namespace; report that, and what may be in use."""
    where = options.cluster
    with closing(client.connect(where.kubeconfig, where.context, namespace)) as cluster:
        releases = find(cluster)
        failures = remove(releases, cluster, options, tell)
    for release in releases:
        if why := release.in_use():
            tell(f"left {release.name} alone: {why}")
    if not releases:
        tell(f"no run of chartgen test has left anything in namespace {cluster.namespace}")
    if failures:
        raise WorldError("\n".join(failures))


def labels(timeout: float) -> str:
    """The option of `helm install` that marks a release of this run."""
    until = time.time() + _STAGES * (timeout + _SLACK)
    return f"--labels={_RUN}={processes.own_name()},{_UNTIL}={until:.0f}"


def find(cluster: Cluster) -> list[TestedRelease]:
    """The releases of all runs in the namespace, by name."""
    driver = os.environ.get("HELM_DRIVER", "").removesuffix("s") or "secret"
    if driver not in _RECORDS:
        return []
    releases = {}
    for record in cluster.list("v1", _RECORDS[driver], labels=f"owner=helm,{_RUN},{_UNTIL}"):
        marks = record["metadata"]["labels"]
        name, until = marks.get("name", ""), marks[_UNTIL]
        # What a person has upgraded, or what only looks like a release of ours, is not ours.
        if _NAME.fullmatch(name) and marks.get("version") == "1" and until.isdigit():
            gone = marks.get("status") == "uninstalled"
            releases[name] = TestedRelease(name, marks[_RUN], float(until), gone)
    return [releases[name] for name in sorted(releases)]


def remove(
    releases: Sequence[TestedRelease],
    cluster: Cluster,
    options: CleanUpOptions,
    tell: Callable[[str], None],
) -> list[str]:
    """Remove those that are not in use, and report what was done; gives what failed."""
    failures = []
    for tested in releases:
        if tested.in_use():
            continue
        try:
            _remove(tested, cluster, options)
        except WorldError as error:
            failures.append(f"{tested.name} of a killed run could not be removed: {error}")
        else:
            tell(f"removed {tested.name}, which a killed run had left")
    return failures


def _remove(tested: TestedRelease, cluster: Cluster, options: CleanUpOptions) -> None:
    release = HelmRelease(tested.name, options.helm, cluster, options.cluster, options.timeout)
    hooks = [release.name_of(document.data) for document in release.get("hooks")]
    uids = release.uninstall(hooks, again=tested.uninstalled)[1]
    if left := client.until_gone(cluster, uids, options.timeout):
        raise WorldError(f"{left[0]} still exists")
