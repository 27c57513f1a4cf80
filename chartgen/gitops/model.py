"""What GitOps objects are made from: a job in an environment, and where its chart is found."""

from collections.abc import Mapping

from chartgen.pipeline import CheckedJob
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any


class Delivery(NamedTuple):
    """How charts reach the clusters, as the project file says under `gitops`."""

    tool: str = "argocd"  # or flux
    repository: str = ""  # the URL of the Git repository
    revision: str = "main"  # the branch
    registry: str = ""  # oci://HOST/PATH, if charts are taken from a registry
    namespace: str = ""  # where the tool's own objects are; its usual one if empty
    project: str = "default"  # of Argo CD
    application_set: bool = False  # one ApplicationSet of Argo CD instead of many Applications


def delivery(said: Mapping[str, Any], given: Mapping[str, str | None]) -> Delivery:
    """What the command line gives, and else what the project file says."""
    words = {key: value for key, value in said.items() if key not in ("output", "path")}
    words["application_set"] = words.pop("applicationSet", False)
    words |= {key: value for key, value in given.items() if value}
    return Delivery(**words)


class Target(NamedTuple):
    """A job in an environment."""

    job: str
    environment: str  # empty if the project has none
    namespace: str
    cluster: str  # a name, the URL of an API server, or empty for the tool's own cluster
    path: str  # of the chart or the manifests, in the repository
    version: str  # of the chart
    manifests: bool = False
    values: Mapping[str, Any] | None = None  # those of the environment, if it has any

    @property
    def name(self) -> str:
        """A name of its own among all jobs and environments."""
        return f"{self.job}-{self.environment}" if self.environment else self.job

    @property
    def values_file(self) -> str:
        """The file in the chart with the environment's values; empty if there is none."""
        return f"values-{self.environment}.yaml" if self.values is not None else ""


def target_of(checked: CheckedJob, namespace: str) -> Target:
    """A job that belongs to no project: charts/NAME, in one namespace."""
    job = checked.job
    version = job.version if job.version != "auto" else "0.1.0"
    where = namespace or checked.namespace or "default"
    return Target(job.name, "", where, "", f"charts/{job.name}", version)
