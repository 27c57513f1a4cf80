"""A release of a chart, used as a person would: with helm and kubectl."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e import api, images
from tests.e2e.cluster import Cluster
from tests.e2e.waiting import until

Object = dict[str, Any]
Values = Mapping[str, Any]
# No image can be pulled here, so the default images of a chart are replaced by local ones.
LOCAL: Values = {
    "tests": {"image": images.tag("python")},
    "cleanup": {"image": images.tag("python")},
}
TIMEOUT = "--timeout=3m"


class Namespace(NamedTuple):
    """A namespace of the cluster, and a folder for values files."""

    cluster: Cluster
    name: str
    folder: Path

    def kubectl(self, *args: str) -> str:
        return self.cluster.kubectl("--namespace", self.name, *args)

    def objects(self, kinds: str, selector: str = "") -> list[Object]:
        """The objects of some kinds that a selector picks, by kind and name."""
        objects = [
            item
            for kind in kinds.split(",")
            for item in api.listed(self.cluster, self.name, kind, selector)
        ]
        return sorted(objects, key=lambda item: (item["kind"], item["metadata"]["name"]))

    def everything(self) -> set[str]:
        """What is in the namespace, except what Kubernetes puts in each, and past events."""
        return api.everything(self.cluster, self.name) - {
            "serviceaccounts/default",
            "configmaps/kube-root-ca.crt",
        }

    def logs(self, pod: str) -> str:
        return api.ask(self.cluster, "GET", f"/api/v1/namespaces/{self.name}/pods/{pod}/log")

    def release(self, helm: str, name: str = "demo") -> "Release":
        return Release(self, helm, name)


class Release(NamedTuple):
    """A release, with the Helm that handles it."""

    namespace: Namespace
    helm: str
    name: str

    def run(self, verb: str, *args: str | Path) -> str:
        """Run helm as a person would type it."""
        return self.namespace.cluster.run(
            self.helm, "--namespace", self.namespace.name, verb, self.name, *args
        )

    def install(self, chart: Path, values: Values, *flags: str) -> str:
        return self.run("install", chart, "--values", self._file(values), *flags)

    def upgrade(self, chart: Path, values: Values, *flags: str) -> str:
        return self.run("upgrade", chart, "--values", self._file(values), *flags)

    def test(self, *flags: str) -> str:
        return self.run("test", TIMEOUT, *flags)

    def uninstall(self) -> str:
        return self.run("uninstall", "--wait", TIMEOUT)

    def _file(self, values: Values) -> Path:
        path = self.namespace.folder / f"{self.name}-values.json"
        path.write_text(json.dumps(merged(LOCAL, values)))
        return path

    def jobs(self, role: str = "") -> list[Object]:
        """The Jobs of the replicas, of a role or of all, without that of the cleanup."""
        return self.namespace.objects("jobs", self._selector(role))

    def pods(self, role: str = "") -> list[Object]:
        return self.namespace.objects("pods", self._selector(role))

    def _selector(self, role: str) -> str:
        return f"app.kubernetes.io/instance={self.name},chartgen/role" + (
            f"={role}" if role else ""
        )

    def logs(self, job: str) -> str:
        """The output of a Job's last pod; nothing before a pod has started."""
        pods = self.namespace.objects("pods", f"job-name={job}")
        pods.sort(key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
        if not pods or pods[-1]["status"]["phase"] == "Pending":
            return ""
        return self.namespace.logs(pods[-1]["metadata"]["name"])

    def id(self) -> str:
        """The runtime id: the same on all Jobs."""
        (runtime_id,) = {job["metadata"]["labels"]["chartgen/runtime-id"] for job in self.jobs()}
        return str(runtime_id)

    def running(self, count: int) -> list[Object]:
        """The pods of all replicas, once all of them are running."""

        def look() -> list[Object]:
            pods = [pod for pod in self.pods() if "deletionTimestamp" not in pod["metadata"]]
            ready = [pod for pod in pods if ready_pod(pod)]
            return pods if len(ready) == len(pods) == count else []

        return until(look, f"{count} pods of {self.name} run")


def merged(first: Values, second: Values) -> dict[str, Any]:
    """Values merged over values, as Helm does."""
    both = dict(first)
    for key, value in second.items():
        old = both.get(key)
        both[key] = (
            merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
        )
    return both


def ready_pod(pod: Object) -> bool:
    return _true(pod, "Ready")


def outcome(job: Object) -> str:
    """How a Job ended; nothing while it runs."""
    return next((kind for kind in ("Complete", "Failed") if _true(job, kind)), "")


def _true(item: Object, kind: str) -> bool:
    conditions = item.get("status", {}).get("conditions") or []
    return any(
        condition["type"] == kind and condition["status"] == "True" for condition in conditions
    )


def identity(objects: list[Object]) -> dict[str, str]:
    """What changes if an object is touched."""
    return {
        f"{item['kind']}/{item['metadata']['name']}": (
            f"{item['metadata']['uid']} {item['metadata'].get('generation')}"
        )
        for item in objects
    }
