"""The example repository on a cluster: deployed from its packages, changed, compared, pruned."""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e import images
from tests.e2e.cluster import Cluster
from tests.e2e.conftest import NewNamespace
from tests.e2e.process import run
from tests.e2e.releases import LOCAL, TIMEOUT, Namespace, Object, Values, merged
from tests.e2e.waiting import until
from tests.support.paths import CORPUS, ROOT
from tests.support.registry import registry

# What each job is in both environments: small, and with images that this cluster has.
_SMALL: Values = {
    "resources": {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"cpu": 1}},
}
_NO_WEIGHTS: Values = {"volumes": [], "volumeMounts": []}
ROLES: dict[str, dict[str, Values]] = {
    "mnist": {"chief": {}, "worker": {"replicas": 2}, "ps": {"replicas": 1}},
    "analysis": {"scheduler": {}, "worker": {"replicas": 1}, "web": {}},
    "fit": {"master": _NO_WEIGHTS, "worker": {"replicas": 1}, "ps": {}},
}
PORTS = {"mnist": 2222, "analysis": 7103, "fit": 2222}
PODS = {"mnist": 4, "analysis": 3, "fit": 3}


def values(job: str, image: str) -> dict[str, Any]:
    """The values of a job in an environment of this cluster."""
    program = {**_SMALL, "command": ["python", "/app/probe.py", str(PORTS[job])]}
    roles = {role: {**program, **own} for role, own in ROLES[job].items()}
    more: Values = {}
    if job == "analysis":
        quick = {"tcpSocket": {"port": PORTS[job]}, "periodSeconds": 1}
        more = {"wait": {"image": images.tag("busybox")}, "container": {"readinessProbe": quick}}
    return {**LOCAL, **more, "image": image, "roles": roles}


class Repository:
    """A copy of the example, whose environments are two namespaces of this cluster."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.folder, self.cluster = folder, cluster
        shutil.copytree(CORPUS / "repository", folder)
        # One node, without zones, and no bucket.
        job = folder / "jobs/mnist.yaml"
        text = job.read_text("utf-8").partition("tensorboard:")[0]
        job.write_text(text.replace("    overrides:\n      2: {nodeSelector: {zone: b}}\n", ""))
        for environment in ("staging", "production"):
            self.set_image(environment, images.tag("python"))

    def set_image(
        self, environment: str, image: str, more: Mapping[str, Values] | None = None
    ) -> None:
        """Change the image of all jobs in an environment, and more of some."""
        folder = self.folder / "environments" / environment
        for name in ROLES:
            said = merged(values(name, image), (more or {}).get(name, {}))
            (folder / f"{name}.yaml").write_text(json.dumps(said), "utf-8")

    def chartgen(self, *words: str, check: bool = True) -> str:
        """What a command prints, typed in the repository with the cluster in reach."""
        via = ("nsenter", f"--net={self.cluster.namespace}")
        env = {**self.cluster.env, "PYTHONPATH": str(ROOT)}
        command = (sys.executable, "-m", "chartgen", *words)
        return run(*command, via=via, cwd=self.folder, env=env, check=check)

    def deploy(
        self, helm: str, job: str, where: str, namespace: Namespace, charts: str = ""
    ) -> None:
        """Install a job with the values of an environment.

        By its newest package, or from the registry to which this is pushed.
        """
        *_, path = sorted(self.folder.glob(f"packages/{job}-*.tgz"))
        package = [str(path)]
        if charts:
            self.cluster.run(helm, "push", path, charts, "--plain-http")
            package = [f"{charts}/{job}", "--plain-http"]
        file = self.folder / f"charts/{job}/values-{where}.yaml"
        flags = ("--namespace", namespace.name, "--values", file, "--wait", TIMEOUT)
        self.cluster.run(helm, "install", job, *package, *flags)

    def apply(self, namespace: Namespace) -> None:
        """Make the cluster have all manifests of staging, and no others of the team's."""
        overlay = self.folder / "overlay"
        overlay.mkdir(exist_ok=True)
        jobs = sorted((self.folder / "plain/staging").iterdir())
        listed = {"resources": [f"../plain/staging/{job.name}" for job in jobs]}
        (overlay / "kustomization.yaml").write_text(json.dumps(listed), "utf-8")
        namespace.kubectl("apply", "--prune", "--selector=team=vision", "-k", str(overlay))


def test_the_example_repository_is_deployed_and_changed(
    helm3: str, helm4: str, cluster: Cluster, new_namespace: NewNamespace, tmp_path: Path
) -> None:
    """From packages and a registry, by both Helms; `diff` compares with what is installed."""
    repository = Repository(tmp_path / "repository", cluster)
    places = {"staging": (helm3, new_namespace()), "production": (helm4, new_namespace())}
    repository.chartgen("render", "-q")
    repository.chartgen("render", "--check", "-q")
    repository.chartgen("package", "-o", "packages", "-q")
    with registry() as charts:
        for where, (helm, namespace) in places.items():
            for job in ROLES:
                from_registry = charts if job == "mnist" else ""
                repository.deploy(helm, job, where, namespace, from_registry)
    for helm, namespace in places.values():
        for job, count in PODS.items():
            namespace.release(helm, job).running(count)

    helm, namespace = places["staging"]
    release = ("release:mnist", "charts/mnist", "--environment", "staging", "-n", namespace.name)
    words = ("diff", *release, "--helm", helm)
    assert "nothing happens" in repository.chartgen(*words)

    repository.set_image("staging", images.tag("python", 2))
    repository.chartgen("render", "-q")
    said = repository.chartgen(*words, check=False)
    (told,) = json.loads(repository.chartgen(*words, "--output", "json", check=False))["changes"]
    before = jobs_of_mnist(namespace)
    file = repository.folder / "charts/mnist/values-staging.yaml"
    namespace.release(helm, "mnist").run(
        "upgrade", repository.folder / "charts/mnist", "--values", file, "--wait", TIMEOUT
    )
    until(lambda: not before.keys() & jobs_of_mnist(namespace).keys(), "the old Jobs are gone")
    after = jobs_of_mnist(namespace)
    replaced = {pair["old"]: pair["new"] for pair in told["replaced"]}
    assert {name for name in replaced if name.startswith("Job/")} == before.keys()
    assert {name for name in replaced.values() if name.startswith("Job/")} == after.keys()
    training = [
        name for name, job in before.items() if "chartgen/role" in job["metadata"]["labels"]
    ]
    assert f"replaced   {len(training)} Jobs (training restarts): " in said
    assert all(name.removeprefix("Job/") in said for name in training)
    assert "nothing happens" in repository.chartgen(*words)


def jobs_of_mnist(namespace: Namespace) -> dict[str, Object]:
    """All Jobs of the release, the one that cleans up among them, which are not about to go."""
    jobs = namespace.objects("jobs", "app.kubernetes.io/instance=mnist")
    kept = [job for job in jobs if "deletionTimestamp" not in job["metadata"]]
    return {f"Job/{job['metadata']['name']}": job for job in kept}


def test_a_pruned_job_is_removed_by_whoever_deploys(
    helm3: str, cluster: Cluster, namespace: Namespace, tmp_path: Path
) -> None:
    """The manifests of an environment, applied and pruned with kubectl."""
    repository = Repository(tmp_path / "repository", cluster)
    project = repository.folder / "chartgen.yaml"
    text = project.read_text("utf-8").replace("ml-staging", namespace.name)
    project.write_text(f"{text}format: manifests\noutput: plain\n", "utf-8")
    repository.chartgen("render", "-q", "--helm", helm3)
    repository.apply(namespace)
    until(lambda: len(jobs_of(namespace)) == sum(PODS.values()), "all Jobs are there")

    (repository.folder / "jobs/analysis.yaml").unlink()
    for environment in ("staging", "production"):
        (repository.folder / f"environments/{environment}/analysis.yaml").unlink()
    repository.chartgen("render", "-q", "--prune", "--helm", helm3)
    assert not (repository.folder / "plain/staging/analysis").exists()
    repository.apply(namespace)
    left = sum(PODS.values()) - PODS["analysis"]
    until(lambda: len(jobs_of(namespace)) == left, "the Jobs of the other two are left")


def jobs_of(namespace: Namespace) -> list[str]:
    """The names of the Jobs of all replicas."""
    jobs = namespace.objects("jobs", "chartgen/role")
    return [job["metadata"]["name"] for job in jobs if "deletionTimestamp" not in job["metadata"]]
