"""Flux' own controllers deploy the example repository: from a registry, and to two clusters."""

import json
from pathlib import Path
from typing import Any

import yaml

from tests.e2e import images
from tests.e2e.cluster import Cluster
from tests.e2e.conftest import NewNamespace
from tests.e2e.flux import MARKS, flux, read_object, ready
from tests.e2e.releases import Namespace, outcome
from tests.e2e.second import SecondCluster, second_cluster
from tests.e2e.test_end import SUCCEEDS
from tests.e2e.test_repository import PODS, Repository, jobs_of
from tests.e2e.waiting import until
from tests.support.registry import registry

pytestmark = MARKS

JOB = "mnist"


class Deployed:
    """The example repository in the hands of Flux."""

    def __init__(
        self, repository: Repository, helm: str, charts: str, system: Namespace, staging: str
    ) -> None:
        self.repository, self.helm, self.charts, self.system = repository, helm, charts, system
        project = repository.folder / "chartgen.yaml"
        text = project.read_text("utf-8").replace("ml-staging", staging).partition("gitops:")[0]
        delivery = {"tool": "flux", "registry": charts, "namespace": system.name}
        project.write_text(f"{text}gitops: {json.dumps(delivery)}\n", "utf-8")

    def publish(self) -> dict[str, Any]:
        """What a pipeline does after a merge: render, package, push, and hand over to Flux.

        The HelmReleases of both environments.
        """
        chartgen = self.repository.chartgen
        chartgen("render", "-q")
        chartgen("package", f"charts/{JOB}", "-o", "packages", "-q")
        *_, package = sorted(self.repository.folder.glob(f"packages/{JOB}-*.tgz"))
        self.repository.cluster.run(self.helm, "push", package, self.charts, "--plain-http")
        chartgen("gitops", "-q")
        releases, every = {}, []
        for environment in ("staging", "production"):
            folder = self.repository.folder / "gitops/flux" / environment
            source = yaml.safe_load((folder / f"{JOB}-chart.yaml").read_text("utf-8"))
            source["spec"]["insecure"] = True  # the registry here has no certificate
            release = yaml.safe_load((folder / f"{JOB}.yaml").read_text("utf-8"))
            releases[environment] = release
            every += [source, release]
        file = self.system.folder / "flux.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": every}))
        self.system.kubectl("apply", "-f", str(file))
        return releases

    def versions(self, releases: dict[str, Any]) -> set[str]:
        """The versions of the chart that Flux has deployed; "" for one that is not done."""
        versions = set()
        for release in releases.values():
            history = self._status(release).get("history") or [{"chartVersion": ""}]
            done = ready(self.system.cluster, release)
            # Flux adds a digest: 0.1.0+bdbc9dac7521.
            version, _, _ = history[0]["chartVersion"].partition("+")
            versions.add(version if done else "")
        return versions

    def statuses(self, releases: dict[str, Any]) -> list[dict[str, Any]]:
        """What Flux says about all of them."""
        return [self._status(release) for release in releases.values()]

    def reconcile(self, release: dict[str, Any], token: str) -> dict[str, Any]:
        """Let Flux look again, as it does by itself every ten minutes; what it then says."""
        mark = f"reconcile.fluxcd.io/requestedAt={token}"
        name = release["metadata"]["name"]
        self.system.kubectl("annotate", "--overwrite", f"helmrelease/{name}", mark)
        until(
            lambda: self._status(release).get("lastHandledReconcileAt") == token,
            "Flux has looked again",
        )
        until(lambda: ready(self.system.cluster, release), "and is content")
        return self._status(release)

    def _status(self, release: dict[str, Any]) -> dict[str, Any]:
        status: dict[str, Any] = read_object(self.system.cluster, release).get("status", {})
        return status


def uids(jobs: list[dict[str, Any]]) -> dict[str, str]:
    return {job["metadata"]["name"]: job["metadata"]["uid"] for job in jobs}


def remember(system: Namespace, other: SecondCluster) -> None:
    """Give Flux the access to the other cluster under the name that its objects say."""
    file = f"--from-file=value={other.kubeconfig}"
    system.kubectl("create", "secret", "generic", "production-kubeconfig", file)


def test_flux_deploys_upgrades_and_accepts_ended_jobs(
    helm4: str, cluster: Cluster, new_namespace: NewNamespace, tmp_path: Path
) -> None:
    """A new version replaces the Jobs of the one environment that it changes, and no others."""
    system, staging = new_namespace(), new_namespace()
    repository = Repository(tmp_path / "repository", cluster)
    with (
        registry() as charts,
        second_cluster(cluster, tmp_path) as production,
        flux(cluster, system.name, tmp_path),
    ):
        remember(system, production)
        deployed = Deployed(repository, helm4, charts, system, staging.name)
        releases = deployed.publish()
        until(lambda: deployed.versions(releases) == {"0.1.0"}, "both are deployed")
        staging.release(helm4, JOB).running(PODS[JOB])
        before, elsewhere = jobs_of(staging), uids(production.objects("ml", "jobs"))
        assert len(elsewhere) > PODS[JOB]

        done = {"roles": {"chief": SUCCEEDS, "worker": SUCCEEDS}}
        repository.set_image("staging", images.tag("python", 2), {JOB: done})
        releases = deployed.publish()
        until(lambda: deployed.versions(releases) == {"0.1.1"}, "both are upgraded")
        until(lambda: not {*before} & {*jobs_of(staging)}, "the Jobs before are gone")
        assert len(jobs_of(staging)) == PODS[JOB]
        assert uids(production.objects("ml", "jobs")) == elsewhere, "nothing restarts elsewhere"

        until(lambda: ended(staging), "training ends, and the parameter server is suspended")
        objects = staging.objects("jobs")
        revision = deployed.reconcile(releases["staging"], "1")["history"][0]["version"]
        status = deployed.reconcile(releases["staging"], "2")
        assert status["history"][0]["version"] == revision, "an ended job is no reason to upgrade"
        assert uids(staging.objects("jobs")) == uids(objects)

        job = repository.folder / "jobs/mnist.yaml"
        job.write_text(f"{job.read_text('utf-8')}\ndescription: Digits\n", "utf-8")
        releases = deployed.publish()
        until(lambda: deployed.versions(releases) == {"0.1.2"}, "both have the third version", 60)
        assert uids(staging.objects("jobs")) == uids(objects), "an ended job is left as it is"
        assert not any(release.get("failures") for release in deployed.statuses(releases))


def ended(namespace: Namespace) -> bool:
    """Whether each replica has completed, or was suspended because it only serves."""
    jobs = namespace.objects("jobs", "chartgen/role")
    return all(outcome(job) == "Complete" or job["spec"].get("suspend") for job in jobs)
