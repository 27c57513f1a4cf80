"""Argo CD's own code on live objects: first and second sync, a change, and each end."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes
from tests.e2e.releases import LOCAL, Namespace, Object, merged, outcome
from tests.e2e.test_end import FAILS, SUCCEEDS
from tests.e2e.waiting import until
from tests.support.argocd import Application, application
from tests.support.charts import read_objects

KINDS = "configmaps,jobs,roles,rolebindings,serviceaccounts,services"
_SMALL = {"roles": {"worker": {"replicas": 1}}}


class Synced:
    """A job as Argo CD deploys it: applied by the server, and what is no longer wanted removed."""

    def __init__(self, namespace: Namespace, helm: str, chart: Path) -> None:
        self.namespace, self.helm, self.chart = namespace, helm, chart
        self.desired: list[Object] = []

    def want(self, values: dict[str, Any]) -> Application:
        """Another state of the repository; what is said about it before a sync."""
        file = self.namespace.folder / "values.json"
        file.write_text(json.dumps(merged(LOCAL, values)))
        flags = ("--namespace", self.namespace.name, "--skip-tests", "--values", str(file))
        self.desired = read_objects(self.helm, self.chart, *flags, release="mnist")
        return self.report()

    def live(self) -> list[Object]:
        """What is on the cluster, and not about to go."""
        objects = self.namespace.objects(KINDS, "app.kubernetes.io/instance=mnist")
        return [item for item in objects if "deletionTimestamp" not in item["metadata"]]

    def report(self) -> Application:
        """What Argo CD says now."""
        return application(self.desired, self.live())

    def sync(self) -> None:
        """Apply what is wanted as Argo CD does with ServerSideApply and prune."""
        file = self.namespace.folder / "desired.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": self.desired}))
        manager = "--field-manager=argocd-controller"
        self.namespace.kubectl("apply", "--server-side", manager, "-f", str(file))
        names = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in self.desired}
        for item in self.live():
            kind, name = item["kind"], item["metadata"]["name"]
            if (kind, name) not in names:
                self.namespace.kubectl("delete", "--wait=false", f"{kind}/{name}")

    def versions(self) -> dict[str, str]:
        """What changes whenever an object is written, apart from its status."""
        versions = {}
        for item in self.live():
            metadata = item["metadata"]
            versions[f"{item['kind']}/{metadata['name']}"] = (
                f"{metadata['uid']} {metadata.get('generation')}"
            )
        return versions


def job_names(app: Application) -> set[str]:
    return {name for name in app.drift() if name.startswith("Job/")}


@FIRST
def test_argo_cd_sees_a_job_as_it_is(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Missing, then in sync and running; a second sync changes nothing; a change replaces Jobs.

    After success, failure and clean-up nothing is drift, and the health is the job's.
    """
    synced = Synced(namespace, helm3, chart)
    values = merged(probes(framework), _SMALL)

    first = synced.want(values)
    assert not first.synced
    assert first.health == "Missing"
    synced.sync()
    until(lambda: synced.report().health == "Progressing", "the job is seen to run")
    assert synced.report().synced
    before = synced.versions()
    synced.sync()
    assert synced.versions() == before, "a second sync changes nothing"

    old = {name for name in before if name.startswith("Job/")}
    ends = {"roles": {"chief": SUCCEEDS, "worker": SUCCEEDS}}
    changed = synced.want(merged(merged(values, {"image": "local/python:2"}), ends))
    assert not changed.synced
    assert not old & job_names(changed), "new Jobs are to be made"
    assert old < {f"{resource['kind']}/{resource['name']}" for resource in changed.objects}, (
        "and the old pruned"
    )
    synced.sync()
    until(lambda: not old & synced.versions().keys(), "the old Jobs are gone")
    until(lambda: _ended(namespace) == {"Complete"}, "the new chief completes")
    until(lambda: _suspended(namespace), "the others are released")
    until(lambda: synced.report().health == "Healthy", "a job that has ended well is healthy")
    _changes_nothing(synced)

    fails = {"roles": {"chief": {**FAILS, "backoffLimit": 0}, "worker": SUCCEEDS}}
    synced.want(merged(merged(values, {"image": "local/python:1"}), fails))
    synced.sync()
    until(lambda: _ended(namespace) == {"Failed"}, "the chief of the third state fails")
    until(lambda: _suspended(namespace), "the others are released")
    until(lambda: synced.report().health == "Degraded", "a job that has failed is degraded")
    _changes_nothing(synced)


def _changes_nothing(synced: Synced) -> None:
    """What has ended and was cleaned up is no drift, and a sync does not start it again."""
    assert synced.report().drift() == {}
    before = synced.versions()
    synced.sync()
    assert synced.versions() == before


def _of(namespace: Namespace, *roles: str) -> list[Object]:
    all_jobs = namespace.objects("jobs", "chartgen/role")
    jobs = [job for job in all_jobs if "deletionTimestamp" not in job["metadata"]]
    return [job for job in jobs if job["metadata"]["labels"]["chartgen/role"] in roles]


def _ended(namespace: Namespace) -> set[str]:
    return {outcome(job) for job in _of(namespace, "chief")}


def _suspended(namespace: Namespace) -> bool:
    return all(job["spec"].get("suspend") for job in _of(namespace, "ps"))
