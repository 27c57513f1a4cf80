"""What is fine for `helm install`, but not where a tool keeps the cluster as Git says."""

from collections.abc import Iterator

from chartgen.document import Path
from chartgen.errors import Problem
from chartgen.job.model import Spec
from chartgen.pipeline import CheckedJob

_TTL = "ttlSecondsAfterFinished"


def check(checked: CheckedJob) -> Iterator[Problem]:
    """Warnings about a job that Argo CD or Flux is to deploy."""
    job, document = checked.job, checked.document
    places: list[tuple[Path, Spec]] = [((_TTL,), job.shared)]
    for name, role in job.roles.items():
        places.append((("roles", name, _TTL), role.spec))
    for path, spec in places:
        if _TTL in spec:
            message = (
                "Argo CD and Flux re-create a Job that has deleted itself: training starts over"
            )
            yield document.warning(path, message, "gitops-ttl", "leave it out", key=True)
    if "runtimeId" in job.settings:
        message = "with a given runtime id, every change of the pods is refused by Kubernetes"
        hint = "leave it out: it is then a hash of the pods, and Jobs are replaced"
        yield document.warning(("runtimeId",), message, "gitops-runtime-id", hint, key=True)
