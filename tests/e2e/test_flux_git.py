"""Flux' own controllers deploy the example repository from Git: its charts, and its manifests."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.e2e import images
from tests.e2e.cluster import Cluster
from tests.e2e.conftest import NewNamespace
from tests.e2e.flux import MARKS, flux, read_object, ready
from tests.e2e.releases import Namespace
from tests.e2e.test_end import SUCCEEDS
from tests.e2e.test_flux import JOB, ended, uids
from tests.e2e.test_repository import PODS, Repository, jobs_of
from tests.e2e.waiting import until
from tests.support.git_server import git_server

pytestmark = MARKS

DONE = {"roles": {"chief": SUCCEEDS, "worker": SUCCEEDS}}


class Published:
    """The example repository on a Git server, and in the hands of Flux."""

    def __init__(
        self, repository: Repository, url: str, system: Namespace, staging: str, form: str
    ) -> None:
        self.repository, self.system = repository, system
        project = repository.folder / "chartgen.yaml"
        text = project.read_text("utf-8").replace("ml-staging", staging).partition("gitops:")[0]
        delivery = {"tool": "flux", "repository": url, "namespace": system.name}
        said = f"{text}format: {form}\ngitops: {json.dumps(delivery)}\n"
        project.write_text(said, "utf-8")
        self._git("init", "-q", "-b", "main")
        self._git("remote", "add", "origin", str(bare(repository.folder)))

    def _git(self, *words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        command = ["git", *identity, *words]
        done = subprocess.run(
            command, cwd=self.repository.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def publish(self, helm: str, **more: Any) -> dict[str, Any]:
        """Merge what has changed, and hand it over: the object that deploys the job in staging.

        What is given more becomes part of its spec.
        """
        self.repository.chartgen("render", "-q", "--helm", helm)
        self.repository.chartgen("gitops", "-q")
        self._git("add", "-A")
        self._git("commit", "-qm", "a change")
        self._git("push", "-q", "origin", "main")
        folder = self.repository.folder / "gitops/flux"
        source = yaml.safe_load((folder / "gitrepository.yaml").read_text("utf-8"))
        manifest: dict[str, Any] = yaml.safe_load(
            (folder / f"staging/{JOB}.yaml").read_text("utf-8")
        )
        manifest["spec"] |= more
        file = self.system.folder / "flux.json"
        file.write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": [source, manifest]})
        )
        self.system.kubectl("apply", "-f", str(file))
        commit = self._git("rev-parse", "HEAD")
        self.look(source)  # as Flux does by itself every five minutes
        until(lambda: commit in self._revision(source), "Flux has the commit")
        return manifest

    def _revision(self, source: dict[str, Any]) -> str:
        status = read_object(self.system.cluster, source).get("status", {})
        return str(status.get("artifact", {}).get("revision", ""))

    def look(self, manifest: dict[str, Any]) -> None:
        """Let Flux look at an object again, and wait until it has and is content."""
        token = os.urandom(4).hex()
        mark = f"reconcile.fluxcd.io/requestedAt={token}"
        name = f"{manifest['kind']}/{manifest['metadata']['name']}"
        self.system.kubectl("annotate", "--overwrite", name, mark)

        def done() -> bool:
            status = read_object(self.system.cluster, manifest).get("status", {})
            return status.get("lastHandledReconcileAt") == token and ready(
                self.system.cluster, manifest
            )

        until(done, f"Flux has looked at {name} again, and is content")


def bare(folder: Path) -> Path:
    """The repository that is served, beside the one that people work in."""
    place = folder.parent / "served/training.git"
    if not place.exists():
        command = ["git", "init", "-q", "--bare", "-b", "main", str(place)]
        subprocess.run(command, check=True, capture_output=True)
    return place


def chart_version(system: Namespace, release: dict[str, Any]) -> str:
    """The version of the chart that Flux has deployed; "" until it has."""
    if not ready(system.cluster, release):
        return ""
    status = read_object(system.cluster, release)["status"]
    history = status.get("history") or [{"chartVersion": ""}]
    # Flux adds a number where it merges values files: 0.1.0+1.
    version: str = history[0]["chartVersion"].partition("+")[0]
    return version


def test_flux_deploys_charts_from_git(
    helm4: str, cluster: Cluster, new_namespace: NewNamespace, tmp_path: Path
) -> None:
    """A commit with another image replaces the Jobs, one with other comments does nothing."""
    system, staging = new_namespace(), new_namespace()
    repository = Repository(tmp_path / "repository", cluster)
    with git_server(tmp_path / "served") as url, flux(cluster, system.name, tmp_path):
        published = Published(repository, f"{url}/training.git", system, staging.name, form="chart")
        release = published.publish(helm4)
        until(lambda: chart_version(system, release) == "0.1.0", "the chart is deployed")
        staging.release(helm4, JOB).running(PODS[JOB])
        before = jobs_of(staging)

        repository.set_image("staging", images.tag("python", 2), {JOB: DONE})
        release = published.publish(helm4)
        until(lambda: chart_version(system, release) == "0.1.1", "it is upgraded")
        until(lambda: not {*before} & {*jobs_of(staging)}, "the Jobs before are gone")
        until(lambda: ended(staging), "training ends, and the parameter server is suspended")

        objects = staging.objects("jobs")
        (repository.folder / "README.md").write_text("Our jobs\n", "utf-8")
        release = published.publish(helm4)
        published.look(release)
        assert chart_version(system, release) == "0.1.1"
        assert uids(staging.objects("jobs")) == uids(objects), "an ended job is left as it is"


def test_flux_deploys_manifests_from_git(
    helm4: str, cluster: Cluster, new_namespace: NewNamespace, tmp_path: Path
) -> None:
    """Old Jobs are pruned, a suspended one is not resumed, and ${NAME} is not replaced."""
    system, staging = new_namespace(), new_namespace()
    repository = Repository(tmp_path / "repository", cluster)
    with git_server(tmp_path / "served") as url, flux(cluster, system.name, tmp_path):
        published = Published(
            repository, f"{url}/training.git", system, staging.name, form="manifests"
        )
        substitute = {"postBuild": {"substitute": {"TEAM": "replaced"}}}
        text = {"env": {"KEPT": "${TEAM}"}}
        repository.set_image("staging", images.tag("python"), {JOB: text})
        kustomization = published.publish(helm4, **substitute)
        until(lambda: len(jobs_of(staging)) == PODS[JOB], "the Jobs are there")
        published.look(kustomization)
        before = jobs_of(staging)

        repository.set_image("staging", images.tag("python", 2), {JOB: {**DONE, **text}})
        kustomization = published.publish(helm4, **substitute)
        until(lambda: not {*before} & {*jobs_of(staging)}, "the Jobs before are pruned")
        until(lambda: len(jobs_of(staging)) == PODS[JOB], "the new ones are there")
        until(lambda: ended(staging), "training ends, and the parameter server is suspended")
        objects = staging.objects("jobs", "chartgen/role")
        for job in objects:
            (container,) = job["spec"]["template"]["spec"]["containers"]
            assert {"name": "KEPT", "value": "${TEAM}"} in container["env"]

        for _ in range(2):
            published.look(kustomization)
        assert uids(staging.objects("jobs", "chartgen/role")) == uids(objects)
        assert ended(staging), "what was suspended stays so"
